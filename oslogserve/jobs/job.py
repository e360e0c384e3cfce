# SPDX-License-Identifier: Apache-2.0
"""An open job: the logs that were chosen below a folder, and the threads that read them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from oslogserve.compression import stored_paths
from oslogserve.errors import Incomplete
from oslogserve.jobs.ahead import Ahead, Pools, only, started
from oslogserve.jobs.choice import Choice, Limits, Skipped, chosen, is_by_time
from oslogserve.jobs.compare import PassedLogs
from oslogserve.jobs.reading import LogRead, Reader
from oslogserve.jobs.walk import File, Walk
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import Selection
from oslogserve.logs.budget import JOBS, OVERVIEWS, Budget
from oslogserve.logs.open_log import Logs
from oslogserve.query import Query
from oslogserve.sources import Source

#: Sentences about incomplete logs in one answer.
MOST_NOTICES = 20

_T = TypeVar("_T")


class Jobs:
    """Opens the jobs of a process, which share a few threads."""

    def __init__(
        self,
        logs: Logs,
        renderer: Renderer,
        limits: Limits,
        noise: Sequence[re.Pattern[str]] = (),
        passed: PassedLogs | None = None,
    ) -> None:
        """noise: patterns of errors that say nothing about a failure."""
        self.noise = noise
        self.pools = Pools()
        self._logs = logs
        self._renderer = renderer
        self._limits = limits
        self._passed = passed or PassedLogs(logs, renderer)

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
        query.check_for("job")
        budget.enter(OVERVIEWS if query.is_overview or query.view == "summary" else JOBS)
        passed, faults = self._passed.run(query.against, passed_from or sources, budget)
        reader = Reader(self._logs, self._renderer, sources, query.path, budget, passed)
        walk = Walk(sources, query.path, query.first_log, budget.charge)
        choice = chosen(query, walk, self._limits, self._logs.media_type)
        return Job(self, query, choice, [*faults, *choice.missing], reader)


class Ending(NamedTuple):
    """What is known of an answer about a job at its end."""

    #: The logs that were read, without those that were skipped.
    logs: list[LogRead]
    #: Files that fit the patterns and were not read.
    skipped: list[Skipped]
    missing: list[Incomplete]
    #: The same for the reader, as sentences.
    notices: list[str]
    #: The log that the next answer begins with, and rows of it that answers already have; None if nothing is left.
    next: tuple[bytes, int] | None
    #: True if all lines of all logs were read.
    is_read_to_end: bool
    #: Rows that were sent.
    sent: int
    #: False if the limit, or a full page, ended the lines. Then chance decides how far each log was read.
    is_whole: bool


class Job:
    """The logs of one answer, each to be read once, and the threads that read them. Close it."""

    def __init__(
        self, jobs: Jobs, query: Query, choice: Choice, missing: list[Incomplete], reader: Reader
    ) -> None:
        self.noise = jobs.noise
        self.choice = choice
        #: Why the answer is incomplete. What its logs lack is added at its end.
        self.missing = missing
        self.reader = reader
        self.by_time = is_by_time(query)
        #: The log with the query's moment, whose line is shown whatever the other parameters say; None
        #: if no log has it.
        self.marked: File | None = None
        if query.moment:
            by_name = {file.name: file for file in choice.files}
            paths = stored_paths(query.moment.log)  # it may be compressed
            self.marked = next((by_name[path] for path in paths if path in by_name), None)
        self._query = query
        self._pools = jobs.pools
        self._ahead: list[Ahead[Any]] = []

    def selection_of(self, file: File) -> Selection:
        selection, moment = self._query.selection, self._query.moment
        if moment and file is self.marked:
            return selection._replace(show=(b"L%d" % moment.line,))
        return selection

    def read_ahead(self, file: File, values: Iterator[_T], is_eager: bool = True) -> Ahead[_T]:
        """The values, which a thread of the log's source computes in advance. is_eager: see Ahead."""
        pool = self._pools.of(file.source)
        ahead = Ahead(pool, values, self.reader.budget.working, is_eager)
        self._ahead.append(ahead)
        return ahead

    def read_each(self, several: Iterable[tuple[File, Iterator[_T]]]) -> Iterator[_T | None]:
        """The only value of each log, in their order; None for a log without one. They are computed ahead."""
        aheads = [self.read_ahead(file, values, is_eager=False) for file, values in several]
        for ahead in started(aheads):
            yield only(ahead)

    def ending(
        self,
        logs: Sequence[LogRead],
        reports: Sequence[Incomplete] = (),
        sent: int = 0,
        cut_at: int | None = None,
        next_after: int = 0,
    ) -> Ending:
        """Adds to what is missing. logs: those that the answer has come to. reports: what reports lack.

        sent: rows. cut_at: the number of the last one if more follow. next_after: rows that answers have of
        the log for which the budget did not last.
        """
        notices = [str(error) for error in self.missing]
        for log in logs:
            self.missing += log.missing
            if len(notices) < MOST_NOTICES:
                notices += [f"{log.file.shown}: {error}" for error in log.missing]
        if len(self.missing) > len(notices):
            notices.append(f"{len(self.missing) - len(notices):,} more are incomplete.")
        self.missing += reports
        notices += map(str, reports)
        skipped = [*self.choice.skipped, *(log.skipped for log in logs if log.skipped)]
        read = [log for log in logs if not log.skipped]
        following = None if self.choice.next_log is None else (self.choice.next_log, 0)
        # Never the first log: a follow-up request gets no further. Merged logs and overviews are not left.
        unpaid = [log.file.name for log in logs[1:] if log.is_unpaid]
        if unpaid and not (self.by_time or self._query.is_overview):
            following = unpaid[0], next_after
        if cut_at is not None:
            following = self._query.first_log, cut_at
        is_read_to_end = (
            following is None
            and self.choice.has_all
            and not any(one.is_missed for one in skipped)
            and all(log.is_read_to_end for log in read)
        )
        is_whole = cut_at is None
        return Ending(
            read, skipped, [*self.missing], notices, following, is_read_to_end, sent, is_whole
        )

    def close(self) -> None:
        """Stops reading, and closes the budget. May be called twice."""
        for ahead in self._ahead:
            ahead.close()
        self.reader.budget.close()
