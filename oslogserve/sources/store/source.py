# SPDX-License-Identifier: Apache-2.0
"""The source [store]: logs and listings in a bucket."""

import re
from functools import partial
from typing import Any

from oslogserve.config.values import BucketUrl
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources import OpenOptions
from oslogserve.sources.objects.access import Access, SharedAccess
from oslogserve.sources.objects.location import PROBED, Location, location_of, prefix_of
from oslogserve.sources.objects.log import ObjectLog
from oslogserve.sources.objects.service import BEGINNING
from oslogserve.sources.objects.session import ObjectSession
from oslogserve.sources.objects.source import ObjectSource
from oslogserve.sources.store.access import explained
from oslogserve.sources.store.services import service_of


def located(url: BucketUrl, partitions: re.Pattern[str], path: bytes) -> Location | None:
    """The object of a path; None if there can be none."""
    if not {b".", b".."}.isdisjoint(path.split(b"/")):
        return None  # HTTP would name another object
    found = location_of(path, url.bucket, partitions)
    if found is None or not url.folder:
        return found
    return found._replace(name=f"{url.folder}/{found.name}")


def connected(
    name: str, options: dict[str, Any], metrics: Metrics, *, writes: bool = False
) -> ObjectSession:
    """A session with a store. writes: True if its tokens must allow that."""
    service = service_of(options)
    address = service.address(options["region"] or "us-east-1")
    public = Access(address, "") if options["anonymous"] else None
    authenticate = partial(explained, name, service.authenticate(writes=writes))
    tokens = SharedAccess(name, authenticate, public)
    return ObjectSession(name, service, options, tokens, metrics)


class Store(ObjectSource):
    def __init__(
        self, name: str, options: dict[str, Any], chunk_size: int, metrics: Metrics
    ) -> None:
        """name: by which readers ask for it. options: of its section."""
        url: BucketUrl = options["url"]
        self._url = url
        self.location = str(url)
        self._partitions = options["partitions"]
        super().__init__(connected(name, options, metrics), chunk_size)

    def _locate(self, path: bytes) -> Location | None:
        return located(self._url, self._partitions, path)

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

    def _check_missing(self, container: str) -> None:
        if "{partition}" not in self._url.bucket:
            raise SourceError(self.name, "there is no such bucket")

    def check(self) -> None:
        if "{partition}" in self._url.bucket:
            self._session.access()
            return
        folder = Location(self._url.bucket, self._url.folder)
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
            self._request(self._service.head, folder.container, probed)
        except SourceError as error:
            what = "the bucket is not there, or not public, or a log that is missing cannot be told"
            raise SourceError(self.name, what, error.reason) from error
