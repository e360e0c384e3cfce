# SPDX-License-Identifier: Apache-2.0
"""Excerpts of a failed log and of a failed job as text, in at most the bytes that are asked for."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from urllib.parse import quote

from oslogserve.errors import Incomplete
from oslogserve.jobs.excerpts import LogLines, errors_at_failure
from oslogserve.jobs.overview import Findings
from oslogserve.jobs.reading import LogRead
from oslogserve.lines.excerpt.choice import chosen
from oslogserve.lines.excerpt.lines import MarkedLine
from oslogserve.lines.excerpt.worth import Weighed, weighed
from oslogserve.lines.summary import Summary
from oslogserve.pages.page import of_source
from oslogserve.query import Query
from oslogserve.seen.rules import Rule
from oslogserve.text import counted, cut, duration, quoted, visible

#: What stands before the first line of the cause, and before other lines.
CAUSE, OTHER = ">", " "

# A log.
#: Parts of an excerpt that a name, the sentences about what is missing, and a link or a step's name take at
#: most.
PART_OF_NAME, PART_OF_NOTICES, PART_OF_LINK = 4, 5, 8
#: Bytes of a step's name.
MOST_OF_STEP = 80
#: What stands before numbers of lines instead of a long link.
NO_LINK = "lines "

# A job.
#: Parts of the excerpt: what is known of the build, failed tests, errors of other logs at that moment, and
#: sentences about what is missing.
PART_OF_BUILD, PART_OF_TESTS, PART_OF_MOMENT, PART_OF_JOBS_NOTICES = 3, 6, 6, 8
#: The part of what is left that the first of several logs takes, in percent.
OF_FIRST = 65
#: The least bytes of a log, and of sentences about what is missing.
LEAST_OF_LOG, LEAST_OF_NOTICES = 200, 100
#: The part of a log's bytes that its name takes at most, if its links need all of it, and other names.
PART_OF_WHOLE_NAME, PART_OF_SAME = 2, 8
#: Bytes of a test's name and message, and of an error at that moment.
MOST_OF_TEST, MOST_OF_ERROR = 300, 240


def of_log(
    summary: Summary,
    lines: Sequence[MarkedLine],
    total: int,
    name: str,
    link: str,
    size: int,
    notices: Sequence[str],
) -> bytes:
    """The excerpt of a log in at most so many bytes. notices: sentences about what is missing. Else see _section()."""
    end = ending(notices, size // PART_OF_NOTICES)
    name = cut(visible(name), size // PART_OF_NAME)
    return (_section(summary, lines, total, name, link, size - _length(end)) + end).encode()


def _section(
    summary: Summary, lines: Sequence[MarkedLine], total: int, name: str, link: str, size: int
) -> str:
    """What is known of a log, and runs of its lines, in at most so many bytes; nothing if no line has room.

    lines: those of the plan. total: the number of all. name: what the reader calls the log.
    link: what stands before the numbers of lines, which then lead to them: "?goto=" or "FILE:".
    """
    cause = summary.cause
    is_compared = cause is not None and cause.new is not None
    least = "" if len(lines) == total else "at least "

    def written(one: Weighed) -> str:
        """The line behind a column of its own: no line can be taken for what is said of it."""
        tells_why = cause and cause.why != "end" and one.line.number == cause.line
        mark = ("+" if one.line.is_new else " ") if is_compared else ""
        mark += CAUSE if tells_why else OTHER
        more = f" [{least}{one.more:,} more like it]" if one.more else ""
        return f"{mark}{one.text}{more}\n" if one.text else f"{mark.rstrip()}\n"

    said = f"{visible(name)}: {_verdict(summary, total, size)}\n"
    link = visible(link)
    link = link if _length(link) <= size // PART_OF_LINK else NO_LINK
    digits = len(f"{total:,}")
    of_gap = _length("...  lines left out\n") + digits
    of_run = of_gap + _length(f": {link}-") + 2 * digits
    left = size - _length(said) - of_gap
    if left < 0:
        return ""
    weights = weighed(lines, summary, total)
    runs = chosen(weights, left, lambda one: _length(written(one)), of_run)
    if not runs and any(line.content.strip() for line in lines):
        return ""
    last = 0
    for run in runs:
        first, before, last = run[0].line.number, last, run[-1].line.number
        begin = "line " if link == NO_LINK and first == last else link
        numbers = f"{first}-{last}" if last > first else f"{first}"
        gap = _left_out(first - before - 1)
        said += ": ".join(filter(None, (gap, f"{begin}{numbers}\n")))
        said += "".join(map(written, run))
    return f"{said}{_left_out(total - last)}\n" if last < total else said


def _verdict(summary: Summary, total: int, size: int) -> str:
    """What the summary says of a log of so many lines."""
    cause, step, in_total = summary.cause, summary.step, counted(total, "line")
    if cause is None:
        return f"shows no failure in {in_total}"
    what = "failed" if summary.failed else "does not say that it failed"
    where = "likely cause"
    if cause.why == "end":
        where = "no cause found, its end" if summary.failed else "its end"
    lines = (
        f"lines {cause.line:,}-{cause.last:,}"
        if cause.last > cause.line
        else f"line {cause.line:,}"
    )
    of_step = ""
    if step:
        most = min(MOST_OF_STEP, size // PART_OF_LINK)
        of_step = f" in {quoted(cut(visible(step.name), most))}"
        if step.duration is not None:
            of_step += f" ({duration(step.duration)})"
    new = "" if cause.new is None else "; + is new"
    return f"{what}; {where} at {lines} of {in_total}{of_step}{new}"


def _left_out(lines: int) -> str:
    return f"... {counted(lines, 'line')} left out" if lines else ""


def ending(notices: Sequence[str], size: int) -> str:
    """Lines in brackets, of at most so many bytes: the first sentences, and how many more there are.

    Of the first one, the middle is left out if need be.
    """
    lines = [f"[{visible(notice)}]\n" for notice in notices]
    if _length("".join(lines)) <= size:
        return "".join(lines)

    def more(left: int) -> str:
        return f"[{counted(left, 'more sentence')} about what is missing]\n" if left else ""

    room = size - _length(more(len(lines) - 1))
    said = f"[{cut(visible(notices[0]), room - len('[]') - 1)}]\n"
    for place, line in enumerate(lines[1:], 1):
        if _length(said + line) > room:
            return said + more(len(lines) - place)
        said += line
    return said


def of_job(
    query: Query,
    found: Findings,
    logs: Sequence[LogLines],
    unread: Sequence[Incomplete],
    known: Sequence[Rule],
    are_files: bool,
) -> bytes:
    """The excerpt of a job in at most the bytes that the query says.

    logs, unread: of `lines_of`. are_files: True if lines are named by "FILE:NUMBER", and not by links.
    """
    size, source = query.size, query.one_source
    folder = f"{query.whole_address.rstrip('/')}/"
    before_name = folder if query.origin else ""
    behind_name = ":" if are_files else f"{of_source(source)}{'&' if source else '?'}goto="

    def name_of(one: LogRead) -> str:
        return one.file.shown if are_files else quote(one.file.name)

    notices = [f"oslogserve: {sentence}" for sentence in (*found.ending.notices, *unread)]
    is_of_comparison = any(error.is_of_comparison for error in found.ending.missing)
    # The first notice is always shown, others may have no room.
    name = folder if query.path or query.origin else "These logs"
    heading = _heading(name, found, known, is_of_comparison and len(notices) > 1)
    said = _fitting(heading, size // PART_OF_BUILD)
    tests = (cut(f"{name}: {message}", MOST_OF_TEST) for name, message in found.tests)
    said += _listed("Tests that failed:", (OTHER + one for one in tests), size // PART_OF_TESTS)
    errors = (
        f"{before_name}{name_of(one)}{behind_name}{error.line}: {cut(error.text, MOST_OF_ERROR)}"
        for one, error in errors_at_failure(found, logs)
    )
    end = _listed("At that moment in other logs:", errors, size // PART_OF_MOMENT)
    end += ending(notices, max(LEAST_OF_NOTICES, size // PART_OF_JOBS_NOTICES))
    left = size - _length(said + end)
    for place, ((one, *same), lines) in enumerate(logs):
        if left < LEAST_OF_LOG:
            break
        part = left * OF_FIRST // 100
        has_others = place < len(logs) - 1 and left - part >= LEAST_OF_LOG
        room = part if has_others else left
        name = name_of(one)
        link = f"{before_name}{name}{behind_name}" if are_files or before_name else behind_name
        names = ", ".join(visible(name_of(other)) for other in same)
        alike = f"[the same in {cut(names, room // PART_OF_SAME)}]\n" if names else ""
        room -= _length(alike)
        write = partial(_section, one.summary, lines, one.tally.lines)
        # Its links belong to its whole name. If that is too long, there are none.
        is_whole = _length(name) <= room // PART_OF_WHOLE_NAME
        section = write(name, link, room) if is_whole else ""
        section = section or write(cut(name, room // PART_OF_NAME), NO_LINK, room)
        section += alike if section else ""
        left -= _length(section)
        said += section
    return (said + end).encode()


def _heading(
    name: str, found: Findings, known: Sequence[Rule], is_compared_in_part: bool
) -> Iterator[str]:
    """Yields what was tested, and what failed. name: of the folder."""
    build, task = found.build, found.task
    ended = build.result
    if build.seconds is not None:
        ended = f"{ended or 'ended'} in {duration(build.seconds)}"
    of_build = ended, build.job, build.project, build.change, build.branch, build.ref
    yield ": ".join(filter(None, (cut(name, 300), ", ".join(filter(None, of_build)))))
    if is_compared_in_part:
        yield "Not compared with all of the run that passed."
    if build.change_url:
        yield f"Change: {build.change_url}"
    if task:
        yield f"Task {quoted(task.name)} failed on {task.host}: {cut(task.message, MOST_OF_TEST)}"
    for rule in known:
        yield f"Known: {rule.title} {rule.url}".rstrip()
    failed = sum(one.summary.failed for one in found.logs)
    others = sum(not one.summary.failed for one in found.wrong)
    more, of_all = (
        "1 more shows" if others == 1 else f"{others:,} more show",
        f"of {len(found.logs):,}",
    )
    if found.has_failed is False:
        yield "The job passed"
    elif failed:
        yield f"{counted(failed, 'log')} {of_all} failed" + (f"; {more} errors" if others else "")
    elif others:
        yield f"No log {of_all} failed; {more.replace(' more', '')} errors"
    else:
        yield f"No log {of_all} shows a failure"


def _fitting(lines: Iterable[str], size: int) -> str:
    """The lines, without those for which so many bytes have no room."""
    said = ""
    for line in lines:
        line = f"{visible(line)}\n"
        if _length(said + line) <= size:
            said += line
    return said


def _listed(heading: str, lines: Iterable[str], size: int) -> str:
    """The lines below a heading, as far as so many bytes have room; nothing without any."""
    listed = _fitting(lines, size - _length(heading) - 1)
    return f"{heading}\n{listed}" if listed else ""


def _length(text: str) -> int:
    return len(text.encode())
