# SPDX-License-Identifier: Apache-2.0
"""A folder's entries as HTML, text or JSON; each streams."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from html import escape
from itertools import groupby
from urllib.parse import quote

from oslogserve.sources import Entry
from oslogserve.sources.finder import Listing
from oslogserve.views.page import breadcrumbs, head

#: Rows handed to the server at a time.
BATCH = 500


def _rows(listing: Listing, row: Callable[[str, list[Entry]], str]) -> Iterator[bytes]:
    """row(name, the entries of that name: one for each source that has it)."""
    batch = []
    for name, entries in groupby(listing, key=lambda entry: entry.name):
        batch.append(row(name.decode("utf-8", "replace"), list(entries)))
        if len(batch) == BATCH:
            yield "".join(batch).encode()
            batch = []
    if batch:
        yield "".join(batch).encode()


def _incomplete(listing: Listing) -> str | None:
    if not listing.failures:
        return None
    told = "; ".join(f"{failure.source}: {failure}" for failure in listing.failures)
    return f"This listing is incomplete: a source failed ({told})."


def html(mount: str, path: bytes, listing: Listing) -> Iterator[bytes]:
    title = path.decode("utf-8", "replace") or "logs"
    yield (
        head(mount, title)
        + f'<body>\n<header><nav class="path" aria-label="Folders">{breadcrumbs(mount, path)}'
        + "</nav></header>\n<main>\n<table>\n<thead><tr><th>Name</th><th>Size</th>"
        + "<th>Time (UTC)</th><th>Source</th></tr></thead>\n<tbody>\n"
    ).encode()
    if path:
        yield b'<tr><td><a href="../">../</a></td><td></td><td></td><td></td></tr>\n'
    yield from _rows(listing, _html_row)
    told = _incomplete(listing)
    notice = f'<p class="notice" role="status">{escape(told)}</p>\n' if told else ""
    yield f"</tbody>\n</table>\n{notice}</main>\n</body>\n</html>\n".encode()


def _html_row(name: str, entries: list[Entry]) -> str:
    size, modified, sources = _facts(entries)
    return (
        f'<tr><td><a href="{escape(_address(entries))}">{escape(_visible(name))}</a></td>'
        f"<td>{'' if size is None else size}</td><td>{modified or ''}</td>"
        f"<td>{', '.join(sources)}</td></tr>\n"
    )


def text(listing: Listing) -> Iterator[bytes]:
    """name, size, time, sources: separated by tabs, '-' where unknown."""
    yield from _rows(listing, _text_row)
    told = _incomplete(listing)
    if told:
        yield f"[{told}]\n".encode()


def _text_row(name: str, entries: list[Entry]) -> str:
    size, modified, sources = _facts(entries)
    quoted = _visible(name.replace("\\", "\\\\"))
    return f"{quoted}\t{'-' if size is None else size}\t{modified or '-'}\t{','.join(sources)}\n"


def as_json(path: bytes, listing: Listing) -> Iterator[bytes]:
    """{"path", "entries": [{"name", "href", "size", "modified", "sources"}], "complete", "reason"}.

    href: relative to the folder's address; of a name that is no UTF-8 it alone has the bytes.
    """
    shown = json.dumps(path.decode("utf-8", "replace"))
    yield f'{{"path": {shown}, "entries": ['.encode()
    first = True
    for rows in _rows(listing, _json_row):
        yield rows[1:] if first else rows
        first = False
    told = _incomplete(listing)
    end = {"complete": told is None, "reason": told}
    yield f"\n], {json.dumps(end)[1:]}\n".encode()


def _json_row(name: str, entries: list[Entry]) -> str:
    size, modified, sources = _facts(entries)
    row = {
        "name": name,
        "href": _address(entries),
        "size": size,
        "modified": modified,
        "sources": sources,
    }
    return f",\n{json.dumps(row)}"


def _address(entries: list[Entry]) -> str:
    """With its "./", or a name with a colon would be taken for a scheme."""
    return "./" + quote(entries[0].name)


def _visible(name: str) -> str:
    """Control characters and their like as a Python programmer writes them."""
    if name.isprintable():
        return name
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)


def _facts(entries: list[Entry]) -> tuple[int | None, str | None, list[str]]:
    """Of the source that is asked first; and which sources have it."""
    known = next((entry for entry in entries if entry.modified is not None), entries[0])
    modified = None
    if known.modified is not None:
        modified = datetime.fromtimestamp(known.modified, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return known.size, modified, [entry.source for entry in entries]
