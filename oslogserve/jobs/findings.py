# SPDX-License-Identifier: Apache-2.0
"""The findings of a job: its logs in the order of their ranks, and what its reports say."""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from oslogserve.errors import Incomplete
from oslogserve.jobs import reports
from oslogserve.jobs.ahead import LOGS_AT_ONCE, started
from oslogserve.jobs.build import Build
from oslogserve.jobs.excerpt import MOST_EXCERPTS, MOST_READ, Excerpt, excerpt
from oslogserve.jobs.header import header
from oslogserve.jobs.job import Job
from oslogserve.jobs.job_log import JobLog
from oslogserve.jobs.ranking import CONSOLES, Ranked, failure_of, kinds_of, ranked
from oslogserve.jobs.reports import FailedTask, FailedTest, ZuulReport
from oslogserve.jobs.walk import File
from oslogserve.lines.grammar.severities import SEVERITIES

_ERRORS = SEVERITIES[SEVERITIES.index("ERROR") :]

#: Kinds of errors that are counted for other answers: the more logs share one, the less it matters.
MOST_KINDS = 500

#: Makes the label of the rows of a log's cause, see Wanted.
Label = Callable[[File, dict[str, Any]], bytes]


class FoundLog(NamedTuple):
    """A log, its summary and its rank."""

    log: JobLog
    summary: dict[str, Any]
    rank: Ranked
    #: None if it was not read.
    excerpt: Excerpt | None = None

    @property
    def errors(self) -> int:
        """Lines at ERROR or above."""
        severities = self.summary["severities"].items()
        return sum(lines["count"] for name, lines in severities if name in _ERRORS)

    @property
    def shows_failure(self) -> bool:
        """True if the log shows an error or a failure, and does not say that it passed."""
        return self.rank.score > 0 and self.summary["cause"] is not None


class Findings(NamedTuple):
    """The content of an overview."""

    #: In the order of their ranks.
    logs: list[FoundLog]
    #: The log whose end is shown if none shows a failure.
    ended: FoundLog | None
    #: The task that failed by Zuul's report.
    task: FailedTask | None
    tests: Sequence[FailedTest]
    build: Build
    #: Counts of errors by their kind, for answers that read other logs of the job.
    kinds: dict[str, int]


def summaries(job: Job, noise: Sequence[re.Pattern[str]]) -> list[FoundLog]:
    """The logs that were read, in the order of their ranks. Closes the job."""
    logs = _ranked(job, noise)
    job.close()
    return logs


def findings(job: Job, noise: Sequence[re.Pattern[str]], label: Label) -> Findings:
    """The findings of all logs. Closes the job, so that a slow client keeps nobody waiting."""
    logs = _ranked(job, noise)
    wrong = [one for one in logs if one.shows_failure]
    ended = None if wrong else _ended(logs)
    excerpts = _excerpts(job, wrong or [*filter(None, [ended])], label)
    logs = [one._replace(excerpt=excerpts.get(one.log)) for one in logs]
    ended = ended and ended._replace(excerpt=excerpts.get(ended.log))
    zuul, tests = _reports(job)
    build = header(job, zuul, {one.log: one.summary for one in logs})
    job.close()
    return Findings(logs, ended, zuul.task, tests, build, _kinds(logs, wrong))


def _ranked(job: Job, noise: Sequence[re.Pattern[str]]) -> list[FoundLog]:
    were_read = [(log, summary) for log, summary in job.summaries() if not log.skipped]
    named = [(log.file.shown, summary) for log, summary in were_read]
    if job.failure is None:
        job.failure = failure_of(named)
    ranks = ranked(named, noise, job.failure)
    logs = [FoundLog(*one, rank) for one, rank in zip(were_read, ranks, strict=True)]
    return sorted(logs, key=lambda one: (-one.rank.score, one.log.file.name))


def _kinds(logs: Sequence[FoundLog], wrong: Sequence[FoundLog]) -> dict[str, int]:
    """Counts of the kinds that matter: of logs that may be shown, and of frequent ones."""
    counts = kinds_of(one.summary for one in logs)
    kinds = dict(counts.most_common(MOST_KINDS))
    return kinds | {one.rank.kind: counts[one.rank.kind] for one in wrong[:MOST_KINDS]}


def _ended(logs: Sequence[FoundLog]) -> FoundLog | None:
    """The console, or the log that was written last."""
    with_end = [one for one in logs if one.rank.cause]
    consoles = [one for one in with_end if CONSOLES.search(one.log.file.shown)]
    return max(consoles or with_end, key=lambda one: one.log.file.modified or 0, default=None)


def _excerpts(job: Job, logs: Sequence[FoundLog], label: Label) -> dict[JobLog, Excerpt]:
    """The lines of the causes in the first logs.

    A log is read a second time for that. Skipping lines takes a tenth of the time of a summary, and
    unpacking a gzip up to half of it.
    """
    left = MOST_READ
    several = {}
    for one in logs[:MOST_EXCERPTS]:
        left -= one.log.tally.bytes
        if one.rank.cause and left >= 0:
            lines = excerpt(one.log, one.rank.cause, label(one.log.file, one.rank.cause), job.link)
            several[one.log] = job.read_ahead(one.log, lines)
    found = (next(ahead, None) for ahead in started(several.values(), LOGS_AT_ONCE))
    return {log: lines for log, lines in zip(several, found, strict=True) if lines}


def _reports(job: Job) -> tuple[ZuulReport, list[FailedTest]]:
    """Zuul's result and the failed tests by the folder's reports, as far as the budget lasts."""
    charge = job.reader.budget.charge
    zuul = ZuulReport()
    tests: list[FailedTest] = []
    try:
        if any(one.name.encode() in reports.ZUULS for one in job.skipped):
            report = _report(job, reports.ZUULS[0], reports.MOST_OF_ZUULS)
            zuul = reports.zuul_report(report)
            charge()
        files = [log.file for log in job.logs if reports.most(log.file.shown)]
        for file in files[: reports.MOST_REPORTS]:
            report = _report(job, file.name, reports.most(file.shown))
            tests += reports.failed_tests(file.shown, report, charge)
            charge()
    except Incomplete as error:
        job.miss(error.reason, f"reports were not read to their end: {error}")
    return zuul, tests[: reports.MOST_TESTS]


def _report(job: Job, name: bytes, most: int) -> bytes:
    """The beginning of a report; what is missing is noted, unless its log says so already."""
    missing: list[Incomplete] = []
    report = job.reader.beginning(name, most, missing)
    shown = name.decode("utf-8", "replace")
    is_log = any(log.file.name == name for log in job.logs)
    for error in missing:
        if error.reason == "capped" or not is_log:
            job.miss(error.reason, f"{shown}: {error}")
    return report
