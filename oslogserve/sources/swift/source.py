# SPDX-License-Identifier: Apache-2.0
"""The Swift source: logs and listings in containers of OpenStack Swift."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from swiftclient import client as swift_api

from oslogserve.config import Config
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources.objects.listing import Marker, Page
from oslogserve.sources.objects.location import PROBED, Location, location_of
from oslogserve.sources.objects.log import ObjectResponse
from oslogserve.sources.objects.source import ObjectSource
from oslogserve.sources.resuming import Attempts, Checksum
from oslogserve.sources.swift import SOURCE, listing
from oslogserve.sources.swift.large_objects import checksums_of
from oslogserve.sources.swift.session import SwiftSession


class Swift(ObjectSource):
    _unlisted = "its listing is not public: the container's read ACL has no .rlistings"

    def __init__(self, config: Config, metrics: Metrics) -> None:
        options = config.section("swift")
        self._container = options["container"]
        self.location = f"container {self._container}"
        super().__init__(
            SOURCE,
            partial(location_of, container=self._container, partitions=options["partitions"]),
            SwiftSession(config, metrics),
            config["serve", "chunk_size"],
            Attempts(options["resumes"], options["answer_timeout"], metrics),
        )

    def _head(self, *args: Any, http_conn: Any) -> Mapping[str, str]:
        found: dict[str, str] = swift_api.head_object(*args, http_conn=http_conn)
        return found

    def _object(
        self, *args: Any, headers: dict[str, str], chunk_size: int, http_conn: Any
    ) -> ObjectResponse:
        response: dict[str, Any] = {}
        found, chunks = swift_api.get_object(
            *args,
            http_conn=http_conn,
            resp_chunk_size=chunk_size,
            headers=headers,
            response_dict=response,
        )
        return ObjectResponse(response["status"], found, chunks)

    def _listed(self, *args: Any, prefix: str, marker: Marker, limit: int, http_conn: Any) -> Page:
        after = marker.name
        return listing.page(*args, prefix=prefix, marker=after, limit=limit, http_conn=http_conn)

    def _checksums(self, headers: Mapping[str, str], location: Location) -> list[Checksum]:
        return checksums_of(self._request, headers, *location)

    def _check_missing(self, container: str) -> None:
        """Raises SourceError if the account cannot be read: then its containers seem missing."""
        try:
            self._request(swift_api.head_account)
        except SourceError as error:
            # A user may be allowed to read a container, and not its account.
            if error.reason not in ("denied", "forbidden"):
                raise

    def check(self) -> None:
        if self._session.is_public:
            self._check_public()
            return
        if "{partition}" in self._container:
            found = self._request(swift_api.head_account)
        else:
            found = self._request(swift_api.head_container, self._container)
        if found is None:
            raise SourceError(self.name, "there is no such container")

    def _check_public(self) -> None:
        """Raises SourceError where the container may not be read. Only a listing needs more."""
        try:
            self._request(swift_api.head_object, self._container, PROBED)
        except SourceError as error:
            if not self._is_unlisted(error):
                raise
            # With a partition, no container of this name need be there.
            if "{partition}" not in self._container:
                what = "the container is not there, or not public: its read ACL has no .r:*"
                raise SourceError(self.name, what, error.reason) from error
