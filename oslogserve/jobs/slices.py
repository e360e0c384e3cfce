# SPDX-License-Identifier: Apache-2.0
"""The rows of a job's logs in slices, and the limits of one answer."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import NamedTuple

from oslogserve.lines.selection import TAIL_BYTES, Rows, Selection


class Slice(NamedTuple):
    """Consecutive rows: those of `rows` from `first` up to `end`, without `end`."""

    #: The log's index in Job.logs; None for merged logs.
    log: int | None
    rows: Rows
    first: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.first

    @property
    def text(self) -> bytes:
        ends = self.rows.ends
        return self.rows.text[ends[self.first - 1] if self.first else 0 : ends[self.end - 1]]


class Limiter:
    """Limits the rows of one answer, and counts them."""

    def __init__(self, selection: Selection, miss: Callable[[str, str], None]) -> None:
        """miss: notes a reason and a sentence about missing rows."""
        #: Rows sent, and the number of the last one if more follow.
        self.sent = 0
        self.cut_at: int | None = None
        self._selection = selection
        self._miss = miss

    def limited(self, slices: Iterable[Slice], most: float) -> Iterator[Slice]:
        """The last rows if the query wants a tail; of these, the rows after `after`, up to the limit,
        or until `most` bytes are full."""
        if self._selection.tail is not None:
            slices = self._last(slices, self._selection.tail)
        limit = inf if self._selection.limit is None else self._selection.limit
        after = behind = self._selection.after
        for one in slices:
            if behind >= one.length:
                behind -= one.length
                continue
            one = one._replace(first=one.first + behind)
            behind = 0
            left = int(min(one.length, limit - self.sent)) if most > 0 else 0
            if left < one.length:
                self.cut_at = after + self.sent + left
            self.sent += left
            most -= len(one.text)
            if left:
                yield one._replace(end=one.first + left)
            if self.cut_at is not None:
                return

    def _last(self, slices: Iterable[Slice], most: int) -> Iterator[Slice]:
        """The last `most` rows, as far as TAIL_BYTES can hold them."""
        held: deque[Slice] = deque()
        rows = size = 0
        for one in slices:
            held.append(one)
            rows += one.length
            size += len(one.text)
            while len(held) > 1 and (rows - held[0].length >= most or size > TAIL_BYTES):
                first = held.popleft()
                rows -= first.length
                size -= len(first.text)
        if held:
            held[0] = held[0]._replace(first=held[0].first + max(0, rows - most))
        if rows < most and size > TAIL_BYTES // 2:
            self._miss("capped", f"the last {TAIL_BYTES >> 20} MiB are all that is kept")
        yield from held
