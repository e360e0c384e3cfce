# SPDX-License-Identifier: Apache-2.0
from itertools import pairwise
from math import inf

import pytest

from oslogserve.jobs import lines
from oslogserve.jobs.lines import Slice, limited
from oslogserve.lines.selection import Rows, Selection

ROWS = [b"%d\n" % number for number in range(1, 21)]


def sliced(*sizes):
    """The rows in slices of these sizes."""
    places = [sum(sizes[:count]) for count in range(len(sizes) + 1)]
    for begin, end in pairwise(places):
        rows = ROWS[begin:end]
        ends = [sum(map(len, rows[: count + 1])) for count in range(len(rows))]
        yield Slice(Rows(b"".join(rows), ends, []), 0, len(rows))


def taken(sizes, most=inf, **selection):
    """The rows, how many they are, the number of the last one if more follow, and what is missing."""
    missing, end = [], []

    def texts():
        end.extend((yield from limited(sliced(*sizes), Selection(**selection), most, missing)))

    return b"".join(one.text for one in texts()), *end, missing


@pytest.mark.parametrize("sizes", [(20,), (1,) * 20, (7, 1, 12), (3, 9, 8)])
@pytest.mark.parametrize("tail", [None, 1, 5, 13, 20, 99])
@pytest.mark.parametrize("after", [0, 1, 4, 12, 30])
@pytest.mark.parametrize("limit", [None, 1, 6, 20, 99])
def test_the_tail_comes_first_then_after_then_the_limit(sizes, tail, after, limit):
    left = ROWS[-tail:] if tail else ROWS
    wanted = left[after:][:limit]
    cut_at = after + len(wanted) if len(left) > after + len(wanted) else None
    found = taken(sizes, tail=tail, after=after, limit=limit)
    assert found == (b"".join(wanted), len(wanted), cut_at, [])


@pytest.mark.parametrize("sizes", [(20,), (1,) * 20, (6, 14), (5, 2, 13)])
@pytest.mark.parametrize("most", [11, 12])
def test_a_page_ends_with_the_row_that_fills_it(sizes, most):
    assert taken(sizes, most) == (b"".join(ROWS[:6]), 6, 6, [])


@pytest.mark.parametrize("sizes", [(20,), (1,) * 20, (13, 1, 6), (15, 5)])
def test_a_tail_that_does_not_fit_says_so(monkeypatch, sizes):
    monkeypatch.setattr(lines, "TAIL_BYTES", 20)
    found, *_, missing = taken(sizes, tail=15)
    assert found == b"".join(ROWS[-6:])
    assert [error.reason for error in missing] == ["capped"]


@pytest.mark.parametrize("sizes", [(20,), (1,) * 20, (13, 1, 6), (15, 5)])
def test_a_tail_that_just_fits_is_whole(monkeypatch, sizes):
    monkeypatch.setattr(lines, "TAIL_BYTES", 18)
    assert taken(sizes, tail=6) == (b"".join(ROWS[-6:]), 6, None, [])
