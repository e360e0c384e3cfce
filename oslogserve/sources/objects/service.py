# SPDX-License-Identifier: Apache-2.0
"""A service that stores objects: its requests, how they differ from those of others, and its listings by pages.

They are few and simple, and made here: no library of the services bounds the time until an answer is complete,
or the bytes of a listing.
"""

import base64
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from oslogserve import __version__
from oslogserve.sources import within_dates
from oslogserve.sources.deadline import Connection
from oslogserve.sources.objects.errors import Refusal

#: Objects and folders on a page, where the store allows as many. It is Swift's own limit.
PAGE = 10000
#: More bytes than any log has. A large object can have more: of others, joined again and again.
LARGEST = 10**18 - 1
_AGENT = f"oslogserve/{__version__}"


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


class Service(ABC):
    """where: a container and, for an object, its name. connection: has an access."""

    #: What should answer, for messages.
    kind = "the store"
    #: True if a refusal always says that it is about the token.
    tells_denials = False
    #: Headers of all requests.
    headers: Mapping[str, str] = {}
    #: Rows of a page, by the service's own limit.
    page_size = 1000
    #: The name of the metadata that an upload's checksum is in; "" where the ETag tells.
    _checksum = ""

    def path(self, container: str = "", name: str = "") -> str:
        """The path of an object, or of what objects are in."""
        within = f"/{quote(name)}" if name else ""
        return (f"/{quote(container, safe='')}" if container else "") + within

    def listing_path(self, container: str) -> str:
        """The path of a listing."""
        return self.path(container)

    def credentials(
        self, token: Any, method: str, url: str, headers: Mapping[str, str]
    ) -> dict[str, str]:
        """The headers that make a request with these headers one of the user's."""
        return {"Authorization": f"Bearer {token}"}

    @abstractmethod
    def query(self, prefix: str, marker: Marker, limit: int) -> dict[str, str]:
        """The query string's parameters for a page of a listing. Empty ones are left out."""

    @abstractmethod
    def page(self, body: bytes, prefix: str, marker: Marker) -> Page:
        """The page. Raises one of several errors for a malformed one."""

    @abstractmethod
    def md5_of(self, headers: Mapping[str, str]) -> str:
        """The MD5 of all of an object's bytes, in hexadecimal digits; "" if it is not known."""

    def is_joined(self, headers: Mapping[str, str]) -> bool:
        """True for an object of segments that the service verifies while it sends them."""
        return False

    def checksum_of(self, headers: Mapping[str, str]) -> str:
        """The checksum that an upload gave an object; "" if it is not known."""
        return self.md5_of(headers) or headers.get(self._checksum, "")

    def described(self, media_type: str, encoding: str, checksum: str) -> dict[str, str]:
        """The headers of an object that is stored. Empty ones are left out."""
        given = {"content-type": media_type, "content-encoding": encoding, self._checksum: checksum}
        return {name: text for name, text in given.items() if name and text}

    def verified(self, md5: str) -> dict[str, str]:
        """The header by which the service verifies a body. md5: in hexadecimal digits."""
        return {"Content-MD5": base64.b64encode(bytes.fromhex(md5)).decode()}

    def head(self, connection: Connection, *where: str) -> Mapping[str, str]:
        """The headers of an object, or of what objects are in."""
        return self.read(connection, *where, method="HEAD")[0]

    def read(
        self, connection: Connection, *where: str, **options: Any
    ) -> tuple[Mapping[str, str], bytes]:
        """The headers, in small letters, and the body of what ask() answers."""
        response = self.ask(connection, *where, **options)
        return headers_of(response), response.read()

    def ask(
        self,
        connection: Connection,
        *where: str,
        method: str = "GET",
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: Any = "",
    ) -> Any:
        """A successful answer about an object, or about what objects are in. Raises Refusal for another."""
        path = self.path(*where) + query_string(query or {})
        return self.answer(connection, method, path, headers, body)

    def listed(
        self, connection: Connection, container: str, *, prefix: str, marker: Marker, limit: int
    ) -> Page:
        """The page of a listing after `marker`. Raises one of several errors for a malformed one."""
        query = self.query(prefix, marker, min(limit, self.page_size))
        given = {name: text for name, text in query.items() if text}
        path = self.listing_path(container) + query_string(given)
        return self.page(self.answer(connection, "GET", path).read(), prefix, marker)

    def answer(
        self,
        connection: Connection,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: Any = "",
    ) -> Any:
        """A successful answer. Raises Refusal for one that is none."""
        address, token = connection.access[:2]
        url = address + path
        wanted = {"User-Agent": _AGENT, **self.headers, **(headers or {})}
        if token:
            wanted |= self.credentials(token, method, url, wanted)
        response = connection.answer(method, url, wanted, body)
        if not 200 <= response.status < 300:
            raise Refusal(response.status, response.read(), response.headers)
        return response


def query_string(given: Mapping[str, str]) -> str:
    """The query string with its "?", quoted as signatures want it; "" for none."""
    return "?" + urlencode(given, quote_via=quote, safe="") if given else ""


def headers_of(response: Any) -> dict[str, str]:
    """The headers by their names in small letters. Their texts may be of any bytes, which a job chose, as Latin-1."""
    return {name.lower(): text for name, text in response.headers.items()}


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
