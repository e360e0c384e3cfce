# SPDX-License-Identifier: Apache-2.0
"""Selects the lines of a log, a line at a time."""

import sys
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from oslogserve.lines.clock import Clock, Instant
from oslogserve.lines.grammar.severities import SEVERITIES
from oslogserve.lines.pure.anchor import anchor_of
from oslogserve.lines.pure.inheritance import Inheritance
from oslogserve.lines.pure.recognise import Recogniser, Seen
from oslogserve.lines.pure.split import RestOfLine
from oslogserve.lines.selection import (
    CONTEXT_BYTES,
    LINE_BYTES,
    NO_TIME,
    TAIL_BYTES,
    UNTIMED,
    UNTIMED_LINES,
    Tally,
    Wanted,
    count,
)
from oslogserve.lines.time_range import TimeRange


class Line(NamedTuple):
    """A line of a log, with its severity for filters."""

    number: int
    #: With its line feed; only the beginning of a long line.
    text: bytes
    seen: Seen
    #: The rank for filters: of its own severity, or of the one that it inherits.
    rank: int
    #: b"" for a hit, b"context", or b"shown" for a line that Selection.show names.
    role: bytes = b""
    #: See Rows.times.
    time: int = NO_TIME


class Gap(NamedTuple):
    """Lines that are not shown, by the numbers of the first and the last."""

    first: int
    last: int


#: A part of the output.
Shown = Line | RestOfLine | Gap


class Selector:
    """Selects the lines of one log.

    longest: bytes of a line that are searched. A summary reads the whole log. For HTML, hits are
    counted by severity, and the page has limits.
    """

    def __init__(
        self, wanted: Wanted, recogniser: Recogniser, clock: Clock, tally: Tally, longest: int
    ) -> None:
        selection = wanted.selection
        self._selection = selection
        self._recogniser = recogniser
        self._clock = clock
        self._tally = tally
        self._longest = longest
        self._shown_ranges = selection.shown_ranges
        self._reads_all = wanted.view == "summary" or bool(selection.show)
        self._counts_severities = wanted.view == "html" and selection.tail is None
        self._page = wanted.page if wanted.view == "html" else None
        has_rows = wanted.label is not None
        self._line_bytes = LINE_BYTES if wanted.view == "html" and not has_rows else sys.maxsize
        self._floor = SEVERITIES.index(selection.level) if selection.level else 0
        self._searches = [search.compiled() for search in selection.searches]
        self._without = [search.compiled() for search in selection.without]
        self._inheritance = Inheritance()
        self._time: Instant | None = None
        self._by_time = wanted.by_time
        self._latest = NO_TIME
        #: The first Line.time that is not NO_TIME.
        self.first_time = NO_TIME
        self._remaining = selection.limit
        self._context = selection.context or 0
        self._context_end = 0  # where the context of the last hit ends
        self._before = _LineBuffer(self._context, min(CONTEXT_BYTES, longest))

    def shown(self, lines: Iterable[bytes | RestOfLine]) -> Iterator[Shown]:
        """Yields the lines that are shown, and the gaps between them. lines: the whole log."""
        selected = self._selected(lines)
        if self._selection.tail is not None:
            selected = self._last(self._selection.tail, selected)
        return self._paged(selected)

    def _selected(self, lines: Iterable[bytes | RestOfLine]) -> Iterator[Line | RestOfLine]:
        """Yields hits up to the limit, their context, and lines that Selection.show names.

        Passes on each RestOfLine, unless its line is held back; _paged() drops it if the line was not
        shown.
        """
        number = 0
        for text in lines:
            if isinstance(text, RestOfLine):
                if self._before.ends_with(number):
                    yield from self._put_brought_in(self._before.extend(text))
                else:
                    yield text
                continue
            number += 1
            is_open = self._is_open(number)
            if not is_open and not self._reads_all:
                break
            self._tally.lines = number
            yield from self._selected_by(self._recognised(number, text), is_open)
        yield from self._put_brought_in(self._before.take())

    def _is_open(self, number: int) -> bool:
        """True if this line or a later one can be a hit."""
        last = self._selection.last
        if last is not None and number > last:
            return False
        if self._remaining == 0:
            self._cut(number)
        return self._remaining != 0

    def _recognised(self, number: int, text: bytes) -> Line:
        seen = self._recogniser.seen_in(text.removesuffix(b"\n"))
        if seen.time:
            self._time = self._clock.read(seen.time) or self._time
        if self._by_time and self._time:
            time = self._time.on_clock_of(0)
            self._latest = max(self._latest, NO_TIME if time is None else time)
        if self._by_time and self._latest == NO_TIME and number >= UNTIMED_LINES:
            self._latest = UNTIMED
        if self.first_time == NO_TIME:
            self.first_time = self._latest
        rank = self._inheritance.rank_of(seen)
        return Line(number, text, seen, rank, time=self._latest)

    def _selected_by(self, line: Line, is_open: bool) -> Iterator[Line]:
        """Yields the lines that are shown because of this one: itself and the context before it."""
        is_open = is_open and self._is_in_window(line.number)
        is_hit = is_open and self._is_hit(line)
        is_near = line.number <= self._context_end
        if self._is_brought_in(line):
            line = line._replace(role=b"shown")
        elif not is_hit and is_open and (is_near or self._context):
            line = line._replace(role=b"context")
        elif not is_hit:
            return
        if is_hit:
            for before in self._before.take():
                if before.role == b"shown" or before.number >= line.number - self._context:
                    yield from self._put(before)
            yield from self._put(line, is_hit=True)
            self._context_end = line.number + self._context
        elif is_near or not self._context:
            yield from self._put(line)
        else:
            yield from self._put_brought_in(self._before.add(line))

    def _is_in_window(self, number: int) -> bool:
        since, until = self._selection.since, self._selection.until
        after = since and self._time_on_clock_of(since)
        before = until and self._time_on_clock_of(until)
        return (
            number >= self._selection.first
            and (since is None or (after is not None and after >= since.first))
            and (until is None or before is None or before <= until.last)
        )

    def _time_on_clock_of(self, asked: TimeRange) -> int | None:
        """The log's time here, to compare with `asked`; None before the first."""
        return self._time.on_clock_of(asked.offset) if self._time else None

    def _is_hit(self, line: Line) -> bool:
        content = line.text.removesuffix(b"\n")[: self._longest]
        return (
            line.rank >= self._floor
            and all(one.search(content) for one in self._searches)
            and not any(one.search(content) for one in self._without)
        )

    def _is_brought_in(self, line: Line) -> bool:
        if any(first <= line.number <= last for first, last in self._shown_ranges):
            return True
        time = line.seen.time
        return bool(time) and anchor_of(time) in self._selection.show

    def _put_brought_in(self, lines: Iterable[Line]) -> Iterator[Line]:
        for line in lines:
            if line.role == b"shown":
                yield from self._put(line)

    def _put(self, line: Line, is_hit: bool = False) -> Iterator[Line]:
        """Yields the line and counts it, unless it was sent before or the limit is reached."""
        if line.role != b"shown":
            if line.number <= self._selection.after:
                return
            if self._remaining == 0:
                self._cut(line.number)
                return
            if self._remaining:
                self._remaining -= 1
        self._tally.matched += is_hit
        if is_hit and self._counts_severities:
            count(self._tally.severities, line.seen.rank, line.number)
        yield line

    def _cut(self, number: int) -> None:
        """Notes the first line after the limit."""
        if self._tally.cut_at is None:
            is_near = number <= self._context_end
            self._tally.cut_at = number
            self._tally.cut_from = self._context_end - self._context if is_near else number

    def _last(self, count: int, lines: Iterable[Line | RestOfLine]) -> Iterator[Line | RestOfLine]:
        """Yields the last `count` lines, and those that Selection.show names."""
        buffer = _LineBuffer(count, TAIL_BYTES)
        added = 0
        for line in lines:
            if isinstance(line, Line):
                added += 1
                left = buffer.add(line)
            elif buffer.ends_with(self._tally.lines):
                left = buffer.extend(line)
            else:
                yield line
                continue
            yield from (one for one in left if one.role == b"shown")
        held = buffer.take()
        self._tally.dropped = min(count, added) - len(held)
        yield from held

    def _paged(self, lines: Iterable[Line | RestOfLine]) -> Iterator[Shown]:
        """Yields the lines that fit on the page, and the gaps between them."""
        tally = self._tally
        shown = size = 0  # the last line shown; bytes of all
        room = self._line_bytes  # bytes left for the rest of that line
        gap_start = max(self._selection.first, self._selection.after + 1)
        for line in lines:
            if isinstance(line, RestOfLine):
                if shown == tally.lines:
                    text = line.text[:room]
                    room = self._room_behind(shown, line.text, room)
                    size += len(text)
                    yield RestOfLine(text)
            elif self._is_full(size):
                tally.next_page = tally.next_page or line.number
            else:
                if line.number > gap_start:
                    yield Gap(gap_start, line.number - 1)
                shown = line.number
                gap_start = shown + 1
                text = line.text[: self._line_bytes]
                room = self._room_behind(shown, line.text, self._line_bytes)
                size += len(text)
                tally.sent += 1
                yield line._replace(text=text)
        is_cut = tally.cut_at is not None or tally.next_page is not None
        if not is_cut and gap_start <= tally.lines:
            yield Gap(gap_start, tally.lines)

    def _room_behind(self, number: int, text: bytes, room: int) -> int:
        """Bytes left of `room` after a line's text. Notes the first line that is cut."""
        if len(text) > room:
            self._tally.cut_line = self._tally.cut_line or number
        return max(0, room - len(text))

    def _is_full(self, size: int) -> bool:
        page = self._page
        return page is not None and (size >= page.size or self._tally.elements >= page.elements)


class _LineBuffer:
    """A buffer of the last lines, limited in lines and bytes."""

    def __init__(self, capacity: int, capacity_bytes: int) -> None:
        self._lines: deque[Line] = deque()
        self._capacity = capacity
        self._capacity_bytes = capacity_bytes
        self._bytes = 0

    def add(self, line: Line) -> list[Line]:
        """Adds a line. Returns the lines that it pushed out."""
        self._lines.append(line)
        self._bytes += len(line.text)
        left = []
        while len(self._lines) > self._capacity or self._bytes > self._capacity_bytes:
            left.append(self._lines.popleft())
            self._bytes -= len(left[-1].text)
        return left

    def ends_with(self, number: int) -> bool:
        """True if the last line has this number."""
        return bool(self._lines) and self._lines[-1].number == number

    def extend(self, rest: RestOfLine) -> list[Line]:
        """Extends the last line. Returns the lines that were pushed out, perhaps that one too."""
        line = self._lines.pop()
        self._bytes -= len(line.text)
        return self.add(line._replace(text=line.text + rest.text))

    def take(self) -> list[Line]:
        """Removes and returns all lines."""
        lines = list(self._lines)
        self._lines.clear()
        self._bytes = 0
        return lines
