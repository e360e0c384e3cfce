# SPDX-License-Identifier: Apache-2.0
"""Summaries of a folder's logs: as JSON, and as the overview, a page of what went wrong."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from markupsafe import escape

from oslogserve.humanize import iso_moment
from oslogserve.jobs.build import Build
from oslogserve.jobs.excerpt import lines_shown
from oslogserve.jobs.findings import Findings, FoundLog
from oslogserve.jobs.job import Job
from oslogserve.jobs.job_log import JobLog
from oslogserve.jobs.walk import File
from oslogserve.lines.places import Moment
from oslogserve.lines.time_range import time_range
from oslogserve.pages import moments
from oslogserve.pages.job import address_of, ending, next_address
from oslogserve.pages.log import json_line
from oslogserve.pages.page import address, frame
from oslogserve.query import Query
from oslogserve.templates import rendered, streamed

#: Lines before and after a cause in a link to its log.
LINES_AROUND = 200


def summary(query: Query, job: Job, read: Callable[[], list[FoundLog]]) -> Iterator[bytes]:
    """Yields summaries of the logs as JSON, the likely cause of the failure first.

    read: reads the logs, and closes them.
    """
    logs = [_in_short(query, one) for one in read()]
    path = query.path.decode("utf-8", "replace")
    yield json_line({"path": path, "logs": logs, **ending(query, job)})


class _Linked(NamedTuple):
    """A log with its address."""

    found: FoundLog
    #: Relative to the folder.
    href: str

    @property
    def log(self) -> JobLog:
        return self.found.log

    @property
    def cause(self) -> dict[str, Any]:
        """The log's cause, for a log that has one."""
        return self.found.rank.cause or {}

    @property
    def around(self) -> str:
        """The address of the lines around the cause."""
        return _around(self.href, self.cause)

    @property
    def head(self) -> str:
        """The address of the cause's first line, if the excerpt does not show it; else ""."""
        cause = self.cause
        if self.found.excerpt and lines_shown(cause)[0] == cause["line"]:
            return ""
        last = f"-L{cause['last']}" if cause["last"] > cause["line"] else ""
        return f"{self.around}#L{cause['line']}{last}"

    @property
    def shows_end(self) -> bool:
        """Whether the excerpt is only the end of what failed: no line tells why."""
        return bool(self.found.excerpt) and self.cause["why"] == "end"

    @property
    def new(self) -> int | None:
        """New lines; None if the log is not compared with another one."""
        counts = self.found.summary.get("new")
        return None if counts is None else sum(lines["count"] for lines in counts.values())

    def at(self, **parameters: str) -> str:
        """The address of the log with these parameters."""
        return _with(self.href, **parameters)


def _with(href: str, **parameters: str) -> str:
    added = address(parameters.items())
    return href + (added if "?" not in href else "&" + added[1:])


def _around(href: str, cause: dict[str, Any]) -> str:
    first = max(1, cause["line"] - LINES_AROUND)
    return _with(href, lines=f"{first}-{cause['last'] + LINES_AROUND}")


def label(query: Query, file: File, cause: dict[str, Any]) -> bytes:
    """The beginning of each row of an excerpt; see Wanted."""
    return str(escape(_around(address_of(query, file), cause))).encode()


def _in_short(query: Query, one: FoundLog) -> dict[str, Any]:
    log, found = one.log, one.summary
    errors = found["errors"] or [None]
    return {
        "name": log.file.shown,
        "href": address_of(query, log.file),
        "source": log.source,
        "stored": log.file.size,
        "modified": iso_moment(log.file.modified),
        "lines": log.tally.lines,
        "bytes": log.tally.bytes,
        "matched": log.tally.matched,
        "first_time": found["first_time"],
        "last_time": found["last_time"],
        "severities": found["severities"],
        **({"new": found["new"]} if "new" in found else {}),
        "first_error": errors[0],
        "last_error": errors[-1],
        "cause": one.rank.cause,
        "failed": found["failed"],
        "complete": all(error.is_of_comparison for error in log.missing),
        "read_to_end": log.is_read_to_end,
        "reason": "; ".join(map(str, log.missing)) or None,
    }


def html(
    query: Query, job: Job, read: Callable[[], Findings], header: Callable[[], Build]
) -> Iterator[bytes]:
    """Yields the overview page. It begins before the logs are read.

    read: reads the logs, and closes them. header: reads what the header shows, and no more.
    """
    title = f"What went wrong in {query.path.decode('utf-8', 'replace') or 'logs'}"
    section = _section(query, job, read, header)
    return streamed("overview.html", section, **frame(query.mount, query.path, title))


def _section(
    query: Query, job: Job, read: Callable[[], Findings], header: Callable[[], Build]
) -> Iterator[bytes]:
    if query.unasked and job.is_large:
        asked = address(query.parameters, ("unasked",))
        yield rendered("large_job.html", address=asked, build=header())
        return
    found = read()

    def linked(one: FoundLog) -> _Linked:
        href, passed = address_of(query, one.log.file), job.reader.passed
        like = passed.like(one.log.file.name) if passed else None
        return _Linked(one, _with(href, against=like.decode("utf-8", "replace")) if like else href)

    yield rendered(
        "overview_section.html",
        job=job,
        logs=[linked(one) for one in sorted(found.logs, key=lambda one: one.log.file.name)],
        wrong=[linked(one) for one in found.logs if one.shows_failure],
        ended=found.ended and linked(found.ended),
        build=found.build,
        task=found.task,
        tests=found.tests,
        kinds=json.dumps(found.kinds),
        moment=partial(_moment, query.source),
        naming=lambda test: address(q=_short(test.name)),
        skip=query.skip,
        against=query.against.decode("utf-8", "replace"),
        source="" if query.source == "all" else query.source,
        next_address=next_address(query, job),
    )


def _short(name: str) -> str:
    """A test's name without module and class, which each tool writes differently. A sentence stays."""
    path, bracket, parameters = name.partition("[")
    short = path if " " in path else path.rpartition(".")[2] or path
    return short + bracket + parameters


def _moment(source: str, time: str | None, one: _Linked | None = None) -> str:
    """The address of all logs' lines around a time; "" without a date. one: the log that shows it."""
    marked = one and Moment(one.log.file.name, lines_shown(one.cause)[0])
    try:
        return moments.around(time_range(time or "").first_in_utc, source, marked)
    except ValueError:
        return ""
