# SPDX-License-Identifier: Apache-2.0
"""The simulation behind doc/scaling.rst."""

import itertools
import json
import random
from collections import OrderedDict

import pytest

from benchmarks.report import with_figures
from benchmarks.scaling import capacity, model
from benchmarks.scaling.cost import COSTS
from benchmarks.scaling.model import Costs

MEASURED = Costs(json.loads(COSTS.read_text()))


def test_the_document_has_what_it_gives():
    text = capacity.DOC.read_text("utf-8")
    for name, figures in capacity.tables(MEASURED).items():
        assert with_figures(text, name, figures) == text


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
