# SPDX-License-Identifier: Apache-2.0
"""The overview of a job: its logs in the order of their ranks, and what its reports say."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from oslogserve.ci import reports
from oslogserve.ci.build import HEAD, INVENTORY, MOST_OF_INVENTORY, Build, build_of, console_build
from oslogserve.ci.reports import FailedTask, ZuulReport
from oslogserve.errors import Incomplete
from oslogserve.jobs.job import Ending, Job
from oslogserve.jobs.ranking import ranked
from oslogserve.jobs.reading import LogRead
from oslogserve.lines.summary import MOST_TOLD, Summary, held

#: Bytes of memory of the summaries of all logs, which are held until all were read. Once they are full, each further
#: log has only its first and its last error, and the first lines of its cause.
MOST_HELD = 16 * 1024 * 1024

#: Logs that are shown before the others are read, and stored bytes of all logs from which on: reading these
#: takes a fifth of a second.
MOST_EARLY, LEAST_STORED = 4, 4 * 1024 * 1024


class Findings(NamedTuple):
    """The content of an overview."""

    #: In the order of their ranks.
    logs: list[LogRead]
    #: True if the job failed, False if it passed; None if it is not known.
    has_failed: bool | None
    #: The logs that show a failure; none of a job that passed.
    wrong: list[LogRead]
    #: The log whose end is shown if none shows a failure, and the job does not say that it passed.
    ended: LogRead | None
    #: The task that failed by Zuul's report.
    task: FailedTask | None
    #: Names and messages of tests that failed.
    tests: Sequence[tuple[str, str]]
    build: Build
    #: How many of the logs that were found were not read.
    unread: int
    ending: Ending

    @property
    def telling(self) -> list[LogRead]:
        """The logs that show a failure; if none does, the one whose end is shown."""
        return self.wrong or [*filter(None, [self.ended])]


def summaries(job: Job) -> Iterator[LogRead]:
    """Yields all logs with their compact summaries, of which as much as may be held. Adds to what is missing."""
    size = shortened = 0
    several = [(file, job.reader.summary(file, job.selection_of(file))) for file in job.files]
    for log in filter(None, job.read_each(several)):
        summary = log.summary
        if size <= MOST_HELD:
            size += held(summary)
        if size > MOST_HELD:
            summary = _shortened(summary)
            shortened += summary != log.summary
        yield log._replace(summary=summary)
        job.reader.budget.note()  # of this thread: the next log is charged for it
    if shortened:
        what = f"of {shortened:,} logs, only the first and the last error are ranked"
        what = f"{what}: the summaries of all logs are too large"
        job.missing.append(Incomplete("capped", what))


def _shortened(summary: Summary) -> Summary:
    errors, cause = summary.errors, summary.cause
    if cause and cause.told:
        cause = replace(cause, told=cause.told[:MOST_TOLD])
    first_and_last = [errors[0], errors[-1]] if len(errors) > 2 else errors
    return replace(summary, errors=first_and_last, cause=cause, other_failures=[])


def early(job: Job, several: Iterator[LogRead]) -> list[LogRead]:
    """Takes the likeliest logs; none if all are read soon."""
    taken: list[LogRead] = []
    stored = sum(file.size or 0 for file in job.files)
    if len(job.files) > MOST_EARLY and stored >= LEAST_STORED:
        for one in several:
            taken.append(one)
            if sum(not log.skipped for log in taken) == MOST_EARLY:
                break
    return taken


def findings(job: Job, several: Iterable[LogRead]) -> Findings:
    read = [*several]
    logs = ranked(read, job.noise)
    skipped = {name for name, _ in job.skipped} | {one.file.shown for one in read if one.skipped}
    missing: list[Incomplete] = []
    (task, result, seconds), tests = _reported(job, skipped, missing)
    build = header(job, logs)
    if result or seconds is not None:
        build = build._replace(result=result, seconds=seconds)
    has_failed = has_ended_failed(build, logs)
    has_passed = has_failed is False
    wrong, ended = [one for one in logs if one.shows_failure and not has_passed], None
    if not (wrong or has_passed):  # the console, or the log that was written last
        with_end = [one for one in logs if one.summary.cause]
        consoles = [one for one in with_end if one.file.is_console]
        candidates = consoles or with_end
        ended = max(candidates, key=lambda one: one.file.modified or 0, default=None)
    # Logs that were not begun, since the budget was spent.
    unpaid = sum(one.is_unpaid and bool(one.skipped) for one in read)
    return Findings(
        logs=logs,
        has_failed=has_failed,
        wrong=wrong,
        ended=ended,
        task=task,
        tests=tests,
        build=build,
        unread=job.found - len(read) + unpaid,
        ending=job.ending(read, missing),
    )


def has_ended_failed(build: Build, logs: Sequence[LogRead]) -> bool | None:
    """True if the job failed, False if it passed; None if it is not known."""
    if build.result:
        return build.result == "failed"
    consoles = consoles_of(logs)
    if consoles and all(one.summary.passed and not one.summary.failed for one in consoles):
        return False
    return True if any(one.summary.failed and one.shows_failure for one in logs) else None


def consoles_of(logs: Sequence[LogRead]) -> list[LogRead]:
    """The job's own logs; the only log is one."""
    return [one for one in logs if one.file.is_console or len(logs) == 1]


def header(job: Job, logs: Sequence[LogRead] = ()) -> Build:
    """The build, as Zuul's files or else the console tell it. Its lack is no fault.

    logs: those that were read.
    """
    reader, build = job.reader, Build()
    # The only console, or the only log: of several, each may be of a job of its own.
    consoles = [file for file in job.files if file.is_console or job.found == 1]
    if job.has_inventory:
        text, _ = reader.beginning(INVENTORY, MOST_OF_INVENTORY)
        build = build_of(text)
    elif len(consoles) == 1:
        [console] = consoles
        text, _ = reader.beginning(console.name, HEAD)
        build = console_build(
            text, next((one.summary for one in logs if one.file == console), None)
        )
    return build


def _reported(
    job: Job, skipped: Collection[str], missing: list[Incomplete]
) -> tuple[ZuulReport, list[tuple[str, str]]]:
    """What Zuul's report tells, and names and messages of the failed tests by others.

    missing: gets why these are not read to their ends.
    """
    charge = job.reader.budget.charge
    zuul: ZuulReport = None, "", None
    tests: list[tuple[str, str]] = []
    names = [file.name for file in job.files]
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
    return zuul, tests[: reports.MOST_TESTS]
