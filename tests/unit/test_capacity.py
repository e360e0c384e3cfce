# SPDX-License-Identifier: Apache-2.0
"""The simulation behind doc/scaling.rst."""

import itertools
import json
import random

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
