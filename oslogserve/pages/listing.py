# SPDX-License-Identifier: Apache-2.0
"""A folder's entries as HTML, text or JSON; each streams."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from math import inf
from typing import NamedTuple
from urllib.parse import quote

from oslogserve.pages.humanize import iso_moment, moment, visible
from oslogserve.pages.page import address, frame
from oslogserve.query import Query
from oslogserve.sources import Entry
from oslogserve.sources.first_of import Listing, known
from oslogserve.templates import streamed

#: Rows of text or JSON that are sent at a time.
BATCH = 500
#: Rows of a page whose folders come first, and whose columns are left out where all say the same.
HELD = 10_000
#: Most names that are sorted by time: they take some 30 MB. More stay in their order.
SORTED = 100_000

#: Entries of one name, one for each source that has it.
_OfName = tuple[Entry, ...]


class _Row(NamedTuple):
    """A name in the folder, as JSON has it. Size and time are of the first source that knows them."""

    #: The name of a folder ends in "/".
    name: str
    #: With its "./", or a name with a colon would be taken for a scheme.
    href: str
    size: int | None
    #: Seconds since 1970.
    modified: float | None
    #: Names of those that have it.
    sources: list[str]

    @property
    def is_folder(self) -> bool:
        return self.name.endswith("/")


@dataclass
class _Total:
    """Counts of a folder's entries, and bytes of its files."""

    files: int = 0
    folders: int = 0
    size: int = 0

    def counting(self, rows: Iterable[_Row]) -> Iterator[_Row]:
        for row in rows:
            if row.is_folder:
                self.folders += 1
            else:
                self.files += 1
            self.size += row.size or 0
            yield row


def html(query: Query, listing: Listing, sort: str, job_marks: str = "") -> Iterator[bytes]:
    """A page; its links keep the query's source. job_marks: names by which its script knows that it
    may ask for what went wrong in the logs."""
    source = "" if query.source == "all" else query.source
    rows = chain.from_iterable(_batches(listing, sort))
    held = list(islice(rows, HELD + 1))
    is_all = len(held) <= HELD
    if is_all and sort == "name":
        held.sort(key=lambda row: not row.is_folder)
    total = _Total()
    yield from streamed(
        "folder.html",
        **frame(query.mount, query.path),
        same=_same(held) if is_all else "",
        sort=sort,
        by_name=address(source=source, sort="name"),
        by_time=address(source=source, sort="time"),
        overview=address(source=source, format="overview"),
        source=source,
        job_marks=job_marks,
        rows=total.counting(chain(held, rows)),
        total=total,
        notices=lambda: _notices(listing),
    )


def _same(rows: list[_Row]) -> str:
    """Classes of the columns that say the same in all rows."""
    values = {
        "same-time": len({moment(row.modified) for row in rows}),
        "same-source": len({tuple(row.sources) for row in rows}),
    }
    return " ".join(name for name, different in values.items() if different == 1)


def text(listing: Listing, sort: str = "name") -> Iterator[bytes]:
    """A line of name, size, time and sources for each, separated by tabs; '-' where unknown."""
    for batch in _batches(listing, sort):
        yield "".join(map(_text_row, batch)).encode()
    for sentence in _notices(listing):
        yield f"[{sentence}]\n".encode()


def as_json(path: bytes, listing: Listing, sort: str = "name") -> Iterator[bytes]:
    """{"path", "entries": [{"name", "href", "size", "modified", "sources"}], "complete", "reason"}.

    href: relative to the folder's URL; of a name that is not UTF-8 it alone has the bytes.
    """
    yield f'{{"path": {json.dumps(path.decode("utf-8", "replace"))}, "entries": ['.encode()
    separator = "\n"
    for batch in _batches(listing, sort):
        yield (separator + ",\n".join(map(_json_row, batch))).encode()
        separator = ",\n"
    reason = _incomplete(listing)
    end = json.dumps({"complete": reason is None, "reason": reason})
    yield f"\n], {end[1:]}\n".encode()


def _batches(listing: Listing, sort: str) -> Iterator[list[_Row]]:
    names = listing.by_name()
    if sort == "time":
        names = _newest_first(names, listing)
    rows = map(_row, names)
    while batch := list(islice(rows, BATCH)):
        yield batch


def _row(entries: _OfName) -> _Row:
    entry = known(entries)
    name, sources = entries[0].name, [entry.source for entry in entries]
    shown = name.decode("utf-8", "replace")
    return _Row(shown, "./" + quote(name), entry.size, entry.modified, sources)


def _newest_first(names: Iterator[_OfName], listing: Listing) -> Iterator[_OfName]:
    """First what has no time: the folders of an object store."""
    first = list(islice(names, SORTED + 1))
    if len(first) > SORTED:
        listing.notices.append(
            f"This folder has more than {SORTED:,} entries: too many to sort them by time."
        )
        return chain(first, names)

    def age(entries: _OfName) -> float:
        modified = known(entries).modified
        return -inf if modified is None else -modified

    return iter(sorted(first, key=age))


def _notices(listing: Listing) -> list[str]:
    incomplete = _incomplete(listing)
    return [*listing.notices, incomplete] if incomplete else listing.notices


def _incomplete(listing: Listing) -> str | None:
    if not listing.failures:
        return None
    failures = "; ".join(f"{failure.source}: {failure}" for failure in listing.failures)
    return f"This listing is incomplete: a source failed ({failures})."


def _text_row(row: _Row) -> str:
    name = visible(row.name.replace("\\", "\\\\"))
    fields = name, row.size, moment(row.modified), ",".join(row.sources)
    return "\t".join("-" if field is None else str(field) for field in fields) + "\n"


def _json_row(row: _Row) -> str:
    return json.dumps({**row._asdict(), "modified": iso_moment(row.modified)})
