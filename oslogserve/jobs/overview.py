# SPDX-License-Identifier: Apache-2.0
"""The overview of a job: its logs in the order of their ranks, and what its reports say."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from sys import getsizeof
from typing import NamedTuple

from msgspec.structs import replace

from oslogserve.ci import reports
from oslogserve.ci.build import INVENTORY, MOST_OF_INVENTORY, Build, build_of
from oslogserve.ci.console import HEAD, ConsoleHead
from oslogserve.ci.reports import FailedTask, FailedTest, ZuulReport
from oslogserve.errors import Incomplete
from oslogserve.jobs.choice import Choice, Skipped
from oslogserve.jobs.job import Ending, Job
from oslogserve.jobs.job_log import LogRead, Summarised
from oslogserve.jobs.ranking import CONSOLES, ranked
from oslogserve.jobs.walk import File
from oslogserve.lines.summary import Summary
from oslogserve.native import SEVERITIES
from oslogserve.query import Query

_NO_REPORT = ZuulReport()
_ERRORS = SEVERITIES[SEVERITIES.index("ERROR") :]

#: Bytes of the errors of all logs that are held until all logs were read, and what each takes next to its
#: text. Once they are full, only the first and the last error of each further log are ranked.
MOST_OF_ERRORS, _OVERHEAD = 16 * 1024 * 1024, 320

#: Logs that are shown before the others are read, and stored bytes of all logs from which on: reading these
#: takes a fifth of a second.
MOST_EARLY, LEAST_STORED = 4, 4 * 1024 * 1024


class RankedLog(NamedTuple):
    """A log, and its summary and score as of ranked()."""

    log: LogRead
    summary: Summary
    score: float
    #: The path of the log that it is compared with; None for none.
    like: bytes | None

    @property
    def errors(self) -> int:
        """Lines at ERROR or above."""
        severities = self.summary.severities.items()
        return sum(lines.count for name, lines in severities if name in _ERRORS)

    @property
    def is_console(self) -> bool:
        return CONSOLES.search(self.log.file.shown) is not None

    @property
    def shows_failure(self) -> bool:
        """True if the log shows an error or a failure, and does not say that it passed."""
        return self.score > 0 and self.summary.cause is not None


class Findings(NamedTuple):
    """The content of an overview."""

    #: In the order of their ranks.
    logs: list[RankedLog]
    #: The log whose end is shown if none shows a failure.
    ended: RankedLog | None
    #: The task that failed by Zuul's report.
    task: FailedTask | None
    tests: Sequence[FailedTest]
    build: Build
    choice: Choice
    #: How many of the logs that were found were not read.
    unread: int
    ending: Ending

    @property
    def telling(self) -> list[RankedLog]:
        """The logs that show a failure; if none does, the one whose end is shown."""
        wrong = [one for one in self.logs if one.shows_failure]
        return wrong or [*filter(None, [self.ended])]


class Overview:
    """Reads what a job's logs and reports tell. Call summaries() or findings() once, before that early()."""

    def __init__(self, query: Query, job: Job, noise: Sequence[re.Pattern[str]]) -> None:
        """noise: patterns of errors that say nothing about a failure."""
        self._query = query
        self._job = job
        self._noise = noise
        #: Logs of which not all errors are ranked.
        self._shortened = 0
        #: The logs that were read, or skipped, in the job's order.
        self._logs: list[LogRead] = []
        #: Why the answer is incomplete; known once summaries() or findings() has returned.
        self.missing: Sequence[Incomplete] = job.missing
        self._summaries = self._bounded(job.summaries())
        #: Those that early() has taken.
        self._first: list[Summarised] = []

    def summaries(self) -> tuple[list[RankedLog], Ending]:
        """The logs that were read, in the order of their ranks."""
        logs = self._ranked([*self._summaries])
        ending = self._ending()
        self.missing = ending.missing
        return logs, ending

    def early(self) -> tuple[list[RankedLog], int] | None:
        """Those of the likeliest logs that show a failure, and how many were read for that.

        None if none does, or if all logs are read soon.
        """
        files = self._job.choice.files
        stored = sum(file.size or 0 for file in files)
        if len(files) <= MOST_EARLY or stored < LEAST_STORED:
            return None
        self._first = [*islice(self._summaries, MOST_EARLY)]
        wrong = [one for one in self._ranked(self._first) if one.shows_failure]
        return (wrong, len(self._first)) if wrong else None

    def findings(self) -> Findings:
        logs = self._ranked([*self._first, *self._summaries])
        ending = self._ending()
        has_failure = any(one.shows_failure for one in logs)
        zuul, tests, missing = _told(self._job, ending.skipped)
        self.missing = all_missing = [*ending.missing, *missing]
        # Logs that were not begun, since the budget was spent.
        unpaid = sum(log.is_unpaid and log.skipped is not None for log in self._logs)
        return Findings(
            logs=logs,
            ended=None if has_failure else _ended(logs),
            task=zuul.task,
            tests=tests,
            build=self.header(zuul, logs),
            choice=self._job.choice,
            unread=self._job.choice.found - len(self._logs) + unpaid,
            ending=ending._replace(
                missing=all_missing, notices=[*ending.notices, *map(str, missing)]
            ),
        )

    def header(self, zuul: ZuulReport = _NO_REPORT, logs: Sequence[RankedLog] = ()) -> Build:
        """The build, as Zuul's files or else the console tell it. Its lack is no fault.

        logs: those that were read.
        """
        reader, result, seconds = self._job.reader, zuul.result, zuul.seconds
        build = Build()
        if self._job.choice.has_inventory:
            text, _ = reader.beginning(INVENTORY, MOST_OF_INVENTORY)
            build = build_of(text)
        elif console := _console(self._job):
            text, _ = reader.beginning(console.name, HEAD)
            head = ConsoleHead(text)
            build = head.build()
            summary = next((one.summary for one in logs if one.log.file == console), None)
            if summary and not result and seconds is None:
                result, seconds = head.end(summary)
        return build._replace(result=result, seconds=seconds)

    def _ranked(self, were_read: Sequence[Summarised]) -> list[RankedLog]:
        """The logs in the order of their ranks."""
        passed = self._job.reader.passed
        ranks = ranked([(log.file.shown, summary) for log, summary in were_read], self._noise)
        logs = [
            RankedLog(log, summary, score, passed.like(log.file.name) if passed else None)
            for (log, _), (score, summary) in zip(were_read, ranks, strict=True)
        ]
        return sorted(logs, key=lambda one: (-one.score, one.log.file.name))

    def _bounded(self, summaries: Iterable[Summarised]) -> Iterator[Summarised]:
        """The summaries of logs that were not skipped, with as many errors as may be held."""
        size = 0
        for log, summary in summaries:
            self._logs.append(log)
            errors = summary.errors
            size += sum(getsizeof(error.text) + _OVERHEAD for error in errors)
            size += sum(getsizeof(line) for one in summary.other_failures for line in one.told)
            if size > MOST_OF_ERRORS:
                if len(errors) > 2:
                    errors = [errors[0], errors[-1]]
                    self._shortened += 1
                summary = replace(summary, errors=errors, other_failures=[])
            if not log.skipped:
                yield Summarised(log, summary)

    def _ending(self) -> Ending:
        missing = []
        if self._shortened:
            what = f"of {self._shortened:,} logs, only the first and the last error are ranked"
            missing.append(Incomplete("capped", f"{what}: the errors of all logs are too large"))
        following = self._job.rest(() if self._query.is_overview else self._logs)
        return self._job.ending(following, self._logs, missing)


def _ended(logs: Sequence[RankedLog]) -> RankedLog | None:
    """The console, or the log that was written last."""
    with_end = [one for one in logs if one.summary.cause]
    consoles = [one for one in with_end if one.is_console]
    return max(consoles or with_end, key=lambda one: one.log.file.modified or 0, default=None)


def _console(job: Job) -> File | None:
    """The job's only console, or its only log: of several, each may be of a job of its own."""
    files = [log.file for log in job.logs]
    consoles = [file for file in files if CONSOLES.search(file.shown)]
    if job.choice.found == 1:
        consoles = files
    return consoles[0] if len(consoles) == 1 else None


def _told(
    job: Job, skipped: Sequence[Skipped]
) -> tuple[ZuulReport, list[FailedTest], list[Incomplete]]:
    """Zuul's result and the failed tests by the folder's reports, and why these are not read to their ends."""
    charge = job.reader.budget.charge
    zuul = ZuulReport()
    tests: list[FailedTest] = []
    missing: list[Incomplete] = []
    try:
        if any(one.name.encode() in reports.ZUULS for one in skipped):
            report, lacks = _report(job, reports.ZUULS[0], reports.MOST_OF_ZUULS)
            missing += lacks
            zuul = reports.zuul_report(report)
            charge()
        files = [log.file for log in job.logs if reports.is_junit(log.file.shown)]
        for file in files[: reports.MOST_REPORTS]:
            report, lacks = _report(job, file.name, reports.MOST_OF_JUNIT)
            missing += lacks
            tests += reports.failed_tests(report, charge)
            charge()
    except Incomplete as error:
        what = f"reports were not read to their end: {error}"
        missing.append(Incomplete(error.reason, what))
    return zuul, tests[: reports.MOST_TESTS], missing


def _report(job: Job, name: bytes, most: int) -> tuple[bytes, list[Incomplete]]:
    """The beginning of a report; and why it is not whole, unless its log says so already."""
    report, lacks = job.reader.beginning(name, most)
    shown = name.decode("utf-8", "replace")
    is_log = any(log.file.name == name for log in job.logs)
    missing = [
        Incomplete(error.reason, f"{shown}: {error}")
        for error in lacks
        if error.reason == "capped" or not is_log
    ]
    return report, missing
