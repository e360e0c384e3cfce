# SPDX-License-Identifier: Apache-2.0
"""Marked lines: what a terminal shows of a line, and what the line tells of a failure."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from oslogserve.lines.brief.plan import Range
from oslogserve.lines.selection import Selection
from oslogserve.lines.summary import LONGEST_ERROR, ErrorLine
from oslogserve.native import SEVERITIES

#: Bytes of lines that are held as they are; of further lines, so many characters are.
MOST_HELD, SHORT = 1024 * 1024, 512
#: No log has a line of this number.
_NO_LINE = 10**12
_ERROR = SEVERITIES.index("ERROR")
_OVERWRITES = re.compile(r"[\r\x08]")


class MarkedLine(NamedTuple):
    """A line of the core's view `marked`."""

    number: int
    #: The rank of its own severity; 0 for none.
    rank: int
    #: The name of its mark by the rules of causes; "Word" if it speaks of a failure, "Green" for what
    #: passed, a command or quoted source; else "".
    sign: str
    #: The place of its content, behind a time and blanks.
    start: int
    #: True if the log that lines are compared with has no like of it.
    is_new: bool
    #: Its text; of a long line the beginning.
    text: str
    #: Bytes of a long line that are not there, and its end.
    hidden: int = 0
    end: str = ""
    #: The rank of the severity that it inherits; 0 for none.
    inherited: int = 0

    @property
    def content(self) -> str:
        return self.text[self.start :]

    def within(self, most: int) -> str:
        """The text; if it has more than `most` characters, with a mark in place of its middle."""
        whole = self.text + self.end
        if len(whole) <= most:
            if not self.hidden:
                return whole
            head, tail = len(self.text), len(self.end)
        else:
            tail = min(most // 5, len(self.end)) if self.hidden else most // 5
            head = min(most - tail, len(self.text))
        end = len(whole) - tail
        left_out = self.hidden + len(whole[head:end].encode())
        return f"{whole[:head]} ... {left_out:,} bytes ... {whole[end:]}"


def selection_of(ranges: Sequence[Range]) -> Selection:
    """The selection of these lines, and of one behind each range: a line is written when the next one comes."""
    return Selection(first=_NO_LINE, show=tuple(b"L%d-L%d" % (a, b + 1) for a, b in ranges))


def marked_lines(pieces: Iterable[bytes], ranges: Sequence[Range]) -> Iterator[MarkedLine]:
    """Yields the lines of the ranges, and reads no further. pieces: the view of selection_of()."""
    rest = b""
    held = 0
    wanted = iter(ranges)
    current = next(wanted, None)
    for piece in pieces:
        *objects, rest = (rest + piece).split(b"\n")
        for line in (MarkedLine(*json.loads(text)) for text in objects):
            while current and line.number > current.last:
                current = next(wanted, None)
            if current is None:
                return
            if line.number < current.first:  # the one behind a range
                continue
            held += len(line.text)
            yield line if held <= MOST_HELD else _short(line)
            if line.number == ranges[-1].last:
                return


def with_errors(lines: Sequence[MarkedLine], errors: Iterable[ErrorLine]) -> list[MarkedLine]:
    """The lines, and those of a summary's errors that were not read, if the summary has all of their text."""
    numbers = {line.number for line in lines}
    told = [
        MarkedLine(error.line, _ERROR, "Error", 0, bool(error.new), error.text)
        for error in errors
        # Else it is not all that a terminal shows of its line.
        if error.line not in numbers
        and len(error.text.encode()) < LONGEST_ERROR
        and not _OVERWRITES.search(error.text)
    ]
    return sorted((*lines, *told), key=lambda line: line.number)


def _short(line: MarkedLine) -> MarkedLine:
    whole = line.text + line.end
    if len(whole) <= SHORT:
        return line
    head, end = SHORT * 4 // 5, len(whole) - SHORT // 5
    hidden = line.hidden + len(whole[head:end].encode())
    return line._replace(text=whole[:head], hidden=hidden, end=whole[end:])
