# SPDX-License-Identifier: Apache-2.0
"""The lines of a folder's logs as HTML, text or JSON lines.

Each view says what was left out, and links to the rest.
"""

import json
from collections.abc import Iterator
from functools import partial
from math import inf
from typing import Any
from urllib.parse import quote

from oslogserve.jobs.job import Ending, Job
from oslogserve.jobs.lines import Slice, read_lines
from oslogserve.jobs.walk import File
from oslogserve.lines.places import Moment
from oslogserve.native import SEVERITIES
from oslogserve.pages.bar import filters
from oslogserve.pages.log import completeness, json_line
from oslogserve.pages.page import Link, frame, of_source
from oslogserve.pages.rows import gathered, rows
from oslogserve.query import Query
from oslogserve.templates import streamed
from oslogserve.text import iso_moment, visible
from oslogserve.urls import address

_FIELDS = ("q", "logs", "since", "until")
#: Parameters that the form keeps, without a field for them.
_HIDDEN_ONES = ("source", "re", "not", "context", "tail", "moment")
#: Parameters that choose lines, but not where the next answer begins.
_CHOOSING = (*_HIDDEN_ONES, *_FIELDS, "level", "order", "limit")

#: The element of a moment's line, see core/src/views/html.rs.
ID = "moment"
#: Seconds before and after a moment.
AROUND = 2
#: Lines around a moment with this word are left out, since most are. A level would leave out consoles,
#: whose lines have none. The moment's own line is shown anyway.
WITHOUT = "DEBUG"


def label(query: Query, file: File) -> bytes:
    """The beginning of each row, which names its log; see Wanted."""
    match query.view:
        case "html":
            # The page shows it, so "@" is not "%40".
            return address_of(query, file, safe="/@+,").encode()
        case "jsonl":
            return f'"log": {json.dumps(file.shown)}, '.encode()
    return f"{visible(file.shown)}:".encode()


def lines(query: Query, job: Job) -> Iterator[bytes]:
    """Yields the lines as text or JSON lines, which begin with their log's name; then what was left out."""
    ended: list[Ending] = []
    yield from gathered(one.text for one in _lines(query, job, ended))
    [ending] = ended
    if query.view == "jsonl":
        tallies = [log.tally for log in ending.logs]
        counts = {
            "logs": len(tallies),
            "lines": sum(tally.lines for tally in tallies) if ending.is_whole else None,
            "matched": sum(tally.matched for tally in tallies) if ending.is_whole else None,
            "sent": ending.sent,
            "read_to_end": ending.is_read_to_end,
        }
        yield json_line({"end": True, **counts, **ending_of(query, ending)})
        return
    for sentence in ending.notices:
        yield f"[oslogserve: {visible(sentence)}]\n".encode()
    if following := next_address(query, ending):
        yield f"[oslogserve: there is more: {following}]\n".encode()


def _lines(query: Query, job: Job, ended: list[Ending], most: float = inf) -> Iterator[Slice]:
    """The lines. Adds their ending to `ended`. most: bytes of lines, about."""
    link = query.row_link + (b"order=time&amp;" if job.by_time else b"")
    ended.append((yield from read_lines(query, job, partial(label, query), link, most)))


def ending_of(query: Query, ending: Ending) -> dict[str, Any]:
    return {
        "skipped": [{"name": name, "reason": why} for name, why in ending.skipped],
        **completeness(query, ending.missing),
        "notices": ending.notices,
        "next": next_address(query, ending),
    }


def next_address(query: Query, ending: Ending) -> str | None:
    """The URL, relative to the folder, of the rest; None if nothing is left."""
    if ending.next is None:
        return None
    log, after = ending.next
    added: dict[str, bytes | int] = {"from": log, "after": after}
    return query.link(("from", "after"), **added)


def html(query: Query, job: Job, most: float) -> Iterator[bytes]:
    """Yields the page. most: bytes of lines on it."""
    ended: list[Ending] = []
    lines = _lines(query, job, ended, most)
    kept = [pair for pair in query.parameters if pair[0] in _CHOOSING and pair[1]]
    kept_source = [pair for pair in kept if pair[0] == "source"]
    logs = [(label(query, file).decode(), file.shown) for file in job.files]
    moments: list[int] = []
    in_use = filters(kept)
    if query.moment:  # without one of them, the page goes there again
        chips = [Link(f"{one.address}#{ID}", one.text) for one in in_use.chips]
        in_use = in_use._replace(chips=chips)
    yield from streamed(
        "job.html",
        gathered(rows(lines, logs, job.by_time, moments)),
        **frame(query.mount, query.path, source=query.one_source),
        overview=address(kept_source, format="overview"),
        form=_form(query, kept, job.by_time),
        levels=SEVERITIES,
        filters=in_use,
        moment=query.moment,
        # The answers behind the first one go on behind it.
        lacks_moment=lambda: not moments and not query.selection.after,
        by_time=job.by_time,
        ended=ended,
        address=partial(next_address, query),
    )


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
    return quote(file.name, safe) + of_source(query.one_source)


def around_moment(
    micros: int, source: str, moment: Moment | None = None, in_job: bool = False
) -> str:
    """The address of all logs' lines around a moment, relative to the job's folder; "" at the end of all
    years.

    micros: since 1970, in UTC. moment: the line to mark. in_job: the address is relative to a folder in
    the job's folder.
    """
    try:
        since, until = (iso_moment(micros / 10**6 + shift) or "" for shift in (-AROUND, AROUND))
    except ValueError:
        return ""
    added: dict[str, str | bytes] = {
        "not": WITHOUT,
        "order": "time",
        "moment": moment.value if moment else "",
        "in": "job" if in_job else "",
    }
    to = address((), (), source=source, since=since, until=until, **added)
    return f"{to}#{ID}" if moment else to
