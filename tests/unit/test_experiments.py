# SPDX-License-Identifier: Apache-2.0
"""Experiments: the document that they write, and how figures are written."""

import pytest

from benchmarks.experiments import balance, filling, parallel, sizes
from benchmarks.experiments.__main__ import DOC, EXPERIMENTS
from benchmarks.fetch import qualified
from benchmarks.report import Outcome, with_figures
from oslogserve.bench.result import Result, Run
from oslogserve.bench.samples import Beat, Sample

TEXT = "Before\n\n.. figures of a\n\nold\n\n.. end of figures\n\n.. figures of b\n\n.. end of figures\n"


def test_figures_take_the_place_of_their_experiments_alone():
    changed = with_figures(TEXT, "a", "new \\1\n")
    assert changed == TEXT.replace("old\n", "new \\1\n")
    assert with_figures(changed, "a", "old\n") == TEXT
    with pytest.raises(ValueError, match="0 times"):
        with_figures(TEXT, "c", "new")


def test_the_document_has_a_place_for_each_experiment_and_for_no_other():
    text = (DOC / "experiments.rst").read_text("utf-8")
    for name in EXPERIMENTS:
        with_figures(text, name, "")
    assert text.count(".. figures of ") == len(EXPERIMENTS)


def sample(source, total=0.01, started=0.0, worker=""):
    times = (total, 0.0, total)
    return Sample(source, "a.txt", started, 0.0, *times, size=9, status=200, worker=worker)


#: Beats of a client that was always busy, and of one that never was.
BUSY = [Beat(at / 10, at / 10, 0.0, at / 10) for at in range(12)]
IDLE = [Beat(at / 10, 0.0, 0.0) for at in range(12)]


def of_workers(*runs):
    """A result of runs, each with the number of requests of its two workers."""
    samples = [[sample("x", worker=str(n)) for n in (0, 1) for _ in range(run[n])] for run in runs]
    return Result({}, [Run(own, []) for own in samples])


def test_a_worker_that_had_all_requests_of_a_run_is_not_averaged_away():
    results = {
        "kept": {"one socket": of_workers((6, 4), (10, 0)), "reuse_port": of_workers((5, 5))}
    }
    answer = balance._answer(results)
    assert "60% to 100% of a run's requests with one socket, and 50% to 50%" in answer
    assert answer.endswith("in some runs it did all the work, or nearly.")
    results["kept"]["one socket"] = of_workers((6, 4))
    assert "in no run it did all the work" in balance._answer(results)


def at_once(beats):
    samples = [sample("disk", started=n / 100) for n in range(100)]
    return Result({}, [Run(samples, beats)])


def test_nothing_scales_to_where_the_client_was_the_limit():
    rates = [50.0, 100.0, 101.0]
    limited, free = at_once(BUSY), at_once(IDLE)
    assert parallel._end({1: limited, 2: free, 4: free}, rates).startswith("scales to 2 at once")
    told = parallel._end({1: free, 2: free, 4: limited}, rates)
    assert told == "gives at least 101 answers a second: then the client was the limit"


def test_an_answer_says_that_the_client_was_the_limit():
    assert qualified("Yes.", [at_once(IDLE)]) == "Yes."
    assert "in 1 of 2 measurements" in qualified("Yes.", [at_once(IDLE), at_once(BUSY)])


def of_sizes(*runs):
    """A result of runs, each with the totals of disk and of Swift."""
    totals = [{"disk": disk, "swift": swift} for disk, swift in runs]
    return Result({}, [Run([sample(*pair) for pair in own.items()], []) for own in totals])


def test_a_ratio_is_within_its_own_range():
    # The ratio of the medians of all requests would be 5.
    found = of_sizes((1.0, 2.0), (2.0, 5.0), (0.5, 6.0), (1.0, 5.0))
    middle, _, spread = sizes._ratio(found).partition(" ")
    low, high = map(float, spread.strip("()").split("-"))
    assert low <= float(middle) <= high
    small, large = of_sizes((1.0, 20.0), (1.0, 22.0)), of_sizes((1.0, 7.0), (1.0, 21.0))
    assert sizes._answer({10**3: small, 10**9: large}).startswith("Hardly")
    assert sizes._answer({10**3: small, 10**9: of_sizes((1.0, 7.0))}).startswith("Yes")


def test_uploads_under_way_at_the_end_are_no_rate():
    parts = [(0, 2, False, 200), (2, 0.2, True, 16)]
    slices = [
        {"start": start, "width": width, "is_partial": partial, "requests": {"put": count}}
        for start, width, partial, count in parts
    ]
    assert filling._rates(slices) == ([1.0], [100.0])


def test_an_outcome_without_sentences_begins_with_its_table():
    assert Outcome([], ("a",), [("1",)]).as_rst().startswith("=\na\n")
