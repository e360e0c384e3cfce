# SPDX-License-Identifier: Apache-2.0
"""Experiments: the document that they write, and how figures are written."""

import pytest

from benchmarks.experiments.__main__ import DOC, EXPERIMENTS
from benchmarks.report import with_figures

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
