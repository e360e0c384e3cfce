# SPDX-License-Identifier: Apache-2.0
"""What is wanted of a log: its lines, their view and labels; and the tally that results.

A Selection says which lines are shown, by conditions in the order in which they apply: numbers and times, severity,
searches, what is new; then context, the tail, the limit. `show` brings lines in whatever the rest says. The native core
reads these fields by their names, so a new one is a change on both sides.

Wanted adds how the lines are shown: the view, links, the end of a page, and what names the log where rows of several
are mixed. The Tally counts what was read, hit and shown, and says where the next answer begins.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from oslogserve.lines.time_range import TimeRange
from oslogserve.native import LIMITS, LastRows, LogWords

#: Bytes of a line that are buffered until its end is seen, and that are searched. Recognition reads
#: far fewer, so a line's length does not change its time and severity.
LONGEST_LINE = 1024 * 1024
#: Bytes of lines that are held back as context of a possible hit, and as the tail.
CONTEXT_BYTES = LIMITS["select.CONTEXT_BYTES"]
TAIL_BYTES = LIMITS["select.TAIL_BYTES"]
#: Bytes of a line that a page shows.
LINE_BYTES = LIMITS["select.LINE_BYTES"]
#: The time of rows above a log's first time; and of all rows of a log whose first UNTIMED_LINES lines
#: show no time.
NO_TIME, UNTIMED = LIMITS["log_times.NO_TIME"], LIMITS["log_times.UNTIMED"]
UNTIMED_LINES = LIMITS["log_times.UNTIMED_LINES"]


class Selection(NamedTuple):
    """Conditions for the lines that are shown, in the order in which they apply."""

    #: Line numbers, counted in the whole log.
    first: int = 1
    last: int | None = None
    #: A line without a time has that of the last line above with one.
    since: TimeRange | None = None
    until: TimeRange | None = None
    #: The lowest severity, one of SEVERITIES. A line may have inherited its severity.
    level: str | None = None
    #: Patterns for the core that every hit matches, and those that no hit matches.
    searches: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    #: True for lines without a like in the log of Wanted.words.
    new_only: bool = False
    #: Lines shown around each hit, within first and last, since and until.
    context: int | None = None
    #: Lines from the end of the selected ones.
    tail: int | None = None
    #: Lines from the beginning of these.
    limit: int | None = None
    #: Fragments of lines that are always shown: b"L17", b"L17-L20" or b"_2013-09-27_18_22_11".
    show: tuple[bytes, ...] = ()
    #: The last line of an earlier answer; lines up to it are not sent again.
    after: int = 0

    @property
    def shown_ranges(self) -> list[tuple[int, int]]:
        """First and last line of each range that `show` names by numbers."""
        numbers = (re.findall(rb"\d+", one) for one in self.show if one.startswith(b"L"))
        ranges = (sorted(map(int, found)) for found in numbers)
        return [(found[0], found[-1]) for found in ranges]


ALL_LINES = Selection()


class PageLimits(NamedTuple):
    """Limits of a page, for the browser's memory. It ends with the line that reaches one."""

    #: Bytes of lines.
    size: int
    #: HTML elements: lines, links, colours, matches.
    elements: int


class Wanted(NamedTuple):
    """A request to a renderer: the view, the lines and their labels."""

    #: "html", "text", "jsonl", "summary" or "marked", see `lines.excerpt.lines`.
    view: str
    selection: Selection = ALL_LINES
    #: When the log was last written, in seconds since 1970; None for now. Dates times without a year.
    written: float | None = None
    #: The beginning of links to this log's page, escaped for HTML: b"?" or b"?source=swift&amp;".
    #: b"" for no links.
    link: bytes = b"?"
    #: For the view html; None for no limits.
    page: PageLimits | None = None
    #: What a row begins with, which names its log; see Rows. HTML: an address; jsonl: a member.
    label: bytes | None = None
    #: True if rows need times.
    by_time: bool = False
    #: The words of the log that lines are compared with.
    words: LogWords | None = None
    #: Where only the last rows of a merge are wanted, those and the log's index in it: lines that are surely not
    #: among them may be left out.
    last: tuple[LastRows, int] | None = None
    #: For the view marked: bytes of a line's text. Of a longer line, its last bytes come too.
    beginning: int = 4096

    @property
    def names_all(self) -> bool:
        """True if each row leads to its time, since the first one of that time may be left out."""
        return self.last is not None


#: The count of lines, and the number of the first one, by rank of their severity.
Counts = dict[int, tuple[int, int]]


@dataclass(frozen=True)
class Tally:
    """The counts that result from a selection."""

    #: Lines and bytes read.
    lines: int = 0
    bytes: int = 0
    #: Hits with a higher number than `after`, without their context. A limit does not change the count.
    matched: int = 0
    #: Lines shown.
    sent: int = 0
    #: The first line after the limit; None if the limit was not reached.
    cut_at: int | None = None
    #: Lines of the tail that could not be held.
    dropped: int = 0
    #: True if lines follow that were not read.
    ended_early: bool = False
    #: The hit whose context contains cut_at, else cut_at.
    cut_from: int | None = None
    #: The first line of the next page; and the hit whose context contains it, else the line itself.
    next_page: int | None = None
    next_from: int | None = None
    #: The first line that was cut for its length.
    cut_line: int | None = None
    #: HTML elements, see PageLimits.
    elements: int = 0
    #: Hits by their own severity; only for html without a tail.
    severities: Counts = field(default_factory=dict)
    #: Those of `matched` without a like in the log of Wanted.words.
    new: int = 0
    #: True if no line shows a date, and all lines were read; only for html.
    is_undated: bool = False


class Rows(NamedTuple):
    """Rows of one piece of a log: lines that name their log, so that those of several logs can be in any
    order."""

    text: bytes
    #: The end of each row in `text`, after its line feed.
    ends: Sequence[int]
    #: The time of each row, by which logs are merged; empty without Wanted.by_time. It is the latest
    #: time of the row's line and all lines above, in microseconds since 1970, in UTC.
    times: Sequence[int]
    #: No later row has an earlier time. The first value other than NO_TIME is the log's first time.
    reached: int = NO_TIME
    #: The row that the log's selection names by `show`; -1 for none.
    named: int = -1
    #: Where each run of rows of one log ends in `text`, and the log's index in the job.
    run_ends: Sequence[int] = ()
    run_logs: Sequence[int] = ()
