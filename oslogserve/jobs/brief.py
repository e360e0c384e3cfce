# SPDX-License-Identifier: Apache-2.0
"""The lines of a job that explain its failure: those of the logs that show it, and errors at that moment."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from oslogserve.errors import Incomplete
from oslogserve.jobs.job import Job
from oslogserve.jobs.overview import Findings, RankedLog
from oslogserve.jobs.ranking import micros_of
from oslogserve.jobs.reading import Reader
from oslogserve.lines.brief.marked import MarkedLine
from oslogserve.lines.brief.plan import planned
from oslogserve.lines.summary import ErrorLine

#: Logs that are read again: so many, and one more for so many bytes of the excerpt.
LEAST_LOGS, BYTES_OF_LOG, MOST_LOGS = 2, 3000, 6
#: The part of the bytes for which each log but the first is read.
OTHERS = 3
#: Microseconds before and after the failure, and errors of other logs within.
MOMENT, MOST_AT_MOMENT = 5 * 10**6, 20


class LogLines(NamedTuple):
    """A log that shows the failure, and the lines of it that may be shown."""

    found: RankedLog
    lines: list[MarkedLine]
    #: Logs of which the cause has the same lines.
    same: list[RankedLog]


class JobLines(NamedTuple):
    #: The first one shows most.
    logs: list[LogLines]
    #: Errors of other logs, the nearest to the failure first.
    moment: list[tuple[RankedLog, ErrorLine]]
    #: Why lines of the logs could not be read.
    missing: list[Incomplete]


def lines_of(job: Job, found: Findings, size: int) -> JobLines:
    """The lines for an excerpt of so many bytes, for which some logs are read again."""
    shown = _shown(found, size)
    several = [
        (one.log.file, _lines(job.reader, one, size // (OTHERS if place else 1)))
        for place, (one, *_) in enumerate(shown)
    ]
    logs: list[LogLines] = []
    missing: list[Incomplete] = []
    for (one, *same), read in zip(shown, job.read_each(several), strict=True):
        if read is None:
            continue
        lines, lacks = read
        logs.append(LogLines(one, lines, same))
        if not one.log.missing:
            name = one.log.file.shown
            missing += [Incomplete(error.reason, f"{name}: {error}") for error in lacks]
    return JobLines(logs, _at_moment(found, [one for same in shown for one in same]), missing)


def _shown(found: Findings, size: int) -> list[list[RankedLog]]:
    """The logs that show the failure, and the job's own one, which has the verdict.

    Behind each are those of which the cause has the same lines: GitHub's archives have a log of each job, and
    of each step of it.
    """
    by_cause: dict[tuple[Any, ...], list[RankedLog]] = {}
    for place, one in enumerate(found.telling):
        cause = one.summary.cause
        told = cause.told if cause and cause.why != "end" else None
        by_cause.setdefault(tuple(told or (place,)), []).append(one)
    shown = [*by_cause.values()][: min(MOST_LOGS, LEAST_LOGS + size // BYTES_OF_LOG)]
    files = {one.log.file for same in shown for one in same}
    consoles = [one for one in found.logs if one.is_console and one.summary.cause]
    own = [[one] for one in consoles if one.log.file not in files]
    return [*shown, *own[:1]]


def _lines(
    reader: Reader, one: RankedLog, size: int
) -> Iterator[tuple[list[MarkedLine], list[Incomplete]]]:
    """Yields the lines of the log's plan, and why some lack."""
    ranges = planned(one.summary, one.log.tally.lines, size)
    yield reader.marked_lines(one.log.file, ranges)


def _at_moment(found: Findings, shown: Sequence[RankedLog]) -> list[tuple[RankedLog, ErrorLine]]:
    """Errors of other logs at the time of the first log's cause."""
    cause = shown[0].summary.cause if shown else None
    time = micros_of(cause.time) if cause else None
    if time is None:
        return []
    files = {one.log.file for one in shown}
    errors = [
        (abs(at - time), place, error.line, error)
        for place, one in enumerate(found.logs)
        if one.log.file not in files
        for error in one.summary.errors
        if error.new is not False and (at := micros_of(error.time)) is not None
        if abs(at - time) <= MOMENT
    ]
    nearest = sorted(errors, key=lambda one: one[:3])[:MOST_AT_MOMENT]
    return [(found.logs[place], error) for _, place, _, error in nearest]
