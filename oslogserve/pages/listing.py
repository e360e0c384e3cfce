# SPDX-License-Identifier: Apache-2.0
"""A page of a folder's entries as HTML, text or JSON."""

import json
from collections.abc import Iterator
from itertools import islice
from math import inf
from typing import NamedTuple, TypedDict
from urllib.parse import quote

from oslogserve.errors import Incomplete
from oslogserve.pages.page import frame
from oslogserve.query import Query
from oslogserve.sources.first_of import Listing, dated
from oslogserve.templates import streamed
from oslogserve.text import iso_moment, moment, visible

#: Entries of a page, as of Swift's own listings.
MOST = 10_000
#: Entries that are sorted by time, some 30 MB of them, to show the newest.
MOST_SORTED = 100_000
#: Entries that are read at most, by the order: one more than are used shows that there are more.
MOST_READ = {"name": MOST + 1, "time": MOST_SORTED + 1}
#: Rows of text or JSON that are sent at a time.
BATCH = 500


class _Row(NamedTuple):
    """A name in the folder, as in JSON. Size and time are from the first source that lists a time."""

    #: The name of a folder ends in "/".
    name: str
    #: It begins with "./", else a name with a colon would look like a scheme.
    href: str
    size: int | None
    #: Seconds since 1970.
    modified: float | None
    #: Names of the sources that have it.
    sources: list[str]

    @property
    def is_folder(self) -> bool:
        return self.name.endswith("/")


class ListingEnd(TypedDict):
    """The members of JSON behind the entries."""

    complete: bool
    reason: str | None
    next: str | None


class ListingPage(NamedTuple):
    """The rows of one answer."""

    rows: list[_Row]
    sort: str
    #: Address of the rest, relative to the folder; None where there is none.
    next: str | None
    #: Sentences about what is missing.
    notices: list[str]
    #: Why the request's budget ended the listing.
    missing: list[Incomplete]


def page_of(query: Query, listing: Listing) -> ListingPage:
    """The first MOST entries of a listing, in the order that the query asks for."""
    sort = query.sort or "name"
    most = MOST_READ[sort] - 1
    found = list(islice(listing.by_name(), most + 1))
    rest = dated(found.pop()).name if len(found) > most else None
    following, notices = None, []
    if sort == "time":
        # The newest first, behind what has no time: the folders of an object store.
        found.sort(key=lambda entries: -(inf if (at := dated(entries).modified) is None else at))
        if rest is not None:
            notices.append(f"Only the first {most:,} entries by name were sorted by time.")
        if len(found) > MOST:
            notices.append(f"Only the newest {MOST:,} entries are shown.")
    elif rest is not None:
        following = query.link(("from", "sort"), sort="name", **{"from": rest})
        notices.append(f"This folder has more than {MOST:,} entries: the rest is on the next page.")
    if listing.failures:
        failures = "; ".join(f"{failure.source}: {failure}" for failure in listing.failures)
        notices.append(f"This listing is incomplete: a source failed ({failures}).")
    missing = [listing.ended] if listing.ended else []
    notices += [f"This listing is incomplete: {one}." for one in missing]
    rows = []
    for entries in found[:MOST]:
        entry, name, sources = dated(entries), entries[0].name, [one.source for one in entries]
        shown = name.decode("utf-8", "replace")
        rows.append(_Row(shown, "./" + quote(name), entry.size, entry.modified, sources))
    return ListingPage(rows, sort, following, notices, missing)


def html(query: Query, page: ListingPage, is_job: bool = False) -> Iterator[bytes]:
    """Yields a page, whose links keep the query's source.

    is_job: true if the page's script requests the overview, to which a reader without scripts is led on.
    """
    source = query.one_source
    rows = page.rows
    if page.sort == "name":
        rows = sorted(rows, key=lambda row: not row.is_folder)
    #: Different values in the columns, by the CSS classes of columns that have only one.
    values = {
        "same-time": len({moment(row.modified) for row in rows}),
        "same-source": len({tuple(row.sources) for row in rows}),
    }
    overview = query.link_to_source(format="overview", against=query.against)
    is_of_files = bool(query.sort)  # links to the files of a job name an order
    yield from streamed(
        "folder.html",
        **frame(query),
        same=" ".join(name for name, number in values.items() if number == 1),
        by_name=query.link_to_source(sort="name"),
        by_time=query.link_to_source(sort="time"),
        overview=overview,
        source=source,
        against=query.against.decode("utf-8", "replace"),
        is_job=is_job,
        refresh=is_job and not is_of_files and f"0; url={overview}&unasked=yes",
        rows=rows,
        folders=sum(row.is_folder for row in rows),
        sizes=sum(row.size or 0 for row in rows),
        page=page,
    )


def text(page: ListingPage) -> Iterator[bytes]:
    """Yields a line for each name: name, size, time and sources, separated by tabs; '-' for unknown."""
    for batch in _batches(page):
        text = ""
        for row in batch:
            name = visible(row.name.replace("\\", "\\\\"))
            fields = name, row.size, moment(row.modified), ",".join(row.sources)
            text += "\t".join("-" if field is None else str(field) for field in fields) + "\n"
        yield text.encode()
    for sentence in page.notices:
        yield f"[{sentence}]\n".encode()
    if page.next:
        yield f"[oslogserve: there is more: {page.next}]\n".encode()


def as_json(path: bytes, page: ListingPage) -> Iterator[bytes]:
    """{"path", "entries": [{"name", "href", "size", "modified", "sources"}], "complete", "reason", "next"}.

    href, next: relative to the folder's URL; of a name that is not UTF-8 href alone has the bytes.
    """
    yield f'{{"path": {json.dumps(path.decode("utf-8", "replace"))}, "entries": ['.encode()
    separator = "\n"
    for batch in _batches(page):
        members = ({**row._asdict(), "modified": iso_moment(row.modified)} for row in batch)
        yield (separator + ",\n".join(map(json.dumps, members))).encode()
        separator = ",\n"
    reason = " ".join(page.notices) or None
    end: ListingEnd = {"complete": reason is None, "reason": reason, "next": page.next}
    yield f"\n], {json.dumps(end)[1:]}\n".encode()


def _batches(page: ListingPage) -> Iterator[list[_Row]]:
    for start in range(0, len(page.rows), BATCH):
        yield page.rows[start : start + BATCH]
