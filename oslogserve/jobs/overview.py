# SPDX-License-Identifier: Apache-2.0
"""The overview of a job: its logs in the order of their ranks, and what its reports say."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from sys import getsizeof
from typing import NamedTuple

from msgspec.structs import replace

from oslogserve.ci import reports
from oslogserve.ci.build import INVENTORY, MOST_OF_INVENTORY, Build, build_of
from oslogserve.ci.console import HEAD, console_build
from oslogserve.ci.reports import FailedTask, FailedTest, ZuulReport
from oslogserve.errors import Incomplete
from oslogserve.jobs.choice import Choice
from oslogserve.jobs.job import Ending, Job
from oslogserve.jobs.ranking import CONSOLES, ranked
from oslogserve.jobs.reading import LogRead
from oslogserve.jobs.walk import File
from oslogserve.lines.selection import Wanted
from oslogserve.lines.summary import Summary
from oslogserve.native import SEVERITIES

_NO_REPORT = ZuulReport()
_ERRORS = SEVERITIES[SEVERITIES.index("ERROR") :]

#: Bytes of the errors of all logs that are held until all logs were read, and what each takes next to its
#: text. Once they are full, only the first and the last error of each further log are ranked.
MOST_OF_ERRORS, _OVERHEAD = 16 * 1024 * 1024, 320

#: Logs that are shown before the others are read, and stored bytes of all logs from which on: reading these
#: takes a fifth of a second.
MOST_EARLY, LEAST_STORED = 4, 4 * 1024 * 1024

#: The summary of a log, None if it was skipped; and what is known of the log.
Summarised = tuple[Summary | None, LogRead]


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


def summaries(job: Job) -> Iterator[Summarised]:
    """Yields all logs with their compact summaries, with as many errors as may be held. Adds to what is missing."""
    size = shortened = 0
    several = [(file, _summary(job, file)) for file in job.choice.files]
    for summary, log in filter(None, job.read_each(several)):
        if summary is not None:
            errors = summary.errors
            size += sum(getsizeof(error.text) + _OVERHEAD for error in errors)
            size += sum(getsizeof(line) for one in summary.other_failures for line in one.told)
            if size > MOST_OF_ERRORS:
                if len(errors) > 2:
                    errors = [errors[0], errors[-1]]
                    shortened += 1
                summary = replace(summary, errors=errors, other_failures=[])
        yield summary, log
    if shortened:
        what = f"of {shortened:,} logs, only the first and the last error are ranked"
        what = f"{what}: the errors of all logs are too large"
        job.missing.append(Incomplete("capped", what))


def _summary(job: Job, file: File) -> Iterator[Summarised]:
    wanted = Wanted("summary", job.selection_of(file), file.modified)
    read = [*job.reader.read(file, wanted, lambda log: [log.summary(is_compact=True)])]
    yield read[0][0], read[-1][1]  # the other chapters of many logs would fill the memory


def early(job: Job, several: Iterator[Summarised]) -> list[Summarised]:
    """Takes the likeliest logs; none if all are read soon."""
    files = job.choice.files
    taken: list[Summarised] = []
    if len(files) > MOST_EARLY and sum(file.size or 0 for file in files) >= LEAST_STORED:
        for one in several:
            taken.append(one)
            if sum(summary is not None for summary, _ in taken) == MOST_EARLY:
                break
    return taken


def ranked_logs(job: Job, read: Iterable[Summarised]) -> list[RankedLog]:
    """The logs that were not skipped, in the order of their ranks."""
    passed = job.reader.passed
    several = [(summary, log) for summary, log in read if summary is not None]
    ranks = ranked([(log.file.shown, summary) for summary, log in several], job.noise)
    logs = [
        RankedLog(log, summary, score, passed.like(log.file.name) if passed else None)
        for (_, log), (score, summary) in zip(several, ranks, strict=True)
    ]
    return sorted(logs, key=lambda one: (-one.score, one.log.file.name))


def findings(job: Job, several: Iterable[Summarised]) -> Findings:
    read = [*several]
    logs = ranked_logs(job, read)
    ended = None
    if not any(one.shows_failure for one in logs):  # the console, or the log that was written last
        with_end = [one for one in logs if one.summary.cause]
        consoles = [one for one in with_end if one.is_console]
        candidates = consoles or with_end
        ended = max(candidates, key=lambda one: one.log.file.modified or 0, default=None)
    of_all = [log for _, log in read]
    skipped = {one.name for one in (*job.choice.skipped, *(log.skipped for log in of_all)) if one}
    zuul, tests, missing = _told(job, skipped)
    # Logs that were not begun, since the budget was spent.
    unpaid = sum(log.is_unpaid and log.skipped is not None for log in of_all)
    return Findings(
        logs=logs,
        ended=ended,
        task=zuul.task,
        tests=tests,
        build=header(job, zuul, logs),
        choice=job.choice,
        unread=job.choice.found - len(of_all) + unpaid,
        ending=job.ending(of_all, missing),
    )


def header(job: Job, zuul: ZuulReport = _NO_REPORT, logs: Sequence[RankedLog] = ()) -> Build:
    """The build, as Zuul's files or else the console tell it. Its lack is no fault.

    logs: those that were read.
    """
    reader, files, build = job.reader, job.choice.files, Build()
    # The only console, or the only log: of several, each may be of a job of its own.
    consoles = [file for file in files if CONSOLES.search(file.shown) or job.choice.found == 1]
    if job.choice.has_inventory:
        text, _ = reader.beginning(INVENTORY, MOST_OF_INVENTORY)
        build = build_of(text)
    elif len(consoles) == 1:
        [console] = consoles
        text, _ = reader.beginning(console.name, HEAD)
        build = console_build(
            text, next((one.summary for one in logs if one.log.file == console), None)
        )
    if zuul.result or zuul.seconds is not None:
        build = build._replace(result=zuul.result, seconds=zuul.seconds)
    return build


def _told(
    job: Job, skipped: Collection[str]
) -> tuple[ZuulReport, list[FailedTest], list[Incomplete]]:
    """Zuul's result and the failed tests by the folder's reports, and why these are not read to their ends."""
    charge = job.reader.budget.charge
    zuul = ZuulReport()
    tests: list[FailedTest] = []
    missing: list[Incomplete] = []
    names = [file.name for file in job.choice.files]
    wanted = [name for name in names if reports.is_junit(name.decode("utf-8", "replace"))]
    wanted = wanted[: reports.MOST_REPORTS]
    if any(name.encode() in reports.ZUULS for name in skipped):
        wanted.insert(0, reports.ZUULS[0])
    try:
        for name in wanted:
            is_zuuls = name in reports.ZUULS
            most = reports.MOST_OF_ZUULS if is_zuuls else reports.MOST_OF_JUNIT
            report, lacks = job.reader.beginning(name, most)
            missing += [
                Incomplete(error.reason, f"{name.decode('utf-8', 'replace')}: {error}")
                for error in lacks
                if error.reason == "capped" or name not in names  # else its log says so already
            ]
            if is_zuuls:
                zuul = reports.zuul_report(report)
            else:
                tests += reports.failed_tests(report, charge)
            charge()
    except Incomplete as error:
        what = f"reports were not read to their end: {error}"
        missing.append(Incomplete(error.reason, what))
    return zuul, tests[: reports.MOST_TESTS], missing
