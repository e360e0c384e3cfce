# SPDX-License-Identifier: Apache-2.0
"""One log of a job: its lines as rows, or its summary."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import takewhile
from typing import Generic, NamedTuple, TypeVar

from oslogserve.errors import BadRequest, Error, Incomplete, NotFound
from oslogserve.jobs.choice import Skipped
from oslogserve.jobs.passed import PassedRun
from oslogserve.jobs.walk import File
from oslogserve.lines.brief.marked import MarkedLine, marked_lines, selection_of
from oslogserve.lines.brief.plan import Range
from oslogserve.lines.renderer import Renderer, Rendering, Room
from oslogserve.lines.selection import (
    LONGEST_LINE,
    NO_TIME,
    UNTIMED,
    Last,
    Rows,
    Selection,
    Tally,
    Wanted,
)
from oslogserve.lines.summary import Summary
from oslogserve.logs.blocks import Blocks
from oslogserve.logs.budget import Budget
from oslogserve.logs.decode import Reading
from oslogserve.logs.open_log import Logs, OpenLog
from oslogserve.native import Known, MergedRows
from oslogserve.sources import OpenOptions, Source

#: Stored bytes that are read at once, whether or not the log has an index.
SMALL = 64 * 1024

# Logs one after the other.
#: Bytes of a log that are read at once, and bytes of its rows that are passed on at once.
READ, PASSED_ON = 256 * 1024, 64 * 1024

# Merged logs. Sizes are bytes of all logs together.
#: Read memory shared by the merged logs; the least for each.
MERGED, LEAST_READ = 7 * 1024 * 1024, 16 * 1024
#: Lines that are held until their ends are seen. Several copies of each exist.
MERGED_LINES = 32 * 1024 * 1024
#: Blocks of indexes that are held until their checksums are known; others are read twice.
MERGED_BLOCKS = 16 * 1024 * 1024
#: Rows that wait for their log's first time, and such rows of one log. A log with more counts as one
#: without times.
MERGED_WAITING, MOST_WAITING = 16 * 1024 * 1024, 256 * 1024
#: Pieces that are read before rows are passed on, however few rows these gave: the other logs wait.
MOST_MERGED_PIECES = 32

#: Per-row overhead in bytes, next to label and line; bounds the lines of one read.
ROW = 64
#: Logs of a source that time out before its other logs are given up.
MOST_STALLED = 2
#: The longest tail, in lines, that each log finds for itself: it holds all of them.
SHORT_TAIL = 1000


class JobReader:
    """Opens the logs of one job, which share a budget. For many threads."""

    def __init__(
        self,
        logs: Logs,
        renderer: Renderer,
        sources: Sequence[Source],
        folder: bytes,
        budget: Budget,
        passed: PassedRun | None = None,
    ) -> None:
        """passed: the run whose logs are compared with these."""
        self.logs = logs
        self.renderer = renderer
        self.budget = budget
        self.passed = passed
        #: Not empty once the budget is spent: no more logs are read then.
        self.ended: list[Incomplete] = []
        #: The source of each log that timed out.
        self.stalled: list[str] = []
        self._sources = sources
        self._folder = folder

    def open(self, file: File, piece_size: int, is_again: bool = False) -> OpenLog:
        """The log, opened, in pieces of at most `piece_size` bytes. Nothing is read of one that has an index.

        is_again: True if the answer has opened it before. Raises Error.
        """
        by_index = file.size is None or file.size > SMALL
        return self._open(file.name, piece_size, by_index, is_again)

    def _open(
        self, name: bytes, piece_size: int, by_index: bool = False, is_again: bool = False
    ) -> OpenLog:
        path = b"/".join(filter(None, (self._folder, name)))
        sources = [source.waiting_anew() for source in self._sources]
        options = OpenOptions(chunk_size=piece_size)
        log = self.logs.open(
            path, sources, self.budget, options, by_index=by_index, is_again=is_again
        )
        if log is None:
            raise BadRequest("it is a folder now")
        return log

    def beginning(self, name: bytes, most: int) -> tuple[bytes, list[Incomplete]]:
        """All of a report, or somewhat more than `most` bytes; less where it cannot be read. And why it is
        not whole."""
        if self.stalled:  # its source would time out again
            return b"", []
        try:
            log = self._open(name, READ)
        except Error as error:
            return b"", [Incomplete("failed", error.sentence)]
        missing: list[Incomplete] = []
        text = bytearray()
        with closing(log):
            reading = Reading(log.text())
            for piece in reading:
                text += piece
                if len(text) > most:
                    missing.append(Incomplete("capped", f"only {most >> 20} MiB of it are read"))
                    break
            missing += [reading.broke_off] if reading.broke_off else []
        return bytes(text), missing

    def note(self, source: str, error: Incomplete) -> None:
        """Notes why a log of this source broke off: other logs may not be read for that."""
        if error.reason == "budget":
            self.ended.append(error)
        if error.reason == "timeout":
            self.stalled.append(source)


class LogRead(NamedTuple):
    """What is known of a log once it was read, or of the part that an answer has taken."""

    file: File
    #: The name of its source; "" until it is open.
    source: str = ""
    tally: Tally = Tally()
    #: What is missing from it.
    missing: tuple[Incomplete, ...] = ()
    #: Why it was not read.
    skipped: Skipped | None = None
    #: True if the budget was spent before its end.
    is_unpaid: bool = False
    #: False for a log without times; known once it was merged.
    has_times: bool = True
    #: True if all of its lines were read.
    is_read_to_end: bool = False


_R = TypeVar("_R")


class Bundle(NamedTuple, Generic[_R]):
    """Some rows of a log, and what is known of it with them."""

    #: None for the last one.
    rows: _R | None
    log: LogRead


class Summarised(NamedTuple):
    """A log and its compact summary: an empty one for a skipped log."""

    log: LogRead
    summary: Summary


class JobLog(NamedTuple):
    """A log of a job, and which of its lines are wanted."""

    file: File
    selection: Selection
    reader: JobReader

    def rows(self, view: str, label: bytes, link: bytes) -> Iterator[Bundle[Sequence[Rows]]]:
        """Yields the selected lines. label, link: see Wanted."""
        selection = _selection_of_each(self.selection)
        reading = _Reading(self.file, self.reader)
        known = reading.known()
        wanted = Wanted(view, selection, self.file.modified, link, label=label, known=known)
        with reading.text(READ) as (text, blocks):
            room = _room(READ, label, LONGEST_LINE)
            rendering = self.reader.renderer(text, wanted, blocks, room, reading.charge)
            rows: Iterator[Rows] = rendering.rows()
            rows = reading.noting_cut(rows, rendering, LONGEST_LINE)
            if selection.tail is None:  # the next answer begins with the whole line
                rows = takewhile(lambda _: not reading.log.is_unpaid, rows)
            for bundle in _bundled(rows, PASSED_ON):
                yield Bundle(bundle, reading.log)
        reading.end(rendering)
        yield Bundle(None, reading.log)

    def merged_rows(
        self, view: str, label: bytes, link: bytes, logs: int, last: Last | None
    ) -> Iterator[Bundle[MergedRows]]:
        """Yields the selected lines. label, link: see Wanted. logs: how many are merged.

        last: where only the last rows are wanted, else None. Then the first bundle is empty: take it from all
        logs, so that their indexes have told where the last rows begin.
        """
        # A log's first lines may get their time from lines beyond a limit. Long tails of many logs would
        # all be held at once.
        selection = self.selection._replace(limit=None, tail=None, after=0)
        reading = _Reading(self.file, self.reader)
        known = reading.known()
        wanted = Wanted(view, selection, self.file.modified, link, label=label, known=known)
        wanted = wanted._replace(by_time=True, last=last)
        size = max(LEAST_READ, min(READ, MERGED // logs - LEAST_READ))
        longest = min(LONGEST_LINE, MERGED_LINES // logs)
        with reading.text(size) as (text, blocks):
            room = _room(size, label, longest)._replace(held=MERGED_BLOCKS // logs)
            rendering = self.reader.renderer(text, wanted, blocks, room, reading.charge)
            if last:
                yield Bundle(MergedRows(), reading.log)
            waiting = min(MOST_WAITING, MERGED_WAITING // logs)
            rows: Iterator[MergedRows] = rendering.merged_rows(
                waiting, size // 2, MOST_MERGED_PIECES
            )
            reached: int | None = NO_TIME
            for bundle in reading.noting_cut(rows, rendering, longest):
                reached = bundle.reached
                yield Bundle(bundle, reading.log)
            has_times = reached not in (NO_TIME, UNTIMED)
            reading.log = reading.log._replace(has_times=has_times)
        reading.end(rendering)
        yield Bundle(None, reading.log)

    def summary(self) -> Iterator[Summarised]:
        """Yields the log's compact summary: the other chapters of many logs would fill the memory."""
        reading = _Reading(self.file, self.reader)
        renderer = self.reader.renderer
        wanted = Wanted("summary", self.selection, self.file.modified, known=reading.known())
        with reading.text(READ) as (text, blocks):
            rendering = renderer(text, wanted, blocks, Room(READ), reading.charge)
            summary = rendering.summary(is_compact=True)
        reading.end(rendering)
        yield Summarised(reading.log, summary)

    def marked_lines(
        self, ranges: Sequence[Range], beginning: int = 4096
    ) -> tuple[list[MarkedLine], Sequence[Incomplete]]:
        """The lines of an excerpt, of a log that was summarised; and why some lack. beginning: see Wanted."""
        if self.reader.stalled or not ranges:
            return [], ()
        reading = _Reading(self.file, self.reader, is_again=True)
        known = reading.known()
        wanted = Wanted("marked", selection_of(ranges), self.file.modified, known=known)
        wanted = wanted._replace(beginning=beginning)
        with reading.text(READ) as (text, blocks):
            rendering = self.reader.renderer(text, wanted, blocks, Room(READ), reading.charge)
            lines = list(marked_lines(rendering, ranges))
        reading.end(rendering)
        return lines, [error for error in reading.log.missing if not error.is_of_comparison]


class _Reading:
    """A log while it is read, by one thread at a time."""

    def __init__(self, file: File, reader: JobReader, is_again: bool = False) -> None:
        """is_again: True if the answer has read the log before."""
        #: What is known so far.
        self.log = LogRead(file)
        self._reader = reader
        self._is_again = is_again
        self._is_whole = False

    def _lacks(self, error: Incomplete) -> None:
        self.log = self.log._replace(missing=(*self.log.missing, error))

    def known(self) -> Known | None:
        """The words that its lines are compared with; None for none. Notes why they are not all."""
        if self._reader.passed is None or self._reader.ended:
            return None
        known, fault = self._reader.passed.compared(self.log.file.name)
        if fault:  # noted at once: an answer may take some lines and leave the rest
            self._lacks(fault)
        return known

    def charge(self) -> None:
        """Raises Incomplete also once too many logs of its source have timed out, unless all of it was read."""
        source = self.log.source
        if not self._is_whole and self._reader.stalled.count(source) >= MOST_STALLED:
            raise Incomplete("timeout", f"{source} stopped answering for other logs too")
        self._reader.budget.charge_rendering()

    def noting_cut(self, several: Iterator[_R], rendering: Rendering, longest: int) -> Iterator[_R]:
        """The rows of the rendering. Notes the first line that was cut before its row is taken, see known()."""
        is_noted = False
        for rows in several:
            self._note_break(rendering)
            if not is_noted and (line := rendering.cut_line):
                is_noted = True
                most = f"{longest >> 10:,} KiB" if longest < LONGEST_LINE else "1 MiB"
                what = f"a row has at most {most} of a line, and line {line:,} has more"
                self._lacks(Incomplete("capped", what))
            yield rows

    def _note_break(self, rendering: Rendering) -> None:
        error = rendering.broke_off
        if error and error not in self.log.missing:
            self._lacks(error)
            self.log = self.log._replace(is_unpaid=error.reason == "budget")
            self._reader.note(self.log.source, error)

    def end(self, outcome: Rendering) -> None:
        """Notes the outcome of a rendering."""
        self._note_break(outcome)
        tally = outcome.tally
        self.log = self.log._replace(tally=tally, is_read_to_end=outcome.is_read_to_end)
        if tally.dropped:
            what = f"{tally.dropped:,} of its last lines are left out"
            self._lacks(Incomplete("capped", what))

    @contextmanager
    def text(self, size: int) -> Iterator[tuple[Iterator[bytes], Blocks | None]]:
        """Context with the log's text, in pieces of at most `size` bytes, and its blocks; empty if it is skipped."""
        log = self._opened(size)
        if log is None:
            yield iter(()), None
            return
        with closing(log):
            self._is_whole = log.is_whole
            yield log.text(), log.blocks

    def _opened(self, size: int) -> OpenLog | None:
        """The open log; None if it is skipped."""
        reader, file = self._reader, self.log.file
        if reader.ended:
            self.log = self.log._replace(is_unpaid=True)
            self._skip(str(reader.ended[0]), is_missed=True)
            return None
        try:
            log = reader.open(file, size, self._is_again)
        except Error as error:
            is_gone = isinstance(error, NotFound)
            why = "it was removed after it was listed" if is_gone else error.sentence
            self._skip(why, is_missed=True)
            return None
        self.log = self.log._replace(source=log.stored.source)
        media_type = reader.logs.media_type(file.shown, log.first_bytes.text)
        if media_type is None:
            return log
        log.close()
        self._skip(f"it is {media_type}")
        return None

    def _skip(self, why: str, is_missed: bool = False) -> None:
        missing = (Incomplete("failed", why),) if is_missed else ()
        skipped = Skipped(self.log.file.shown, why, is_missed)
        self.log = self.log._replace(skipped=skipped, missing=missing)


def _selection_of_each(selection: Selection) -> Selection:
    """The selection for each log. The job applies its own limits afterwards."""
    limit, tail = selection.limit, selection.tail
    if limit is not None:  # one more than is shown tells that there are more
        limit += selection.after + 1
    if tail is not None:
        limit = None
    if (tail or 0) > SHORT_TAIL:
        tail = None
    return selection._replace(limit=limit, tail=tail, after=0)


def _room(size: int, label: bytes, longest: int) -> Room:
    """Room for pieces of so many bytes. longest: bytes of a line."""
    return Room(size, max(1, size // (len(label) + ROW)), longest)


def _bundled(several: Iterable[Rows], most: int) -> Iterator[list[Rows]]:
    """The same rows in lists, each of about `most` bytes."""
    held: list[Rows] = []
    size = 0
    for rows in several:
        if not rows.ends:
            continue
        held.append(rows)
        size += len(rows.text)
        if size >= most:
            yield held
            held, size = [], 0
    if held:
        yield held
