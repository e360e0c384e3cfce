# SPDX-License-Identifier: Apache-2.0
"""Excerpts of logs that nobody would write, always the same ones."""

import pytest

from oslogserve.pages.brief import FORMS, ending
from tests.fuzz.excerpts import Excerpts
from tests.fuzz.fuzzer import Round, run

#: They take some three seconds.
CASES = 12


def test_an_excerpt_has_the_lines_of_its_log_within_its_bytes():
    assert run(Excerpts(), cases=CASES) == Round(CASES, "")


@pytest.mark.parametrize(
    ("notices", "size", "said"),
    [
        ([], 100, ""),
        (["it ends early"], 16, "[it ends early]\n"),
        (["it ends too early"], 16, "[it en...early]\n"),
        (["a", "b"], 8, "[a]\n[b]\n"),
        (
            ["a" * 50, "b" * 50],
            60,
            "[aaaaaaa...aaaaaaa]\n[1 more sentence about what is missing]\n",
        ),
        (["a", "b" * 50, "c"], 60, "[a]\n[2 more sentences about what is missing]\n"),
    ],
)
def test_of_what_is_missing_the_first_sentence_is_always_said(notices, size, said):
    assert ending(notices, size, FORMS["brief"]) == said
    assert len(said) <= size
