# SPDX-License-Identifier: Apache-2.0
"""One log of a job: its lines as rows, or what is in it."""

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing
from itertools import takewhile
from typing import Any, NamedTuple, Protocol

from oslogserve.errors import Error, Incomplete, NotFound
from oslogserve.jobs.merge import MOST_HELD, bundled, placed
from oslogserve.jobs.walk import File
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.rows import NO_TIME, UNTIMED, Rows
from oslogserve.lines.selection import Selection, Tally, Wanted
from oslogserve.lines.split import LONGEST_LINE
from oslogserve.logs.decode import beginning, until_incomplete
from oslogserve.sources import Stored, deadline

#: Bytes of a log that are read at once, and of its rows that are passed on, where one log follows on
#: the other.
READ, PASSED_ON = 256 * 1024, 64 * 1024
#: Where logs are merged: bytes of memory for what is read of all of them together, each of which needs
#: LEAST_READ beside it; and bytes that are read at once of each, at the least.
MERGED, LEAST_READ = 6 * 1024 * 1024, 16 * 1024
#: Where logs are merged: bytes of a line that each of them may hold until it ends, together. Some copies
#: of them are held.
MERGED_LINES = 32 * 1024 * 1024
#: Where logs are merged: bytes of rows above their first times that are held, of all of them together.
MERGED_HELD = 16 * 1024 * 1024
#: Pieces that are read until rows are passed on, however few they are: where logs are merged, the
#: others wait for them.
MOST_PIECES = 1_000_000
MOST_MERGED_PIECES = 32
#: Bytes of a row beside its label and its line: so many lines are read at once that their rows have as
#: many bytes as they.
ROW = 64
#: Logs that their source keeps waiting too long, until no more is read of any other of it.
MOST_STALLED = 2
#: Lines of a tail up to which each log is asked for its own: it holds them.
SHORT_TAIL = 1000


class OpenLog(Protocol):
    """An open log: its first stored bytes, and all that they hold."""

    first: bytes
    stored: Stored

    @property
    def is_small(self) -> bool: ...
    def decoded(self) -> Iterator[bytes]: ...
    def close(self) -> None: ...


class Budget(Protocol):
    """The allowance of an answer."""

    def working(self) -> AbstractContextManager[None]: ...
    def reading(self, pieces: Iterable[bytes], size: int, most_lines: int) -> Iterator[bytes]: ...
    def searching(self, pieces: Iterable[bytes], most_lines: int) -> Iterator[bytes]: ...
    def close(self) -> None: ...


class Skipped(NamedTuple):
    """A file that was not read."""

    name: str
    why: str
    #: True where it is a log, or may be one.
    is_missed: bool = False


class Shared(NamedTuple):
    """Tools and state that a job's logs share. Their generators run in threads of the pools."""

    #: Opens the log of a name, to be given in pieces of so many bytes. Raises Error.
    opened: Callable[[bytes, int], OpenLog]
    renderer: Renderer
    budget: Budget
    #: By source, so that logs of one that hangs delay no others.
    pools: Mapping[str, ThreadPoolExecutor]
    #: The media type of what is no log, by its name and first bytes; None for a log.
    media_type: Callable[[str, bytes], str | None]
    #: Why no more logs are read: the budget, once it is spent.
    ended: list[Incomplete]
    #: The sources of logs that broke off since nothing came for too long.
    stalled: list[str]
    #: Of Wanted: of all these logs.
    link: bytes


class JobLog:
    """One log of a job, to be read once."""

    def __init__(self, file: File, selection: Selection, shared: Shared) -> None:
        self.file = file
        #: The name of the source that has it; known once it is open.
        self.source = ""
        self.tally = Tally()
        #: What is missing of it; known once it was read.
        self.missing: list[Incomplete] = []
        #: Why it was not read.
        self.skipped: Skipped | None = None
        #: True where what the answer may cost was spent before its end.
        self.is_unpaid = False
        #: False for a log without times; known once it was merged.
        self.has_times = True
        self._selection = selection
        self._shared = shared

    def rows(self, view: str, label: bytes, merged_with: int | None = None) -> Iterator[list[Rows]]:
        """The lines that are selected. label: of Wanted. merged_with: how many logs; None where they
        follow on each other."""
        by_time = merged_with is not None
        selection = _selection_of_each(self._selection, by_time)
        wanted = Wanted(
            view, selection, self.file.modified, self._shared.link, None, label, by_time
        )
        size, longest = READ, LONGEST_LINE
        if merged_with:
            size = max(LEAST_READ, min(READ, MERGED // merged_with - LEAST_READ))
            longest = min(LONGEST_LINE, MERGED_LINES // merged_with)
        with closing(self._text(size, len(label))) as pieces:
            rows = self._shared.renderer.rows(pieces, wanted, self.tally, longest)
            if merged_with:
                rows = placed(rows, min(MOST_HELD, MERGED_HELD // merged_with))
                yield from bundled(self._noting_times(rows), size // 2, MOST_MERGED_PIECES)
            else:
                if selection.tail is None:  # nor the beginning of a line, which another answer has
                    rows = takewhile(lambda _: not self.is_unpaid, rows)
                yield from bundled(rows, PASSED_ON, MOST_PIECES)
        if self.tally.cut_line:
            most = f"{longest >> 10:,} KiB" if longest < LONGEST_LINE else "1 MiB"
            what = f"a row has at most {most} of a line, and line {self.tally.cut_line} has more"
            self.missing.append(Incomplete("capped", what))
        if self.tally.dropped:
            what = f"{self.tally.dropped} of its last lines are left out"
            self.missing.append(Incomplete("capped", what))

    def _noting_times(self, several: Iterator[Rows]) -> Iterator[Rows]:
        reached = NO_TIME
        for rows in several:
            reached = rows.reached
            yield rows
        self.has_times = reached not in (NO_TIME, UNTIMED)

    def summary(self) -> Iterator[dict[str, Any]]:
        """The log's summary, as `lines.summary` makes it; given once."""
        wanted = Wanted("summary", self._selection, self.file.modified)
        with closing(self._text(READ, 0)) as pieces:
            yield json.loads(b"".join(self._shared.renderer(pieces, wanted, self.tally)))

    def _text(self, size: int, label: int) -> Generator[bytes, None, None]:
        """The log, inflated, in pieces of at most `size` bytes; nothing where it is skipped. label:
        its bytes."""
        shared = self._shared
        if shared.ended:
            self.is_unpaid = True
            return self._skip(str(shared.ended[0]), is_missed=True)
        try:
            with deadline.start_clock():
                log = shared.opened(self.file.name, size)
        except Error as error:
            self._skip(error.sentence, is_missed=not isinstance(error, NotFound))
            return
        try:
            self.source = log.stored.source
            head = beginning(log.first, encoding=log.stored.encoding)
            media_type = shared.media_type(self.file.shown, head)
            if media_type is not None:
                return self._skip(f"it is {media_type}")
            has_searches = self._selection.searches or self._selection.without
            pieces = log.decoded() if log.is_small else self._while_answered(log.decoded())
            most_lines = max(1, size // (label + ROW))
            watched = (
                shared.budget.searching(pieces, most_lines)
                if has_searches
                else shared.budget.reading(pieces, size, most_lines)
            )
            yield from until_incomplete(watched, self.missing)
            spent = [error for error in self.missing if error.reason == "budget"]
            self.is_unpaid = bool(spent)
            shared.ended.extend(spent)
            shared.stalled.extend(self.source for one in self.missing if one.reason == "timeout")
        finally:
            log.close()

    def _while_answered(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The pieces, until the source has kept too many logs waiting. Raises Incomplete then."""
        for piece in pieces:
            yield piece
            if self._shared.stalled.count(self.source) >= MOST_STALLED:
                raise Incomplete("timeout", f"{self.source} stopped answering for other logs too")

    def _skip(self, why: str, is_missed: bool = False) -> None:
        self.skipped = Skipped(self.file.shown, why, is_missed)


def _selection_of_each(selection: Selection, by_time: bool) -> Selection:
    """The selection in each log; the job's limits take some of its lines."""
    limit, tail = selection.limit, selection.tail
    if limit is not None:  # one more than is shown: by that it is known that there are more
        limit += selection.after + 1
    # The time of a log's first lines is known by those behind them; all logs are held at once.
    if by_time or tail is not None:
        limit = None
    if by_time or (tail or 0) > SHORT_TAIL:
        tail = None
    return selection._replace(limit=limit, tail=tail, after=0)
