# SPDX-License-Identifier: Apache-2.0
"""A job: logs chosen below a folder, and their lines or summaries."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from itertools import chain
from math import inf
from typing import Any, NamedTuple, TypeVar

from oslogserve.errors import BadRequest, Error, Incomplete
from oslogserve.jobs.ahead import LOGS_AT_ONCE, Ahead, pool_of, started
from oslogserve.jobs.build import INVENTORY
from oslogserve.jobs.job_log import JobLog, JobReader, Skipped
from oslogserve.jobs.merge import merge
from oslogserve.jobs.passed import PassedLogs, PassedRun
from oslogserve.jobs.ranking import likelihood
from oslogserve.jobs.slices import Limiter, Slice
from oslogserve.jobs.walk import File, Walk
from oslogserve.lines.places import Moment
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import Rows
from oslogserve.logs.budget import JOBS, OVERVIEWS, Budget
from oslogserve.logs.open_log import Logs
from oslogserve.messages import visible
from oslogserve.query import Query
from oslogserve.query.parameters import SOURCES
from oslogserve.sources import Source

#: Logs that are merged. All are open at once, and a process often has at most 1024 descriptors.
MOST_MERGED_LOGS = 300
#: Sentences about incomplete logs in one answer.
MOST_NOTICES = 20
#: Bytes of the longest name of a log, which each of its rows repeats.
LONGEST_NAME = 512

_T = TypeVar("_T")


class Limits(NamedTuple):
    """Limits of one answer."""

    #: Logs, and their stored bytes.
    logs: int
    stored: int
    #: Stored bytes of logs that a page reads before its reader asks for that.
    unasked: int


class Jobs:
    """Opens the jobs of a process, which share a few threads."""

    def __init__(
        self, logs: Logs, renderer: Renderer, limits: Limits, passed: PassedLogs | None = None
    ) -> None:
        self._logs = logs
        self._renderer = renderer
        self._limits = limits
        self._passed = passed or PassedLogs(logs, renderer)
        #: By source, so that a source that hangs delays no others.
        self._pools = {name: pool_of(name) for name in SOURCES if name != "all"}

    def open(
        self,
        query: Query,
        sources: Sequence[Source],
        budget: Budget,
        passed_from: Sequence[Source] | None = None,
    ) -> "Job":
        """The job of a folder, to be closed. passed_from: where the run that passed is; None for `sources`.

        Raises BadRequest for parameters of single logs, Busy, NotFound and Unavailable.
        """
        _check(query)
        budget.enter(OVERVIEWS if query.view in ("overview", "summary") else JOBS)
        reader = JobReader(self._logs, self._renderer, sources, query.path, budget)
        job = Job(query, reader, self._pools)
        if query.against:
            self._compare(job, query.against, passed_from or sources)
        walk = Walk(sources, query.path, query.first_log, budget.charge)
        job.choose(walk, self._limits)
        return job

    def _compare(self, job: "Job", folder: bytes, sources: Sequence[Source]) -> None:
        """Compares the job with a run that passed, or notes why it cannot."""
        shown = visible(folder.decode("utf-8", "replace"))
        try:
            passed = PassedRun(self._passed, folder, sources, job.reader.budget)
        except Error as error:
            job.miss("uncompared", f"these logs were not compared with {shown}: {error.sentence}")
            return
        job.reader.passed = passed
        if passed.ended:
            job.miss(
                "uncompared", f"these logs were compared with a part of {shown}: {passed.ended}"
            )


def _check(query: Query) -> None:
    """Raises BadRequest for parameters of single logs."""
    if query.format in ("raw", "json"):
        raise BadRequest(
            f"format={query.format} takes no filter for a folder: use html, "
            "text or jsonl for lines, or summary for what is in each log."
        )
    selection = query.selection
    if selection.show or (selection.first, selection.last) != (1, None):
        name = "show" if selection.show else "lines"
        raise BadRequest(
            f"{name} is for logs: in a folder, several logs have the same line numbers."
        )
    if query.chapter:
        raise BadRequest("chapter is for logs: this is a folder.")
    if query.moment and query.view in ("overview", "summary"):
        raise BadRequest("moment is for lines: summaries have none.")
    for name, value in (("skip", query.skip), ("failed", query.failed)):
        if value and query.view != "overview":
            raise BadRequest(
                f"{name} is for format=overview: other views go on with from and after."
            )


class Job:
    """The logs of a folder. Iterate its slices or its summaries once, then close it."""

    def __init__(
        self, query: Query, reader: JobReader, pools: Mapping[str, ThreadPoolExecutor]
    ) -> None:
        self.logs: list[JobLog] = []
        #: Files that fit the patterns and were left out.
        self.skipped: list[Skipped] = []
        #: What is missing in all logs. Grows while they are read.
        self.missing: list[Incomplete] = []
        #: The same for the reader, as sentences.
        self.notices: list[str] = []
        #: The first log that is left for the next answer, and its rows that this one has.
        self.next_log: bytes | None = None
        self.next_after = 0
        #: Logs that an overview found; how many of them it and the answers before it have read; and
        #: the sentence that says why it has not read all.
        self.found = 0
        self.read = 0
        self.rest = ""
        #: False for an overview behind the first one.
        self.is_first = not query.skip
        #: When the job failed, in microseconds since 1970; None if unknown. An answer behind the first
        #: one has it from there, any other from its logs.
        self.failure = query.failed.first_in_utc if query.failed else None
        #: True if an overview found Zuul's inventory.
        self.has_inventory = False
        #: True if the logs are larger than Limits.unasked.
        self.is_large = False
        #: False if some logs may not have been found.
        self.has_all_logs = True
        #: The rows that were sent.
        self.rows = Limiter(query.selection, self.miss)
        #: The log with the query's moment, and the number of its line; None if no log has it.
        self.marked: tuple[JobLog, int] | None = None
        #: See Wanted.
        self.link = b""
        self._query = query
        self._selection = query.selection
        #: True if logs are merged by time: the default for a time range.
        has_time = (query.selection.since, query.selection.until) != (None, None)
        self.by_time = (query.order or ("time" if has_time else "log")) == "time"
        self._is_overview = query.view == "overview"
        if self._is_overview:
            self.by_time = False
        self.reader = reader
        self._pools = pools
        self._ahead: list[Ahead[Any]] = []

    def choose(self, walk: Walk, limits: Limits) -> None:
        """Chooses the logs, within the limits: for an overview the likeliest, else the first by name.

        Raises NotFound and Unavailable as Walk does.
        """
        stored = 0
        most = min(limits.logs, MOST_MERGED_LOGS) if self.by_time else limits.logs
        files = self._likeliest(walk) if self._is_overview else self._files(walk)
        for file in files:
            stored += file.size or 0
            if len(self.logs) == most or (stored > limits.stored and self.logs):
                what = f"{most:,} logs, and {limits.stored >> 20:,} MiB as they are stored"
                self.rest = f"one answer reads at most {what}: more logs are there"
                self.miss("capped", self.rest)
                if not self._is_overview:
                    self.next_log = file.name
                break
            self.logs.append(JobLog(file, self._selection, self.reader))
        if self._query.moment:
            self._mark(self._query.moment)
        self.read = self._query.skip + len(self.logs)
        self.is_large = stored > limits.unasked
        self.has_all_logs = not (walk.ended or walk.failures)
        if any(one.is_missed for one in self.skipped):
            self.miss("capped", f"logs with names of more than {LONGEST_NAME} bytes are left out")
        if walk.ended:
            self.miss(walk.ended.reason, str(walk.ended))
        self.next_log = self.next_log or walk.next
        for failed in dict.fromkeys(f"{one.source} failed: {one}" for one in walk.failures):
            self.miss("failed", f"some logs may be missing, {failed}")

    def _mark(self, moment: Moment) -> None:
        """Marks the line of a moment: it is shown whatever the other parameters say."""
        by_name = {log.file.name: log for log in self.logs}
        log = by_name.get(moment.log) or by_name.get(moment.log + b".gz")
        if log:
            log.also_show(moment.line)
            self.marked = log, moment.line

    def _files(self, walk: Walk) -> Iterator[File]:
        """Yields the files that are wanted and may be logs; notes the other ones that are wanted."""
        for file in walk:
            if not self._fits(file):
                continue
            media_type = self.reader.logs.media_type(file.shown)
            if media_type is not None:
                self.skipped.append(Skipped(file.shown, f"it is {media_type}"))
            elif len(file.name) > LONGEST_NAME:
                why = f"its name has more than {LONGEST_NAME} bytes"
                self.skipped.append(Skipped(file.shown, why, is_missed=True))
            else:
                yield file

    def _likeliest(self, walk: Walk) -> list[File]:
        """The files in the order in which an overview reads them, without those of earlier answers."""
        files = sorted(self._files(walk), key=likelihood)
        self.found = len(files)
        self.has_inventory = any(file.name == INVENTORY for file in files)
        if not self.is_first:
            self.skipped.clear()
        return files[self._query.skip :]

    @property
    def has_unread(self) -> bool:
        """True if an overview found logs that neither it nor the answers before it have read."""
        return self.read < self.found

    @property
    def logs_read(self) -> list[JobLog]:
        """Known once all lines or summaries were read."""
        return [log for log in self.logs if log.source and log.skipped is None]

    def _fits(self, file: File) -> bool:
        names = file.shown, file.shown.rpartition("/")[2]
        patterns = self._query.logs
        return not patterns or any(fnmatchcase(name, one) for name in names for one in patterns)

    def miss(self, reason: str, sentence: str) -> None:
        """Notes that something is missing in the answer."""
        self.missing.append(Incomplete(reason, sentence))
        self.notices.append(sentence)

    def slices(
        self, view: str, label: Callable[[File], bytes], most: float = inf
    ) -> Iterator[Slice]:
        """The rows in order. label: makes a row's label, see Wanted. most: their bytes, about."""
        merged_with = len(self.logs) if self.by_time else None
        several = (log.rows(view, label(log.file), self.link, merged_with) for log in self.logs)
        ahead = map(self.read_ahead, self.logs, several)
        slices = self._merged([*ahead]) if self.by_time else self._one_by_one(ahead)
        yield from self.rows.limited(slices, most)
        self._note_ends()

    def _merged(self, several: Sequence[Ahead[list[Rows]]]) -> Iterator[Slice]:
        for one in several:
            one.start()
        for rows in merge(several):
            self.reader.budget.note()  # of this thread, which may give nothing for long
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
        """True if the next answer gives the rest of the log.

        Never the first log: a follow-up request gets no further.
        """
        return log > 0 and self.logs[log].is_unpaid

    def summaries(self) -> Iterator[tuple[JobLog, dict[str, Any]]]:
        """Yields each log with its summary."""
        several = (self.read_ahead(log, log.summary()) for log in self.logs)
        for log, ahead in zip(self.logs, started(several, LOGS_AT_ONCE), strict=True):
            for summary in ahead:
                yield log, summary
        self._note_ends()

    def read_ahead(self, log: JobLog, values: Iterator[_T]) -> Ahead[_T]:
        """The values, which a thread of the log's source computes in advance."""
        pool = self._pools[log.file.source]
        ahead = Ahead(pool, values, self.reader.budget.working)
        self._ahead.append(ahead)
        return ahead

    def _note_ends(self) -> None:
        """Notes which logs were skipped, incomplete or without times."""
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
            left = next((n for n in range(len(self.logs)) if self._is_left(n)), None)
            if left is not None and self._is_overview:
                self.read = self._query.skip + left
            elif left is not None:
                self.next_log = self.logs[left].file.name
        untimed = [log.file.shown for log in self.logs if not log.has_times and log.tally.sent]
        if untimed and self.rows.cut_at is None:  # else chance decides how far each was read
            names = ", ".join(untimed[:5]) + (" and others" if len(untimed) > 5 else "")
            self.notices.append(f"Lines without any time come last, of: {names}.")

    def close(self) -> None:
        """Stops reading, and closes the budget. May be called twice."""
        for ahead in self._ahead:
            ahead.close()
        self.reader.budget.close()
