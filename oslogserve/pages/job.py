# SPDX-License-Identifier: Apache-2.0
"""The lines of a folder's logs as HTML, text or JSON lines.

Each view says what was left out, and links to the rest.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from urllib.parse import quote

from oslogserve.jobs.job import Job
from oslogserve.jobs.slices import Slice
from oslogserve.jobs.walk import File
from oslogserve.lines.grammar.severities import SEVERITIES
from oslogserve.messages import visible
from oslogserve.pages.bar import Filters, filters
from oslogserve.pages.log import json_line
from oslogserve.pages.moments import ID
from oslogserve.pages.page import Link, address, frame
from oslogserve.pages.rows import Mark, by_log, by_time, gathered
from oslogserve.query import Query
from oslogserve.templates import streamed

_FIELDS = ("q", "logs", "since", "until")
#: Parameters that the form keeps, without a field for them.
_HIDDEN_ONES = ("source", "re", "not", "context", "tail", "moment")
#: Parameters that choose lines, but not where the next answer begins.
_CHOOSING = (*_HIDDEN_ONES, *_FIELDS, "level", "order", "limit")


def label(query: Query, file: File) -> bytes:
    """The beginning of each row, which names its log; see Wanted."""
    match query.view:
        case "html":
            # The page shows it, so "@" is not "%40".
            return address_of(query, file, safe="/@+,").encode()
        case "jsonl":
            return f'"log": {json.dumps(file.shown)}, '.encode()
    return f"{visible(file.shown)}:".encode()


def text(query: Query, job: Job, slices: Iterable[Slice]) -> Iterator[bytes]:
    """Yields `NAME:NUMBER:LINE` for each line; then, in brackets, what was left out."""
    yield from gathered(one.text for one in slices)
    for sentence in job.notices:
        yield f"[oslogserve: {visible(sentence)}]\n".encode()
    following = next_address(query, job)
    if following:
        yield f"[oslogserve: there is more: {following}]\n".encode()


def jsonl(query: Query, job: Job, slices: Iterable[Slice]) -> Iterator[bytes]:
    """Yields an object for each line, with the log's name first, and one at the end."""
    yield from gathered(one.text for one in slices)
    yield json_line({"end": True, **_counts(job), **ending(query, job)})


def _counts(job: Job) -> dict[str, Any]:
    """Counts of all logs together. After a limit, chance decides how far each log was read."""
    logs = job.logs_read
    is_whole = job.rows.cut_at is None
    return {
        "logs": len(logs),
        "lines": sum(log.tally.lines for log in logs) if is_whole else None,
        "matched": sum(log.tally.matched for log in logs) if is_whole else None,
        "sent": job.rows.sent,
        "read_to_end": is_whole
        and job.next_log is None
        and job.has_all_logs
        and not any(one.is_missed for one in job.skipped)
        and all(log.is_read_to_end for log in logs),
    }


def ending(query: Query, job: Job) -> dict[str, Any]:
    return {
        "skipped": [{"name": one.name, "reason": one.why} for one in job.skipped],
        "complete": all(error.is_of_comparison for error in job.missing),
        "notices": job.notices,
        "next": next_address(query, job),
    }


def next_address(query: Query, job: Job) -> str | None:
    """The URL, relative to the folder, of the rest after a limit; None if nothing is left."""
    if job.rows.cut_at is not None:
        added: dict[str, bytes | int] = {"from": query.first_log, "after": job.rows.cut_at}
    elif job.has_unread:
        added = {"from": query.first_log, "skip": job.read, "failed": _failed(job)}
    elif job.next_log is not None:
        added = {"from": job.next_log, "after": job.next_after}
    else:
        return None
    return address(query.parameters, ("from", "after", "skip", "failed"), **added)


def _failed(job: Job) -> bytes:
    """When the job failed, in ISO 8601; b"" if unknown, or where the years end."""
    if job.failure is None:
        return b""
    try:
        at = datetime(1970, 1, 1) + timedelta(microseconds=job.failure)
    except OverflowError:
        return b""
    return f"{at.isoformat()}Z".encode()


def html(query: Query, job: Job, slices: Iterable[Slice]) -> Iterator[bytes]:
    kept = [pair for pair in query.parameters if pair[0] in _CHOOSING and pair[1]]
    kept_source = [pair for pair in kept if pair[0] == "source"]
    mark = Mark(label(query, job.marked[0].file), job.marked[1]) if job.marked else None
    yield from streamed(
        "job.html",
        _rows(query, job, slices, mark),
        **frame(query.mount, query.path),
        overview=address(kept_source, format="overview"),
        form=_form(query, kept, job.by_time),
        levels=SEVERITIES,
        filters=_filters(kept, query),
        moment=query.moment,
        # The answers behind the first one go on behind it.
        lacks_moment=lambda: not (mark and mark.is_shown) and not query.selection.after,
        job=job,
        next_address=partial(next_address, query, job),
    )


def _rows(query: Query, job: Job, slices: Iterable[Slice], mark: Mark | None) -> Iterator[bytes]:
    if not job.by_time:

        def of_log(log: int) -> tuple[str, str]:
            file = job.logs[log].file
            return address_of(query, file), file.shown

        return gathered(by_log(slices, of_log, mark))
    texts = gathered(one.text for one in slices)
    files = {label(query, log.file): log.file for log in job.logs}
    return by_time(mark.marked(texts) if mark else texts, files)


def _filters(kept: list[tuple[str, str]], query: Query) -> Filters:
    """The filters in use. Without one of them, the page goes to the query's moment again."""
    found = filters(kept)
    if query.moment is None:
        return found
    return found._replace(chips=[Link(f"{one.address}#{ID}", one.text) for one in found.chips])


def _form(query: Query, kept: list[tuple[str, str]], by_time: bool) -> dict[str, Any]:
    """Values of the form's fields, and hidden parameters."""
    values = dict(query.parameters)
    # A field has the last of several values.
    hidden = [
        (name, value)
        for name, value in kept
        if name in _HIDDEN_ONES or (name in _FIELDS and values[name] != value)
    ]
    return {
        **{name: values.get(name, "") for name in _FIELDS},
        "level": query.selection.level or SEVERITIES[0],
        "order": "time" if by_time else "log",
        "hidden": hidden,
    }


def address_of(query: Query, file: File, safe: str = "/") -> str:
    """The address of a file's page, relative to the folder. safe: see quote()."""
    return quote(file.name, safe) + ("" if query.source == "all" else f"?source={query.source}")
