# SPDX-License-Identifier: Apache-2.0
"""Adds up the totals of a log's summary."""

from collections import deque
from collections.abc import Iterable, Sequence
from operator import add

from oslogserve.lines.grammar.severities import SEVERITIES
from oslogserve.lines.selection import Counts, Known, count
from oslogserve.lines.summary import Bucket, CauseLine, ErrorLine, Totals
from tests.reference.ansi import without_sequences
from tests.reference.cause import CauseFinder, compared
from tests.reference.chapters import ChapterFinder
from tests.reference.clock import Clock
from tests.reference.line import Line
from tests.reference.select import Shown

MOST_BUCKETS = 200
#: Errors that a summary keeps from a log's beginning, and as many from its end.
MOST_ERRORS = 64
#: Bytes of an error's text.
LONGEST_ERROR = 300
#: Bytes of a line that are read for such a text, escape sequences included.
_LOOKED_AT = 1024
_ERROR = SEVERITIES.index("ERROR")
_SECOND = 10**6
_MINUTE = 60 * _SECOND
_DAY = 1440 * _MINUTE
#: Widths of a bucket, in microseconds. Each divides the next, so that whole buckets merge.
# fmt: off
WIDTHS = (
    _SECOND // 100, _SECOND // 10, _SECOND, 5 * _SECOND, 10 * _SECOND, 30 * _SECOND,
    _MINUTE, 5 * _MINUTE, 10 * _MINUTE, 30 * _MINUTE, 60 * _MINUTE, 360 * _MINUTE,
    _DAY, 7 * _DAY, 28 * _DAY, 364 * _DAY, 3640 * _DAY, 36400 * _DAY,
)
# fmt: on


class Summary:
    """Adds up the selected lines of one log. known: see Wanted."""

    def __init__(self, clock: Clock, known: Known | None) -> None:
        self._clock = clock
        self._severities: Counts = {}
        self._first_time = b""
        self._last_time = b""
        self._width = 0  # index in WIDTHS
        self._buckets: dict[int, Bucket] = {}  # by their start
        self._first_errors: list[ErrorLine] = []
        self._last_errors: deque[ErrorLine] = deque(maxlen=MOST_ERRORS)
        self._last = 0  # the number of the last line
        self._chapters = ChapterFinder(clock)
        self._causes = CauseFinder(self._chapters)
        self._known = known
        self._new: Counts | None = None if known is None else {}
        self._new_causes = CauseFinder(None)

    def of(self, shown: Iterable[Shown]) -> Totals:
        """The totals of the lines shown; call it once."""
        for one in shown:
            if isinstance(one, Line):
                self._add(one)
        cause, has_failed = self._cause()
        failed_at = cause["line"] if cause and has_failed and cause["why"] != "end" else None
        chapters, more = self._chapters.chapters(self._last, failed_at)
        return Totals(
            first_time=self._clock.iso(self._first_time),
            last_time=self._clock.iso(self._last_time),
            severities=self._severities,
            new=self._new,
            width=WIDTHS[self._width],
            buckets=[self._buckets[start] for start in sorted(self._buckets)],
            errors=[*self._first_errors, *self._last_errors],
            cause=cause,
            failed=has_failed,
            chapters=chapters,
            more_chapters=more,
        )

    def _cause(self) -> tuple[CauseLine | None, bool]:
        found, has_failed = self._causes.cause()
        if found is None:
            return None, has_failed
        if self._known is not None:
            found = compared(found, self._new_causes.cause()[0], self._known)
        first = found.first
        text = first.shown[:LONGEST_ERROR].decode("utf-8", "replace")
        time = self._clock.iso(first.time)
        line = CauseLine(line=first.number, last=found.last, time=time, text=text, why=found.why)
        return line, has_failed

    def _add(self, line: Line) -> None:
        self._last = line.number
        count(self._severities, line.seen.rank, line.number)
        instant = self._clock.read(line.seen.time) if line.seen.time else None
        if instant:
            self._last_time = line.seen.time
            self._first_time = self._first_time or self._last_time
        if line.seen.rank >= _ERROR:
            self._add_error(line)
        self._causes.add(line, self._last_time)
        if self._new is not None:
            self._new_causes.add(line, self._last_time)
            if line.is_new:
                count(self._new, line.seen.rank, line.number)
        if line.moment is not None:
            severities = [rank == line.seen.rank for rank in range(len(SEVERITIES))]
            self._count(line.moment.micros, line.number, severities)
            while max(self._buckets) - min(self._buckets) >= MOST_BUCKETS * WIDTHS[self._width]:
                self._widen()

    def _add_error(self, line: Line) -> None:
        content = line.text[:_LOOKED_AT].removesuffix(b"\n").removesuffix(b"\r")
        text = without_sequences(content)[:LONGEST_ERROR].decode("utf-8", "replace")
        error = ErrorLine(line=line.number, time=self._clock.iso(line.moment_text), text=text)
        if len(self._first_errors) < MOST_ERRORS:
            self._first_errors.append(error)
        else:
            self._last_errors.append(error)

    def _count(self, start: int, first_line: int, severities: Sequence[int]) -> None:
        """Adds lines to the bucket of time `start`. severities: how many lines, by rank."""
        start -= start % WIDTHS[self._width]
        new = Bucket(start=start, first_line=first_line, severities=[0] * len(SEVERITIES))
        bucket = self._buckets.setdefault(start, new)
        bucket["first_line"] = min(bucket["first_line"], first_line)
        bucket["severities"] = [*map(add, bucket["severities"], severities)]

    def _widen(self) -> None:
        self._width += 1
        buckets, self._buckets = self._buckets, {}
        for bucket in buckets.values():
            self._count(**bucket)
