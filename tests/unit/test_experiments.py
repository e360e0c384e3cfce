# SPDX-License-Identifier: Apache-2.0
"""Experiments: the document that they write, and how figures are written."""

import pytest

from benchmarks.experiments import filling, listing, parallel, sizes
from benchmarks.experiments.__main__ import DOC, EXPERIMENTS
from benchmarks.report import with_figures
from oslogserve.bench.result import Result, Run
from oslogserve.bench.samples import Sample

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


def test_the_most_answers_a_second_are_told_with_their_refusals():
    rates = {"disk": [900, 1000], "swift": [100, 114], "Swift itself": [90, 128]}
    refused = {1: 0.0, 64: 0.5}
    said = parallel._sentence(rates, [1, 64], refused)
    assert "114 from Swift (with 64; 50% of its requests are refused then" in said
    answer = parallel._answer(rates, [1, 64], refused)
    assert answer.endswith("of more than 1 requests to Swift at once, some are refused.")


def test_a_row_of_few_samples_says_so():
    run = Run([Sample("disk", "log", 0.0, 0.0, 1.0, 0.0, 1.0, 10, 200)] * 2, [])
    assert sizes._shown(2**31, Result({}, [run] * 3)) == "2 GiB SLO (3 samples)"
    assert sizes._shown(10**6, Result({}, [run] * 20)) == "1 MB"


@pytest.mark.parametrize(
    ("ratios", "words"),
    [
        ([0.97, 1.04], "No: with 100 times as many rows"),
        ([1.2, 1.5], "Yes: with 100 times as many rows"),
        ([0.82, 1.30], "a difference is smaller than the scatter of the runs"),
    ],
)
def test_more_rows_are_no_difference_unless_all_runs_agree(ratios, words):
    answer = listing._answer(ratios, (1000, 100_000))
    assert words in answer
    assert answer.endswith("rows have no objects, so nothing is said of a full disk.")


def test_uploads_of_some_megabytes_say_what_they_cannot_show():
    answer = filling._answer([0.9, 1.1], 1500)
    assert answer.startswith("Over the first 1.50 MB, the last fifth took 0.90 to 1.10 times")
    assert "cannot show what hundreds of GB do" in answer
