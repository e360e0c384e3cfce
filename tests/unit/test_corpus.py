# SPDX-License-Identifier: Apache-2.0
"""The form of the labelled corpus. Its labels are compared in tests/unit/lines/test_recognised."""

import re
from collections import Counter

import pytest

from oslogserve.lines.grammar.severities import SEVERITIES
from tests import corpus

#: Colours and the like; what a terminal would not show.
ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


def test_corpus_is_large_enough():
    assert len(corpus.everything()) >= 600
    assert len(corpus.family("traps.tsv")) >= 120


def test_no_line_is_there_twice():
    count = Counter(each.line for each in corpus.everything())
    assert [line for line, times in count.items() if times > 1] == []


def test_every_severity_is_there_and_no_other():
    assert {each.severity for each in corpus.everything()} == set(SEVERITIES)


@pytest.mark.parametrize("name", corpus.families())
def test_time_of_a_line_stands_in_it(name):
    strange = [e.where for e in corpus.family(name) if e.time not in ESCAPES.sub(b"", e.line)]
    assert strange == []


@pytest.mark.parametrize("name", corpus.families())
def test_no_line_holds_a_line_break(name):
    assert [each.where for each in corpus.family(name) if b"\n" in each.line] == []


@pytest.mark.parametrize("name", corpus.families())
def test_file_is_printable_and_keeps_no_white_space_at_the_end_of_a_line(name):
    rows = (corpus.FOLDER / name).read_text(encoding="utf-8").split("\n")
    strange = [
        f"{name}:{number}"
        for number, row in enumerate(rows, 1)
        if row != row.rstrip() or not row.replace("\t", "").isprintable()
    ]
    assert strange == []


def test_escapes_are_those_of_a_python_literal():
    assert corpus.unescaped(r"\x1b[31mä\\n\t\xff\x00") == b"\x1b[31m\xc3\xa4\\n\t\xff\x00"
