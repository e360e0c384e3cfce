# SPDX-License-Identifier: Apache-2.0
"""The pages of a listing of objects."""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from oslogserve.sources import within_dates

#: Objects and folders on a page, where the store allows as many. It is Swift's own limit.
PAGE = 10000
#: More bytes than any log has. A large object can have more: of others, joined again and again.
LARGEST = 10**18 - 1


class Listed(NamedTuple):
    """A row of a listing: an object, or a folder, whose name ends in "/"."""

    #: The full name, with the listing's prefix.
    name: str
    size: int | None = None
    #: Seconds since 1970.
    modified: float | None = None
    #: True for an object that represents a folder, and is left out of listings.
    is_marker: bool = False


class Marker(NamedTuple):
    """Where a page of a listing begins."""

    #: The name that it follows; "" for none.
    name: str = ""
    #: The store's own word for the place; "" for none.
    token: str = ""


class Page(NamedTuple):
    """A part of a listing, in the order of names. It may have no rows, and yet a next page."""

    rows: Sequence[Listed] = ()
    #: None at the end of the listing.
    next: Marker | None = None


#: Where the first page begins.
BEGINNING = Marker()


def name_before(first: bytes) -> str:
    """A name that sorts before `first`, as close to it as UTF-8 allows; "" for none.

    Stores list what follows a marker, and not the marker itself.
    """
    before = first[:-1]
    try:
        return before.decode()
    except UnicodeDecodeError as error:
        return before[: error.start].decode()


def is_marker(content_type: str, size: int) -> bool:
    """True for the empty object, named without a slash, by which Zuul and others mark a folder."""
    return size == 0 and content_type.partition(";")[0] == "application/directory"


def listed_object(name: str, size: int, modified: datetime, content_type: str = "") -> Listed:
    """The row of an object. Raises ValueError if its size is none.

    The size is at most LARGEST: a job's object must not hide others.
    """
    if size < 0:
        raise ValueError("no size")
    size = min(size, LARGEST)
    return Listed(name, size, within_dates(modified.timestamp()), is_marker(content_type, size))


def checked(rows: Sequence[Listed], prefix: str, after: str) -> Sequence[Listed]:
    """The rows. Raises ValueError if they are not those of a folder after a name, in their order.

    The last name is where the next page begins: names out of order would come twice or be lost.
    """
    names = [after, *(listed.name for listed in rows)]
    is_in_order = all(a.encode() < b.encode() for a, b in pairwise(names))
    is_within = all(
        name.startswith(prefix) and "/" not in name[len(prefix) : -1] for name in names[1:]
    )
    if not is_in_order or not is_within:
        raise ValueError("another listing")
    return rows
