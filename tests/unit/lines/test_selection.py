# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.lines.clock import span
from oslogserve.lines.search import Search
from oslogserve.lines.selection import WHOLE, Selection

X = (Search.of_text("x"),)


def test_nothing_asked_is_the_whole_log():
    assert Selection() == WHOLE
    assert WHOLE.is_simple


def test_no_more_than_a_level_is_simple():
    assert Selection(level="ERROR").is_simple


@pytest.mark.parametrize(
    "asked",
    [
        {"first": 2},
        {"last": 2},
        {"since": span("2013")},
        {"until": span("2013")},
        {"searches": X},
        {"without": X},
        {"context": 0},
        {"limit": 1},
        {"tail": 1},
        {"show": (b"L1",)},
    ],
    ids=str,
)
def test_all_else_is_not_simple(asked):
    assert not Selection(**asked).is_simple
    assert not Selection(level="ERROR", **asked).is_simple


def test_selections_that_ask_the_same_are_equal_and_told_the_same():
    """Their text is part of an answer's tag."""
    one, other = (
        Selection(first=2, since=span("2013-09"), searches=(Search.of_text("x"),)) for _ in range(2)
    )
    assert one == other
    assert repr(one) == repr(other)
    assert repr(one) != repr(one._replace(searches=(Search.of_text("X"),)))
