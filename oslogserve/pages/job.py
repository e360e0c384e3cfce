# SPDX-License-Identifier: Apache-2.0
"""What is in the logs of a folder: their lines as HTML, text or JSON lines, or a summary of each.

Every view says what was left out, and where that goes on.
"""

import json
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from oslogserve.jobs.job import Job, JobLog
from oslogserve.jobs.outcome import FailedTask
from oslogserve.jobs.ranking import Ranked, ranked
from oslogserve.jobs.walk import File
from oslogserve.lines.severities import SEVERITIES
from oslogserve.lines.time_range import time_range
from oslogserve.pages.address import address
from oslogserve.pages.assets import url
from oslogserve.pages.humanize import iso_moment, size_element, visible
from oslogserve.pages.page import NOTICE, breadcrumbs
from oslogserve.pages.template import join, template, template_of
from oslogserve.query import Query

#: Bytes of rows that are sent at once, and seconds until fewer are.
GATHERED = 64 * 1024
GATHERED_FOR = 0.05

#: Logs with errors that are shown before all others, and lines around an error that a link leads to.
MOST_WRONG = 20
LINES_BEFORE = 200
#: Seconds before and after a moment that a link shows of all logs.
AROUND = 2
_ERROR = SEVERITIES.index("ERROR")

_BEFORE_OVERVIEW = template_of("head", "before_overview")
_OVERVIEW = template_of("overview")
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
_MOMENT = template('<a href="{address}">this moment in all logs</a>')
_ERRORS = template('<a class="ERROR" href="{address}">{count:,}</a>')
_BEFORE_ROWS = template_of("head", "job")
_OF_LOG = template('<h2 class="of"><a href="{href}">{name}</a></h2>\n')
_OPTION = template("<option{selected}>{name}</option>")
_NONE = Markup('<p class="none">No line of these logs is what was asked for.</p>\n')
_GOES_ON = template('<a href="{address}" rel="next">{text}</a>')
_NOTE = template('<p class="notice" role="status">{content}.</p>\n')
_AFTER_ROWS = template(
    "</div>\n{notices}</main>\n<footer><span>{total}</span></footer>\n</body>\n</html>\n"
)


def text(query: Query, job: Job) -> Iterator[bytes]:
    """`NAME:NUMBER:LINE`; then what was left out, in brackets."""

    def label(file: File) -> bytes:
        return f"{visible(file.shown)}:".encode()

    yield from _gathered(one.text for one in job.slices("text", label))
    for sentence in job.notices:
        yield f"[oslogserve: {visible(sentence)}]\n".encode()
    following = next_address(query, job)
    if following:
        yield f"[oslogserve: there is more: {following}]\n".encode()


def jsonl(query: Query, job: Job) -> Iterator[bytes]:
    """An object for each line, which begins with its log's name; and one at the end."""

    def label(file: File) -> bytes:
        return f'"log": {json.dumps(file.shown)}, '.encode()

    yield from _gathered(one.text for one in job.slices("jsonl", label))
    counts = {"logs": len(job.logs), "sent": job.sent}
    yield _json({"end": True, **counts, **_ending(query, job)})


def summary(query: Query, job: Job, noise: Sequence[re.Pattern[str]]) -> Iterator[bytes]:
    """What is in each log, the one first that has the cause of a failure."""
    logs = [_in_short(query, *one) for one in _ranked(job, noise)]
    path = query.path.decode("utf-8", "replace")
    yield _json({"path": path, "logs": logs, **_ending(query, job)})


def _ranked(
    job: Job, noise: Sequence[re.Pattern[str]]
) -> list[tuple[JobLog, dict[str, Any], Ranked]]:
    """The logs, what is in each, and its rank; in the order of their ranks."""
    found = [one for one in job.summaries() if not one[0].skipped]
    ranks = ranked([(log.file.shown, summary) for log, summary in found], noise)
    rows = [(log, summary, rank) for (log, summary), rank in zip(found, ranks, strict=True)]
    return sorted(rows, key=lambda row: (-row[2].score, row[0].file.name))


def _in_short(query: Query, log: JobLog, found: dict[str, Any], rank: Ranked) -> dict[str, Any]:
    errors = found["errors"] or [None]
    return {
        "name": log.file.shown,
        "href": _href(query, log.file),
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
    rows = _ranked(job, noise)
    wrong = [row for row in rows if row[2].error][:MOST_WRONG]
    notices = [NOTICE(sentence=visible(sentence)) for sentence in job.notices]
    if job.next_log is not None:
        address = next_address(query, job) or ""
        notices.append(_NOTE(content=_GOES_ON(address=address, text="the next logs")))
    count = f"{len(rows):,} logs"
    if job.skipped:
        count += f", {len(job.skipped):,} other files"
    yield _OVERVIEW(
        task=_task(job.failed_task()),
        wrong=join(_wrong(query, *row) for row in wrong) if wrong else _NO_ERROR,
        more=f" ({len(wrong)} of {_with_errors(rows)} logs with errors)" if wrong else "",
        count=count,
        rows=join(_row(query, *row) for row in sorted(rows, key=lambda row: row[0].file.name)),
        notices=join(notices),
    ).encode()


def _task(task: FailedTask | None) -> Markup:
    """The sentence about the task that failed."""
    if task is None:
        return Markup()
    around = _around(task.time)
    moment = _MOMENT(address=around) if around else ""
    return _TASK(
        name=visible(task.name),
        host=visible(task.host),
        message=visible(task.message),
        moment=moment,
    )


def _around(time: str | None) -> str | None:
    """The URL of what all logs say some seconds before and after a time; None where it has no date, or
    where the years end."""
    try:
        found = time_range(time or "")
        first = found.first - (found.offset or 0) * 60 * 10**6
        since, until = (iso_moment(first / 10**6 + shift) or "" for shift in (-AROUND, AROUND))
    except ValueError:
        return None
    return address(since=since, until=until, order="time")


def _with_errors(rows: Iterable[tuple[JobLog, dict[str, Any], Ranked]]) -> int:
    return sum(rank.error is not None for _, _, rank in rows)


def _wrong(query: Query, log: JobLog, found: dict[str, Any], rank: Ranked) -> Markup:
    """A log with errors, and the one that tells most."""
    error = rank.error or {}
    line = error["line"]
    href = _href(query, log.file)
    around = f"{max(1, line - LINES_BEFORE)}-{line + LINES_BEFORE}"
    return _WRONG(
        href=href,
        name=visible(log.file.shown),
        errors=_count(found, _ERROR),
        all_errors=_with(href, level="ERROR"),
        line=line,
        around=_with(href, lines=around),
        time=error["time"] or "",
        moment=_MOMENT(address=around_it) if (around_it := _around(error["time"])) else "",
        text=visible(error["text"]),
    )


def _row(query: Query, log: JobLog, found: dict[str, Any], _: Ranked) -> Markup:
    href = _href(query, log.file)
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


def _ending(query: Query, job: Job) -> dict[str, Any]:
    return {
        "skipped": [{"name": one.name, "reason": one.why} for one in job.skipped],
        "complete": not job.missing,
        "notices": job.notices,
        "next": next_address(query, job),
    }


def next_address(query: Query, job: Job) -> str | None:
    """The URL, relative to the folder, of what a limit left out; None where nothing was."""
    if job.cut_at is not None:
        return address(query.parameters, ("after",), after=job.cut_at)
    if job.next_log is not None:
        name = job.next_log.decode("utf-8", "replace")
        return address(query.parameters, ("after", "from"), **{"from": name})
    return None


def html(query: Query, job: Job, page_size: int) -> Iterator[bytes]:
    """A page of the lines. page_size: bytes of them."""

    def label(file: File) -> bytes:
        return _href(query, file).encode()

    def rows() -> Iterator[bytes]:
        last = None
        for one in job.slices("html", label, page_size):
            if one.log is not None and one.log != last:
                file = job.logs[one.log].file
                heading = _OF_LOG(href=_href(query, file), name=visible(file.shown))
                yield (b"</ol>" if last is not None else b"") + heading.encode() + b"<ol class=b>"
            last = one.log
            yield one.text

    yield _before(query, job).encode()
    if job.chosen.by_time:
        for piece in _gathered(rows()):
            yield b"<ol class=b>%b</ol>" % piece
    else:
        yield from _gathered(rows())
        if job.sent:
            yield b"</ol>"
    yield _after(query, job).encode()


def _before(query: Query, job: Job) -> Markup:
    level = query.selection.level or SEVERITIES[0]
    values = dict(query.parameters)
    order = "time" if job.chosen.by_time else "log"
    return _BEFORE_ROWS(
        title=query.path.decode("utf-8", "replace") or "logs",
        style=url(query.mount, "log.css"),
        job_style=url(query.mount, "job.css"),
        path=breadcrumbs(query.mount, query.path),
        levels=_options(SEVERITIES, level),
        orders=_options(("log", "time"), order),
        **{name: values.get(name, "") for name in ("q", "logs", "since", "until")},
        source=query.source,
        logs_read=len(job.logs),
    )


def _options(names: Iterable[str], chosen: str) -> Markup:
    selected = Markup(" selected")
    return join(_OPTION(name=name, selected=selected if name == chosen else "") for name in names)


def _after(query: Query, job: Job) -> Markup:
    notices = [NOTICE(sentence=visible(sentence)) for sentence in job.notices]
    if not job.sent:
        notices.insert(0, _NONE)
    following = next_address(query, job)
    if following:
        more = "the next lines" if job.cut_at is not None else "the next logs"
        notices.append(_NOTE(content=_GOES_ON(address=following, text=more)))
    total = f"{job.sent:,} lines of {len(job.logs):,} logs"
    if job.skipped:
        total += f", {len(job.skipped):,} other files"
    return _AFTER_ROWS(notices=join(notices), total=total)


def _href(query: Query, file: File) -> str:
    """Relative to the folder."""
    return quote(file.name) + ("" if query.source == "all" else f"?source={query.source}")


def _gathered(texts: Iterable[bytes]) -> Iterator[bytes]:
    """The texts, joined: whatever is yielded is sent and compressed by itself."""
    held: list[bytes] = []
    size = 0
    since = time.monotonic()
    for one in texts:
        held.append(one)
        size += len(one)
        if size >= GATHERED or time.monotonic() - since > GATHERED_FOR:
            yield b"".join(held)
            held, size, since = [], 0, time.monotonic()
    if held:
        yield b"".join(held)


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode() + b"\n"
