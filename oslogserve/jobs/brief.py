# SPDX-License-Identifier: Apache-2.0
"""The lines of a job that explain its failure: those of the logs that show it, and errors at that moment."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from oslogserve.errors import Incomplete
from oslogserve.jobs.ahead import LOGS_AT_ONCE, only, started
from oslogserve.jobs.job import Job
from oslogserve.jobs.job_log import LinesRead
from oslogserve.jobs.overview import Findings, RankedLog
from oslogserve.jobs.ranking import CONSOLES, micros_of
from oslogserve.lines.brief.plan import planned

#: Logs that are read again: so many, and one more for so many bytes of the excerpt.
LEAST_LOGS, BYTES_OF_LOG, MOST_LOGS = 2, 3000, 6
#: The part of the bytes for which each log but the first is read.
OTHERS = 3
#: Microseconds before and after the failure, and errors of other logs within.
MOMENT, MOST_AT_MOMENT = 5 * 10**6, 20


class _Same(NamedTuple):
    """A log that shows the failure, and others of which the cause has the same lines."""

    found: RankedLog
    others: list[RankedLog]


class LogLines(NamedTuple):
    """A log that shows the failure, and the lines of it that may be shown."""

    found: RankedLog
    read: LinesRead
    #: Logs of which the cause has the same lines.
    same: list[RankedLog]

    @property
    def summary(self) -> dict[str, Any]:
        """Its summary, with the cause by which the log is ranked."""
        return {**self.found.summary, "cause": self.found.rank.cause}


class JobLines(NamedTuple):
    """The lines of an excerpt of a job."""

    #: The first one shows most.
    logs: list[LogLines]
    #: Errors of other logs, the nearest to the failure first.
    moment: list[tuple[RankedLog, dict[str, Any]]]
    #: Why lines of the logs could not be read.
    missing: list[Incomplete]


def lines_of(job: Job, found: Findings, size: int) -> JobLines:
    """The lines for an excerpt of so many bytes, for which some logs are read again."""
    shown = _shown(found, size)
    ranked = [one.found for one in shown]
    several = [
        job.read_ahead(one.log.file, _lines(job, one, size // (OTHERS if place else 1)), False)
        for place, one in enumerate(ranked)
    ]
    read = [only(ahead) for ahead in started(several, LOGS_AT_ONCE)]
    logs = [
        LogLines(log.found, one, log.others) for log, one in zip(shown, read, strict=True) if one
    ]
    missing = [
        Incomplete(error.reason, f"{one.found.log.file.shown}: {error}")
        for one in logs
        if not one.found.log.missing
        for error in one.read.missing
    ]
    told = [*ranked, *(other for one in shown for other in one.others)]
    return JobLines(logs, _at_moment(found, told), missing)


def _shown(found: Findings, size: int) -> list[_Same]:
    """The logs that show the failure, and the job's own one, which has the verdict."""
    wrong = [one for one in found.logs if one.shows_failure] or [*filter(None, [found.ended])]
    shown = _without_same(wrong)[: min(MOST_LOGS, LEAST_LOGS + size // BYTES_OF_LOG)]
    files = {log.log.file for one in shown for log in (one.found, *one.others)}
    consoles = [one for one in found.logs if CONSOLES.search(one.log.file.shown)]
    consoles = [one for one in consoles if one.rank.cause and one.log.file not in files]
    return [*shown, *(_Same(one, []) for one in consoles[:1])]


def _without_same(logs: Sequence[RankedLog]) -> list[_Same]:
    """The first log of each cause: GitHub's archives have a log of each job, and of each step of it."""
    shown: dict[tuple[Any, ...], _Same] = {}
    for place, one in enumerate(logs):
        cause = one.rank.cause or {"why": "end"}
        told = () if cause["why"] == "end" else tuple(cause.get("told", ()))
        first = shown.setdefault(told or (place,), _Same(one, []))
        if first.found is not one:
            first.others.append(one)
    return list(shown.values())


def _lines(job: Job, one: RankedLog, size: int) -> Iterator[LinesRead]:
    """Yields the lines of the log's plan."""
    summary = {**one.summary, "cause": one.rank.cause}
    ranges = planned(summary, one.log.tally.lines, size)
    log = next(log for log in job.logs if log.file is one.log.file)
    yield log.marked_lines(ranges)


def _at_moment(
    found: Findings, shown: Sequence[RankedLog]
) -> list[tuple[RankedLog, dict[str, Any]]]:
    """Errors of other logs at the time of the first log's cause."""
    cause = shown[0].rank.cause if shown else None
    time = micros_of(cause["time"]) if cause else None
    if time is None:
        return []
    files = {one.log.file for one in shown}
    errors = [
        (abs(at - time), place, error["line"], error)
        for place, one in enumerate(found.logs)
        if one.log.file not in files
        for error in one.summary["errors"]
        if error.get("new", True) and (at := micros_of(error["time"])) is not None
        if abs(at - time) <= MOMENT
    ]
    nearest = sorted(errors, key=lambda one: one[:3])[:MOST_AT_MOMENT]
    return [(found.logs[place], error) for _, place, _, error in nearest]
