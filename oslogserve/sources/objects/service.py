# SPDX-License-Identifier: Apache-2.0
"""A service that stores objects: its requests, and how they differ from those of others.

They are few and simple, and made here: no library of the services bounds the time until an answer is complete,
or the bytes of a listing.
"""

import base64
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from oslogserve import __version__
from oslogserve.sources.deadline import Connection
from oslogserve.sources.objects.errors import Refusal
from oslogserve.sources.objects.listing import Marker, Page

_AGENT = f"oslogserve/{__version__}"


class Service(ABC):
    """where: a container and, for an object, its name. connection: has an access."""

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
    return {name.lower(): text for name, text in response.getheaders()}
