# SPDX-License-Identifier: Apache-2.0
"""Summaries of a folder's logs, as JSON, and as a page that leads with what went wrong."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from oslogserve.jobs.job import Job
from oslogserve.jobs.job_log import JobLog
from oslogserve.jobs.ranking import Ranked, ranked
from oslogserve.jobs.reports import FailedTask, FailedTest
from oslogserve.lines.grammar.severities import SEVERITIES
from oslogserve.lines.time_range import time_range
from oslogserve.pages.address import address
from oslogserve.pages.assets import url
from oslogserve.pages.humanize import counted, iso_moment, size_element, visible
from oslogserve.pages.job import GOES_ON, NOTE, address_of, ending, json_line, next_address
from oslogserve.pages.page import NOTICE, breadcrumbs
from oslogserve.pages.template import join, template, template_of
from oslogserve.query import Query

#: Logs with errors that are shown before all others, and lines around an error that a link leads to.
MOST_WRONG = 20
LINES_BEFORE = 200
#: Seconds before and after a moment that a link shows of all logs.
AROUND = 2
_ERROR = SEVERITIES.index("ERROR")

_BEFORE_OVERVIEW = template_of("head", "before_overview")
_OVERVIEW = template_of("overview")
_LARGE = template(
    '<section id="overview">\n<p><a href="{address}" rel="nofollow">What went wrong in these logs</a>, '
    "which are large</p>\n</section>\n</main>\n</body>\n</html>\n"
)
_NO_ERROR = Markup('<li class="none">No log shows an error.</li>\n')
_WRONG = template(
    '<li><a class="name" href="{href}">{name}</a> <a class="ERROR" href="{all_errors}">{errors:,} at ERROR '
    'or above</a> <time>{time}</time> {moment}\n<a class="telling" href="{around}#L{line}">{text}</a></li>\n'
)
_ROW = template(
    '<tr><td><a href="{href}">{name}</a></td><td>{size}</td><td>{lines:,}</td><td>{first}</td>'
    "<td>{last}</td><td>{errors}</td></tr>\n"
)
_TASK = template(
    '<p class="task">Task <b>{name}</b> failed on <b>{host}</b>: {message} {moment}</p>\n'
)
_TEST = template(
    '<li><b>{name}</b> {message} <a href="{address}">all lines that name it</a> {moment}</li>\n'
)
_TESTS = template('<p class="task">Tests that failed:</p>\n<ul class="tests">\n{rows}</ul>\n')
_MOMENT = template('<a href="{address}">this moment in all logs</a>')
_ERRORS = template('<a class="ERROR" href="{address}">{count:,}</a>')


def summary(query: Query, job: Job, noise: Sequence[re.Pattern[str]]) -> Iterator[bytes]:
    """Summaries of the logs, the one first that has the cause of a failure."""
    logs = [_in_short(query, *one) for one in _ranked(job, noise)]
    path = query.path.decode("utf-8", "replace")
    content = json_line({"path": path, "logs": logs, **ending(query, job)})
    job.close()  # whoever takes it slowly keeps nobody waiting
    yield content


class _Log(NamedTuple):
    """A log, what is in it, and its rank."""

    log: JobLog
    found: dict[str, Any]
    rank: Ranked


def _ranked(job: Job, noise: Sequence[re.Pattern[str]]) -> list[_Log]:
    """The logs that were read, in the order of their ranks."""
    found = [one for one in job.summaries() if not one[0].skipped]
    ranks = ranked([(log.file.shown, summary) for log, summary in found], noise)
    rows = [_Log(*one, rank) for one, rank in zip(found, ranks, strict=True)]
    return sorted(rows, key=lambda row: (-row.rank.score, row.log.file.name))


def _in_short(query: Query, log: JobLog, found: dict[str, Any], rank: Ranked) -> dict[str, Any]:
    errors = found["errors"] or [None]
    return {
        "name": log.file.shown,
        "href": address_of(query, log.file),
        "source": log.source,
        "stored": log.file.size,
        "modified": iso_moment(log.file.modified),
        "lines": log.tally.lines,
        "bytes": log.tally.bytes,
        "first_time": found["first_time"],
        "last_time": found["last_time"],
        "severities": found["severities"],
        "first_error": errors[0],
        "last_error": errors[-1],
        "telling_error": rank.error,
        "complete": not log.missing,
        "reason": "; ".join(map(str, log.missing)) or None,
    }


def overview(query: Query, job: Job, noise: Sequence[re.Pattern[str]]) -> Iterator[bytes]:
    """A page that leads with what went wrong."""
    yield _BEFORE_OVERVIEW(
        title=f"What went wrong in {query.path.decode('utf-8', 'replace') or 'logs'}",
        style=url(query.mount, "log.css"),
        job_style=url(query.mount, "job.css"),
        path=breadcrumbs(query.mount, query.path),
    ).encode()
    if query.unasked and job.is_large:
        yield _LARGE(address=address(query.parameters, ("unasked",))).encode()
        return
    rows = _ranked(job, noise)
    wrong = [row for row in rows if row.rank.error][:MOST_WRONG]
    notices = [NOTICE(sentence=visible(sentence)) for sentence in job.notices]
    if job.next_log is not None:
        following = next_address(query, job) or ""
        notices.append(NOTE(content=GOES_ON(address=following, text="the next logs")))
    count = counted(len(rows), "log")
    if job.skipped:
        count += f", {counted(len(job.skipped), 'other file')}"
    content = _OVERVIEW(
        task=_task(job.failed_task()) + _tests(job.failed_tests()),
        wrong=join(_wrong(query, *row) for row in wrong) if wrong else _NO_ERROR,
        more=f" ({len(wrong)} of {_with_errors(rows)} logs with errors)" if wrong else "",
        count=count,
        rows=join(_row(query, *row) for row in sorted(rows, key=lambda row: row.log.file.name)),
        notices=join(notices),
    ).encode()
    job.close()
    yield content


def _task(task: FailedTask | None) -> Markup:
    """The sentence about the task that failed."""
    if task is None:
        return Markup()
    return _TASK(
        name=visible(task.name),
        host=visible(task.host),
        message=visible(task.message),
        moment=_moment(task.time),
    )


def _tests(tests: list[FailedTest]) -> Markup:
    """The tests that failed."""
    rows = [
        _TEST(
            name=visible(test.name),
            message=visible(test.message),
            address=address(q=_short(test.name)),
            moment=_moment(test.time),
        )
        for test in tests
    ]
    return _TESTS(rows=join(rows)) if rows else Markup()


def _short(name: str) -> str:
    """A test's name without its module and class, which each tool writes in its own way; a sentence
    as it is."""
    path, bracket, parameters = name.partition("[")
    short = path if " " in path else path.rpartition(".")[2] or path
    return short + bracket + parameters


def _moment(time: str | None) -> Markup:
    """A link to what all logs say some seconds before and after a time; empty where it has no date, or
    where the years end."""
    try:
        first = time_range(time or "").first_in_utc
        since, until = (iso_moment(first / 10**6 + shift) or "" for shift in (-AROUND, AROUND))
    except ValueError:
        return Markup()
    return _MOMENT(address=address(since=since, until=until, order="time"))


def _with_errors(rows: Iterable[_Log]) -> int:
    return sum(row.rank.error is not None for row in rows)


def _wrong(query: Query, log: JobLog, found: dict[str, Any], rank: Ranked) -> Markup:
    """A log with errors, and the one that tells most."""
    error = rank.error or {}
    line = error["line"]
    href = address_of(query, log.file)
    around = f"{max(1, line - LINES_BEFORE)}-{line + LINES_BEFORE}"
    return _WRONG(
        href=href,
        name=visible(log.file.shown),
        errors=_count(found, _ERROR),
        all_errors=_with(href, level="ERROR"),
        line=line,
        around=_with(href, lines=around),
        time=error["time"] or "",
        moment=_moment(error["time"]),
        # What a terminal wrote over, and the marks of GitLab's sections, are not shown.
        text=visible(error["text"].rstrip("\r").rpartition("\r")[2]),
    )


def _row(query: Query, log: JobLog, found: dict[str, Any], _: Ranked) -> Markup:
    href = address_of(query, log.file)
    errors = _count(found, _ERROR)
    return _ROW(
        href=href,
        name=visible(log.file.shown),
        size=size_element(log.file.size),
        lines=log.tally.lines,
        first=found["first_time"] or "",
        last=found["last_time"] or "",
        errors=_ERRORS(address=_with(href, level="ERROR"), count=errors) if errors else "",
    )


def _count(found: dict[str, Any], rank: int) -> int:
    """Lines of this severity and above."""
    names = SEVERITIES[rank:]
    return sum(lines["count"] for name, lines in found["severities"].items() if name in names)


def _with(href: str, **parameters: str) -> str:
    """The address of a log with parameters more."""
    added = address(parameters.items())
    return href + (added if "?" not in href else "&" + added[1:])
