# SPDX-License-Identifier: Apache-2.0
"""One log of a job: its lines as rows, or what is in it."""

import json
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import takewhile
from typing import Any, NamedTuple

from oslogserve.errors import BadRequest, Error, Incomplete, NotFound
from oslogserve.jobs.merge import MOST_HELD, bundled, placed
from oslogserve.jobs.walk import File
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import (
    LONGEST_LINE,
    NO_TIME,
    UNTIMED,
    Rows,
    Selection,
    Tally,
    Wanted,
)
from oslogserve.logs.budget import Budget
from oslogserve.logs.decode import until_incomplete
from oslogserve.logs.open_log import Logs, OpenLog
from oslogserve.sources import OpenOptions, Source

#: Bytes of a log that are read at once, and of its rows that are passed on, where one log follows on
#: the other.
READ, PASSED_ON = 256 * 1024, 64 * 1024
#: Where logs are merged: bytes of read memory that all logs share, without LEAST_READ of each; and the
#: fewest bytes that are read of one at once.
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
#: Overhead of a row, in bytes, next to its label and its line. It bounds the lines that are read at once.
ROW = 64
#: Logs that a source keeps waiting too long until no other log of it is read on.
MOST_STALLED = 2
#: Lines of a tail up to which each log is asked for its own: it holds them.
SHORT_TAIL = 1000


class Skipped(NamedTuple):
    """A file that was not read."""

    name: str
    why: str
    #: True where it is a log, or may be one.
    is_missed: bool = False


class JobReader:
    """Opens the logs of one job, which share a budget. It is used in threads of the pools."""

    def __init__(
        self,
        logs: Logs,
        renderer: Renderer,
        sources: Sequence[Source],
        folder: bytes,
        budget: Budget,
    ) -> None:
        self.logs = logs
        self.renderer = renderer
        self.budget = budget
        #: Why no more logs are read: the budget, once it is spent.
        self.ended: list[Incomplete] = []
        #: The sources of logs that broke off since nothing came for too long.
        self.stalled: list[str] = []
        self._sources = sources
        self._folder = folder

    def open(self, name: bytes, piece_size: int) -> OpenLog:
        """The log, which gives pieces of so many bytes. Raises Error."""
        path = b"/".join(filter(None, (self._folder, name)))
        options = OpenOptions(chunk_size=piece_size)
        sources = [source.waiting_anew() for source in self._sources]
        log = self.logs.open(path, sources, self.budget, options)
        if log is None:
            raise BadRequest("it is a folder now")
        return log

    def beginning(self, name: bytes, most: int) -> bytes:
        """The first bytes of a report's text, so many and some more, as far as they can be read."""
        if self.stalled:  # the source that kept a log waiting would keep this waiting, too
            return b""
        try:
            log = self.open(name, READ)
        except Error:
            return b""
        text = b""
        with closing(log):
            for piece in until_incomplete(log.decoded(), []):
                text += piece
                if len(text) > most:
                    break
        return text


class JobLog:
    """One log of a job, to be read once."""

    def __init__(self, file: File, selection: Selection, reader: JobReader) -> None:
        self.file = file
        #: The name of the source that has it; known once it is open.
        self.source = ""
        self.tally = Tally()
        #: What is missing of it; known once it was read.
        self.missing: list[Incomplete] = []
        #: Why it was not read.
        self.skipped: Skipped | None = None
        #: True where the budget was spent before its end.
        self.is_unpaid = False
        #: False for a log without times; known once it was merged.
        self.has_times = True
        self._selection = selection
        self._reader = reader

    def rows(
        self, view: str, label: bytes, link: bytes, merged_with: int | None = None
    ) -> Iterator[list[Rows]]:
        """The lines that are selected. label, link: of Wanted. merged_with: how many logs; None where
        they follow on each other."""
        by_time = merged_with is not None
        selection = _selection_of_each(self._selection, by_time)
        wanted = Wanted(view, selection, self.file.modified, link, None, label, by_time)
        size, longest = READ, LONGEST_LINE
        if merged_with:
            size = max(LEAST_READ, min(READ, MERGED // merged_with - LEAST_READ))
            longest = min(LONGEST_LINE, MERGED_LINES // merged_with)
        with closing(self._text(size, len(label))) as text:
            rows = self._reader.renderer.rows(text, wanted, self.tally, longest)
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
        with closing(self._text(READ, 0)) as text:
            yield json.loads(b"".join(self._reader.renderer(text, wanted, self.tally)))

    def _text(self, size: int, label: int) -> Generator[bytes, None, None]:
        """The log's text, in blocks of at most `size` bytes; nothing where it is skipped. label: its
        bytes."""
        reader = self._reader
        if reader.ended:
            self.is_unpaid = True
            return self._skip(str(reader.ended[0]), is_missed=True)
        try:
            log = reader.open(self.file.name, size)
        except Error as error:
            return self._skip(error.sentence, is_missed=not isinstance(error, NotFound))
        with closing(log):
            self.source = log.stored.source
            media_type = reader.logs.media_type(self.file.shown, log)
            if media_type is not None:
                return self._skip(f"it is {media_type}")
            text = log.decoded() if log.is_small else self._while_answered(log.decoded())
            is_search = bool(self._selection.searches or self._selection.without)
            self.missing = log.missing
            yield from log.blocks(text, is_search, size, max(1, size // (label + ROW)))
            spent = [error for error in self.missing if error.reason == "budget"]
            self.is_unpaid = bool(spent)
            reader.ended.extend(spent)
            reader.stalled.extend(self.source for one in self.missing if one.reason == "timeout")

    def _while_answered(self, text: Iterable[bytes]) -> Iterator[bytes]:
        """The text, until the source has kept too many logs waiting. Raises Incomplete then."""
        for piece in text:
            yield piece
            if self._reader.stalled.count(self.source) >= MOST_STALLED:
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
