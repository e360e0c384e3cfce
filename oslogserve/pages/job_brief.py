# SPDX-License-Identifier: Apache-2.0
"""An excerpt of a failed job as text: the build, failed tests, and the lines of its logs."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote

from oslogserve.humanize import counted, duration
from oslogserve.jobs.brief import JobLines
from oslogserve.jobs.overview import Findings, RankedLog
from oslogserve.jobs.walk import File
from oslogserve.messages import cut, visible
from oslogserve.pages.brief import (
    NO_LINK,
    OTHER,
    PART_OF_NAME,
    Excerpted,
    ending,
    length,
    section,
)
from oslogserve.pages.job import address_of
from oslogserve.query import Query
from oslogserve.seen.rules import Rule

#: Parts of the excerpt: what is known of the build, failed tests, errors of other logs at that moment, and
#: sentences about what is missing.
PART_OF_BUILD, PART_OF_TESTS, PART_OF_MOMENT, PART_OF_NOTICES = 3, 6, 6, 8
#: The part of what is left that the first of several logs takes, in percent.
OF_FIRST = 65
#: The least bytes of a log, and of sentences about what is missing.
LEAST_OF_LOG, LEAST_OF_NOTICES = 200, 100
#: The part of a log's bytes that its name takes at most, if its links need all of it, and other names.
PART_OF_WHOLE_NAME, PART_OF_SAME = 2, 8
#: Bytes of a test's name and message, and of an error at that moment.
MOST_OF_TEST, MOST_OF_ERROR = 300, 240


class JobExcerpt(NamedTuple):
    query: Query
    found: Findings
    lines: JobLines
    known: Sequence[Rule]
    #: True if the logs are files: lines are named by "FILE:NUMBER", and not by links.
    are_files: bool


def text(job: JobExcerpt) -> bytes:
    """The excerpt as text of at most the bytes that the query says."""
    size = job.query.size
    head = _fitting(_heading(job), size // PART_OF_BUILD)
    tests = (cut(f"{test.name}: {test.message}", MOST_OF_TEST) for test in job.found.tests)
    failed = _listed("Tests that failed:", (OTHER + one for one in tests), size // PART_OF_TESTS)
    errors = (
        f"{_link(job, one.log.file)}{error.line}: {cut(error.text, MOST_OF_ERROR)}"
        for one, error in job.lines.moment
    )
    moment = _listed("At that moment in other logs:", errors, size // PART_OF_MOMENT)
    end = ending(_notices(job), max(LEAST_OF_NOTICES, size // PART_OF_NOTICES))
    left = size - length(head + failed + moment + end)
    return (head + failed + "".join(_sections(job, left)) + moment + end).encode()


def _heading(job: JobExcerpt) -> Iterator[str]:
    """Yields what was tested, and what failed."""
    build, task = job.found.build, job.found.task
    name = f"{job.query.address}/" if job.query.path else "These logs"
    ended = build.result
    if build.seconds is not None:
        ended = f"{ended or 'ended'} in {duration(round(build.seconds * 10**6))}"
    told = ended, build.job, build.project, build.change, build.branch, build.ref
    yield ": ".join(filter(None, (cut(name, 300), ", ".join(filter(None, told)))))
    is_of_comparison = any(error.is_of_comparison for error in job.found.ending.missing)
    # The first notice is always shown, others may have no room.
    if is_of_comparison and len(_notices(job)) > 1:
        yield "Not compared with all of the run that passed."
    if build.change_url:
        yield f"Change: {build.change_url}"
    if task:
        yield f"Task {task.name!r} failed on {task.host}: {cut(task.message, MOST_OF_TEST)}"
    for rule in job.known:
        yield f"Known: {rule.title} {rule.url}".rstrip()
    yield _of_logs(job.found.logs)


def _of_logs(logs: Sequence[RankedLog]) -> str:
    """How many logs failed, and how many others show errors."""
    failed = sum(one.summary.failed for one in logs)
    others = sum(one.shows_failure and not one.summary.failed for one in logs)
    if not failed and not others:
        return f"No log of {len(logs):,} shows a failure"
    said = f"{counted(failed, 'log') if failed else 'No log'} of {len(logs):,} failed"
    more = "1 more shows" if others == 1 else f"{others:,} more show"
    return f"{said}; {more if failed else more.replace(' more', '')} errors" if others else said


def _fitting(lines: Iterable[str], size: int) -> str:
    """The lines, without those for which so many bytes have no room."""
    said = ""
    for line in lines:
        line = f"{visible(line)}\n"
        if length(said + line) <= size:
            said += line
    return said


def _listed(heading: str, lines: Iterable[str], size: int) -> str:
    """The lines below a heading, as far as so many bytes have room; nothing without any."""
    listed = _fitting(lines, size - length(heading) - 1)
    return f"{heading}\n{listed}" if listed else ""


def _link(job: JobExcerpt, file: File) -> str:
    """The beginning of links to lines of the log, relative to the folder."""
    if job.are_files:
        return f"{file.shown}:"
    address = address_of(job.query, file)
    return f"{address}{'&' if '?' in address else '?'}goto="


def _sections(job: JobExcerpt, left: int) -> Iterator[str]:
    """Yields the excerpts of the logs, of at most so many bytes together."""
    logs = job.lines.logs
    for place, log in enumerate(logs):
        if left < LEAST_OF_LOG:
            return
        part = left * OF_FIRST // 100
        has_others = place < len(logs) - 1 and left - part >= LEAST_OF_LOG
        room = part if has_others else left
        others = (one.log.file for one in log.same)
        names = ", ".join(
            visible(one.shown) if job.are_files else quote(one.name) for one in others
        )
        same = f"[the same in {cut(names, room // PART_OF_SAME)}]\n" if names else ""
        file = log.found.log.file
        name, link = file.shown, _link(job, file)
        if not job.are_files:
            name = quote(file.name)
            link = link.removeprefix(name)
        lines, total = log.lines, log.found.log.tally.lines
        said = _section(Excerpted(name, link, log.found.summary, lines, total), room - length(same))
        said += same if said else ""
        left -= length(said)
        yield said


def _section(log: Excerpted, size: int) -> str:
    """The log with its whole name, to which its links belong, or without links if that is too long."""
    is_whole = length(log.name) <= size // PART_OF_WHOLE_NAME
    without = log._replace(name=cut(log.name, size // PART_OF_NAME), link=NO_LINK)
    return (section(log, size) if is_whole else "") or section(without, size)


def _notices(job: JobExcerpt) -> list[str]:
    told = [*job.found.ending.notices, *map(str, job.lines.missing)]
    return [f"oslogserve: {sentence}" for sentence in told]
