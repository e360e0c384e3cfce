# SPDX-License-Identifier: Apache-2.0
"""The lines of a job: the rows of its logs one after the other, or merged by time.

The order of merged rows is (time, log, number). A row's time is the latest one of its line and all lines above, so
lines of a log never change places, even if its clock was set back. Lines above a log's first time take that time.
Logs without times come last.

One after the other, logs are read ahead, and an answer that ends early says with which log and row the next one begins.
Merged, all logs are open at once, so all that they hold is shared out: pieces, unfinished lines, rows that wait. The
core orders the rows; it is fed with those of the log that it asks for, and others are read ahead meanwhile.

How the rows are cut into slices changes nothing of an answer.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import chain
from math import inf
from typing import Any, NamedTuple, TypeVar

from oslogserve import native
from oslogserve.errors import Incomplete
from oslogserve.jobs import reading
from oslogserve.jobs.ahead import Ahead, started
from oslogserve.jobs.job import Ending, Job
from oslogserve.jobs.reading import LogRead, Reader
from oslogserve.jobs.walk import File
from oslogserve.lines.renderer import Rendering, Room
from oslogserve.lines.selection import (
    LONGEST_LINE,
    NO_TIME,
    TAIL_BYTES,
    UNTIMED,
    Rows,
    Selection,
    Wanted,
)
from oslogserve.native import LastRows, MergedRows
from oslogserve.query import Query

# Logs one after the other.
#: Bytes of a log's rows that are passed on at once.
PASSED_ON = 64 * 1024
#: The longest tail, in lines, that each log finds for itself: it holds all of them.
SHORT_TAIL = 1000
#: Per-row overhead in bytes, next to label and line; bounds the lines of one read.
ROW = 64

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
#: Bytes of merged rows that are passed on at once.
MOST_MERGED = 256 * 1024
#: Results of the native core's run() that are not the number of a log.
FULL, OVER = -1, -2
#: Logs whose next rows are read ahead. Those of all logs at once would take twice the memory.
LOGS_AHEAD = 8

_T = TypeVar("_T")


def merge(aheads: Sequence[Ahead[Any]], logs: Sequence[Iterator[MergedRows]]) -> Iterator[Rows]:
    """The rows of all logs in order, without their times.

    Waits only for logs whose next row could come next. logs: the rows of each, which one of `aheads` computes.
    """
    core = native.Merge(len(logs))
    needed: Iterable[int] = range(len(logs))
    while True:
        for log in needed:
            if (rows := next(logs[log], None)) is not None:
                core.feed(log, rows)
        for log in core.ending_first(LOGS_AHEAD) if needed else ():
            aheads[log].start()
        log = core.run(MOST_MERGED)
        if log < 0 or not aheads[log].is_ready:  # others need not wait with it
            text, numbers, named = core.take()
            if text:
                ends, run_ends, run_logs = (memoryview(one).cast("q") for one in numbers)
                yield Rows(text, ends, (), named=named, run_ends=run_ends, run_logs=run_logs)
        if log == OVER:
            return
        needed = () if log == FULL else (log,)


class Slice(NamedTuple):
    """Consecutive rows: those of `rows` from `first` up to `end`, without `end`."""

    rows: Rows
    first: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.first

    @property
    def text(self) -> bytes:
        return self.rows.text[self._begin : self.rows.ends[self.end - 1]]

    @property
    def size(self) -> int:
        """Bytes of its text."""
        return self.rows.ends[self.end - 1] - self._begin

    def runs(self) -> Iterator[tuple[int, bytes]]:
        """The text of each run of rows of one log, behind the log's place in `Job.files`."""
        rows, begin = self.rows, self._begin
        place, end = bisect_right(rows.run_ends, begin), begin + self.size
        while begin < end:
            run_end = min(rows.run_ends[place], end)
            yield rows.run_logs[place], rows.text[begin:run_end]
            begin, place = run_end, place + 1

    @property
    def _begin(self) -> int:
        return self.rows.ends[self.first - 1] if self.first else 0

    def filling(self, most: float) -> int:
        """The number of first rows that have `most` bytes; all if they have fewer."""
        if most <= 0:
            return 0
        end = bisect_left(self.rows.ends, self._begin + most, self.first, self.end)
        return min(end + 1, self.end) - self.first


def limited(
    slices: Iterable[Slice], selection: Selection, most: float, missing: list[Incomplete]
) -> Generator[Slice, None, tuple[int, int | None]]:
    """The last rows if a tail is selected; of these, the rows after `after`, up to the limit, or until `most`
    bytes are full.

    How the rows are cut into slices changes nothing. Returns how many rows there were, and the number of the
    last one if more follow. Adds to `missing`.
    """
    if selection.tail is not None:
        slices = _last(slices, selection.tail, missing)
    limit = inf if selection.limit is None else selection.limit
    behind, sent = selection.after, 0
    for one in slices:
        if behind >= one.length:
            behind -= one.length
            continue
        one = one._replace(first=one.first + behind)
        behind = 0
        left = int(min(one.filling(most), limit - sent))
        is_cut = left < one.length
        sent += left
        if left:
            one = one._replace(end=one.first + left)
            most -= one.size
            yield one
        if is_cut:
            return sent, selection.after + sent
    return sent, None


def _last(slices: Iterable[Slice], most: int, missing: list[Incomplete]) -> Iterator[Slice]:
    """The last `most` rows, as far as TAIL_BYTES can hold them."""
    held: deque[Slice] = deque()
    rows = size = 0
    is_cut = False
    for one in slices:
        held.append(one)
        rows += one.length
        size += one.size
        while rows - held[0].length >= most or size - held[0].size >= TAIL_BYTES:
            first = held.popleft()
            rows -= first.length
            size -= first.size
            is_cut = True
    if not held:
        return
    fitting = held[0].filling(size - TAIL_BYTES)
    if rows - fitting < most and (is_cut or fitting):
        what = f"the last {TAIL_BYTES >> 20} MiB are all that is kept"
        missing.append(Incomplete("capped", what))
    held[0] = held[0]._replace(first=held[0].first + max(0, rows - most, fitting))
    yield from held


def read_lines(
    query: Query, job: Job, label: Callable[[File], bytes], link: bytes, most: float
) -> Generator[Slice, None, Ending]:
    """Yields the lines of a job. Returns their ending.

    label, link: of each log's rows, see Wanted. most: bytes of the rows, about.
    """
    # The logs that the answer has come to, by their index, and the rows of each. More are read ahead, by chance.
    reached: dict[int, LogRead] = {}
    given: Counter[int] = Counter()
    selection = query.selection

    def wanted(file: File) -> Wanted:
        selected = job.selection_of(file)
        return Wanted(query.view, selected, link=link, label=label(file))

    slices = (
        _merged(job, wanted, selection.tail, reached)
        if job.by_time
        else _one_by_one(job, wanted, reached, given)
    )
    sent, cut_at = yield from limited(slices, selection, most, job.missing)
    last = max(reached, default=0)
    before = given.total() - given[last]
    next_after = max(given[last], selection.after - before) if selection.tail is None else 0
    logs = [reached[log] for log in sorted(reached)]
    ending = job.ending(logs, (), sent, cut_at, next_after)
    untimed = [log.file.shown for log in logs if not log.has_times and log.tally.sent]
    if untimed and ending.is_whole:  # else chance decides how far each was read
        names = ", ".join(untimed[:5]) + (" and others" if len(untimed) > 5 else "")
        ending.notices.append(f"Lines without any time come last, of: {names}.")
    return ending


def _taken(
    number: int, several: Iterable[tuple[_T | None, LogRead]], reached: dict[int, LogRead]
) -> Iterator[_T]:
    """The rows of the log of this index. Notes what is known of it with those that were taken."""
    for rows, reached[number] in several:
        if rows is not None:
            yield rows


def _one_by_one(
    job: Job, wanted: Callable[[File], Wanted], reached: dict[int, LogRead], given: Counter[int]
) -> Iterator[Slice]:
    several = [job.read_ahead(file, _rows_of(job.reader, file, wanted(file))) for file in job.files]
    for number, ahead in enumerate(started(several)):
        for rows in chain.from_iterable(_taken(number, ahead, reached)):
            given[number] += len(rows.ends)
            rows = rows._replace(run_ends=(len(rows.text),), run_logs=(number,))
            yield Slice(rows, 0, len(rows.ends))
        if number > 0 and reached[number].is_unpaid:
            return


def _rows_of(
    reader: Reader, file: File, wanted: Wanted
) -> Iterator[tuple[list[Rows] | None, LogRead]]:
    """Yields the rows of a log, about PASSED_ON bytes of them at once, and last None. See Reader.read()."""
    selection = wanted.selection
    limit, tail = selection.limit, selection.tail
    if tail is not None:
        limit = None
    if limit is not None:  # one more than is shown tells that there are more
        limit += selection.after + 1
    if (tail or 0) > SHORT_TAIL:
        tail = None
    wanted = wanted._replace(selection=selection._replace(limit=limit, tail=tail, after=0))
    held: list[Rows] = []
    size, log = 0, LogRead(file)
    for rows, now in reader.read(file, wanted, Rendering.rows, _room(reading.READ, wanted)):
        if rows is None:
            break
        log = now
        if log.is_unpaid and selection.tail is None:  # the next answer begins with the whole line
            break
        if rows.ends:
            held.append(rows)
            size += len(rows.text)
        if size >= PASSED_ON:
            yield held, log
            held, size = [], 0
    if held:
        yield held, log
    yield None, now


def _merged(
    job: Job, wanted: Callable[[File], Wanted], tail: int | None, reached: dict[int, LogRead]
) -> Iterator[Slice]:
    files = job.files
    aheads = []
    last_rows = None if tail is None else LastRows(tail)
    for number, file in enumerate(files):
        last = last_rows and (last_rows, number)
        rows = _rows_to_merge(job.reader, file, wanted(file)._replace(last=last), len(files))
        aheads.append(job.read_ahead(file, rows, is_eager=False))
    for ahead in aheads:
        ahead.start()
    taken = [_taken(number, ahead, reached) for number, ahead in enumerate(aheads)]
    for merged in merge(aheads, taken):
        job.reader.budget.note()  # of this thread, which may give nothing for long
        yield Slice(merged, 0, len(merged.ends))


def _rows_to_merge(
    reader: Reader, file: File, wanted: Wanted, logs: int
) -> Iterator[tuple[MergedRows | None, LogRead]]:
    """Yields the rows of one of so many logs, and last None. See Reader.read()."""
    # A log's first lines may get their time from lines beyond a limit. Long tails of many logs would
    # all be held at once.
    selection = wanted.selection._replace(limit=None, tail=None, after=0)
    wanted = wanted._replace(selection=selection, by_time=True)
    size = max(LEAST_READ, min(reading.READ, MERGED // logs - LEAST_READ))
    room = _room(size, wanted, min(LONGEST_LINE, MERGED_LINES // logs))
    waiting = min(MOST_WAITING, MERGED_WAITING // logs)

    def take(rendering: Rendering) -> Iterator[MergedRows]:
        if wanted.last:  # none, so that the indexes of all logs have told where the last rows begin
            yield MergedRows()
        yield from rendering.merged_rows(waiting, size // 2, MOST_MERGED_PIECES)

    reached: int | None = NO_TIME
    for rows, log in reader.read(file, wanted, take, room._replace(held=MERGED_BLOCKS // logs)):
        if rows is not None:
            reached = rows.reached
            yield rows, log
    yield None, log._replace(has_times=reached not in (NO_TIME, UNTIMED))


def _room(size: int, wanted: Wanted, longest: int = LONGEST_LINE) -> Room:
    """Room for pieces of so many bytes. longest: bytes of a line."""
    return Room(size, max(1, size // (len(wanted.label or b"") + ROW)), longest)
