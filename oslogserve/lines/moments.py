# SPDX-License-Identifier: Apache-2.0
"""Moments: a line of a log, and the time at which it was written."""

import re
from contextlib import suppress
from typing import NamedTuple

from oslogserve.lines.nearest import Read
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import Selection, Wanted
from oslogserve.lines.time_range import TimeRange, time_range

#: Lines up to a moment's that are searched for a date and time.
_MOST_ABOVE = 1000
_SHAPE = re.compile(r"(?:(.{1,1000}):)?L?([1-9][0-9]{0,11})", re.DOTALL)


class Moment(NamedTuple):
    """A line, by its number, in a log of a folder."""

    #: The log's name, relative to the folder; b"" if the URL is the log's own.
    log: bytes
    line: int

    @property
    def value(self) -> bytes:
        """The value of the parameter `moment`."""
        return b"%b:%d" % (self.log, self.line)


def moment(text: str) -> Moment:
    """Parses a value of the parameter `moment`. Raises ValueError that says what is expected."""
    found = _SHAPE.fullmatch(text)
    if found is None:
        raise ValueError("a line's number; for a folder, a log's name, a colon and the number")
    return Moment((found[1] or "").encode("utf-8", "surrogateescape"), int(found[2]))


def time_of(line: int, read: Read, renderer: Renderer, written: float | None) -> TimeRange | None:
    """The time of a line: of the last one up to it that shows a date; None for none.

    read: returns the log's text from its beginning. written: see Wanted.
    """
    above = Selection(last=line, tail=_MOST_ABOVE)
    found = None
    for one in renderer(read(), Wanted("jsonl", above, written)).objects():
        with suppress(ValueError):  # a time of day alone
            found = time_range(one["time"] or "")
    return found
