# SPDX-License-Identifier: Apache-2.0
"""The requests of a store's objects.

They are few and simple, and made here: a library of the services bounds neither the time until an answer
is complete nor the bytes of a listing.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from oslogserve import __version__
from oslogserve.sources.objects.errors import Refusal
from oslogserve.sources.objects.listing import Marker, Page
from oslogserve.sources.store.access import Signer
from oslogserve.sources.store.services import Service

_AGENT = f"oslogserve/{__version__}"


class Requests(NamedTuple):
    """args: address, signer, bucket and, for an object, its name; see ObjectSession.request."""

    service: Service

    def head(self, *args: Any, http_conn: Any) -> Mapping[str, str]:
        """The headers of an object."""
        response = self.of_object("HEAD", *args, http_conn=http_conn)
        response.read()
        return headers_of(response)

    def listed(self, *args: Any, prefix: str, marker: Marker, limit: int, http_conn: Any) -> Page:
        """The page of a listing after `marker`. Raises one of several errors for a malformed one."""
        query = self.service.query(prefix, marker, min(limit, self.service.page_size))
        given = {name: text for name, text in query.items() if text}
        address, signer, bucket = args
        url = address + self.service.listing_path(bucket) + "?" + query_string(given)
        response = self.answer("GET", url, signer, http_conn=http_conn)
        return self.service.page(response.read(), prefix, marker)

    def of_object(
        self, method: str, *args: Any, http_conn: Any, headers: Mapping[str, str] | None = None
    ) -> Any:
        """A successful answer about an object."""
        address, signer, bucket, name = args
        url = address + self.service.path(bucket, name)
        return self.answer(method, url, signer, headers, http_conn=http_conn)

    def answer(
        self,
        method: str,
        url: str,
        signer: Signer | None,
        headers: Mapping[str, str] | None = None,
        body: Any = "",
        *,
        http_conn: Any,
    ) -> Any:
        """A successful answer. Raises Refusal for one that is none."""
        wanted = {"User-Agent": _AGENT, **self.service.headers, **(headers or {})}
        if signer:
            wanted |= signer.headers_of(method, url, wanted)
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
