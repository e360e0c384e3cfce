# SPDX-License-Identifier: Apache-2.0
"""An open job: the logs that were chosen below a folder, and the threads that read them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from oslogserve.encodings import stored_paths
from oslogserve.errors import Error, Incomplete
from oslogserve.jobs.ahead import LOGS_AT_ONCE, Ahead, Pools, only, started
from oslogserve.jobs.choice import Choice, Limits, Skipped, chosen, is_by_time
from oslogserve.jobs.job_log import JobLog, JobReader, LogRead, Summarised
from oslogserve.jobs.passed import PassedLogs, PassedRun
from oslogserve.jobs.walk import File, Walk
from oslogserve.lines.renderer import Renderer
from oslogserve.logs.budget import JOBS, OVERVIEWS, Budget
from oslogserve.logs.open_log import Logs
from oslogserve.messages import visible
from oslogserve.query import Query
from oslogserve.sources import Source

#: Sentences about incomplete logs in one answer.
MOST_NOTICES = 20

_T = TypeVar("_T")


class Jobs:
    """Opens the jobs of a process, which share a few threads."""

    def __init__(
        self, logs: Logs, renderer: Renderer, limits: Limits, passed: PassedLogs | None = None
    ) -> None:
        self._logs = logs
        self._renderer = renderer
        self._limits = limits
        self._passed = passed or PassedLogs(logs, renderer)
        self._pools = Pools()

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
        passed, faults = self._compared_with(query.against, passed_from or sources, budget)
        reader = JobReader(self._logs, self._renderer, sources, query.path, budget, passed)
        walk = Walk(sources, query.path, query.first_log, budget.charge)
        choice = chosen(query, walk, self._limits, self._logs.media_type)
        return Job(query, choice, [*faults, *choice.missing], reader, self._pools)

    def _compared_with(
        self, folder: bytes, sources: Sequence[Source], budget: Budget
    ) -> tuple[PassedRun | None, list[Incomplete]]:
        """The run that passed, None for none; and why its logs are not known, or not all of them."""
        if not folder:
            return None, []
        shown = visible(folder.decode("utf-8", "replace"))
        try:
            run = PassedRun(self._passed, folder, sources, budget)
        except Error as error:
            what = f"these logs were not compared with {shown}: {error.sentence}"
            return None, [Incomplete("uncompared", what)]
        what = f"these logs were compared with a part of {shown}: {run.ended}"
        return run, [Incomplete("uncompared", what)] if run.ended else []


class Next(NamedTuple):
    """The request for the rest of an answer, by its parameters."""

    #: The parameter `from`.
    first_log: bytes
    after: int = 0


class Ending(NamedTuple):
    """The parts that an answer lacks, known once its logs were read."""

    #: Files that fit the patterns and were not read.
    skipped: list[Skipped]
    missing: list[Incomplete]
    #: The same for the reader, as sentences.
    notices: list[str]
    #: None if nothing is left.
    next: Next | None


class Job:
    """The logs of one answer, each to be read once. Close it."""

    def __init__(
        self,
        query: Query,
        choice: Choice,
        missing: Sequence[Incomplete],
        reader: JobReader,
        pools: Pools,
    ) -> None:
        """missing: what is known to be missing before the logs are read."""
        self.choice = choice
        self.missing = missing
        self.reader = reader
        self.by_time = is_by_time(query)
        #: The log with the query's moment, whose line is shown whatever the other parameters say; None
        #: if no log has it.
        self.marked: File | None = None
        selection = query.selection
        if query.moment:
            by_name = {file.name: file for file in choice.files}
            paths = stored_paths(query.moment.log)  # it may be compressed
            self.marked = next((by_name[path] for path in paths if path in by_name), None)
            selection = selection._replace(show=(b"L%d" % query.moment.line,))
        self.logs = [
            JobLog(file, selection if file is self.marked else query.selection, reader)
            for file in choice.files
        ]
        self._pools = pools
        self._ahead: list[Ahead[Any]] = []

    def rest(self, read: Sequence[LogRead], after: int = 0) -> Next | None:
        """The logs that are left for the next answer: from the first one for which the budget did not last.

        read: of the first logs. after: rows of that one that answers already have.
        """
        # Never the first log: a follow-up request gets no further. Merged logs are not left.
        for number in () if self.by_time else range(1, len(read)):
            if read[number].is_unpaid:
                return Next(self.logs[number].file.name, after)
        return None if self.choice.next_log is None else Next(self.choice.next_log)

    def summaries(self) -> Iterator[Summarised]:
        several = (self.read_ahead(log.file, log.summary(), is_eager=False) for log in self.logs)
        return filter(None, map(only, started(several, LOGS_AT_ONCE)))

    def read_ahead(self, file: File, values: Iterator[_T], is_eager: bool = True) -> Ahead[_T]:
        """The values, which a thread of the log's source computes in advance. is_eager: see Ahead."""
        pool = self._pools.of(file.source)
        ahead = Ahead(pool, values, self.reader.budget.working, is_eager)
        self._ahead.append(ahead)
        return ahead

    def ending(
        self,
        following: Next | None,
        logs: Sequence[LogRead],
        missing: Iterable[Incomplete] = (),
    ) -> Ending:
        """The ending. logs: those that the answer has come to. missing: what it lacks besides."""
        all_missing = [*self.missing, *missing]
        notices = [str(error) for error in all_missing]
        for log in logs:
            all_missing += log.missing
            if len(notices) < MOST_NOTICES:
                notices += [f"{log.file.shown}: {error}" for error in log.missing]
        if len(all_missing) > len(notices):
            notices.append(f"{len(all_missing) - len(notices):,} more are incomplete.")
        skipped = [*self.choice.skipped, *(log.skipped for log in logs if log.skipped)]
        return Ending(skipped, all_missing, notices, following)

    def close(self) -> None:
        """Stops reading, and closes the budget. May be called twice."""
        for ahead in self._ahead:
            ahead.close()
        self.reader.budget.close()
