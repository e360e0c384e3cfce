# SPDX-License-Identifier: Apache-2.0
import functools
import re
import time

from oslogserve.lines.grammar import exceptions
from oslogserve.lines.grammar.severities import RANKS
from tests import corpus

LINES = [each.line for each in corpus.everything()]
#: Each line, and what follows its words: what content may begin with.
BEGINNINGS = sorted(
    {line[at.end() :] for line in LINES for at in re.finditer(rb"^|[|:\]] +", line)}
)


@functools.cache
def matching(pattern):
    matches = re.compile(pattern.replace(b"{end}", rb"\Z")).match
    return frozenset(line for line in BEGINNINGS if matches(line))


def test_the_first_row_counts():
    for line in filter(None, BEGINNINGS):
        ranks = [rank for pattern, rank in exceptions.ROWS if line in matching(pattern)]
        assert exceptions.rank_at(line, 0) == (ranks[0] if ranks else None), line


def test_most_rows_have_a_line_in_the_corpus():
    unused = [pattern for pattern, _ in exceptions.ROWS if not matching(pattern)]
    assert len(unused) < len(exceptions.ROWS) / 2, unused


def test_a_place_and_a_severity():
    for line, rank in (
        (b"a.c:1:2: warning: x", "WARNING"),
        (b"a.c(1,2): error X1: x", "ERROR"),
        (b'"a.c", line 4: note: x', "INFO"),
        (b"a.c:1: fatal error: x", "ERROR"),
    ):
        assert exceptions.rank_of_place(line, 0, len(line)) == RANKS[rank], line
    for line in (
        b"a.c:1:2: x",
        b"error: x",
        b"02:07:59.256 [info] x",
        b"a.py:776:        error). x",
    ):
        assert exceptions.rank_of_place(line, 0, len(line)) is None, line


def test_a_long_name_costs_by_its_length():
    def cost(line):
        started = time.process_time()
        exceptions.rank_at(line, 0)
        return time.process_time() - started

    name = b"Error" * 800
    assert exceptions.rank_at(name, 0) == RANKS["ERROR"]
    assert min(cost(name + b"!") for _ in range(5)) < 0.02
