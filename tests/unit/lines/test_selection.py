# SPDX-License-Identifier: Apache-2.0
from oslogserve.lines.search import Search
from oslogserve.lines.selection import ALL_LINES, Selection
from oslogserve.lines.time_range import time_range


def test_nothing_asked_is_the_whole_log():
    assert Selection() == ALL_LINES


def test_selections_that_ask_the_same_are_equal_and_told_the_same():
    """Their text is part of an answer's tag."""
    one, other = (
        Selection(first=2, since=time_range("2013-09"), searches=(Search.of_text("x"),))
        for _ in range(2)
    )
    assert one == other
    assert repr(one) == repr(other)
    assert repr(one) != repr(one._replace(searches=(Search.of_text("X"),)))
