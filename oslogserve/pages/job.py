# SPDX-License-Identifier: Apache-2.0
"""The lines of a folder's logs as HTML, text or JSON lines.

Every view says what was left out, and where that goes on.
"""

import json
import time
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from oslogserve.jobs.job import Job
from oslogserve.jobs.walk import File
from oslogserve.lines.grammar.severities import SEVERITIES
from oslogserve.pages.address import address
from oslogserve.pages.assets import url
from oslogserve.pages.bar import HIDDEN, chips
from oslogserve.pages.humanize import counted, visible
from oslogserve.pages.page import NOTICE, breadcrumbs
from oslogserve.pages.template import join, template, template_of
from oslogserve.query import Query

#: Bytes of rows that are sent at once, and seconds until fewer are.
GATHERED = 64 * 1024
GATHERED_FOR = 0.05

_BEFORE_ROWS = template_of("head", "job")
_OF_LOG = template('<h2 class="of"><a href="{href}">{name}</a></h2>\n')
_FIELDS = ("q", "logs", "since", "until")
#: Parameters that the form keeps, without a field for them.
_HIDDEN_ONES = ("source", "re", "not", "context", "tail")
#: Parameters that say which lines are shown, but not where an answer goes on.
_CHOOSING = (*_HIDDEN_ONES, *_FIELDS, "level", "order", "limit")
_OPTION = template('<option value="{value}"{selected}>{label}</option>')
#: Of the form's field for the level, by its values.
_LEVELS = {SEVERITIES[0]: "all", **{name: name.lower() for name in SEVERITIES[1:]}}
_NONE = Markup('<p class="none">No line of these logs fits these filters.</p>\n')
GOES_ON = template('<a href="{address}" rel="next">{text}</a>')
NOTE = template('<p class="notice" role="status">{content}.</p>\n')
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
    yield json_line({"end": True, **counts, **ending(query, job)})


def ending(query: Query, job: Job) -> dict[str, Any]:
    return {
        "skipped": [{"name": one.name, "reason": one.why} for one in job.skipped],
        "complete": not job.missing,
        "notices": job.notices,
        "next": next_address(query, job),
    }


def next_address(query: Query, job: Job) -> str | None:
    """The URL, relative to the folder, of what a limit left out; None where nothing was."""
    if job.cut_at is not None:
        added: dict[str, bytes | int] = {"from": query.first_log, "after": job.cut_at}
    elif job.next_log is not None:
        added = {"from": job.next_log, "after": job.next_after}
    else:
        return None
    return address(query.parameters, ("from", "after"), **added)


def html(query: Query, job: Job, page_size: int) -> Iterator[bytes]:
    """A page of the lines. page_size: bytes of them."""

    def label(file: File) -> bytes:
        return address_of(query, file).encode()

    def rows() -> Iterator[bytes]:
        last = None
        for one in job.slices("html", label, page_size):
            if one.log is not None and one.log != last:
                file = job.logs[one.log].file
                heading = _OF_LOG(href=address_of(query, file), name=visible(file.shown))
                yield (b"</ol>" if last is not None else b"") + heading.encode() + b"<ol class=b>"
            last = one.log
            yield one.text

    yield _before(query, job).encode()
    if job.by_time:
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
    kept = [pair for pair in query.parameters if pair[0] in _CHOOSING and pair[1]]
    kept_source = [pair for pair in kept if pair[0] == "source"]
    # A field has the last of several values.
    hidden = (
        (name, value)
        for name, value in kept
        if name in _HIDDEN_ONES or (name in _FIELDS and values[name] != value)
    )
    order = "time" if job.by_time else "log"
    return _BEFORE_ROWS(
        title=query.path.decode("utf-8", "replace") or "logs",
        style=url(query.mount, "log.css"),
        job_style=url(query.mount, "job.css"),
        path=breadcrumbs(query.mount, query.path),
        levels=_options(_LEVELS, level),
        orders=_options({"log": "log", "time": "time"}, order),
        **{name: values.get(name, "") for name in _FIELDS},
        hidden=join(HIDDEN(name=name, value=value) for name, value in hidden),
        chips=chips(kept),
        overview=address(kept_source, format="overview"),
    )


def _options(labels: dict[str, str], chosen: str) -> Markup:
    """Options of a field. labels: by the values that they stand for."""
    selected = Markup(" selected")
    return join(
        _OPTION(value=value, label=label, selected=selected if value == chosen else "")
        for value, label in labels.items()
    )


def _after(query: Query, job: Job) -> Markup:
    notices = [NOTICE(sentence=visible(sentence)) for sentence in job.notices]
    if not job.sent:
        notices.insert(0, _NONE)
    following = next_address(query, job)
    if following:
        more = "the next lines" if job.cut_at is not None else "the next logs"
        notices.append(NOTE(content=GOES_ON(address=following, text=more)))
    logs_read = sum(bool(log.source) and not log.skipped for log in job.logs)
    total = f"{counted(job.sent, 'line')} of {counted(logs_read, 'log')}"
    if job.skipped:
        total += f", {counted(len(job.skipped), 'other file')}"
    if job.by_time:
        total += "; times without a zone are taken as UTC, without a year as of the last that fits"
    return _AFTER_ROWS(notices=join(notices), total=total)


def address_of(query: Query, file: File) -> str:
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


def json_line(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode() + b"\n"
