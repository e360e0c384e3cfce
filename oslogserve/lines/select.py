# SPDX-License-Identifier: Apache-2.0
"""Which lines are shown, by all that a Selection can ask for: a line at a time."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from oslogserve.lines.anchor import anchor_of
from oslogserve.lines.ansi import without_sequences
from oslogserve.lines.inheritance import Inheritance
from oslogserve.lines.recognise import Recogniser, Seen
from oslogserve.lines.selection import CONTEXT_BYTES, TAIL_BYTES, Tally, Wanted
from oslogserve.lines.severities import NAMES, RANKS, SEVERITIES
from oslogserve.lines.time_range import TimeRange
from oslogserve.lines.times import Clock, Instant


class Line(NamedTuple):
    """text: with its end, or as much of the line as there is. start, end: where its time stands.
    own: its severity, b"" for none. severity: its own, or that of the last line that had one.
    role: b"" for a hit, else b"context" or b"shown"."""

    number: int
    text: bytes
    start: int
    end: int
    own: bytes
    severity: bytes
    role: bytes = b""

    @property
    def time(self) -> bytes:
        """b"" for none."""
        return without_sequences(self.text[self.start : self.end])


class Part(NamedTuple):
    """More of the line before."""

    text: bytes


class Gap(NamedTuple):
    """Lines that are not shown."""

    first: int
    last: int


#: What is shown, in the log's order.
Shown = Line | Part | Gap


class Selector:
    """One log on its way.

    longest: bytes of a line that are searched, and that may be held. A summary reads the whole log,
    whatever is shown of it; of HTML hits are counted by their severity, and its page may end.
    """

    def __init__(
        self, wanted: Wanted, recogniser: Recogniser, clock: Clock, tally: Tally, longest: int
    ) -> None:
        selection = wanted.selection
        self._asked = selection
        self._recogniser = recogniser
        self._clock = clock
        self._tally = tally
        self._longest = longest
        self._reads_all = wanted.view == "summary" or bool(selection.show)
        self._floor = SEVERITIES.index(selection.level) if selection.level else 0
        self._searches = [search.compiled() for search in selection.searches]
        self._without = [search.compiled() for search in selection.without]
        self._left = selection.limit
        self._has_gaps = selection.context is not None or bool(selection.show)
        self._inheritance = Inheritance()
        self._time: Instant | None = None
        self._before = _Held(selection.context or 0, CONTEXT_BYTES)
        self._near = 0  # the last line of the context behind the last hit
        self._tail = _Held(selection.tail or 0, TAIL_BYTES)
        self._unshown = selection.first  # the first line of the gap before the next one shown
        self._place: _Held | Literal["shown"] | None = None  # where more of a long line goes
        self._is_done = False
        self._counts = wanted.view == "html" and selection.tail is None
        self._page = wanted.page if wanted.view == "html" else None
        self._used = 0

    def shown(self, blocks: Iterable[bytes]) -> Iterator[Shown]:
        """blocks: of whole lines."""
        number = 0
        goes_on = False
        for block in blocks:
            if goes_on:
                end = block.find(b"\n") + 1 or len(block)
                yield from self._more(block[:end])
                goes_on = not block.endswith(b"\n", 0, end)
                block = block[end:]
            if not block:
                continue
            goes_on = not block.endswith(b"\n")
            for text in _lines(block):
                number += 1
                seen = self._recogniser.seen_in(text.removesuffix(b"\n"))
                yield from self._line(number, text, seen)
                if self._is_done:
                    return
        yield from self._finished()

    def _line(self, number: int, text: bytes, seen: Seen) -> Iterator[Shown]:
        asked = self._asked
        if self._is_behind(number):
            yield from self._finished()
            return
        self._tally.lines = number
        rank = self._inheritance.rank_of(seen)
        line = Line(number, text, seen.start, seen.end, seen.severity, NAMES[rank])
        if (asked.since or asked.until) and line.time:
            self._time = self._clock.read(line.time) or self._time
        if asked.show and self._is_asked_for(line):
            line = line._replace(role=b"shown")
        self._place = None
        is_open = self._left != 0 and self._is_in_window(number)
        if is_open and self._is_hit(line):
            for held in self._before.taken():
                if held.role == b"shown" or held.number >= number - (asked.context or 0):
                    yield from self._put(held)
            yield from self._put(line, is_hit=True)
            self._near = number + (asked.context or 0)
        elif line.role and (number <= self._near or not asked.context):
            yield from self._put(line)
        elif line.role:  # behind those that stand before a hit to come
            yield from self._out_of_before(self._before.add(line))
        elif is_open and number <= self._near:
            yield from self._put(line._replace(role=b"context"))
        elif is_open and asked.context:
            yield from self._out_of_before(self._before.add(line._replace(role=b"context")))

    def _is_behind(self, number: int) -> bool:
        """Whether no line from here on can be shown."""
        is_behind = self._asked.last is not None and number > self._asked.last
        if self._left == 0 and not is_behind:
            self._cut(number)
            is_behind = True
        self._is_done = is_behind and not self._reads_all
        return self._is_done

    def _is_in_window(self, number: int) -> bool:
        asked = self._asked
        return (
            number >= asked.first
            and (asked.last is None or number <= asked.last)
            and (asked.since is None or self._is_since(asked.since))
            and (asked.until is None or self._is_until(asked.until))
        )

    def _is_since(self, since: TimeRange) -> bool:
        micros = self._time.on_clock_of(since.offset) if self._time else None
        return micros is not None and micros >= since.first

    def _is_until(self, until: TimeRange) -> bool:
        """So are the lines before the first time."""
        micros = self._time.on_clock_of(until.offset) if self._time else None
        return micros is None or micros <= until.last

    def _is_hit(self, line: Line) -> bool:
        if RANKS[line.severity.decode()] < self._floor:
            return False
        content = line.text.removesuffix(b"\n")[: self._longest]
        return all(one.search(content) for one in self._searches) and not any(
            one.search(content) for one in self._without
        )

    def _is_asked_for(self, line: Line) -> bool:
        shown = self._asked.show
        return b"L%d" % line.number in shown or (
            line.start < line.end and anchor_of(line.time) in shown
        )

    def _cut(self, number: int) -> None:
        if self._tally.cut_at is None:
            is_near = number <= self._near
            self._tally.cut_at = number
            self._tally.cut_from = self._near - (self._asked.context or 0) if is_near else number

    def _put(self, line: Line, is_hit: bool = False) -> Iterator[Shown]:
        if line.number <= self._asked.after and line.role != b"shown":
            self._place = None
            return
        if self._left == 0 and line.role != b"shown":
            self._cut(line.number)
            self._place = None
            return
        if self._left and line.role != b"shown":
            self._left -= 1
        self._tally.matched += is_hit
        if is_hit and self._counts:
            self._tally.count(RANKS[line.own.decode() or SEVERITIES[0]], line.number)
        if self._asked.tail is None:
            self._place = "shown"
            yield from self._given(line)
        else:
            self._place = self._tail
            yield from self._out_of_tail(self._tail.add(line))

    def _out_of_before(self, lines: Iterable[Line]) -> Iterator[Shown]:
        self._place = self._before
        for line in lines:
            if line.role == b"shown":
                yield from self._put(line)
                if line.number < self._tally.lines:
                    self._place = self._before

    def _out_of_tail(self, lines: Iterable[Line]) -> Iterator[Shown]:
        for line in lines:
            if line.role == b"shown":
                yield from self._given(line)

    def _given(self, line: Line) -> Iterator[Shown]:
        if self._is_full():
            self._tally.next_page = self._tally.next_page or line.number
            self._place = None
            return
        self._used += len(line.text)
        if self._has_gaps and line.number > self._unshown:
            yield Gap(self._unshown, line.number - 1)
        self._unshown = line.number + 1
        self._tally.sent += 1
        yield line

    def _is_full(self) -> bool:
        page = self._page
        return page is not None and (
            self._used >= page.size or self._tally.elements >= page.elements
        )

    def _more(self, text: bytes) -> Iterator[Shown]:
        if self._place == "shown":
            self._used += len(text)
            yield Part(text)
        elif isinstance(self._place, _Held):
            is_tail = self._place is self._tail
            dropped = self._place.more(text)
            yield from self._out_of_tail(dropped) if is_tail else self._out_of_before(dropped)

    def _finished(self) -> Iterator[Shown]:
        yield from self._out_of_before(self._before.taken())
        self._tally.dropped = self._tail.missing()
        for line in self._tail.taken():
            yield from self._given(line)
        is_cut = self._tally.cut_at is not None or self._tally.next_page is not None
        if self._has_gaps and not is_cut and self._unshown <= self._tally.lines:
            yield Gap(self._unshown, self._tally.lines)


def _lines(block: bytes) -> list[bytes]:
    """With their ends."""
    *lines, last = block.split(b"\n")
    return [line + b"\n" for line in lines] + ([last] if last else [])


class _Held:
    """The last lines, as many and as large as may be held."""

    def __init__(self, count: int, size: int) -> None:
        self._lines: deque[Line] = deque()
        self._count = count
        self._size = size
        self._left = size
        self._added = 0

    def missing(self) -> int:
        """Lines that there was no room for."""
        return min(self._count, self._added) - len(self._lines)

    def add(self, line: Line) -> list[Line]:
        """What had to go for it."""
        self._added += 1
        self._lines.append(line)
        self._left -= len(line.text)
        gone = []
        while len(self._lines) > self._count or self._left < 0:
            gone.append(self._lines.popleft())
            self._left += len(gone[-1].text)
        return gone

    def more(self, text: bytes) -> list[Line]:
        """Of the line that was added last; where it was too large by itself, the rest of it is
        dropped too."""
        if not self._lines:
            return []
        last = self._lines.pop()
        self._added -= 1
        self._left += len(last.text)
        return self.add(last._replace(text=last.text + text))

    def taken(self) -> list[Line]:
        taken = list(self._lines)
        self._lines.clear()
        self._left = self._size
        return taken
