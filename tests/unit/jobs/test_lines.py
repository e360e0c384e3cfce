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


def test_a_full_page_ends_before_the_next_slice():
    limiter = Limiter(Selection())
    found = b"".join(one.text for one in limiter.limited(sliced(5, 5, 10), 11))
    assert (found, limiter.cut_at) == (b"".join(ROWS[:10]), 10)


def test_a_tail_that_does_not_fit_says_so(monkeypatch):
    monkeypatch.setattr(lines, "TAIL_BYTES", 20)
    limiter = Limiter(Selection(tail=15))
    found = b"".join(one.text for one in limiter.limited(sliced(*(1,) * 20), inf))
    assert b"".join(ROWS).endswith(found)
    assert 0 < len(found) <= 20
    assert [error.reason for error in limiter.missing] == ["capped"]
