# SPDX-License-Identifier: Apache-2.0
"""A line of a log, and a buffer of the last ones."""

from collections import deque
from typing import NamedTuple

from oslogserve.lines.selection import NO_TIME
from tests.reference.clock import Instant
from tests.reference.recognise import Seen
from tests.reference.split import RestOfLine


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
    #: True if Selection.show names the line, whatever its role is.
    is_named: bool = False
    #: False for a line that is shown only because Selection.show names it.
    is_kept: bool = True
    #: See Rows.times.
    time: int = NO_TIME
    #: The last time with a date at or above the line, and the text of the last time of any kind.
    moment: Instant | None = None
    moment_text: bytes = b""
    #: True if the log of Wanted.known has no like of it.
    is_new: bool = False


class LineBuffer:
    """The last lines, as many and as large as may be held. Next to its capacity it holds some lines
    that are not kept, see Line."""

    def __init__(self, capacity: int, capacity_bytes: int, most_others: int = 0) -> None:
        self._lines: deque[Line] = deque()
        self._capacity = capacity
        self._most_lines = capacity + most_others
        self._capacity_bytes = capacity_bytes
        self._kept = 0
        self._bytes = 0

    def add(self, line: Line) -> list[Line]:
        """Adds a line. Returns the lines that it pushed out."""
        self._lines.append(line)
        self._kept += line.is_kept
        self._bytes += len(line.text)
        left = []
        while self._is_too_full():
            left.append(self._lines.popleft())
            self._kept -= left[-1].is_kept
            self._bytes -= len(left[-1].text)
        return left

    def _is_too_full(self) -> bool:
        return (
            self._kept > self._capacity
            or len(self._lines) > self._most_lines
            or self._bytes > self._capacity_bytes
        )

    def ends_with(self, number: int) -> bool:
        """True if the last line has this number."""
        return bool(self._lines) and self._lines[-1].number == number

    def extend(self, rest: RestOfLine) -> list[Line]:
        """Extends the last line. Returns the lines that were pushed out, perhaps that one too."""
        line = self._lines.pop()
        self._kept -= line.is_kept
        self._bytes -= len(line.text)
        return self.add(line._replace(text=line.text + rest.text))

    def take(self) -> list[Line]:
        """Removes and returns all lines."""
        lines = list(self._lines)
        self._lines.clear()
        self._kept = self._bytes = 0
        return lines
