# SPDX-License-Identifier: Apache-2.0
"""The comparison with other programs: its cases, logs, figures, targets and chart. Nothing is timed."""

from functools import partial

import pytest

from benchmarks.comparison import cases, logs, measure, renderer, targets
from benchmarks.comparison.rows import Rounds
from benchmarks.fetch import BadAnswer, fetched_once
from oslogserve.bench.samples import Request
from tests.servers.delays import Delays

LOG = logs.Log("219 MB", "219.txt.gz", 219_000_000, 11_000_000, 840_000)
TABLE = cases.table(cases.RENDERERS, cases.SOURCES)
CASES = {case.name: case for case in TABLE}


def rounds_of(*totals, name="HTML, native", table=LOG.name):
    """Rounds of these totals; the neighbour always takes a second."""
    rounds = Rounds(len(totals))
    for number in rounds.each("test"):
        ours = {"total": totals[number]}
        rounds.compare(table, name, lambda: ours, cases.NGINX, lambda: {"total": 1.0})  # noqa: B023
    return rounds


def test_a_ratio_is_of_the_same_round_and_the_neighbour_comes_first_in_every_second():
    order, rounds = [], Rounds(2)
    totals = iter((1.0, 2.0, 10.0, 9.0))

    def measured(name):
        order.append(name)
        return {"total": next(totals)}

    for _ in rounds.each("test"):
        rounds.compare("t", "a", partial(measured, "a"), "b", partial(measured, "b"))
    assert order == ["a", "b", "b", "a"]
    assert rounds.find("t", "a", "ratio") == [0.5, 0.9]


def test_every_target_is_about_a_case():
    known = {*CASES, *measure.JOB_QUERIES, *(f"{task}, native" for task in renderer.TASKS)}
    assert {name for own in targets.RATIOS.values() for name in own} <= known
    assert {name for _, name in targets.LIMITS} <= known


def test_a_target_is_compared_with_the_median():
    met, missed = (targets.outcome(rounds_of(x, x, 5.0)).rows[0][-2:] for x in (1.05, 1.06))
    assert (met, missed) == (("<= 1.05", "met"), ("<= 1.05", "MISSED"))
    rounds = Rounds(1)
    rounds.add(renderer.RENDERERS_ALONE, "HTML, native", {"speed": 1e9})
    assert targets.outcome(rounds).rows[0][-2:] == (">= 1,100", "MISSED")


def test_an_answer_that_failed_does_not_count():
    with Delays() as server, pytest.raises(BadAnswer, match="a: status 503"):
        fetched_once(iter([Request("test", "a", f"{server.url}/503")]))


def test_the_renderers_have_to_give_the_same_bytes():
    def two(pieces, wanted):
        yield b"".join(pieces)

    def three(pieces, wanted):
        yield b"".join(pieces) + b"!"

    with pytest.raises(BadAnswer, match="the renderers give"):
        renderer.measure({"native": two, "pure": three}, 1, Rounds(1))
