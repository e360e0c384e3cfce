# SPDX-License-Identifier: Apache-2.0
"""Rows: lines of several logs, each of which says of which log it is.

A row is complete in itself, so that rows of several logs can stand in any order.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from oslogserve.lines.html import Elements
from oslogserve.lines.jsonl import row_of
from oslogserve.lines.select import NO_TIME, UNTIMED, Line, Shown
from oslogserve.lines.selection import Tally, Wanted
from oslogserve.lines.times import Clock

__all__ = ["NO_TIME", "UNTIMED", "Rows", "rows_of"]


class Rows(NamedTuple):
    """The rows that came of one piece of a log."""

    text: bytes
    #: Where each row ends in the text, behind its line feed.
    ends: Sequence[int]
    #: By what rows of several logs are merged: microseconds since 1970, in UTC, of the latest time
    #: of the row's line and all lines above; NO_TIME before the first, and UNTIMED of a log whose
    #: first lines have none. Only with `by_time`.
    times: Sequence[int]
    #: No later row has an earlier time. The first one that is not NO_TIME is the log's first time.
    reached: int = NO_TIME


def rows_of(
    shown: Iterable[Shown], wanted: Wanted, clock: Clock, tally: Tally, longest: int
) -> Iterator[Rows]:
    """The rows of the lines shown, one by one. longest: bytes of a line; the rest of it is cut."""
    elements = Elements(wanted.link, wanted.selection.searches, longest, wanted.label)
    for line in shown:
        if not isinstance(line, Line):
            continue
        content = line.text.removesuffix(b"\n")
        if len(content) >= longest:  # so that how the log was cut into pieces is not to be seen
            tally.cut_line = tally.cut_line or line.number
            content = content[:longest]
            line = line._replace(text=content)
        match wanted.view:
            case "html":
                row = elements.row(line, tally)
            case "jsonl":
                row = row_of(line, clock, longest, wanted.label or b"")
            case _:
                row = b"%b%d:%b\n" % (wanted.label or b"", line.number, content)
        yield Rows(row, array("q", [len(row)]), array("q", [line.time]), line.time)
