# SPDX-License-Identifier: Apache-2.0
"""Excerpts of a failed log and of a failed job as text or Markdown, in at most the bytes that are asked for.

In Markdown, all that is not the server's own text or a link stands in a code span or a code block. Nothing in code is
read as HTML, as the name of a person or as the number of an issue, which a backslash does not prevent where a site looks
for these in the text that a reader sees.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import starmap
from urllib.parse import quote

from oslogserve.errors import Incomplete
from oslogserve.jobs.excerpts import LogLines, errors_at_failure
from oslogserve.jobs.overview import Findings
from oslogserve.jobs.reading import LogRead
from oslogserve.lines.excerpt.choice import chosen
from oslogserve.lines.excerpt.lines import MarkedLine
from oslogserve.lines.excerpt.worth import Weighed, weighed
from oslogserve.lines.summary import ErrorLine, Summary
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

# Markdown.
#: The part of the bytes that a name takes where a longer one has no room beside a line.
PART_OF_SHORT_NAME = 8
#: Backticks that follow one another. Of more, the middle is left out, so that a block's fence is short.
MOST_BACKTICKS = 8
_LONG_RUN, _SHORT_RUN = re.compile(f"`{{{MOST_BACKTICKS + 1},}}"), "```...```"
#: What may stand in a link as it is.
_OF_URL = "/:?#[]@!$&'*+,;=%~"


class PlainText:
    """How an excerpt is written: as text."""

    has_links = False
    #: What begins a paragraph or a list, and an item of it.
    block, item = "", ""
    #: The most bytes of the signs around a run of lines.
    of_fences = 0

    def quoted(self, text: str) -> str:
        return quoted(text)

    def said(self, text: str) -> str:
        """A text that is not the server's own."""
        return visible(text)

    def head(self, name: str, said: str, to: str = "", level: int = 3) -> str:
        """What begins an excerpt, or a log in one. said: is written already. to: an address; "" for none."""
        return f"{': '.join(filter(None, (visible(name), said)))}\n"

    def link(self, to: str, said: str) -> str:
        """said: what stands for the address where links have a text; it is written already."""
        return visible(to)

    def line(self, text: str) -> str:
        return text

    def run(self, lines: str) -> str:
        return lines


class Markdown(PlainText):
    has_links = True
    block, item = "\n", "- "
    of_fences = 2 * (MOST_BACKTICKS + 1 + len("\n"))

    def quoted(self, text: str) -> str:
        return self.said(text)

    def said(self, text: str) -> str:
        """A code span. Apostrophes stand for backticks, so that its length does not depend on the text."""
        return "`" + (visible(text).replace("`", "'") or " ") + "`"

    def head(self, name: str, said: str, to: str = "", level: int = 3) -> str:
        shown = self.said(name)
        heading = f"{'#' * level} {self.link(to, shown) if to else shown}\n"
        return f"{heading}{self.block}{said}\n" if said else heading

    def link(self, to: str, said: str) -> str:
        return f"[{said}]({quote(to, _OF_URL)})"

    def line(self, text: str) -> str:
        return _LONG_RUN.sub(_SHORT_RUN, text)

    def run(self, lines: str) -> str:
        longest = max(map(len, re.findall("`+", lines)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"{fence}\n{lines}{fence}\n"


FORMS = {"brief": PlainText(), "markdown": Markdown()}


def of_log(
    summary: Summary,
    lines: Sequence[MarkedLine],
    total: int,
    name: str,
    link: str,
    size: int,
    notices: Sequence[str],
    form: PlainText,
) -> bytes:
    """The excerpt of a log in at most so many bytes. notices: sentences about what is missing. Else see _section()."""
    end = ending(notices, size // PART_OF_NOTICES, form)
    write = partial(_section, form, summary, lines, total, size=size - _length(end))
    section = write(cut(visible(name), size // PART_OF_NAME), link)
    section = section or write(cut(visible(name), size // PART_OF_SHORT_NAME), NO_LINK)
    return (section + end).encode()


def _section(
    form: PlainText,
    summary: Summary,
    lines: Sequence[MarkedLine],
    total: int,
    name: str,
    link: str,
    size: int,
    level: int = 3,
) -> str:
    """What is known of a log, and runs of its lines, in at most so many bytes; nothing if no line has room.

    lines: those of the plan. total: the number of all. name: what the reader calls the log.
    link: what stands before the numbers of lines, which then lead to them: "?goto=" or "FILE:". level: of its heading.
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
        return f"{mark}{form.line(one.text)}{more}\n" if one.text else f"{mark.rstrip()}\n"

    def place(numbers: str) -> str:
        named = f"{NO_LINK if '-' in numbers else 'line '}{numbers}"
        return named if link == NO_LINK else form.link(f"{link}{numbers}", named)

    link = visible(link)
    link = link if _length(link) <= size // PART_OF_LINK else NO_LINK
    to = f"{link}cause" if cause and link != NO_LINK else ""
    said = form.head(name, _verdict(summary, total, size, form), to, level)
    digits = len(f"{total:,}")
    of_gap = _length(f"{form.block}...  lines left out\n") + digits
    of_run = of_gap + _length(f": {place('-'.join(['9' * digits] * 2))}") + form.of_fences
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
        numbers = f"{first}-{last}" if last > first else f"{first}"
        gap = _left_out(first - before - 1)
        said += form.block + ": ".join(filter(None, (gap, f"{place(numbers)}\n")))
        said += form.run("".join(map(written, run)))
    return f"{said}{form.block}{_left_out(total - last)}\n" if last < total else said


def _verdict(summary: Summary, total: int, size: int, form: PlainText) -> str:
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
        of_step = f" in {form.quoted(cut(visible(step.name), most))}"
        if step.duration is not None:
            of_step += f" ({duration(step.duration)})"
    new = "" if cause.new is None else "; + is new"
    return f"{what}; {where} at {lines} of {in_total}{of_step}{new}"


def _left_out(lines: int) -> str:
    return f"... {counted(lines, 'line')} left out" if lines else ""


def ending(notices: Sequence[str], size: int, form: PlainText) -> str:
    """Lines in brackets, of at most so many bytes: the first sentences, and how many more there are.

    Of the first one, the middle is left out if need be.
    """

    def written(notice: str) -> str:
        return f"{form.block}{form.said(f'[{notice}]')}\n"

    lines = [*map(written, notices)]
    if _length("".join(lines)) <= size:
        return "".join(lines)

    def more(left: int) -> str:
        return written(f"{counted(left, 'more sentence')} about what is missing") if left else ""

    room = size - _length(more(len(lines) - 1))
    said = written(cut(visible(notices[0]), room - _length(written(""))))
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
    size, source, form = query.size, query.one_source, FORMS[query.view]
    folder = f"{query.whole_address.rstrip('/')}/"
    before_name = folder if query.origin else ""
    behind_name = ":" if are_files else f"{of_source(source)}{'&' if source else '?'}goto="

    def name_of(one: LogRead) -> str:
        return one.file.shown if are_files else quote(one.file.name)

    notices = [f"oslogserve: {sentence}" for sentence in (*found.ending.notices, *unread)]
    is_of_comparison = any(error.is_of_comparison for error in found.ending.missing)
    # The first notice is always shown, others may have no room.
    has_address = query.path or query.origin
    name, to = folder if has_address else "These logs", ""
    if form.has_links and has_address:
        name = name.removeprefix(query.origin)
        to = folder if _length(folder) <= size // PART_OF_LINK else ""
    heading = _heading(name, to, found, known, is_of_comparison and len(notices) > 1, form)
    said = _fitting(heading, size // PART_OF_BUILD)
    tests = (cut(f"{name}: {message}", MOST_OF_TEST) for name, message in found.tests)
    tests_said = (f"{form.item or OTHER}{form.said(one)}\n" for one in tests)
    said += _listed("Tests that failed:", tests_said, size // PART_OF_TESTS, form)

    def error_said(one: LogRead, error: ErrorLine) -> str:
        place = form.said(f"{one.file.shown}:{error.line}")
        if not are_files:
            place = form.link(f"{before_name}{name_of(one)}{behind_name}{error.line}", place)
        return f"{form.item}{place}: {form.said(cut(error.text, MOST_OF_ERROR))}\n"

    errors = starmap(error_said, errors_at_failure(found, logs))
    end = _listed("At that moment in other logs:", errors, size // PART_OF_MOMENT, form)
    end += ending(notices, max(LEAST_OF_NOTICES, size // PART_OF_JOBS_NOTICES), form)
    left = size - _length(said + end)
    for place, ((one, *same), lines) in enumerate(logs):
        if left < LEAST_OF_LOG:
            break
        part = left * OF_FIRST // 100
        has_others = place < len(logs) - 1 and left - part >= LEAST_OF_LOG
        room = part if has_others else left
        name = name_of(one)
        is_named = are_files or before_name or form.has_links
        link = f"{before_name}{name}{behind_name}" if is_named else behind_name
        if are_files and form.has_links:  # there is nothing to link to
            link = NO_LINK
        names = ", ".join(visible(name_of(other)) for other in same)
        alike = f"[the same in {cut(names, room // PART_OF_SAME)}]" if names else ""
        alike = f"{form.block}{form.said(alike)}\n" if alike else ""
        room -= _length(form.block + alike)
        write = partial(_section, form, one.summary, lines, one.tally.lines, level=4)
        # Its links belong to its whole name. If that is too long, there are none.
        is_whole = _length(name) <= room // PART_OF_WHOLE_NAME
        section = write(name, link, room) if is_whole else ""
        section = section or write(cut(name, room // PART_OF_NAME), NO_LINK, room)
        section = f"{form.block}{section}{alike}" if section else ""
        left -= _length(section)
        said += section
    return (said + end).encode()


def _heading(
    name: str,
    to: str,
    found: Findings,
    known: Sequence[Rule],
    is_compared_in_part: bool,
    form: PlainText,
) -> Iterator[str]:
    """Yields what was tested, and what failed, in lines. name: of the folder. to: its address in a link."""
    build, task = found.build, found.task
    ended = build.result
    if build.seconds is not None:
        ended = f"{ended or 'ended'} in {duration(build.seconds)}"
    of_build = ended, build.job, build.project, build.change, build.branch, build.ref
    built = ", ".join(filter(None, of_build))
    yield form.head(cut(name, 300), form.said(built) if built else "", to)
    if is_compared_in_part:
        yield f"{form.item}Not compared with all of the run that passed.\n"
    if build.change_url:
        yield f"{form.item}Change: {form.said(build.change_url)}\n"
    if task:
        failed_task = f"{quoted(task.name)} failed on {task.host}"
        failed_task += f": {cut(task.message, MOST_OF_TEST)}"
        yield f"{form.item}Task {form.said(failed_task)}\n"
    for rule in known:
        title = form.said(rule.title)
        linked = form.link(rule.url, title)
        title = linked if rule.url and form.has_links else f"{title} {linked}".rstrip()
        yield f"{form.item}Known: {title}\n"
    failed = sum(one.summary.failed for one in found.logs)
    others = sum(not one.summary.failed for one in found.wrong)
    more, of_all = (
        "1 more shows" if others == 1 else f"{others:,} more show",
        f"of {len(found.logs):,}",
    )
    if found.has_failed is False:
        ended = "The job passed"
    elif failed:
        ended = f"{counted(failed, 'log')} {of_all} failed" + (f"; {more} errors" if others else "")
    elif others:
        ended = f"No log {of_all} failed; {more.replace(' more', '')} errors"
    else:
        ended = f"No log {of_all} shows a failure"
    yield f"{form.item}{ended}\n"


def _fitting(lines: Iterable[str], size: int) -> str:
    """The lines, without those for which so many bytes have no room."""
    said = ""
    for line in lines:
        if _length(said + line) <= size:
            said += line
    return said


def _listed(heading: str, lines: Iterable[str], size: int, form: PlainText) -> str:
    """The lines below a heading, as far as so many bytes have room; nothing without any."""
    heading = f"{form.block}{heading}\n"
    listed = _fitting(lines, size - _length(heading))
    return f"{heading}{listed}" if listed else ""


def _length(text: str) -> int:
    return len(text.encode())
