# SPDX-License-Identifier: Apache-2.0
"""A folder's entries as HTML, text or JSON; each streams."""

import json
from collections.abc import Callable, Iterator
from html import escape
from itertools import chain, groupby, islice
from math import inf
from urllib.parse import quote, urlencode

from oslogserve.pages.humanize import moment, size_element, time_element
from oslogserve.pages.page import breadcrumbs, head
from oslogserve.query import Query
from oslogserve.sources import Entry
from oslogserve.sources.first_of import Listing

#: Rows handed to the server at a time.
BATCH = 500


#: Entries that are held to be sorted by time: some 30 MB. Of more, the order stays that by name.
SORTED = 100_000


def _rows(
    listing: Listing, row: Callable[[str, list[Entry]], str], sort: str = "name"
) -> Iterator[bytes]:
    """row(name, the entries of that name: one for each source that has it)."""
    found: Iterator[list[Entry]] = (
        list(entries) for _, entries in groupby(listing, key=lambda entry: entry.name)
    )
    if sort == "time":
        found = _newest_first(found, listing)
    batch = []
    for entries in found:
        batch.append(row(entries[0].name.decode("utf-8", "replace"), entries))
        if len(batch) == BATCH:
            yield "".join(batch).encode()
            batch = []
    if batch:
        yield "".join(batch).encode()


def _newest_first(found: Iterator[list[Entry]], listing: Listing) -> Iterator[list[Entry]]:
    """Behind what has no time: the folders of an object store."""
    held = list(islice(found, SORTED + 1))
    if len(held) > SORTED:
        listing.notices.append(
            f"This folder has more than {SORTED:,} entries: too many to sort them by time."
        )
        return chain(held, found)
    return iter(sorted(held, key=_age))


def _told(listing: Listing) -> list[str]:
    incomplete = _incomplete(listing)
    return [*listing.notices, *([incomplete] if incomplete else [])]


def _incomplete(listing: Listing) -> str | None:
    if not listing.failures:
        return None
    told = "; ".join(f"{failure.source}: {failure}" for failure in listing.failures)
    return f"This listing is incomplete: a source failed ({told})."


def html(query: Query, listing: Listing, sort: str) -> Iterator[bytes]:
    """A page; links keep the query's source."""
    mount, path, source = query.mount, query.path, query.source
    title = path.decode("utf-8", "replace") or "logs"
    above = '<tr><td><a href="../">../</a></td><td></td><td></td><td></td></tr>\n'
    yield (
        f'{head(mount, title)}<body class="folder">\n'
        '<a class="skip" href="#entries">Skip to the entries</a>\n'
        f'<header><nav class="path" aria-label="Folders">{breadcrumbs(mount, path)}</nav></header>\n'
        '<main>\n<table id="entries">\n<thead><tr>'
        f"{_heading('Name', 'name', sort, source)}<th>Size</th>"
        f"{_heading('Time (UTC)', 'time', sort, source)}<th>Source</th></tr></thead>\n<tbody>\n"
        f"{above if path else ''}"
    ).encode()
    count = Count()
    yield from _rows(listing, lambda name, entries: count.row(name, entries), sort)
    told = "".join(f'<p class="notice" role="status">{escape(one)}</p>\n' for one in _told(listing))
    yield (
        f"</tbody>\n</table>\n{told}</main>\n<footer><span>{count.told()}</span></footer>\n</body>\n</html>\n"
    ).encode()


def _heading(label: str, key: str, sort: str, source: str) -> str:
    asked = [("source", source)] if source != "all" else []
    order = ' aria-sort="ascending"' if key == "name" else ' aria-sort="descending"'
    address = escape("?" + urlencode([*asked, ("sort", key)]))
    mark = ' aria-current="true"' if key == sort else ""
    return f'<th{order if mark else ""}><a href="{address}"{mark}>{label}</a></th>'


class Count:
    """Of the rows that went out."""

    def __init__(self) -> None:
        self._files = self._folders = self._bytes = 0

    def row(self, name: str, entries: list[Entry]) -> str:
        size, modified, sources = _facts(entries)
        if name.endswith("/"):
            self._folders += 1
        else:
            self._files += 1
        self._bytes += size or 0
        marks = " ".join(f'<span class="source">{source}</span>' for source in sources)
        return (
            f'<tr><td><a href="{escape(_address(entries))}">{escape(_visible(name))}</a></td>'
            f"<td>{'' if size is None else size_element(size)}</td>"
            f"<td>{'' if modified is None else time_element(modified)}</td><td>{marks}</td></tr>\n"
        )

    def told(self) -> str:
        """Such as '2 files, 12.3 MB, 1 folder'."""
        parts = [_counted(self._files, "file")]
        if self._bytes:
            parts.append(size_element(self._bytes))
        if self._folders:
            parts.append(_counted(self._folders, "folder"))
        return ", ".join(parts)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def text(listing: Listing, sort: str = "name") -> Iterator[bytes]:
    """name, size, time, sources: separated by tabs, '-' where unknown."""
    yield from _rows(listing, _text_row, sort)
    for told in _told(listing):
        yield f"[{told}]\n".encode()


def _text_row(name: str, entries: list[Entry]) -> str:
    size, modified, sources = _facts(entries)
    quoted = _visible(name.replace("\\", "\\\\"))
    time = "-" if modified is None else moment(modified)
    return f"{quoted}\t{'-' if size is None else size}\t{time}\t{','.join(sources)}\n"


def as_json(path: bytes, listing: Listing, sort: str = "name") -> Iterator[bytes]:
    """{"path", "entries": [{"name", "href", "size", "modified", "sources"}], "complete", "reason"}.

    href: relative to the folder's address; of a name that is no UTF-8 it alone has the bytes.
    """
    shown = json.dumps(path.decode("utf-8", "replace"))
    yield f'{{"path": {shown}, "entries": ['.encode()
    first = True
    for rows in _rows(listing, _json_row, sort):
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
        "modified": None if modified is None else moment(modified),
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


def _facts(entries: list[Entry]) -> tuple[int | None, float | None, list[str]]:
    """Of the source that is asked first; and which sources have it."""
    known = next((entry for entry in entries if entry.modified is not None), entries[0])
    return known.size, known.modified, [entry.source for entry in entries]


def _age(entries: list[Entry]) -> float:
    """To sort by."""
    modified = _facts(entries)[1]
    return -inf if modified is None else -modified
