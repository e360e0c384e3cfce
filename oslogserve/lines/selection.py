# SPDX-License-Identifier: Apache-2.0
"""Which lines of a log are shown, and what came of it."""

from dataclasses import dataclass, field
from typing import NamedTuple

from oslogserve.lines.search import Search
from oslogserve.lines.time_range import TimeRange

#: Bytes of the lines before a hit that are held back, in case one comes, and of the last lines.
CONTEXT_BYTES = 1024 * 1024
TAIL_BYTES = 16 * 1024 * 1024


class Selection(NamedTuple):
    """In the order in which it is applied.

    first, last: numbers in the whole log. since, until: by the time of a line, or of the one
    before. level: one of SEVERITIES; a line without a severity of its own has that of the one
    before. searches, without: what all hits hold, and what none holds. context: lines around each
    hit, of those between first and last, since and until. after: a number; what is left up to it was
    sent already. limit: lines, from the beginning of
    what is left; tail: from its end. show: fragments, such as b"L17" or b"_2013-09-27_18_22_11",
    of lines that are brought in wherever they stand.
    """

    first: int = 1
    last: int | None = None
    since: TimeRange | None = None
    until: TimeRange | None = None
    level: str | None = None
    searches: tuple[Search, ...] = ()
    without: tuple[Search, ...] = ()
    context: int | None = None
    limit: int | None = None
    tail: int | None = None
    show: tuple[bytes, ...] = ()
    after: int = 0


WHOLE = Selection()


class Page(NamedTuple):
    """How much one page shows; the next line behind it is looked at and counted, but not shown.

    size: bytes of lines. elements: of the lines, their links, colours and matches, which a
    browser's memory grows with.
    """

    size: int
    elements: int


class Wanted(NamedTuple):
    """view: "html", "text", "jsonl" or "summary". written: when the log was last written, in
    seconds since the epoch, for stamps without a year. link: what an address of this log's page
    begins with, escaped for HTML: b"?" or b"?source=swift&amp;"; b"" where there is no such page
    to link to. page: for HTML.
    """

    view: str
    selection: Selection = WHOLE
    written: float | None = None
    link: bytes = b"?"
    page: Page | None = None


@dataclass
class Tally:
    """lines, bytes: looked at. matched: hits, without what was shown for their context. sent: shown.

    cut_at: the number of the first line that was not looked at, since the limit was reached
    before. cut_from: that of the hit in whose context it stands, else of itself. dropped: lines of
    the tail that could not be held. next_page: the number of the first line that a page had no room
    for. elements: see Page. severities: by their rank, of HTML without a tail: how many hits show
    that severity themselves, and the number of the first.
    """

    lines: int = 0
    bytes: int = 0
    matched: int = 0
    sent: int = 0
    cut_at: int | None = None
    dropped: int = 0
    cut_from: int | None = None
    next_page: int | None = None
    elements: int = 0
    severities: dict[int, tuple[int, int]] = field(default_factory=dict)

    def count(self, rank: int, number: int, lines: int = 1) -> None:
        count, first = self.severities.get(rank, (0, number))
        self.severities[rank] = (count + lines, first)
