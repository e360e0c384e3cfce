# SPDX-License-Identifier: Apache-2.0
"""Experiments: the document that they write, and how figures are written."""

from mmap import PAGESIZE

import pytest

from benchmarks.experiments import page_cache
from benchmarks.experiments.__main__ import DOC, EXPERIMENTS
from benchmarks.fetch import notes, rate, spread
from benchmarks.report import MOST_NOTES, Outcome, digits, with_figures
from oslogserve.bench.result import Result, Run
from oslogserve.bench.samples import Sample

TEXT = "Before\n\n.. figures of a\n\nold\n\n.. end of figures\n\n.. figures of b\n\n.. end of figures\n"


def result(*runs):
    """A result of the source a; runs are responses, milliseconds, None for a failure."""
    return Result({}, [Run([sample(value) for value in run], []) for run in runs])


def sample(value):
    error = "status 503" if value is None else ""
    seconds = (value or 0) / 1000
    return Sample("a", "log", 0.0, 0.0, seconds, 0.0, 1.0, 10, 200, error)


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


def test_an_outcome_is_sentences_a_table_and_notes():
    many = [f"note {number}" for number in range(MOST_NOTES + 2)]
    shown = Outcome(["It is so."], ("Log", "ms"), [("a", "1")], None, many).as_rst("c.svg", "C")
    assert shown.startswith("It is so.\n\n===  ==\nLog  ms\n===  ==\na    1\n===  ==\n\nTo be kept")
    assert shown.endswith("* And 2 more of this kind.\n")


def test_a_spread_is_the_median_of_all_and_the_range_of_the_runs():
    found = result([1, 2, 3], [10, 20, 30, None])
    assert spread(found, "a", "response") == "6.50 (2.00-20.0)"
    assert rate(found, "a") == 3
    assert any("1 requests failed" in note for note in notes({"all": found}))
    assert not any("slowest hundredth" in note for note in notes({"all": found}))


def test_figures_have_three_digits():
    assert list(map(digits, (0.128, -12.34, 1234.5, 99.96))) == ["0.13", "-12.3", "1,234", "100.0"]


def test_a_file_is_taken_out_of_the_cache_or_it_is_said(tmp_path):
    path = tmp_path / "log.txt"
    path.write_bytes(b"a line\n" * 10_000)
    assert page_cache.cached_pages(path) == -(-70_000 // PAGESIZE)
    try:
        page_cache.drop(path)
    except page_cache.NotDropped as error:
        pytest.skip(str(error))
    assert page_cache.cached_pages(path) == 0
