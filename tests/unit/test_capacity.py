# SPDX-License-Identifier: Apache-2.0
"""The simulation behind doc/scaling.rst."""

import itertools
import json
import random
from collections import OrderedDict

import pytest

from experiments import capacity
from experiments.capacity import Costs, Request
from experiments.cost import COSTS, VIEWS
from experiments.document import with_figures

MEASURED = json.loads(COSTS.read_text())


@pytest.fixture(scope="module")
def costs():
    return Costs(MEASURED)


def test_the_document_has_what_it_gives(costs):
    text = capacity.DOC.read_text("utf-8")
    for name, figures in capacity.tables(costs).items():
        assert with_figures(text, name, figures) == text


def test_what_the_document_assumes_is_assumed():
    text = " ".join(capacity.DOC.read_text("utf-8").split())
    views = capacity.VIEWS
    for said in (
        f"opens a log every {capacity.PAUSE} seconds",
        f"smaller than {capacity.MEDIAN_SIZE // 1000} KB",
        "{page:.0%} of the requests are for pages, {errors:.0%} for errors".format(**views),
        f"{views['search']:.0%} are searches, {views['stored gzip']:.0%} want the stored gzip",
        f"1/n\\ :sup:`{capacity.POPULARITY}`",
        f"a disk to do {capacity.READS_OF_DISK} in a second",
    ):
        assert said.replace("%", " %") in text
    sizes = [request.size for request in itertools.islice(capacity.requests(), 300_000)]
    assert sum(sizes) / len(sizes) == pytest.approx(1.5e6, rel=0.1)
    assert sum(size < capacity.MEDIAN_SIZE for size in sizes) / len(sizes) == pytest.approx(
        0.5, abs=0.01
    )
    assert sum(views.values()) == pytest.approx(1)
    assert set(views) <= set(VIEWS)


def test_a_request_costs_its_opening_and_its_bytes():
    view = {"server, request": 0.002, "server, GB": 3.0, "swift, request": 0.01, "swift, GB": 1.0}
    costs = Costs({"stored share": 0.1, "views": {"swift, page": view | {"sent share": 1.5}}})
    request = Request("page", 2_000_000_000)
    assert costs.processor(request) == pytest.approx(6.002)
    assert costs.processor(request, "swift") == pytest.approx(2.01)
    assert (costs.sent(request), costs.stored(request)) == (3e9, 2e8)


def test_requests_alone_are_not_delayed():
    node = capacity.simulated(rate=0.001, work=[1.0] * 500, processors=1)
    assert node.delay == pytest.approx(0, abs=1e-6)
    assert node.at_once == 1


@pytest.mark.parametrize("busy", [0.5, 0.8])
def test_delays_of_one_processor_are_those_of_the_theory(busy):
    """Of processor sharing: there are n requests, the new one included, at busy ** (n - 1)."""
    drawn = random.Random(5)
    work = [drawn.expovariate(1) for _ in range(60_000)]
    node = capacity.simulated(rate=busy, work=work, processors=1)
    expected = next(n for n in itertools.count(1) if 1 - busy**n >= 0.99)
    assert abs(node.at_once - expected) <= 0.1 * expected + 1


def test_requests_that_fit_the_processors_do_not_delay_each_other():
    together = capacity.simulated(rate=1e9, work=[1.0] * 8, processors=8)
    assert together.delay == pytest.approx(0, abs=1e-6)
    crowded = capacity.simulated(rate=1e9, work=[1.0] * 16 + [1e-9] * 10_000, processors=8)
    assert crowded.at_once > 16


def test_more_readers_take_more_nodes(costs):
    plans = [capacity.planned(readers, costs) for readers in (1, 1_000, 100_000, 200_000)]
    assert [plan.nodes for plan in plans] == sorted(plan.nodes for plan in plans)
    assert plans[3].nodes >= 2 * plans[2].nodes - 1
    for plan in plans:
        assert plan.busy <= plan.nodes * capacity.PROCESSORS * capacity.BUSIEST
        assert plan.node.delay <= capacity.LONGEST_DELAY
    assert plans[3].sent == pytest.approx(2 * plans[2].sent)


@pytest.mark.parametrize("size", [10, 100, 1000])
def test_a_cache_answers_what_one_that_keeps_the_last_answers(size):
    logs = 5_000
    weights = [rank**-capacity.POPULARITY for rank in range(1, logs + 1)]
    asked = random.Random(6).choices(range(logs), weights, k=60_000)
    kept, found = OrderedDict(), 0
    for place, log in enumerate(asked):
        found += log in kept and place >= 20_000
        kept[log] = None
        kept.move_to_end(log)
        if len(kept) > size:
            kept.popitem(last=False)
    assert capacity.hits(size, logs) == pytest.approx(found / 40_000, abs=0.01)


def test_a_cache_for_all_answers_all():
    assert capacity.hits(5_000, 5_000) == 1
    assert capacity.hits(0, 5_000) == pytest.approx(0, abs=1e-6)
