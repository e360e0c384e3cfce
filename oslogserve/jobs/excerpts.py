# SPDX-License-Identifier: Apache-2.0
"""The lines of a job that explain its failure, for which some logs are read again.

A page shows the lines of each log's cause with some around them, and what failed tasks of Ansible tell there. A text shows the lines that are worth
most of a few logs, and errors of others at that moment.
"""

from collections.abc import Hashable, Sequence

from oslogserve.errors import Incomplete
from oslogserve.jobs.job import Job
from oslogserve.jobs.overview import Findings
from oslogserve.jobs.ranking import micros_of
from oslogserve.jobs.reading import LogRead
from oslogserve.jobs.walk import File
from oslogserve.lines.excerpt.lines import MarkedLine, plan_of, planned
from oslogserve.lines.results import MAY_OPEN, MOST_BELOW, TaskResult, result_of
from oslogserve.lines.summary import CauseLine, ErrorLine, innermost

# Of a page.
#: Logs of a page that have an excerpt, and the bytes of their texts together.
MOST_EXCERPTS, MOST_READ = 10, 256 * 1024 * 1024
#: Lines before and after the cause.
LINES_AROUND = 2
#: Lines of a cause that are shown. Of a longer traceback, and of a longer end of a log, the last line is.
MOST_LINES = 8
#: Bytes of a line that are read: what a failed task printed comes late in one long line.
LONGEST = 32 * 1024

# Of a text.
#: Logs that are read again: so many, and one more for so many bytes of the excerpt.
LEAST_LOGS, BYTES_OF_LOG, MOST_LOGS = 2, 3000, 6
#: The part of the bytes for which each log but the first is read.
OTHERS = 3
#: Microseconds before and after the failure, and errors of other logs within.
MOMENT, MOST_AT_MOMENT = 5 * 10**6, 20

#: A line, and the result that it has or that is below it; None for none.
Row = tuple[MarkedLine, TaskResult | None]
#: The lines above a cause, those of it, and those below; and the task, or another chapter, that has it, "" for none.
Excerpt = tuple[list[Row], list[Row], list[Row], str]
#: Logs of which the cause has the same lines, and lines of the first one that may be shown.
LogLines = tuple[Sequence[LogRead], Sequence[MarkedLine]]


def excerpts(job: Job, found: Findings) -> dict[File, Excerpt]:
    """The excerpts of the first logs that show a failure, as far as these can be read again.

    Skipping lines takes a tenth of the time of a summary, and unpacking a gzip up to half of it.
    """
    left = MOST_READ
    several, wanted = [], []
    for one in found.telling[:MOST_EXCERPTS]:
        left -= one.tally.bytes
        if (cause := one.summary.cause) and left >= 0:
            first, last = lines_shown(cause)
            above = max(1, first - LINES_AROUND)
            may_open = MAY_OPEN.search(cause.text)
            plan = plan_of([(above, last + LINES_AROUND + (MOST_BELOW if may_open else 0))])
            several.append((one.file, job.reader.marked_lines(one.file, plan, LONGEST)))
            task = innermost(one.summary.chapters, cause.line)
            name = task.name if task else ""
            wanted.append((one.file, first - above, last + 1 - above, may_open, name))
    of_files: dict[File, Excerpt] = {}
    for (file, begin, end, may_open, name), read in zip(
        wanted, job.read_each(several), strict=True
    ):
        lines, missing = read or ([], [])
        if missing or len(lines) < end:
            continue
        before, _ = _rows(lines[:begin], begin)
        rows, size = _rows(lines[begin:] if may_open else lines[begin:end], end - begin)
        after, _ = _rows(lines[begin + size :][:LINES_AROUND], LINES_AROUND)
        of_files[file] = before, rows, after, name
    return of_files


def lines_shown(cause: CauseLine) -> tuple[int, int]:
    """The numbers of the first and the last line of the cause that are shown."""
    first, last = cause.line, cause.last
    if last - first < MOST_LINES:
        return first, last
    tells_last = cause.why == "end" or "Traceback" in cause.text
    return (last, last) if tells_last else (first, first + MOST_LINES - 1)


def _rows(lines: Sequence[MarkedLine], most: int) -> tuple[list[Row], int]:
    """The first `most` lines as rows, and how many lines these take with the results below them."""
    rows: list[Row] = []
    at = 0
    while at < min(most, len(lines)):
        texts = [line.text for line in lines[at : at + 1 + MOST_BELOW]]
        result, size = result_of(texts, is_cut=lines[at].hidden > 0)
        rows.append((lines[at], result))
        at += size
    return rows, at


def lines_of(job: Job, found: Findings, size: int, missing: list[Incomplete]) -> list[LogLines]:
    """The lines for a text of so many bytes, the log that shows most first: of the logs that show the failure, and of
    the job's own one, which has the verdict.

    Behind each log are those of which the cause has the same lines: GitHub's archives have a log of each job, and
    of each step of it. missing: gets why lines could not be read.
    """
    by_cause: dict[Hashable, list[LogRead]] = {}
    for place, one in enumerate(found.telling):
        cause = one.summary.cause
        told = cause.told if cause and cause.why != "end" else None
        by_cause.setdefault(tuple(told) if told else place, []).append(one)
    shown = [*by_cause.values()][: min(MOST_LOGS, LEAST_LOGS + size // BYTES_OF_LOG)]
    files = {one.file for same in shown for one in same}
    consoles = [one for one in found.logs if one.file.is_console and one.summary.cause]
    shown += [[one] for one in consoles if one.file not in files][:1]
    several = []
    for place, (one, *_) in enumerate(shown):
        plan = planned(one.summary, one.tally.lines, size // (OTHERS if place else 1))
        several.append((one.file, job.reader.marked_lines(one.file, plan)))
    logs: list[LogLines] = []
    for same, read in zip(shown, job.read_each(several), strict=True):
        lines, lacks = read or ([], [])
        logs.append((same, lines))
        if not same[0].missing:
            name = same[0].file.shown
            missing += [Incomplete(error.reason, f"{name}: {error}") for error in lacks]
    return logs


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
