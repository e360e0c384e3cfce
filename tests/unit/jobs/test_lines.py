# SPDX-License-Identifier: Apache-2.0
from itertools import pairwise
from math import inf

import pytest

from oslogserve.jobs import lines
from oslogserve.jobs.lines import Limiter, Slice
from oslogserve.lines.selection import Rows, Selection

ROWS = [b"%d\n" % number for number in range(1, 21)]


def sliced(*sizes):
    """The rows in slices of these sizes."""
    places = [sum(sizes[:count]) for count in range(len(sizes) + 1)]
    for begin, end in pairwise(places):
        rows = ROWS[begin:end]
        ends = [sum(map(len, rows[: count + 1])) for count in range(len(rows))]
        yield Slice(0, Rows(b"".join(rows), ends, []), 0, len(rows))


@pytest.mark.parametrize("sizes", [(20,), (1,) * 20, (7, 1, 12), (3, 9, 8)])
@pytest.mark.parametrize("tail", [None, 1, 5, 13, 20, 99])
@pytest.mark.parametrize("after", [0, 1, 4, 12, 30])
@pytest.mark.parametrize("limit", [None, 1, 6, 20, 99])
def test_the_tail_comes_first_then_after_then_the_limit(sizes, tail, after, limit):
    limiter = Limiter(Selection(tail=tail, after=after, limit=limit))
    found = b"".join(one.text for one in limiter.limited(sliced(*sizes), inf))
    left = ROWS[-tail:] if tail else ROWS
    wanted = left[after:][:limit]
    assert found == b"".join(wanted)
    assert limiter.sent == len(wanted)
    is_cut = len(left) > after + len(wanted)
    assert limiter.cut_at == (after + len(wanted) if is_cut else None)
    assert limiter.missing == []


@pytest.mark.parametrize("sizes", [(20,), (1,) * 20, (6, 14), (5, 2, 13)])
@pytest.mark.parametrize("most", [11, 12])
def test_a_page_ends_with_the_row_that_fills_it(sizes, most):
    limiter = Limiter(Selection())
    found = b"".join(one.text for one in limiter.limited(sliced(*sizes), most))
    assert (found, limiter.cut_at) == (b"".join(ROWS[:6]), 6)


@pytest.mark.parametrize("sizes", [(20,), (1,) * 20, (13, 1, 6), (15, 5)])
def test_a_tail_that_does_not_fit_says_so(monkeypatch, sizes):
    monkeypatch.setattr(lines, "TAIL_BYTES", 20)
    limiter = Limiter(Selection(tail=15))
    found = b"".join(one.text for one in limiter.limited(sliced(*sizes), inf))
    assert found == b"".join(ROWS[-6:])
    assert [error.reason for error in limiter.missing] == ["capped"]


@pytest.mark.parametrize("sizes", [(20,), (1,) * 20, (13, 1, 6), (15, 5)])
def test_a_tail_that_just_fits_is_whole(monkeypatch, sizes):
    monkeypatch.setattr(lines, "TAIL_BYTES", 18)
    limiter = Limiter(Selection(tail=6))
    found = b"".join(one.text for one in limiter.limited(sliced(*sizes), inf))
    assert (found, limiter.missing) == (b"".join(ROWS[-6:]), [])
