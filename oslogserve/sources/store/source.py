# SPDX-License-Identifier: Apache-2.0
"""The source [store]: logs and listings in a bucket.

Requests are few and simple, and made here: a library of the services bounds neither the time until an
answer is complete nor the bytes of a listing.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from oslogserve import __version__
from oslogserve.config.place import Place
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources import OpenOptions
from oslogserve.sources.objects.access import Access
from oslogserve.sources.objects.errors import Refusal
from oslogserve.sources.objects.listing import BEGINNING, Marker, Page
from oslogserve.sources.objects.location import PROBED, Location, location_of, prefix_of
from oslogserve.sources.objects.log import ObjectLog, Response
from oslogserve.sources.objects.session import ObjectSession
from oslogserve.sources.objects.source import ObjectSource
from oslogserve.sources.resuming import ALL, Attempts, Checksum
from oslogserve.sources.store.access import StoreAccess
from oslogserve.sources.store.services import service_of
from oslogserve.sources.store.signers import Signer

_AGENT = f"oslogserve/{__version__}"


class Store(ObjectSource):
    def __init__(
        self, name: str, options: dict[str, Any], chunk_size: int, metrics: Metrics
    ) -> None:
        """name: by which readers ask for it. options: of its section."""
        place: Place = options["url"]
        self._place = place
        self._partitions: re.Pattern[str] = options["partitions"]
        self._service = service_of(place, options)
        self.location = str(place)
        address = self._service.address(options["region"] or "us-east-1")
        public = Access(address, "") if options["anonymous"] else None
        access = StoreAccess(name, self._service.authenticate(), public)
        super().__init__(
            name,
            self._located,
            ObjectSession(name, options, access, metrics),
            chunk_size,
            Attempts(options["resumes"], options["answer_timeout"], metrics),
        )

    def _located(self, path: bytes) -> Location | None:
        if not {b".", b".."}.isdisjoint(path.split(b"/")):
            return None  # HTTP would name another object
        found = location_of(path, self._place.bucket, self._partitions)
        if found is None or not self._place.folder:
            return found
        return found._replace(name=f"{self._place.folder}/{found.name}")

    def _log(self, location: Location, options: OpenOptions) -> ObjectLog | None:
        try:
            return super()._log(location, options)
        except SourceError as error:
            if not self._is_unlisted(error) or self._may_list(location):
                raise
            return None  # stores say so to whoever may not list, also of what is not there

    def _may_list(self, location: Location) -> bool:
        """True if everybody may list the bucket: then an object that is not there is told from others."""
        try:
            self._page(*location, BEGINNING, limit=1)
        except SourceError as error:
            if self._is_unlisted(error):
                return False
            raise
        return True

    def _head(self, *args: Any, http_conn: Any) -> Mapping[str, str]:
        response = self._of_object("HEAD", *args, http_conn=http_conn)
        response.read()
        return _headers(response)

    def _object(
        self, *args: Any, headers: dict[str, str], chunk_size: int, http_conn: Any
    ) -> Response:
        response = self._of_object("GET", *args, headers=headers, http_conn=http_conn)
        chunks = iter(partial(response.read, chunk_size), b"")
        return Response(response.status, _headers(response), chunks)

    def _listed(self, *args: Any, prefix: str, marker: Marker, limit: int, http_conn: Any) -> Page:
        query = self._service.query(prefix, marker, min(limit, self._service.page_size))
        given = {name: text for name, text in query.items() if text}
        address, signer, bucket = args
        url = address + self._service.listing_path(bucket) + "?"
        url += urlencode(given, quote_via=quote, safe="")
        response = self._answer("GET", url, signer, http_conn=http_conn)
        return self._service.page(response.read(), prefix, marker)

    def _of_object(
        self, method: str, *args: Any, http_conn: Any, headers: Mapping[str, str] | None = None
    ) -> Any:
        """A successful answer about an object."""
        address, signer, bucket, name = args
        url = address + self._service.path(bucket, name)
        return self._answer(method, url, signer, headers, http_conn=http_conn)

    def _answer(
        self,
        method: str,
        url: str,
        signer: Signer | None,
        headers: Mapping[str, str] | None = None,
        *,
        http_conn: Any,
    ) -> Any:
        """A successful answer. Raises Refusal for one that is none."""
        wanted = {"User-Agent": _AGENT, **self._service.headers, **(headers or {})}
        if signer:
            wanted |= signer.headers_of(method, url)
        parsed_url, connection = http_conn
        target = url.removeprefix(f"{parsed_url.scheme}://{parsed_url.netloc}")
        connection.request(method, target, "", wanted)
        response = connection.getresponse()
        if not 200 <= response.status < 300:
            raise Refusal(response.status, response.read(), response.headers)
        return response

    def _checksums(self, headers: Mapping[str, str], location: Location) -> list[Checksum]:
        return [Checksum(ALL, self._service.md5_of(headers))]

    def _check_missing(self, container: str) -> None:
        if "{partition}" not in self._place.bucket:
            raise SourceError(self.name, "there is no such bucket")

    def check(self) -> None:
        if "{partition}" in self._place.bucket:
            self._session.check_access()
            return
        folder = Location(self._place.bucket, self._place.folder)
        try:
            self._page(folder.container, prefix_of(folder), BEGINNING, limit=1)
        except SourceError as error:
            if not self._is_unlisted(error):
                raise
            self._check_public(folder)

    def _check_public(self, folder: Location) -> None:
        """Raises SourceError where the bucket may not be read. Only a listing needs more."""
        probed = prefix_of(folder) + PROBED
        try:
            self._request(self._head, folder.container, probed)
        except SourceError as error:
            what = "the bucket is not there, or not public, or a log that is missing cannot be told"
            raise SourceError(self.name, what, error.reason) from error


def _headers(response: Any) -> dict[str, str]:
    return {name.lower(): text for name, text in response.getheaders()}
