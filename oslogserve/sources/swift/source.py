# SPDX-License-Identifier: Apache-2.0
"""The Swift source: logs and listings in containers of OpenStack Swift."""

from functools import partial

from oslogserve.config import Config
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources.objects.location import PROBED, location_of
from oslogserve.sources.objects.source import ObjectSource
from oslogserve.sources.swift import SOURCE
from oslogserve.sources.swift.service import SwiftService
from oslogserve.sources.swift.session import SwiftSession


class Swift(ObjectSource):
    _unlisted = "its listing is not public: the container's read ACL has no .rlistings"

    def __init__(self, config: Config, metrics: Metrics) -> None:
        options = config.section("swift")
        self._container = options["container"]
        self.location = f"container {self._container}"
        super().__init__(
            SOURCE,
            options,
            partial(location_of, container=self._container, partitions=options["partitions"]),
            SwiftService(),
            SwiftSession(config, metrics),
            config["serve", "chunk_size"],
            metrics,
        )

    def _check_missing(self, container: str) -> None:
        """Raises SourceError if the account cannot be read: then its containers seem missing."""
        try:
            self._request(self._service.head)
        except SourceError as error:
            # A user may be allowed to read a container, and not its account.
            if error.reason not in ("denied", "forbidden"):
                raise

    def check(self) -> None:
        # With a partition, no container of this name need be there.
        where = () if "{partition}" in self._container else (self._container,)
        if not self._session.is_public:
            if self._request(self._service.head, *where) is None:
                raise SourceError(self.name, "there is no such container")
            return
        # Whoever may only read is told that an object is missing.
        try:
            self._request(self._service.head, self._container, PROBED)
        except SourceError as error:
            if not self._is_unlisted(error):
                raise
            if where:
                what = "the container is not there, or not public: its read ACL has no .r:*"
                raise SourceError(self.name, what, error.reason) from error
