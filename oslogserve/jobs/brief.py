# SPDX-License-Identifier: Apache-2.0
"""The lines of a job that explain its failure: those of the logs that show it, and errors at that moment."""

from collections.abc import Hashable, Sequence

from oslogserve.errors import Incomplete
from oslogserve.jobs.job import Job
from oslogserve.jobs.overview import Findings
from oslogserve.jobs.ranking import micros_of
from oslogserve.jobs.reading import LogRead
from oslogserve.lines.excerpt.lines import MarkedLine, planned
from oslogserve.lines.summary import ErrorLine

#: Logs that are read again: so many, and one more for so many bytes of the excerpt.
LEAST_LOGS, BYTES_OF_LOG, MOST_LOGS = 2, 3000, 6
#: The part of the bytes for which each log but the first is read.
OTHERS = 3
#: Microseconds before and after the failure, and errors of other logs within.
MOMENT, MOST_AT_MOMENT = 5 * 10**6, 20

#: Logs of which the cause has the same lines, and lines of the first one that may be shown.
LogLines = tuple[Sequence[LogRead], Sequence[MarkedLine]]


def lines_of(job: Job, found: Findings, size: int, missing: list[Incomplete]) -> list[LogLines]:
    """The lines for an excerpt of so many bytes, for which some logs are read again, the one that shows most first.

    missing: gets why lines could not be read.
    """
    shown = _shown(found, size)
    several = []
    for place, (one, *_) in enumerate(shown):
        plan = planned(one.summary, one.tally.lines, size // (OTHERS if place else 1))
        several.append((one.file, map(job.reader.marked_lines, [one.file], [plan])))
    logs: list[LogLines] = []
    for same, read in zip(shown, job.read_each(several), strict=True):
        lines, lacks = read or ([], [])
        logs.append((same, lines))
        if not same[0].missing:
            name = same[0].file.shown
            missing += [Incomplete(error.reason, f"{name}: {error}") for error in lacks]
    return logs


def _shown(found: Findings, size: int) -> list[list[LogRead]]:
    """The logs that show the failure, and the job's own one, which has the verdict.

    Behind each are those of which the cause has the same lines: GitHub's archives have a log of each job, and
    of each step of it.
    """
    by_cause: dict[Hashable, list[LogRead]] = {}
    for place, one in enumerate(found.telling):
        cause = one.summary.cause
        told = cause.told if cause and cause.why != "end" else None
        by_cause.setdefault(tuple(told) if told else place, []).append(one)
    shown = [*by_cause.values()][: min(MOST_LOGS, LEAST_LOGS + size // BYTES_OF_LOG)]
    files = {one.file for same in shown for one in same}
    consoles = [one for one in found.logs if one.file.is_console and one.summary.cause]
    own = [[one] for one in consoles if one.file not in files]
    return [*shown, *own[:1]]


def errors_at_failure(found: Findings, logs: Sequence[LogLines]) -> list[tuple[LogRead, ErrorLine]]:
    """Errors of other logs at the time of the first log's cause, the nearest first."""
    cause = logs[0][0][0].summary.cause if logs else None
    time = micros_of(cause.time) if cause else None
    if time is None:
        return []
    files = {one.file for same, _ in logs for one in same}
    errors = [
        (abs(at - time), place, error.line, one, error)
        for place, one in enumerate(found.logs)
        if one.file not in files
        for error in one.summary.errors
        if error.new is not False and (at := micros_of(error.time)) is not None
        if abs(at - time) <= MOMENT
    ]
    nearest = sorted(errors, key=lambda one: one[:3])[:MOST_AT_MOMENT]
    return [(one, error) for *_, one, error in nearest]
