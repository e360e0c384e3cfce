# SPDX-License-Identifier: Apache-2.0
"""Summaries of a folder's logs: as JSON, and as the overview, a page of what went wrong."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypedDict

from markupsafe import Markup
from msgspec import to_builtins

from oslogserve import native
from oslogserve.ci.build import Build
from oslogserve.ci.reports import MOST_TESTS
from oslogserve.jobs.excerpts import Excerpt, lines_shown
from oslogserve.jobs.job import Ending, Job
from oslogserve.jobs.overview import Findings
from oslogserve.jobs.reading import LogRead
from oslogserve.jobs.walk import File
from oslogserve.lines.excerpt.lines import MarkedLine
from oslogserve.lines.places import Moment, cause_lines
from oslogserve.lines.summary import CauseLine, ErrorLine, SeverityCount
from oslogserve.lines.time_range import time_range
from oslogserve.native import SEVERITIES
from oslogserve.pages.job import FolderEnd, address_of, around_moment, ending_of, next_address
from oslogserve.pages.log import ReadCompleteness, completeness, json_line
from oslogserve.pages.page import frame
from oslogserve.pages.seen import OfCause, seen_and_known, sentence
from oslogserve.pages.source import source_links
from oslogserve.query import Query
from oslogserve.query.parameters import OF_BRIEF
from oslogserve.seen import Seen
from oslogserve.seen.rules import Rule
from oslogserve.templates import rendered, streamed
from oslogserve.text import iso_moment
from oslogserve.urls import address

#: Logs that a notice about several names.
MOST_NAMED = 5
#: Bytes of the excerpt that a reader copies.
EXCERPT_SIZE = 1500
#: Characters of a line that are shown: a page shows several logs.
LONGEST_SHOWN = 4096
#: Characters of banners, and how many of one make a banner.
_BANNERS, _LEAST_OF_BANNER = "*=#_~-", 20
#: GitHub's mark of a section, with the time before it.
_SECTION = re.compile(r"\A(\ufeff?(?:[\dT:.-]{1,40}Z )?)##\[(?:end)?group\]")


class NewLines(TypedDict, total=False):
    #: New lines by severity, of a query that compares.
    new: dict[str, SeverityCount]


class LogSummary(ReadCompleteness, NewLines):
    """A log in the summary of a folder."""

    name: str
    href: str
    source: str
    stored: int | None
    modified: str | None
    lines: int
    bytes: int
    matched: int
    first_time: str | None
    last_time: str | None
    severities: dict[str, SeverityCount]
    first_error: ErrorLine | None
    last_error: ErrorLine | None
    cause: CauseLine | None
    failed: bool
    verdict: bool
    passed: bool


class FolderSummary(OfCause, FolderEnd):
    path: str
    logs: list[LogSummary]


class CauseOfLog(TypedDict):
    name: str
    href: str
    cause: CauseLine | None


class SeenCauses(OfCause, FolderEnd):
    """What a job failed for, and what is known of that."""

    path: str
    build: Build
    causes: list[CauseOfLog]


def summary(
    query: Query,
    logs: Sequence[LogRead],
    ending: Ending,
    seen: Seen | None,
    known: Sequence[Rule],
) -> bytes:
    """Summaries of the logs as JSON, in their order, and what is known of their cause."""
    in_short = [_in_short(query, one) for one in logs]
    of_cause = seen_and_known(query, seen, known)
    members: FolderSummary = {
        "path": query.shown,
        "logs": in_short,
        **of_cause,
        **ending_of(query, ending),
    }
    return json_line(members)


def seen_json(query: Query, found: Findings, seen: Seen | None, known: Sequence[Rule]) -> bytes:
    """The job's causes, and what is known of the first one, as JSON."""
    causes: list[CauseOfLog] = [
        {
            "name": one.file.shown,
            "href": address_of(query, one.file),
            "cause": _cause_json(one.summary.cause),
        }
        for one in found.wrong
    ]
    build: Any = found.build._asdict()
    members: SeenCauses = {
        "path": query.shown,
        "build": build,
        "causes": causes,
        **seen_and_known(query, seen, known),
        **ending_of(query, found.ending),
    }
    return json_line(members)


def _at(query: Query, one: LogRead, **parameters: str) -> str:
    """The address of a log's page with these parameters, relative to the folder."""
    like = one.like.decode("utf-8", "replace") if one.like else ""
    return address_of(query, one.file, against=like, **parameters)


def _at_line(query: Query, one: LogRead, line: int = 0) -> str:
    """The address of a log's page at a line, by default at its cause."""
    cause = one.summary.cause
    first, last = (cause.line, cause.last) if cause and not line else (line, line)
    return f"{_at(query, one, show=cause_lines(first, last))}#L{first}"


def _in_short(query: Query, one: LogRead) -> LogSummary:
    found = one.summary
    errors: Sequence[ErrorLine | None] = found.errors or [None]
    new: NewLines = {} if found.new is None else {"new": found.new}
    return {
        "name": one.file.shown,
        "href": address_of(query, one.file),
        "source": one.source,
        "stored": one.file.size,
        "modified": iso_moment(one.file.modified),
        "lines": one.tally.lines,
        "bytes": one.tally.bytes,
        "matched": one.tally.matched,
        "first_time": found.first_time,
        "last_time": found.last_time,
        "severities": found.severities,
        **new,
        "first_error": errors[0],
        "last_error": errors[-1],
        "cause": _cause_json(found.cause),
        "failed": found.failed,
        "verdict": found.verdict,
        "passed": found.passed,
        **completeness(query, one.missing, found.new is not None),
        "read_to_end": one.is_read_to_end,
        "reason": "; ".join(map(str, one.missing)) or None,
    }


def _cause_json(cause: CauseLine | None) -> Any:
    """The cause, or an error that was chosen among others: then members come in the order of an error's."""
    members = to_builtins(cause)
    for name in ("last", "why") if cause and cause.told is None else ():
        members[name] = members.pop(name)
    return members


def html(query: Query, section: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the overview page. It begins before the section is made, and so before logs are read."""
    title = f"What went wrong in {query.shown or 'logs'}"
    return streamed(
        "overview.html",
        section,
        **frame(query, title),
        against=query.against.decode("utf-8", "replace"),
        source=query.one_source,
        files=query.link_to_source(sort="name"),
    )


def unread(query: Query, build: Build) -> bytes:
    """The section for large logs, which are read only if that is asked for."""
    asked = query.link(("unasked",))
    return rendered("large_job.html", address=asked, build=build)


def early(query: Query, wrong: Sequence[LogRead], read: int, logs: int) -> bytes:
    """The section that is shown until section() is there. read, logs: how many were read, and found."""
    at_line = partial(_at_line, query)
    return rendered("overview_early.html", wrong=wrong, read=read, logs=logs, at_line=at_line)


def section(
    query: Query,
    job: Job,
    found: Findings,
    excerpts: Mapping[File, Excerpt],
    seen: Seen | None,
    known: Sequence[Rule],
    source_url: str = "",
) -> bytes:
    """The section of what was found, and what is known of its cause. source_url: see source_links()."""
    return rendered(
        "overview_section.html",
        job=job,
        found=found,
        seen=seen,
        sentence=seen and sentence(query, seen),
        known=known,
        logs=sorted(found.logs, key=lambda one: one.file.name),
        at=partial(_at, query),
        at_line=partial(_at_line, query),
        cause_lines=cause_lines,
        line_of=lambda one: partial(_at_line, query, one),
        most_reported=MOST_TESTS,
        lines_shown=lines_shown,
        excerpt_of=lambda one: excerpts.get(one.file),
        brief=address(
            [pair for pair in query.parameters if pair[0] in OF_BRIEF],
            ("format",),
            format="brief",
            bytes=EXCERPT_SIZE,
        ),
        moment=partial(_moment, query.one_source),
        class_of=_class_of,
        split=_split,
        with_links=partial(_with_links, query.one_source, source_links(source_url, found.build)),
        naming=lambda name: address(q=_short(name)),
        against=query.against.decode("utf-8", "replace"),
        notices=_notices(found),
        next_address=next_address(query, found.ending),
    )


def _class_of(line: MarkedLine) -> str:
    """The class of a line's element, as the renderer writes it."""
    severity = SEVERITIES[line.rank][0] if line.rank else ""
    if not severity and line.inherited:
        severity = SEVERITIES[line.inherited][0].lower()
    return f"{severity} new".lstrip() if line.is_new else severity


def _split(line: MarkedLine) -> tuple[str, str]:
    """A line as it is shown, and the banner at its end, such as the stars behind a task's name."""
    text = _SECTION.sub(r"\1", line.within(LONGEST_SHOWN)).rstrip()
    begin = text.rstrip(text[-1]) if text and text[-1] in _BANNERS else text
    if len(text) - len(begin) < _LEAST_OF_BANNER:
        begin = text
    return begin, text[len(begin) :]


def _with_links(source: str, written: Callable[[str], Markup], text: str) -> Markup:
    """The text as HTML, with links to its URLs and to all lines that name its requests. written: what it makes of the rest."""
    content, at, shown = text.encode(), 0, Markup()
    for begin, end, is_url in native.links(content):
        name = content[begin:end].decode()
        href = name if is_url else address((), (), source=source, q=name)
        shown += written(content[at:begin].decode())
        shown += Markup('<a href="{}">{}</a>').format(href, name)
        at = end
    return shown + written(content[at:].decode())


def _notices(found: Findings) -> list[str]:
    """The answer's notices, with one for all logs that were not compared for the same reason."""
    uncompared = {
        f"{one.file.shown}: {error}": (one.file.shown, str(error))
        for one in found.logs
        for error in one.missing
        if error.is_of_comparison
    }
    notices: list[str] = []
    names: dict[str, list[str]] = {}
    for notice in found.ending.notices:
        name, reason = uncompared.get(notice, ("", ""))
        if reason:
            names.setdefault(reason, []).append(name)
        else:
            notices.append(notice)
    for reason, several in names.items():
        more = len(several) - MOST_NAMED
        shown = ", ".join(several[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
        notices.append(f"{shown}: {reason}")
    return notices


def _short(name: str) -> str:
    """A test's name without module and class, which each tool writes differently. A sentence stays."""
    path, bracket, parameters = name.partition("[")
    short = path if " " in path else path.rpartition(".")[2] or path
    return short + bracket + parameters


def _moment(source: str, time: str | None, one: LogRead | None = None) -> str:
    """The address of all logs' lines around a time; "" without a date. one: the log whose cause is of then."""
    cause = one and one.summary.cause
    marked = Moment(one.file.name, lines_shown(cause)[0]) if one and cause else None
    try:
        return around_moment(time_range(time or "").first_in_utc, source, marked)
    except ValueError:
        return ""
