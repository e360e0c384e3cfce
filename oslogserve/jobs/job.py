# SPDX-License-Identifier: Apache-2.0
"""An open job: the logs below a folder that one answer reads, and the threads that read them."""

import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, TypeVar

from oslogserve.ci.build import INVENTORY
from oslogserve.ci.reports import ZUULS
from oslogserve.compression import stored_paths
from oslogserve.errors import Incomplete
from oslogserve.jobs.ahead import Ahead, pool_of, started
from oslogserve.jobs.compare import PassedLogs
from oslogserve.jobs.ranking import likelihood, preference
from oslogserve.jobs.reading import LogRead, Reader
from oslogserve.jobs.walk import LONGEST_NAME, File, Walk
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import Selection
from oslogserve.logs.budget import JOBS, OVERVIEWS, Budget
from oslogserve.logs.open_log import Logs
from oslogserve.query import Query
from oslogserve.sources import Source
from oslogserve.text import characters_held

#: Logs that are merged. All are open at once, and a process often has at most 1024 descriptors.
MOST_MERGED_LOGS = 300
#: Bytes of the names of skipped files that an answer lists. Ten thousand names may have 40 MB.
MOST_SKIPPED = 1024 * 1024
#: Sentences about incomplete logs in one answer.
MOST_NOTICES = 20

_T = TypeVar("_T")


class Jobs:
    """Opens the jobs of a process, which share a few threads."""

    def __init__(
        self,
        logs: Logs,
        renderer: Renderer,
        limits: tuple[int, int, int],
        noise: Sequence[re.Pattern[str]] = (),
        passed: PassedLogs | None = None,
    ) -> None:
        """limits: of one answer: logs, and stored bytes of them; such bytes that a page reads before its reader asks
        for that. noise: patterns of errors that say nothing about a failure."""
        self.limits = limits
        self.noise = noise
        #: By the names of the sources that were asked.
        self.pools: dict[str, ThreadPoolExecutor] = {}
        self._logs = logs
        self._renderer = renderer
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
        budget.enter(OVERVIEWS if query.is_of_whole else JOBS)
        passed, missing = self._passed.run(query.against, passed_from or sources, budget)
        reader = Reader(self._logs, self._renderer, sources, query.path, budget, passed)
        walk = Walk(sources, query.path, query.first_log, budget.charge)
        return Job(self, query, walk, self._logs.media_type, reader, missing)


class Ending(NamedTuple):
    """What is known of an answer about a job at its end."""

    #: The logs that were read, without those that were skipped.
    logs: list[LogRead]
    #: Names of files that fit the patterns and were not read, and why.
    skipped: list[tuple[str, str]]
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
        self,
        jobs: Jobs,
        query: Query,
        walk: Walk,
        media_type: Callable[[str], str | None],
        reader: Reader,
        missing: list[Incomplete],
    ) -> None:
        """Chooses the logs, within the limits. media_type: of a file by its name, None for a log.

        missing: why they cannot be compared. Raises NotFound and Unavailable as Walk does.
        """
        self.noise = jobs.noise
        self.reader = reader
        has_time = (query.selection.since, query.selection.until) != (None, None)
        is_by_time = (query.order or ("time" if has_time else "log")) == "time"
        #: True if the lines of all logs are merged by time: the default for a time range.
        self.by_time = is_by_time and not query.is_of_whole
        #: The logs in the order in which they are read: for an overview the likeliest first, else by name.
        self.files: list[File] = []
        #: Names of files that fit the patterns and were left out, as far as they are listed; and why.
        self.skipped: list[tuple[str, str]] = []
        #: The first log that is left for the next answer; None if none is known by its name.
        self.next_log: bytes | None = None
        #: The sentence of `missing` that says that the limits were reached; "" if they were not.
        self.rest = ""
        self._query = query
        self._pools = jobs.pools
        self._ahead: list[Ahead[Any]] = []
        logs, most_stored, most_unasked = jobs.limits
        most = min(logs, MOST_MERGED_LOGS) if self.by_time else logs
        stored, left_out = 0, Counter[str]()
        # A walk that ends early says what failed once it is closed.
        with closing(self._found(walk, media_type, left_out)) as by_name:
            likeliest = sorted(by_name, key=preference) if query.is_overview else []
            for file in likeliest or by_name:
                size = file.size or 0
                if len(self.files) < most and (stored + size <= most_stored or not self.files):
                    stored += size
                    self.files.append(file)
                elif not query.is_overview:  # a smaller log may still fit
                    self.next_log = file.name
                    break
        #: Logs that an overview found.
        self.found = len(likeliest)
        #: True if an overview found Zuul's inventory, or if it is among the files.
        self.has_inventory = any(file.name == INVENTORY for file in likeliest or self.files)
        #: True if the logs are larger than a page reads unasked.
        self.is_large = stored > most_unasked
        capped = []
        unread = self.found - len(self.files)
        if query.is_overview:
            self.files.sort(key=likelihood)
        if self.next_log is not None or unread > 0:
            more = "more logs are there"
            if query.is_overview:
                more = (
                    f"{unread:,} of {self.found:,} were not read, the least likely or largest ones"
                )
            what = f"{most:,} logs, and {most_stored >> 20:,} MiB as they are stored"
            self.rest = f"one answer reads at most {what}: {more}"
            capped.append(self.rest)
        if left_out["long"]:
            capped.append(f"logs with names of more than {LONGEST_NAME} bytes are left out")
        if left_out["unlisted"]:
            capped.append(f"{left_out['unlisted']:,} more files were not read, and are not listed")
        #: Why the answer is incomplete. What its logs lack is added at its end.
        unlisted = walk.missing
        self.missing = [*missing, *(Incomplete("capped", one) for one in capped), *unlisted]
        self.next_log = self.next_log or walk.next
        self._has_all = not (left_out["long"] or unlisted)
        # The log with the query's moment, whose line is shown whatever the other parameters say.
        self._marked: File | None = None
        if query.moment:
            by_path = {file.name: file for file in self.files}
            paths = stored_paths(query.moment.log)  # it may be compressed
            self._marked = next((by_path[path] for path in paths if path in by_path), None)

    def _found(
        self, walk: Walk, media_type: Callable[[str], str | None], left_out: Counter[str]
    ) -> Generator[File, None, None]:
        """Yields the logs that fit the patterns. Lists other files as skipped, up to MOST_SKIPPED.

        left_out: gets counts: of logs with `long` names, of `unlisted` files, and bytes of all names.
        """
        for file in walk:
            names = file.shown, file.shown.rpartition("/")[2]
            fits = any(fnmatchcase(name, one) for name in names for one in self._query.logs)
            if self._query.logs and not fits:
                continue
            kind = media_type(file.shown)
            if kind is None and len(file.name) <= LONGEST_NAME:
                yield file
                continue
            left_out["long"] += kind is None
            left_out["bytes"] += characters_held(file.shown)
            why = f"it is {kind}" if kind else f"its name has more than {LONGEST_NAME} bytes"
            if (
                left_out["bytes"] <= MOST_SKIPPED or file.name in ZUULS
            ):  # an overview looks for these
                self.skipped.append((file.shown, why))
            else:
                left_out["unlisted"] += 1

    def selection_of(self, file: File) -> Selection:
        selection, moment = self._query.selection, self._query.moment
        if moment and file is self._marked:
            return selection._replace(show=(b"L%d" % moment.line,))
        return selection

    def read_ahead(self, file: File, values: Iterator[_T], is_eager: bool = True) -> Ahead[_T]:
        """The values, which a thread of the log's source computes in advance. is_eager: see Ahead."""
        source = file.source
        pool = self._pools.get(source) or self._pools.setdefault(source, pool_of(source))
        ahead = Ahead(pool, values, self.reader.budget.working, is_eager)
        self._ahead.append(ahead)
        return ahead

    def read_each(self, several: Iterable[tuple[File, Iterator[_T]]]) -> Iterator[_T | None]:
        """The only value of each log, in their order; None for a log without one. They are computed ahead."""
        aheads = [self.read_ahead(file, values, is_eager=False) for file, values in several]
        for ahead in started(aheads):
            with closing(ahead):  # what was held to compute it is not kept
                value = next(ahead, None)
            yield value

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
        skipped = [
            *self.skipped,
            *((log.file.shown, log.skipped) for log in logs if log.skipped),
        ]
        read = [log for log in logs if not log.skipped]
        following = None if self.next_log is None else (self.next_log, 0)
        # Never the first log: a follow-up request gets no further. Merged logs and overviews are not left.
        unpaid = [log.file.name for log in logs[1:] if log.is_unpaid]
        if unpaid and not (self.by_time or self._query.is_overview):
            following = unpaid[0], next_after
        if cut_at is not None:
            following = self._query.first_log, cut_at
        is_read_to_end = (
            following is None
            and self._has_all
            and all(log.is_read_to_end or (log.skipped and not log.missing) for log in logs)
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
