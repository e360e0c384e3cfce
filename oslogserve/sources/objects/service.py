# SPDX-License-Identifier: Apache-2.0
"""A service that stores objects: its requests, and how they differ from those of others.

They are few and simple, and made here: no library of the services bounds the time until an answer is complete,
or the bytes of a listing.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from oslogserve import __version__
from oslogserve.sources.objects.errors import Refusal
from oslogserve.sources.objects.listing import Marker, Page

_AGENT = f"oslogserve/{__version__}"


class Service(ABC):
    """args of requests: address, token, container and, for an object, its name; see ObjectSession.request."""

    #: Headers of all requests.
    headers: Mapping[str, str] = {}
    #: Rows of a page, by the service's own limit.
    page_size = 1000

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

    def head(self, *args: Any, http_conn: Any) -> Mapping[str, str]:
        """The headers of an object, or of what objects are in."""
        response = self.get(*args, method="HEAD", http_conn=http_conn)
        response.read()
        return headers_of(response)

    def get(
        self,
        address: str,
        token: Any,
        *where: str,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        http_conn: Any,
    ) -> Any:
        """The answer with an object."""
        url = address + self.path(*where)
        return self.answer(method, url, token, headers, http_conn=http_conn)

    def listed(
        self,
        address: str,
        token: Any,
        container: str,
        *,
        prefix: str,
        marker: Marker,
        limit: int,
        http_conn: Any,
    ) -> Page:
        """The page of a listing after `marker`. Raises one of several errors for a malformed one."""
        query = self.query(prefix, marker, min(limit, self.page_size))
        given = {name: text for name, text in query.items() if text}
        url = address + self.listing_path(container) + "?" + query_string(given)
        response = self.answer("GET", url, token, http_conn=http_conn)
        return self.page(response.read(), prefix, marker)

    def answer(
        self,
        method: str,
        url: str,
        token: Any,
        headers: Mapping[str, str] | None = None,
        body: Any = "",
        *,
        http_conn: Any,
    ) -> Any:
        """A successful answer. Raises Refusal for one that is none."""
        wanted = {"User-Agent": _AGENT, **self.headers, **(headers or {})}
        if token:
            wanted |= self.credentials(token, method, url, wanted)
        parsed_url, connection = http_conn
        target = url.removeprefix(f"{parsed_url.scheme}://{parsed_url.netloc}")
        connection.request(method, target, body, wanted)
        response = connection.getresponse()
        if not 200 <= response.status < 300:
            raise Refusal(response.status, response.read(), response.headers)
        return response


def query_string(given: Mapping[str, str]) -> str:
    """The query string, quoted as signatures want it."""
    return urlencode(given, quote_via=quote, safe="")


def headers_of(response: Any) -> dict[str, str]:
    return {name.lower(): text for name, text in response.getheaders()}
