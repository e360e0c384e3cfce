# SPDX-License-Identifier: Apache-2.0
"""The lines of a folder's logs as HTML, text or JSON lines.

Each view says what was left out, and links to the rest.
"""

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from math import inf
from typing import TypedDict
from urllib.parse import quote

from oslogserve.compression import SUFFIXES
from oslogserve.jobs.job import Ending, Job
from oslogserve.jobs.lines import Slice, read_lines
from oslogserve.jobs.walk import File
from oslogserve.lines.places import Moment
from oslogserve.native import SEVERITIES
from oslogserve.pages.bar import filters
from oslogserve.pages.log import Completeness, completeness, json_line
from oslogserve.pages.page import frame
from oslogserve.query import Query
from oslogserve.query.parameters import OF_ALL_LOGS
from oslogserve.templates import rendered, streamed
from oslogserve.text import iso_moment, visible
from oslogserve.urls import address

_FIELDS = ("q", "logs", "since", "until")
#: Parameters that the form keeps, without a field for them.
_HIDDEN_ONES = {"source", "tail", "moment", *OF_ALL_LOGS} - {"level", *_FIELDS}
#: Parameters that choose lines, but not where the next answer begins.
_CHOOSING = (*_HIDDEN_ONES, *_FIELDS, "level", "order", "limit")

#: The element of a moment's line, see core/src/views/html.rs.
ID = "moment"
#: Seconds before and after a moment.
SECONDS_AROUND = 2
#: Lines around a moment with this word are left out, since most are. A level would leave out consoles,
#: whose lines have none. The moment's own line is shown anyway.
WITHOUT = "DEBUG"
#: Rows are sent once they have so many bytes, or after so many seconds.
GATHERED = 256 * 1024
GATHERED_FOR = 0.05
#: Colours of logs in the style sheet.
COLOURS = 8
#: Endings that most logs have.
_ENDINGS = (*SUFFIXES, ".txt", ".log")


class Skipped(TypedDict):
    """A file that was not read."""

    name: str
    reason: str


class FolderEnd(Completeness):
    """What an answer left out."""

    skipped: list[Skipped]
    notices: list[str]
    next: str | None


class FolderLinesEnd(FolderEnd):
    """The last object of JSON lines."""

    end: bool
    logs: int
    lines: int | None
    matched: int | None
    sent: int
    read_to_end: bool


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
        end: FolderLinesEnd = {
            "end": True,
            "logs": len(tallies),
            "lines": sum(tally.lines for tally in tallies) if ending.is_whole else None,
            "matched": sum(tally.matched for tally in tallies) if ending.is_whole else None,
            "sent": ending.sent,
            "read_to_end": ending.is_read_to_end,
            **ending_of(query, ending),
        }
        yield json_line(end)
        return
    for sentence in ending.notices:
        yield f"[oslogserve: {visible(sentence)}]\n".encode()
    if following := next_address(query, ending):
        yield f"[oslogserve: there is more: {following}]\n".encode()


def _lines(query: Query, job: Job, ended: list[Ending], most: float = inf) -> Iterator[Slice]:
    """The lines. Adds their ending to `ended`. most: bytes of lines, about."""
    link = query.row_link + (b"order=time&amp;" if job.by_time else b"")
    ended.append((yield from read_lines(query, job, partial(label, query), link, most)))


def ending_of(query: Query, ending: Ending) -> FolderEnd:
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
    values = dict(query.parameters)
    form = {
        **{name: values.get(name, "") for name in _FIELDS},
        "level": query.selection.level or SEVERITIES[0],
        "order": "time" if job.by_time else "log",
        # A field has the last of several values.
        "hidden": [
            (name, value)
            for name, value in kept
            if name in _HIDDEN_ONES or (name in _FIELDS and values[name] != value)
        ],
    }
    moments: list[int] = []
    chips, clear = filters(kept)
    if query.moment:  # without one of them, the page goes there again
        chips = [(f"{address}#{ID}", text) for address, text in chips]
    yield from streamed(
        "job.html",
        gathered(rows(lines, logs, job.by_time, moments)),
        **frame(query),
        overview=address(kept_source, format="overview"),
        files=query.link_to_source(sort="name"),
        form=form,
        levels=SEVERITIES,
        filters=(chips, clear),
        moment=query.moment,
        # The answers behind the first one go on behind it.
        lacks_moment=lambda: not moments and not query.selection.after,
        by_time=job.by_time,
        ended=ended,
        address=partial(next_address, query),
    )


def address_of(query: Query, file: File, safe: str = "/", **parameters: str) -> str:
    """The address of a file's page, relative to the folder. safe: see quote()."""
    return quote(file.name, safe) + query.link_to_source(**parameters).removesuffix("?")


def around_moment(
    micros: int, source: str, moment: Moment | None = None, in_job: bool = False
) -> str:
    """The address of all logs' lines around a moment, relative to the job's folder; "" at the end of all
    years.

    micros: since 1970, in UTC. moment: the line to mark. in_job: the address is relative to a folder in
    the job's folder.
    """
    try:
        since, until = (
            iso_moment(micros / 10**6 + shift) or "" for shift in (-SECONDS_AROUND, SECONDS_AROUND)
        )
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


def rows(
    slices: Iterable[Slice],
    logs: Sequence[tuple[str, str]],
    by_time: bool,
    moments: list[int],
) -> Iterator[bytes]:
    """The rows as a list for each run of rows of one log, below the log's name.

    logs: the address and the name of each. by_time: true if they are merged. moments: gets a number if
    the line of the moment is among them.
    """
    names = [name for _, name in logs]
    shown = short_names(names) if by_time else names
    heads: dict[int, bytes] = {}
    current = None
    for one in slices:
        if one.first <= one.rows.named < one.end:
            moments.append(one.rows.named)
        for log, text in one.runs():
            if log not in heads:
                colour = len(heads) % COLOURS if by_time else None
                values = {"address": logs[log][0], "name": shown[log], "colour": colour}
                heads[log] = rendered("rows.html", **values)
            if log != current:
                yield b"</ol>\n" if current is not None else b""
                yield heads[log]
                current = log
            yield text
    if current is not None:
        yield b"</ol>\n"


def gathered(texts: Iterable[bytes]) -> Iterator[bytes]:
    """Joins the texts, since each piece is sent and compressed by itself."""
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


def short_names(names: Sequence[str]) -> list[str]:
    """The shortest name of each log that no other one has.

    That is its last segments, without the usual endings if it is unique without them.
    """
    of_each = []
    for name in names:
        stem = name
        for ending in _ENDINGS:
            stem = stem.removesuffix(ending)
        if not stem or stem.endswith("/"):
            stem = name
        segments = [one.split("/") for one in (stem, name)]
        # The last segment, the last two, and so on.
        of_each.append(["/".join(all_[at:]) for all_ in segments for at in range(len(all_))[::-1]])
    counts = Counter(short for several in of_each for short in set(several))
    return [
        next((short for short in several if counts[short] == 1), name)
        for name, several in zip(names, of_each, strict=True)
    ]
