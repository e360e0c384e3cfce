# SPDX-License-Identifier: Apache-2.0
"""Summaries of a folder's logs: as JSON, and as the overview, a page of what went wrong."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from markupsafe import Markup
from msgspec import to_builtins

from oslogserve import native
from oslogserve.ci.build import Build
from oslogserve.humanize import iso_moment
from oslogserve.jobs.excerpts import Excerpt, lines_shown
from oslogserve.jobs.job import Ending
from oslogserve.jobs.overview import Findings, RankedLog
from oslogserve.jobs.reading import LogRead
from oslogserve.jobs.walk import File
from oslogserve.lines.excerpt.lines import MarkedLine
from oslogserve.lines.places import Moment, cause_lines
from oslogserve.lines.summary import CauseLine, ErrorLine, innermost
from oslogserve.lines.time_range import time_range
from oslogserve.native import SEVERITIES
from oslogserve.pages.job import address_of, around_moment, ending_of, next_address
from oslogserve.pages.log import completeness, json_line
from oslogserve.pages.page import frame
from oslogserve.pages.seen import seen_and_known, sentence
from oslogserve.query import Query
from oslogserve.query.parameters import OF_BRIEF
from oslogserve.seen import Seen
from oslogserve.seen.rules import Rule
from oslogserve.templates import rendered, streamed
from oslogserve.urls import address

#: Logs that a notice about several names.
MOST_NAMED = 5
#: Bytes of the excerpt that a reader copies.
EXCERPT_SIZE = 4000
#: Characters of a line that are shown: a page shows several logs.
LONGEST_SHOWN = 4096
#: Characters of banners, and how many of one make a banner.
_BANNERS, _LEAST_OF_BANNER = "*=#_~-", 20
#: GitHub's mark of a section, with the time before it.
_SECTION = re.compile(r"\A(\ufeff?(?:[\dT:.-]{1,40}Z )?)##\[(?:end)?group\]")


def summary(
    query: Query,
    logs: Sequence[RankedLog],
    ending: Ending,
    seen: Seen | None,
    known: Sequence[Rule],
) -> bytes:
    """Summaries of the logs as JSON, in their order, and what is known of their cause."""
    in_short = [_in_short(query, one) for one in logs]
    of_cause = seen_and_known(query, seen, known)
    return json_line(
        {"path": query.shown, "logs": in_short, **of_cause, **ending_of(query, ending)}
    )


def seen_json(query: Query, found: Findings, seen: Seen | None, known: Sequence[Rule]) -> bytes:
    """The job's causes, and what is known of the first one, as JSON."""
    causes = [
        {
            "name": one.log.file.shown,
            "href": address_of(query, one.log.file),
            "cause": _cause_json(one.summary.cause),
        }
        for one in found.logs
        if one.shows_failure
    ]
    of_job = {"path": query.shown, "build": found.build._asdict()}
    of_cause = seen_and_known(query, seen, known)
    members = {**of_job, "causes": causes, **of_cause}
    return json_line({**members, **ending_of(query, found.ending)})


class _Linked(NamedTuple):
    """A log with its address."""

    found: RankedLog
    #: Relative to the folder.
    href: str
    #: The lines of the cause; None if they were not read.
    excerpt: Excerpt | None = None

    @property
    def log(self) -> LogRead:
        return self.found.log

    @property
    def cause(self) -> CauseLine:
        """The log's cause, for a log that has one."""
        if self.found.summary.cause is None:
            raise ValueError(self.found.log.file.shown)
        return self.found.summary.cause

    @property
    def at_cause(self) -> str:
        """The address of the log's page at its cause."""
        return f"{self.with_cause}#L{self.cause.line}"

    @property
    def with_cause(self) -> str:
        """The address of the log's page, which shows the lines of the cause."""
        return self.at(show=cause_lines(self.cause.line, self.cause.last))

    @property
    def head(self) -> str:
        """The address of the cause's first line, if the excerpt does not show it; else ""."""
        is_shown = self.excerpt and lines_shown(self.cause)[0] == self.cause.line
        return "" if is_shown else self.at_cause

    @property
    def task(self) -> str:
        """The name of the innermost chapter with the cause; "" for none."""
        chapter = innermost(self.found.summary.chapters, self.cause.line)
        return chapter.name if chapter else ""

    @property
    def shows_end(self) -> bool:
        """Whether the excerpt is only the end, of what failed or of the log: no line tells why."""
        return bool(self.excerpt) and self.cause.why == "end"

    @property
    def ended(self) -> str:
        """What ended there, in words."""
        return "what failed" if self.found.summary.failed else "the log"

    @property
    def error_above(self) -> ErrorLine | None:
        """The last error above the end of what failed, of those that the summary has."""
        if not (self.shows_end and self.found.summary.failed):
            return None
        errors = [one for one in self.found.summary.errors if one.line < self.cause.line]
        return next((one for one in reversed(errors) if one.new is not False), None)

    @property
    def at_error_above(self) -> str:
        return self._at_line(self.error_above.line) if self.error_above else ""

    @property
    def at_silent_step(self) -> str:
        """The log's page at the step that failed, if that shows nothing and the cause is earlier; else ""."""
        line = self.cause.silent_step
        return "" if line is None else self._at_line(line)

    def _at_line(self, line: int) -> str:
        return f"{self.at(show=f'L{line}')}#L{line}"

    @property
    def new(self) -> int | None:
        """New lines; None if the log is not compared with another one."""
        counts = self.found.summary.new
        return None if counts is None else sum(lines.count for lines in counts.values())

    def at(self, **parameters: str) -> str:
        """The address of the log with these parameters."""
        return _with(self.href, **parameters)


def _with(href: str, **parameters: str) -> str:
    added = address(parameters.items())
    return href + (added if "?" not in href else "&" + added[1:])


def _in_short(query: Query, one: RankedLog) -> dict[str, Any]:
    log, found = one.log, one.summary
    errors: Sequence[ErrorLine | None] = found.errors or [None]
    return {
        "name": log.file.shown,
        "href": address_of(query, log.file),
        "source": log.source,
        "stored": log.file.size,
        "modified": iso_moment(log.file.modified),
        "lines": log.tally.lines,
        "bytes": log.tally.bytes,
        "matched": log.tally.matched,
        "first_time": found.first_time,
        "last_time": found.last_time,
        "severities": found.severities,
        **({} if found.new is None else {"new": found.new}),
        "first_error": errors[0],
        "last_error": errors[-1],
        "cause": _cause_json(found.cause),
        "failed": found.failed,
        "verdict": found.verdict,
        "passed": found.passed,
        **completeness(query, log.missing, found.new is not None),
        "read_to_end": log.is_read_to_end,
        "reason": "; ".join(map(str, log.missing)) or None,
    }


def _cause_json(cause: CauseLine | None) -> dict[str, Any] | None:
    members: dict[str, Any] | None = to_builtins(cause)
    if (
        members and "told" not in members
    ):  # an error that was chosen among others has its own members first
        return members | {name: members.pop(name) for name in ("last", "why")}
    return members


def html(query: Query, section: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the overview page. It begins before the section is made, and so before logs are read."""
    title = f"What went wrong in {query.shown or 'logs'}"
    return streamed(
        "overview.html",
        section,
        **frame(query.mount, query.path, title, query.one_source),
        against=query.against.decode("utf-8", "replace"),
        source=query.one_source,
    )


def unread(query: Query, build: Build) -> bytes:
    """The section for large logs, which are read only if that is asked for."""
    asked = query.link(("unasked",))
    return rendered("large_job.html", address=asked, build=build)


def early(query: Query, wrong: Sequence[RankedLog], read: int, logs: int) -> bytes:
    """The section that is shown until section() is there. read, logs: how many were read, and found."""
    linked = [_linked(query, one) for one in wrong]
    return rendered("overview_early.html", wrong=linked, read=read, logs=logs)


def section(
    query: Query,
    found: Findings,
    excerpts: Mapping[File, Excerpt],
    seen: Seen | None,
    known: Sequence[Rule],
) -> bytes:
    """The section of what was found, and what is known of its cause."""

    def linked(one: RankedLog) -> _Linked:
        return _linked(query, one, excerpts.get(one.log.file))

    return rendered(
        "overview_section.html",
        found=found,
        seen=seen,
        sentence=seen and sentence(query, seen),
        known=known,
        logs=[linked(one) for one in sorted(found.logs, key=lambda one: one.log.file.name)],
        wrong=[linked(one) for one in found.logs if one.shows_failure],
        ended=found.ended and linked(found.ended),
        brief=address(
            (pair for pair in query.parameters if pair[0] in OF_BRIEF),
            ("format",),
            format="brief",
            bytes=EXCERPT_SIZE,
        ),
        moment=partial(_moment, query.one_source),
        class_of=_class_of,
        split=_split,
        with_links=partial(_with_links, query.one_source),
        naming=lambda test: address(q=_short(test.name)),
        against=query.against.decode("utf-8", "replace"),
        notices=_notices(found),
        next_address=next_address(query, found.ending),
    )


def _linked(query: Query, one: RankedLog, excerpt: Excerpt | None = None) -> _Linked:
    href, like = address_of(query, one.log.file), one.like
    href = _with(href, against=like.decode("utf-8", "replace")) if like else href
    return _Linked(one, href, excerpt)


def _class_of(line: MarkedLine) -> str:
    """The class of a line's element, as the renderer writes it."""
    severity = SEVERITIES[line.rank][0] if line.rank else ""
    if not severity and line.inherited:
        severity = SEVERITIES[line.inherited][0].lower()
    return f"{severity} new".lstrip() if line.is_new else severity


def _split(line: MarkedLine) -> tuple[str, str]:
    """What is shown of a line, and the banner at its end, such as the stars behind a task's name."""
    text = _SECTION.sub(r"\1", line.within(LONGEST_SHOWN)).rstrip()
    begin = text.rstrip(text[-1]) if text and text[-1] in _BANNERS else text
    if len(text) - len(begin) < _LEAST_OF_BANNER:
        begin = text
    return begin, text[len(begin) :]


def _with_links(source: str, text: str) -> Markup:
    """The text as HTML, with links to its URLs and to all lines that name its requests."""
    content, at, shown = text.encode(), 0, Markup()
    for begin, end, is_url in native.links(content):
        name = content[begin:end].decode()
        href = name if is_url else address((), (), source=source, q=name)
        shown += content[at:begin].decode()
        shown += Markup('<a href="{}">{}</a>').format(href, name)
        at = end
    return shown + content[at:].decode()


def _notices(found: Findings) -> list[str]:
    """The answer's notices, with one for all logs that were not compared for the same reason."""
    uncompared = {
        f"{one.log.file.shown}: {error}": (one.log.file.shown, str(error))
        for one in found.logs
        for error in one.log.missing
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


def _moment(source: str, time: str | None, one: _Linked | None = None) -> str:
    """The address of all logs' lines around a time; "" without a date. one: the log that shows it."""
    marked = one and Moment(one.log.file.name, lines_shown(one.cause)[0])
    try:
        return around_moment(time_range(time or "").first_in_utc, source, marked)
    except ValueError:
        return ""
