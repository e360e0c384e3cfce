# SPDX-License-Identifier: Apache-2.0
"""The selection of a log's lines, and its result."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from oslogserve.lines.search import Search, most_matches
from oslogserve.lines.time_range import TimeRange

#: Bytes of a line that are buffered until its end is seen. Far more than recognition looks at, so
#: that a line's length does not change what is recognised in it.
LONGEST_LINE = 1024 * 1024
#: Bytes of the lines before a hit that are held back, in case one comes, and of the last lines.
CONTEXT_BYTES = 1024 * 1024
TAIL_BYTES = 16 * 1024 * 1024
#: Bytes of one line that a page shows.
LINE_BYTES = 4 * 1024 * 1024
#: The time of lines before a log's first one; and of all lines of a log in which none of the first
#: UNTIMED_LINES shows a time.
NO_TIME, UNTIMED = -(2**63), 2**63 - 1
UNTIMED_LINES = 1000


class Selection(NamedTuple):
    """Conditions of the lines that are shown, in the order in which they apply."""

    #: Numbers in the whole log.
    first: int = 1
    last: int | None = None
    #: By the time of a line, or of the last line above that has one.
    since: TimeRange | None = None
    until: TimeRange | None = None
    #: The lowest severity, one of SEVERITIES; a line may inherit its own.
    level: str | None = None
    #: What all hits hold, and what none holds.
    searches: tuple[Search, ...] = ()
    without: tuple[Search, ...] = ()
    #: Lines around each hit, of those between first and last, since and until.
    context: int | None = None
    #: Lines from the beginning of what is left.
    limit: int | None = None
    #: Lines from its end.
    tail: int | None = None
    #: Fragments such as b"L17", b"L17-L20" or b"_2013-09-27_18_22_11", of lines that are shown in any
    #: case.
    show: tuple[bytes, ...] = ()
    #: The last line that was sent before; no line up to it is sent again.
    after: int = 0

    @property
    def most_matches(self) -> int:
        """Matches of each search that are marked in a line."""
        return most_matches(self.searches)

    @property
    def shown_ranges(self) -> list[tuple[int, int]]:
        """The first and last numbers of the lines that `show` names by their numbers."""
        numbers = (re.findall(rb"\d+", one) for one in self.show if one.startswith(b"L"))
        ranges = (sorted(map(int, found)) for found in numbers)
        return [(found[0], found[-1]) for found in ranges]


ALL_LINES = Selection()


class Page(NamedTuple):
    """Bounds of one page, since a browser's memory grows with it. The next line behind it is
    looked at and counted."""

    #: Bytes of lines.
    size: int
    #: Start tags of lines, their links, colours and matches.
    elements: int


class Wanted(NamedTuple):
    """A view of a log."""

    #: "html", "text", "jsonl" or "summary".
    view: str
    selection: Selection = ALL_LINES
    #: When the log was last written, for times without a year; None where it is being written.
    written: float | None = None
    #: What an address of this log's page begins with, escaped for HTML: b"?" or
    #: b"?source=swift&amp;"; b"" where there is no such page to link to.
    link: bytes = b"?"
    #: For HTML.
    page: Page | None = None
    #: What a row begins with, which names its log; see Rows. HTML: an address; jsonl: a member.
    label: bytes | None = None
    #: Rows have times.
    by_time: bool = False

    def last_written(self) -> int:
        """When the log was last written, in seconds since 1970."""
        return int(time.time() if self.written is None else self.written)


#: By the rank of a severity: the count of its lines, and the number of the first.
Counts = dict[int, tuple[int, int]]


@dataclass
class Tally:
    """The result of a selection."""

    #: Looked at.
    lines: int = 0
    bytes: int = 0
    #: Hits, without what was shown for their context.
    matched: int = 0
    #: Lines shown.
    sent: int = 0
    #: The first line that was not looked at, since the limit was reached before.
    cut_at: int | None = None
    #: Lines of the tail that could not be held.
    dropped: int = 0
    #: The hit whose context contains cut_at, else cut_at itself.
    cut_from: int | None = None
    #: The first line that the page had no room for.
    next_page: int | None = None
    #: The first line that the page cuts.
    cut_line: int | None = None
    #: As in Page.
    elements: int = 0
    #: Of HTML without a tail: hits by their own severity.
    severities: Counts = field(default_factory=dict)


def count(counts: Counts, rank: int, number: int) -> None:
    """Counts a line."""
    lines, first = counts.get(rank, (0, number))
    counts[rank] = (lines + 1, first)


class Rows(NamedTuple):
    """Rows of one piece of a log: lines that name their log, so that those of several logs can be in any
    order."""

    text: bytes
    #: Where each row ends in the text, behind its line feed.
    ends: Sequence[int]
    #: By what rows of several logs are merged: microseconds since 1970, in UTC, of the latest time
    #: of the row's line and all lines above; NO_TIME before the first, and UNTIMED of a log whose
    #: first lines have none. Only with `by_time`.
    times: Sequence[int]
    #: No later row has an earlier time. The first one that is not NO_TIME is the log's first time.
    reached: int = NO_TIME
