# SPDX-License-Identifier: Apache-2.0
"""Excerpts of logs that nobody would write, always the same ones."""

import pytest
from msgspec.structs import replace

from oslogserve.lines.excerpt.lines import MarkedLine
from oslogserve.lines.summary import NONE, CauseLine, Chapter
from oslogserve.pages.brief import FORMS, ending, of_log
from tests.fuzz.excerpts import Excerpts
from tests.fuzz.fuzzer import Round, run
from tests.kit.markdown import code_of

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


@pytest.mark.parametrize("length", [30, 44, 62])
@pytest.mark.parametrize("digits", range(1, 11))
def test_few_bytes_of_markdown_have_a_line_of_a_log_of_any_length(digits, length):
    last, told = 10**digits, "FAIL: test_sum (tests.Sum)"
    cause = CauseLine(last - 2, last - 1, None, told, "end", told=[told], new=True)
    chapter = Chapter("s" * 99, 1, last, None, 7265.0, "failed")
    summary = replace(NONE, cause=cause, failed=True, chapters=[chapter])
    lines = [MarkedLine(last - 2, 0, "Word", 0, False, told)]
    link, missing = f"{'n' * length}?goto=", ["w" * 200] * 9
    text = of_log(summary, lines, last, "n" * 200, link, 500, missing, FORMS["markdown"]).decode()
    assert len(text) <= 500
    assert len(code_of(text)) == 1
