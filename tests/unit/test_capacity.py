# SPDX-License-Identifier: Apache-2.0
"""The simulation behind doc/scaling.rst."""

import itertools
import json
import random
from collections import OrderedDict

import pytest

from benchmarks.report import with_figures
from benchmarks.scaling import capacity, model
from benchmarks.scaling.cost import COSTS, VIEWS
from benchmarks.scaling.model import Costs

MEASURED = Costs(json.loads(COSTS.read_text()))


def test_the_document_has_what_it_gives():
    text = capacity.DOC.read_text("utf-8")
    for name, figures in capacity.tables(MEASURED).items():
        assert with_figures(text, name, figures) == text


def test_what_the_document_assumes_is_assumed():
    text = " ".join(capacity.DOC.read_text("utf-8").split())
    views = model.VIEWS
    for said in (
        f"opens a log every {model.PAUSE} seconds",
        f"smaller than {model.MEDIAN_SIZE // 1000} KB",
        "{page:.0%} are for pages, {errors:.0%} for errors".format(**views),
        f"{views['search']:.0%} for searches and {views['stored gzip']:.0%} for the stored gzip",
        f"1/n\\ :sup:`{model.POPULARITY}`",
        f"A disk does {capacity.READS_OF_DISK} such reads a second",
    ):
        assert said.replace("%", " %") in text
    sizes = [request.size for request in itertools.islice(model.requests(), 300_000)]
    assert sum(sizes) / len(sizes) == pytest.approx(1.5e6, rel=0.1)
    smaller = sum(size < model.MEDIAN_SIZE for size in sizes)
    assert smaller / len(sizes) == pytest.approx(0.5, abs=0.01)
    assert sum(views.values()) == pytest.approx(1)
    assert set(views) <= set(VIEWS)


@pytest.mark.parametrize("busy", [0.5, 0.8])
def test_delays_of_one_processor_are_those_of_the_theory(busy):
    """Of processor sharing: there are n requests, the new one included, at busy ** (n - 1)."""
    drawn = random.Random(5)
    work = [drawn.expovariate(1) for _ in range(60_000)]
    node = model.simulated(rate=busy, work=work, processors=1)
    expected = next(n for n in itertools.count(1) if 1 - busy**n >= 0.99)
    assert abs(node.at_once - expected) <= 0.1 * expected + 1


def test_requests_that_fit_the_processors_do_not_delay_each_other():
    alone = model.simulated(rate=0.001, work=[1.0] * 500, processors=1)
    assert (alone.delay, alone.at_once) == (pytest.approx(0, abs=1e-6), 1)
    together = model.simulated(rate=1e9, work=[1.0] * 8, processors=8)
    assert together.delay == pytest.approx(0, abs=1e-6)
    crowded = model.simulated(rate=1e9, work=[1.0] * 16 + [1e-9] * 10_000, processors=8)
    assert crowded.at_once > 16


def test_more_readers_take_more_nodes():
    plans = [model.planned(readers, MEASURED) for readers in (1, 1_000, 100_000, 200_000)]
    assert [plan.nodes for plan in plans] == sorted(plan.nodes for plan in plans)
    assert plans[3].nodes >= 2 * plans[2].nodes - 1
    for plan in plans:
        assert plan.busy <= plan.nodes * model.PROCESSORS * model.BUSIEST
        assert plan.node.delay <= model.LONGEST_DELAY
    assert plans[3].sent == pytest.approx(2 * plans[2].sent)


@pytest.mark.parametrize("size", [0, 10, 100, 1000])
def test_a_cache_answers_what_one_that_keeps_the_last_answers(size):
    logs = 5_000
    weights = [rank**-model.POPULARITY for rank in range(1, logs + 1)]
    asked = random.Random(6).choices(range(logs), weights, k=60_000)
    kept, found = OrderedDict(), 0
    for place, log in enumerate(asked):
        found += log in kept and place >= 20_000
        kept[log] = None
        kept.move_to_end(log)
        if len(kept) > size:
            kept.popitem(last=False)
    assert model.hits(size, logs) == pytest.approx(found / 40_000, abs=0.01)
