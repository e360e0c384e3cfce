# SPDX-License-Identifier: Apache-2.0
"""Summaries of a folder's logs: as JSON, and as the overview, a page of what went wrong."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from oslogserve.jobs.job import Findings, Job
from oslogserve.jobs.job_log import JobLog
from oslogserve.jobs.ranking import CONSOLES, Ranked, ranked
from oslogserve.lines.grammar.severities import SEVERITIES
from oslogserve.lines.time_range import time_range
from oslogserve.pages.humanize import iso_moment
from oslogserve.pages.job import address_of, ending, next_address
from oslogserve.pages.log import json_line
from oslogserve.pages.page import address, frame
from oslogserve.query import Query
from oslogserve.templates import rendered, streamed

#: Seconds before and after a moment in a link to all logs.
AROUND = 2
_ERRORS = SEVERITIES[SEVERITIES.index("ERROR") :]


#: Reads the logs, and closes them.
Read = Callable[[], Findings]


def summary(
    query: Query, job: Job, noise: Sequence[re.Pattern[str]], read: Read
) -> Iterator[bytes]:
    """Yields summaries of the logs as JSON, the likely cause of the failure first."""
    logs = [_in_short(*one) for one in _ranked(query, read(), noise)]
    path = query.path.decode("utf-8", "replace")
    yield json_line({"path": path, "logs": logs, **ending(query, job)})


class _RankedLog(NamedTuple):
    """A log, its summary and its rank."""

    log: JobLog
    found: dict[str, Any]
    rank: Ranked
    #: Relative to the folder.
    href: str

    @property
    def errors(self) -> int:
        """Lines at ERROR or above."""
        severities = self.found["severities"].items()
        return sum(lines["count"] for name, lines in severities if name in _ERRORS)

    def at(self, **parameters: str) -> str:
        """The address of the log with these parameters."""
        added = address(parameters.items())
        return self.href + (added if "?" not in self.href else "&" + added[1:])


def _ranked(query: Query, found: Findings, noise: Sequence[re.Pattern[str]]) -> list[_RankedLog]:
    """The logs that were read, in the order of their ranks."""
    were_read = [one for one in found.logs if not one[0].skipped]
    ranks = ranked([(log.file.shown, summary) for log, summary in were_read], noise)
    logs = [
        _RankedLog(log, summary, rank, address_of(query, log.file))
        for (log, summary), rank in zip(were_read, ranks, strict=True)
    ]
    return sorted(logs, key=lambda one: (-one.rank.score, one.log.file.name))


def _in_short(log: JobLog, found: dict[str, Any], rank: Ranked, href: str) -> dict[str, Any]:
    errors = found["errors"] or [None]
    return {
        "name": log.file.shown,
        "href": href,
        "source": log.source,
        "stored": log.file.size,
        "modified": iso_moment(log.file.modified),
        "lines": log.tally.lines,
        "bytes": log.tally.bytes,
        "matched": log.tally.matched,
        "first_time": found["first_time"],
        "last_time": found["last_time"],
        "severities": found["severities"],
        "first_error": errors[0],
        "last_error": errors[-1],
        "cause": rank.cause,
        "failed": found["failed"],
        "complete": not log.missing,
        "read_to_end": log.is_read_to_end,
        "reason": "; ".join(map(str, log.missing)) or None,
    }


def html(query: Query, job: Job, noise: Sequence[re.Pattern[str]], read: Read) -> Iterator[bytes]:
    """Yields the overview page. It begins before the logs are read."""
    title = f"What went wrong in {query.path.decode('utf-8', 'replace') or 'logs'}"
    section = _section(query, job, noise, read)
    return streamed("overview.html", section, **frame(query.mount, query.path, title))


def _section(
    query: Query, job: Job, noise: Sequence[re.Pattern[str]], read: Read
) -> Iterator[bytes]:
    if query.unasked and job.is_large:
        yield rendered("large_job.html", address=address(query.parameters, ("unasked",)))
        return
    found = read()
    logs = _ranked(query, found, noise)
    yield rendered(
        "overview_section.html",
        job=job,
        logs=sorted(logs, key=lambda one: one.log.file.name),
        wrong=[one for one in logs if one.rank.score],
        ended=_ended(logs),
        task=found.task,
        tests=found.tests,
        moment=_moment,
        naming=lambda test: address(q=_short(test.name)),
        next_address=next_address(query, job) if job.next_log is not None else None,
    )


def _ended(logs: Sequence[_RankedLog]) -> _RankedLog | None:
    """The log whose end is shown if no log shows an error: the console, or the last one written."""
    with_end = [one for one in logs if one.rank.cause]
    consoles = [one for one in with_end if CONSOLES.search(one.log.file.shown)]
    return max(consoles or with_end, key=lambda one: one.log.file.modified or 0, default=None)


def _short(name: str) -> str:
    """A test's name without module and class, which each tool writes differently. A sentence stays."""
    path, bracket, parameters = name.partition("[")
    short = path if " " in path else path.rpartition(".")[2] or path
    return short + bracket + parameters


def _moment(time: str | None) -> str:
    """The address of all logs' lines around a time; "" without a date, or at the end of all years."""
    try:
        first = time_range(time or "").first_in_utc
        since, until = (iso_moment(first / 10**6 + shift) or "" for shift in (-AROUND, AROUND))
    except ValueError:
        return ""
    return address(since=since, until=until, order="time")
