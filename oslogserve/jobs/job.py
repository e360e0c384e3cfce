# SPDX-License-Identifier: Apache-2.0
"""A job: the logs of a folder that were chosen, and their lines or summaries."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from itertools import chain
from math import inf
from typing import Any, NamedTuple

from oslogserve.errors import BadRequest, Incomplete
from oslogserve.jobs import reports
from oslogserve.jobs.ahead import LOGS_AT_ONCE, Ahead, pool_of, started
from oslogserve.jobs.job_log import JobLog, JobReader, Skipped
from oslogserve.jobs.merge import merge
from oslogserve.jobs.reports import FailedTask, FailedTest
from oslogserve.jobs.walk import File, Walk
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import TAIL_BYTES, Rows
from oslogserve.logs.budget import JOBS, OVERVIEWS, Budget
from oslogserve.logs.open_log import Logs
from oslogserve.query import SOURCES, Query
from oslogserve.sources import Source

#: Logs that are merged: all of them are open at once, and many a process may have 1024 descriptors.
MOST_MERGED_LOGS = 300
#: Sentences about logs that are incomplete.
MOST_NOTICES = 20
#: Bytes of the longest name of a log: each of its rows has it.
LONGEST_NAME = 512


class Limits(NamedTuple):
    """Bounds of one answer."""

    #: Logs, and bytes as they are stored.
    logs: int
    stored: int
    #: Bytes as they are stored of what is read though nobody asked for it.
    unasked: int


class Findings(NamedTuple):
    """What the logs of a job say, and its reports."""

    logs: list[tuple[JobLog, dict[str, Any]]]
    task: FailedTask | None = None
    tests: Sequence[FailedTest] = ()


class Slice(NamedTuple):
    """Rows that follow on each other."""

    #: The log that they are of; None where they are of several.
    log: int | None
    rows: Rows
    first: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.first

    @property
    def text(self) -> bytes:
        ends = self.rows.ends
        return self.rows.text[ends[self.first - 1] if self.first else 0 : ends[self.end - 1]]


class Jobs:
    """Reads the logs of folders together, by the few threads that a process has for that."""

    def __init__(self, logs: Logs, renderer: Renderer, limits: Limits) -> None:
        self._logs = logs
        self._renderer = renderer
        self._limits = limits
        #: By source, so that logs of one that hangs delay no others.
        self._pools = {name: pool_of(name) for name in SOURCES if name != "all"}

    def open(self, query: Query, sources: Sequence[Source], budget: Budget) -> "Job":
        """The job of a folder, to be closed.

        Raises BadRequest for what only single logs take, Busy, NotFound and Unavailable.
        """
        _check(query)
        budget.enter(OVERVIEWS if query.view in ("overview", "summary") else JOBS)
        reader = JobReader(self._logs, self._renderer, sources, query.path, budget)
        job = Job(query, reader, self._pools)
        walk = Walk(sources, query.path, query.first_log, budget.charge)
        job.choose(walk, self._limits)
        return job


def _check(query: Query) -> None:
    """Raises BadRequest for what only single logs take."""
    if query.format in ("raw", "json"):
        raise BadRequest(
            f"format={query.format} takes no filter for a folder: the lines of its logs come as html, "
            "text or jsonl, and format=summary says what is in each."
        )
    selection = query.selection
    if selection.show or (selection.first, selection.last) != (1, None):
        name = "show" if selection.show else "lines"
        raise BadRequest(f"{name} is for logs: several logs of a folder have lines of one number.")


class Job:
    """The logs of a folder. Its lines or summaries are to be iterated once, then it is closed."""

    def __init__(
        self, query: Query, reader: JobReader, pools: Mapping[str, ThreadPoolExecutor]
    ) -> None:
        self.logs: list[JobLog] = []
        #: What was not chosen though it fits the patterns.
        self.skipped: list[Skipped] = []
        #: What is missing, of all logs; grows while they are read.
        self.missing: list[Incomplete] = []
        #: Sentences about what was left out.
        self.notices: list[str] = []
        #: The name of the first log that is left for another answer, and its rows that were given.
        self.next_log: bytes | None = None
        self.next_after = 0
        #: True where there is more than is read though nobody asked for it.
        self.is_large = False
        #: Rows that were given, and the number of the last one if there are more.
        self.sent = 0
        self.cut_at: int | None = None
        #: Of Wanted.
        self.link = b""
        self._query = query
        self._selection = query.selection
        #: True where logs are merged: also where only some time of them is asked for.
        has_time = (query.selection.since, query.selection.until) != (None, None)
        self.by_time = (query.order or ("time" if has_time else "log")) == "time"
        self._reader = reader
        self._pools = pools
        self._ahead: list[Ahead[Any]] = []

    def choose(self, walk: Walk, limits: Limits) -> None:
        """Chooses the logs. Raises NotFound and Unavailable where there is no such folder."""
        stored = 0
        most = min(limits.logs, MOST_MERGED_LOGS) if self.by_time else limits.logs
        for file in walk:
            if not self._fits(file):
                continue
            media_type = self._reader.logs.media_type(file.shown)
            if media_type is not None:
                self.skipped.append(Skipped(file.shown, f"it is {media_type}"))
                continue
            if len(file.name) > LONGEST_NAME:
                why = f"its name has more than {LONGEST_NAME} bytes"
                self.skipped.append(Skipped(file.shown, why, is_missed=True))
                continue
            stored += file.size or 0
            if len(self.logs) == most or (stored > limits.stored and self.logs):
                self.next_log = file.name
                what = f"{most:,} logs, and {limits.stored >> 20:,} MiB as they are stored"
                self._miss("capped", f"one answer is made of at most {what}: more logs are there")
                break
            self.logs.append(JobLog(file, self._selection, self._reader))
        self.is_large = stored > limits.unasked
        if any(one.is_missed for one in self.skipped):
            self._miss("capped", f"logs of names of more than {LONGEST_NAME} bytes are left out")
        if walk.ended:
            self._miss(walk.ended.reason, str(walk.ended))
        self.next_log = self.next_log or walk.next
        for failed in dict.fromkeys(f"{one.source} failed: {one}" for one in walk.failures):
            self._miss("failed", f"some logs may be missing, {failed}")

    def _fits(self, file: File) -> bool:
        names = file.shown, file.shown.rpartition("/")[2]
        patterns = self._query.logs
        return not patterns or any(fnmatchcase(name, one) for name in names for one in patterns)

    def _miss(self, reason: str, sentence: str) -> None:
        self.missing.append(Incomplete(reason, sentence))
        self.notices.append(sentence)

    def slices(
        self, view: str, label: Callable[[File], bytes], most: float = inf
    ) -> Iterator[Slice]:
        """The rows, in their order. label: of Wanted. most: bytes of them."""
        merged_with = len(self.logs) if self.by_time else None
        several = (log.rows(view, label(log.file), self.link, merged_with) for log in self.logs)
        ahead = map(self._read_ahead, self.logs, several)
        slices = self._merged([*ahead]) if self.by_time else self._one_by_one(ahead)
        if self._selection.tail is not None:
            slices = self._last(slices, self._selection.tail)
        yield from self._limited(slices, most)
        self._note_ends()

    def _merged(self, several: Sequence[Ahead[list[Rows]]]) -> Iterator[Slice]:
        for one in several:
            one.start()
        for rows in merge(several):
            self._reader.budget.note()  # of this thread, which may give nothing for long
            yield Slice(None, rows, 0, len(rows.ends))

    def _one_by_one(self, several: Iterable[Ahead[list[Rows]]]) -> Iterator[Slice]:
        given = 0
        for log, ahead in enumerate(started(several, LOGS_AT_ONCE)):
            before = given
            for rows in chain.from_iterable(ahead):
                if rows.ends:
                    given += len(rows.ends)
                    yield Slice(log, rows, 0, len(rows.ends))
            if self._is_left(log):
                if self._selection.tail is None:
                    self.next_after = max(given, self._selection.after) - before
                return

    def _is_left(self, log: int) -> bool:
        """True if another answer gives the rest of the log. Of the first one it would not give more."""
        return log > 0 and self.logs[log].is_unpaid

    def _summaries(self) -> Iterator[tuple[JobLog, dict[str, Any]]]:
        """Each log, and what is in it."""
        several = (self._read_ahead(log, log.summary()) for log in self.logs)
        for log, ahead in zip(self.logs, started(several, LOGS_AT_ONCE), strict=True):
            for summary in ahead:
                yield log, summary
        self._note_ends()

    def findings(self, with_reports: bool = True) -> Findings:
        """All of them. Closes the job, so that a client that takes them slowly keeps nobody waiting."""
        found = Findings([*self._summaries()])
        if with_reports:
            found = found._replace(task=self._failed_task(), tests=self._failed_tests())
        self.close()
        return found

    def _failed_task(self) -> FailedTask | None:
        """The task at which the job failed, if Zuul left its report in the folder."""
        if not any(one.name.encode() in reports.ZUULS for one in self.skipped):
            return None
        return reports.failed_task(self._reader.beginning(reports.ZUULS[0], reports.MOST_OF_ZUULS))

    def _failed_tests(self) -> list[FailedTest]:
        """Failed tests by the reports in the job."""
        files = [log.file for log in self.logs if reports.most(log.file.shown)]
        tests: list[FailedTest] = []
        for file in files[: reports.MOST_REPORTS]:
            report = self._reader.beginning(file.name, reports.most(file.shown))
            tests += reports.failed_tests(file.shown, report)
        return tests[: reports.MOST_TESTS]

    def _read_ahead(self, log: JobLog, values: Iterator[Any]) -> Ahead[Any]:
        pool = self._pools[log.file.source]
        ahead = Ahead(pool, values, self._reader.budget.working)
        self._ahead.append(ahead)
        return ahead

    def _last(self, slices: Iterable[Slice], most: int) -> Iterator[Slice]:
        """The last rows, as far as they can be held."""
        held: deque[Slice] = deque()
        rows = size = 0
        for one in slices:
            held.append(one)
            rows += one.length
            size += len(one.text)
            while len(held) > 1 and (rows - held[0].length >= most or size > TAIL_BYTES):
                first = held.popleft()
                rows -= first.length
                size -= len(first.text)
        if held:
            held[0] = held[0]._replace(first=held[0].first + max(0, rows - most))
        if rows < most and size > TAIL_BYTES // 2:
            self._miss("capped", f"the last {TAIL_BYTES >> 20} MiB is all that is held")
        yield from held

    def _limited(self, slices: Iterable[Slice], most: float) -> Iterator[Slice]:
        """The rows behind `after`, up to the limit, or to the first behind `most` bytes."""
        limit = inf if self._selection.limit is None else self._selection.limit
        after = behind = self._selection.after
        for one in slices:
            if behind >= one.length:
                behind -= one.length
                continue
            one = one._replace(first=one.first + behind)
            behind = 0
            left = int(min(one.length, limit - self.sent)) if most > 0 else 0
            if left < one.length:
                self.cut_at = after + self.sent + left
            self.sent += left
            most -= len(one.text)
            if left:
                yield one._replace(end=one.first + left)
            if self.cut_at is not None:
                return

    def _note_ends(self) -> None:
        """Notes what became of the logs."""
        for log in self.logs:
            if log.skipped is not None:
                self.skipped.append(log.skipped)
                if log.skipped.is_missed:
                    log.missing.append(Incomplete("failed", log.skipped.why))
            self.missing += log.missing
            if len(self.notices) < MOST_NOTICES:
                self.notices += [f"{log.file.shown}: {error}" for error in log.missing]
        if len(self.missing) > len(self.notices):
            self.notices.append(f"{len(self.missing) - len(self.notices):,} more are incomplete.")
        if not self.by_time:
            left = (log.file.name for n, log in enumerate(self.logs) if self._is_left(n))
            self.next_log = next(left, self.next_log)
        untimed = [log.file.shown for log in self.logs if not log.has_times and log.tally.sent]
        if untimed and self.cut_at is None:  # else chance decides how far each was read
            names = ", ".join(untimed[:5]) + (" and others" if len(untimed) > 5 else "")
            self.notices.append(f"Lines without any time stand at the end, of: {names}.")

    def close(self) -> None:
        """Ends what is read, and gives the budget's place back. May be called twice."""
        for ahead in self._ahead:
            ahead.close()
        self._reader.budget.close()
