# SPDX-License-Identifier: Apache-2.0
"""The lines of a job: the rows of its logs one after the other, or merged by time.

The order of merged rows is (time, log, number). A row's time is the latest one of its line and all lines above, so
lines of a log never change places, even if its clock was set back. Lines above a log's first time take that time.
Logs without times come last.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from math import inf
from typing import NamedTuple, TypeVar

from oslogserve import native
from oslogserve.errors import Incomplete
from oslogserve.jobs.ahead import LOGS_AT_ONCE, Ahead, started
from oslogserve.jobs.job import Ending, Job, Next
from oslogserve.jobs.job_log import Bundle, LogRead
from oslogserve.jobs.walk import File
from oslogserve.lines.selection import TAIL_BYTES, Last, Rows, Selection
from oslogserve.native import LastRows, MergedRows
from oslogserve.query import Query

#: Bytes of merged rows that are passed on at once.
MOST_MERGED = 256 * 1024
#: Results of the native core's run() that are not the number of a log.
FULL, OVER = -1, -2
#: Logs whose next rows are read ahead. Those of all logs at once would take twice the memory.
LOGS_AHEAD = 8


class _MergedLog:
    def __init__(self, ahead: Ahead[Bundle[MergedRows]], rows: Iterator[MergedRows]) -> None:
        """rows: those of `ahead`."""
        self._ahead = ahead
        self._rows = rows

    def next_rows(self) -> MergedRows | None:
        return next(self._rows, None)

    def start(self) -> None:
        self._ahead.start()

    @property
    def is_ready(self) -> bool:
        return self._ahead.is_ready


def merge(logs: Sequence[_MergedLog]) -> Iterator[Rows]:
    """The rows of all logs in order, without their times.

    Waits only for logs whose next row could come next.
    """
    core = native.Merge(len(logs))
    needed: Iterable[int] = range(len(logs))
    while True:
        for log in needed:
            rows = logs[log].next_rows()
            if rows is not None:
                core.feed(log, rows)
        for log in core.ending_first(LOGS_AHEAD) if needed else ():
            logs[log].start()
        log = core.run(MOST_MERGED)
        if log < 0 or not logs[log].is_ready:  # others need not wait with it
            text, ends = core.take()
            if text:
                yield Rows(text, memoryview(ends).cast("q"), [])
        if log == OVER:
            return
        needed = () if log == FULL else (log,)


_R = TypeVar("_R")


class Slice(NamedTuple):
    """Consecutive rows: those of `rows` from `first` up to `end`, without `end`."""

    #: The log's index in Job.logs; None for merged logs.
    log: int | None
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

    @property
    def _begin(self) -> int:
        return self.rows.ends[self.first - 1] if self.first else 0

    def filling(self, most: float) -> int:
        """The number of first rows that have `most` bytes; all if they have fewer."""
        if most <= 0:
            return 0
        end = bisect_left(self.rows.ends, self._begin + most, self.first, self.end)
        return min(end + 1, self.end) - self.first


class Limiter:
    """Limits the rows of one answer, and counts them."""

    def __init__(self, selection: Selection) -> None:
        #: Why rows are missing.
        self.missing: list[Incomplete] = []
        #: Rows sent, and the number of the last one if more follow.
        self.sent = 0
        self.cut_at: int | None = None
        self._selection = selection

    def limited(self, slices: Iterable[Slice], most: float) -> Iterator[Slice]:
        """The last rows if the query wants a tail; of these, the rows after `after`, up to the limit,
        or until `most` bytes are full.

        How the rows are cut into slices changes nothing.
        """
        if self._selection.tail is not None:
            slices = self._last(slices, self._selection.tail)
        limit = inf if self._selection.limit is None else self._selection.limit
        after = behind = self._selection.after
        for one in slices:
            if behind >= one.length:
                behind -= one.length
                continue
            one = one._replace(first=one.first + behind)
            behind = 0
            left = int(min(one.filling(most), limit - self.sent))
            if left < one.length:
                self.cut_at = after + self.sent + left
            self.sent += left
            if left:
                one = one._replace(end=one.first + left)
                most -= one.size
                yield one
            if self.cut_at is not None:
                return

    def _last(self, slices: Iterable[Slice], most: int) -> Iterator[Slice]:
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
            self.missing.append(Incomplete("capped", what))
        held[0] = held[0]._replace(first=held[0].first + max(0, rows - most, fitting))
        yield from held


class LinesEnd(NamedTuple):
    """Facts of the lines that are known once they were read."""

    ending: Ending
    #: Rows that were sent.
    sent: int
    #: False if the limit, or a full page, ended the lines. Then chance decides how far each log was read.
    is_whole: bool
    #: The logs that were read.
    logs: list[LogRead]
    #: True if all lines of all logs were read.
    is_read_to_end: bool


class Lines:
    """The lines of a job as slices. Iterate them once: then their end is known."""

    def __init__(
        self,
        query: Query,
        job: Job,
        label: Callable[[File], bytes],
        link: bytes,
        most: float = inf,
    ) -> None:
        """label, link: of each log's rows, see Wanted. most: bytes of the rows, about."""
        self._query = query
        self._job = job
        self._label = label
        self._link = link
        self._most = most
        self._limiter = Limiter(query.selection)
        #: Rows that this answer and those before it have of the log that the next one begins with.
        self._next_after = 0
        #: The logs that the answer has come to, by their index. More are read ahead, by chance.
        self._reached: dict[int, LogRead] = {}
        self._end: LinesEnd | None = None

    @property
    def missing(self) -> Sequence[Incomplete]:
        """Why lines are missing; known once all were iterated."""
        return self._job.missing if self._end is None else self._end.ending.missing

    def end(self) -> LinesEnd:
        """The end of the lines, once all were iterated. Raises ValueError before."""
        if self._end is None:
            raise ValueError("the lines were not read to their end")
        return self._end

    def __iter__(self) -> Iterator[Slice]:
        slices = self._merged() if self._job.by_time else self._one_by_one()
        yield from self._limiter.limited(slices, self._most)
        self._end = self._ended()

    def _taken(self, log: int, bundles: Iterable[Bundle[_R]]) -> Iterator[_R]:
        """The rows of the log of this index. Notes what is known of it with those that were taken."""
        for bundle in bundles:
            self._reached[log] = bundle.log
            if bundle.rows is not None:
                yield bundle.rows

    def _merged(self) -> Iterator[Slice]:
        job, view = self._job, self._query.view
        several: list[_MergedLog] = []
        tail = self._query.selection.tail
        last_rows = None if tail is None else LastRows(tail)
        for number, log in enumerate(job.logs):
            last = last_rows and Last(last_rows, number)
            label = self._label(log.file)
            bundles = log.merged_rows(view, label, self._link, len(job.logs), last)
            ahead = job.read_ahead(log.file, bundles, is_eager=False)
            several.append(_MergedLog(ahead, self._taken(number, ahead)))
        for one in several:
            one.start()
        for rows in merge(several):
            job.reader.budget.note()  # of this thread, which may give nothing for long
            yield Slice(None, rows, 0, len(rows.ends))

    def _one_by_one(self) -> Iterator[Slice]:
        job, view = self._job, self._query.view
        several = (
            job.read_ahead(log.file, log.rows(view, self._label(log.file), self._link))
            for log in job.logs
        )
        given = 0
        for log, ahead in enumerate(started(several, LOGS_AT_ONCE)):
            before = given
            taken: Iterator[Sequence[Rows]] = self._taken(log, ahead)
            for rows in chain.from_iterable(taken):
                given += len(rows.ends)
                yield Slice(log, rows, 0, len(rows.ends))
            if log > 0 and self._reached[log].is_unpaid:
                if self._query.selection.tail is None:
                    self._next_after = max(given, self._query.selection.after) - before
                return

    def _ended(self) -> LinesEnd:
        job, limiter = self._job, self._limiter
        is_whole = limiter.cut_at is None
        reached = [self._reached[log] for log in sorted(self._reached)]
        following = job.rest(reached, self._next_after)
        if limiter.cut_at is not None:
            following = Next(self._query.first_log, limiter.cut_at)
        ending = job.ending(following, reached, limiter.missing)
        logs = [log for log in reached if log.source and log.skipped is None]
        untimed = [log.file.shown for log in reached if not log.has_times and log.tally.sent]
        if untimed and is_whole:  # else chance decides how far each was read
            names = ", ".join(untimed[:5]) + (" and others" if len(untimed) > 5 else "")
            sentence = f"Lines without any time come last, of: {names}."
            ending = ending._replace(notices=[*ending.notices, sentence])
        is_read_to_end = (
            following is None
            and job.choice.has_all
            and not any(one.is_missed for one in ending.skipped)
            and all(log.is_read_to_end for log in logs)
        )
        return LinesEnd(ending, limiter.sent, is_whole, logs, is_read_to_end)
