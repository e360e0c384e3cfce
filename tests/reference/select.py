# SPDX-License-Identifier: Apache-2.0
"""Selects the lines of a log, a line at a time."""

import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from oslogserve.lines.grammar.severities import SEVERITIES
from oslogserve.lines.selection import (
    CONTEXT_BYTES,
    LINE_BYTES,
    NO_TIME,
    TAIL_BYTES,
    TAIL_OTHERS,
    UNTIMED,
    UNTIMED_LINES,
    Tally,
    Wanted,
    count,
)
from oslogserve.lines.time_range import TimeRange
from tests.reference.anchor import anchor_of
from tests.reference.clock import Clock, Instant
from tests.reference.inheritance import Inheritance
from tests.reference.line import Line, LineBuffer
from tests.reference.recognise import Recogniser
from tests.reference.search import compiled
from tests.reference.split import RestOfLine


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
        self._known = wanted.known
        self._searches = [compiled(search) for search in selection.searches]
        self._without = [compiled(search) for search in selection.without]
        self._inheritance = Inheritance()
        self._time: Instant | None = None
        self._time_text = b""
        self._by_time = wanted.by_time
        self._latest = NO_TIME
        #: The first Line.time that is not NO_TIME.
        self.first_time = NO_TIME
        # The limit takes the first lines of the tail.
        self._remaining = selection.limit if selection.tail is None else None
        self._context = selection.context or 0
        self._context_end = 0  # where the context of the last hit ends
        self._before = LineBuffer(self._context, min(CONTEXT_BYTES, longest))

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
                    yield from self._put_named(self._before.extend(text))
                else:
                    yield text
                continue
            number += 1
            if self._is_over(number) and not self._reads_all:
                self._tally.ended_early = True
                break
            self._tally.lines = number
            yield from self._selected_by(self._recognised(number, text))
        yield from self._put_named(self._before.take())

    def _is_over(self, number: int) -> bool:
        """True if only lines that Selection.show names are shown from here on."""
        last = self._selection.last
        if last is not None and number > last:
            return True
        if self._remaining == 0:
            self._cut(number)
        return self._remaining == 0

    def _recognised(self, number: int, text: bytes) -> Line:
        seen = self._recogniser.seen_in(text.removesuffix(b"\n"))
        if seen.time:
            self._take_time(seen.time)
        if self._by_time and self._time:
            time = self._time.on_clock_of(0)
            self._latest = max(self._latest, NO_TIME if time is None else time)
        if self._by_time and self._latest == NO_TIME and number >= UNTIMED_LINES:
            self._latest = UNTIMED
        if self.first_time == NO_TIME:
            self.first_time = self._latest
        rank = self._inheritance.rank_of(seen)
        moment = self._time, self._time_text
        is_new = self._known is not None and self._known.is_new(text[: self._longest])
        return Line(number, text, seen, rank, b"", False, True, self._latest, *moment, is_new)

    def _take_time(self, text: bytes) -> None:
        instant = self._clock.read(text)
        if instant:
            self._time_text = text
            self._time = instant if instant.origin == "epoch" else self._time

    def _selected_by(self, line: Line) -> Iterator[Line]:
        """Yields the lines that are shown because of this one: itself and the context before it."""
        is_open = self._is_in_window(line.number)
        is_hit = is_open and self._is_hit(line)
        is_near = line.number <= self._context_end
        line = line._replace(is_named=self._is_named(line))
        if is_hit:
            self._count(line)
            for before in self._before.take():
                is_context = before.is_kept and before.number >= line.number - self._context
                yield from self._put(before) if is_context else self._put_named([before])
            yield from self._put(line)
            self._context_end = line.number + self._context
        elif (is_open and (is_near or self._context)) or line.is_named:
            role = b"shown" if line.is_named else b"context"
            line = line._replace(role=role, is_kept=is_open)
            if is_near and is_open:
                yield from self._put(line)
            elif self._context and not is_near:
                yield from self._put_named(self._before.add(line))
            else:
                yield from self._put_named([line])

    def _count(self, hit: Line) -> None:
        """Counts a hit, whether or not it is shown."""
        if hit.number <= self._selection.after:
            return
        self._tally.matched += 1
        if self._selection.tail is None:
            self._tally.new += hit.is_new
        if self._counts_severities:
            count(self._tally.severities, hit.seen.rank, hit.number)

    def _is_in_window(self, number: int) -> bool:
        since, until = self._selection.since, self._selection.until
        after = since and self._time_on_clock_of(since)
        before = until and self._time_on_clock_of(until)
        return (
            number >= self._selection.first
            and number <= (self._selection.last or number)
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
            and (line.is_new or self._known is None or not self._selection.new_only)
            and all(one.search(content) for one in self._searches)
            and not any(one.search(content) for one in self._without)
        )

    def _is_named(self, line: Line) -> bool:
        if any(first <= line.number <= last for first, last in self._shown_ranges):
            return True
        time = line.seen.time
        return bool(time) and anchor_of(time) in self._selection.show

    def _put_named(self, lines: Iterable[Line]) -> Iterator[Line]:
        for line in lines:
            if line.is_named and line.number > self._selection.after:
                yield line._replace(is_kept=False)

    def _put(self, line: Line) -> Iterator[Line]:
        """Yields the line, unless it was sent before or the limit is reached."""
        if line.number <= self._selection.after:
            return
        if self._remaining == 0:
            self._cut(line.number)
            yield from self._put_named([line])
            return
        if self._remaining:
            self._remaining -= 1
        yield line

    def _cut(self, number: int) -> None:
        """Notes the first line after the limit."""
        if self._tally.cut_at is None:
            self._tally.cut_at, self._tally.cut_from = number, self._begin_of(number)

    def _begin_of(self, number: int) -> int:
        """The first line that the next answer must read: the hit whose context contains this line, else
        this line."""
        return self._context_end - self._context if number <= self._context_end else number

    def _last(self, count: int, lines: Iterable[Line | RestOfLine]) -> Iterator[Line | RestOfLine]:
        """Yields the first lines of the tail, up to the limit, and those that Selection.show names."""
        buffer = LineBuffer(count, TAIL_BYTES, TAIL_OTHERS)
        added = 0
        for line in lines:
            if isinstance(line, Line):
                added += line.is_kept
                left = buffer.add(line)
            elif buffer.ends_with(self._tally.lines):
                left = buffer.extend(line)
            else:
                yield line
                continue
            yield from self._put_named(left)
        held = buffer.take()
        self._tally.dropped = min(count, added) - sum(line.is_kept for line in held)
        self._remaining = self._selection.limit
        for line in held:
            yield from self._put(line) if line.is_kept else [line]

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
                if tally.next_page is None:
                    tally.next_page, tally.next_from = line.number, self._begin_of(line.number)
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
