# SPDX-License-Identifier: Apache-2.0
"""The containers of `bench put` in Swift, and the requests that fill and empty them.

It writes to, and deletes, only containers with its own prefix and its own metadata.
"""

import itertools
import os
import secrets
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from random import Random
from urllib.parse import quote

from oslogserve.bench.samples import Request, Sample, UploadData
from oslogserve.config import ConfigError, load
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources.objects.service import BEGINNING, PAGE, Listed, Marker, Page
from oslogserve.sources.swift import SwiftService, SwiftSession

PREFIX = "oslogserve-bench-"
MARK = "x-container-meta-oslogserve-bench"
#: Random bytes that all uploads repeat; more would only push others out of the processor's cache.
DATA = 16 * 2**20
#: Operations of mixed(), in the order of their shares.
OPERATIONS = ("put", "get", "delete")
#: Objects that one round of deletions lists and deletes.
MOST_DELETED = 100_000
#: Seconds for which the deletion of an empty container is retried: Swift counts its objects late.
PATIENCE = 20


class Containers:
    def __init__(self, config_file: str | None) -> None:
        """Raises ConfigError without credentials."""
        if config_file is None and not any(name.startswith("OS_") for name in os.environ):
            raise ConfigError("this needs Swift: give --config, or set OS_AUTH_URL and its like")
        # With a container, the configuration requires credentials too.
        config = load(config_file, swift_container=PREFIX)
        if config["swift", "storage_url"]:
            raise ConfigError("[swift] storage_url is for reading: give credentials instead")
        self.ca_file: str = config["swift", "ca_file"]
        self._service = SwiftService()
        self._session = SwiftSession(config, Metrics())

    def close(self) -> None:
        self._session.close()

    @property
    def url(self) -> str:
        """The storage URL."""
        return self._session.access().storage_url

    def make(self, run: str, count: int) -> list[str]:
        """Makes the containers of a run. Returns their names."""
        names = [f"{PREFIX}{run}-{number}" for number in range(count)]
        for name in names:
            self._session.request(self._service.read, name, method="PUT", headers={MARK: run})
        return names

    def names(self, run: str = "") -> list[str]:
        """The names of the containers of one run, or of all runs."""
        prefix = f"{PREFIX}{run}-" if run else PREFIX
        names = [row.name for row in self._rows("", prefix)]
        heads = [self._session.request(self._service.head, name) for name in names]
        return [name for name, head in zip(names, heads, strict=True) if head and MARK in head]

    def uploads(self, containers: Sequence[str], sizes: Sequence[int]) -> Iterator[Request]:
        """Yields uploads of new objects, to each container in turn, endlessly. Draws their sizes."""
        data, random = os.urandom(min(max(sizes), DATA)), Random(0)  # noqa: S311 - no secret
        # With Expect, curl would wait for an answer before it sends the body.
        headers = ("Content-Type: text/plain", "Expect:")
        for number, container in enumerate(itertools.cycle(containers)):
            body = UploadData(data, random.choice(sizes), number * 7919 % max(1, len(data)))
            yield Request("put", f"{container}/log-{number:09}.txt", "", "PUT", headers, body)

    def deletions(self, containers: Sequence[str]) -> list[Request]:
        """Deletions of the first objects in these containers."""
        objects = ((name, row.name) for name in containers for row in self._rows(name))
        return [
            Request("delete", f"{container}/{quote(stored)}", "", "DELETE")
            for container, stored in itertools.islice(objects, MOST_DELETED)
        ]

    def authorized(self, requests: Iterable[Request]) -> Iterator[Request]:
        """Yields the requests with URL and token, added just before each is sent."""
        for request in requests:
            access = self._session.access()
            headers = (f"X-Auth-Token: {access.token}", *request.headers)
            yield request._replace(url=f"{access.storage_url}/{request.name}", headers=headers)

    def delete(self, containers: Sequence[str]) -> None:
        """Deletes empty containers. Raises SourceError if one has an object."""
        end = time.monotonic() + PATIENCE
        for name in containers:
            while True:
                try:
                    self._session.request(self._service.read, name, method="DELETE")
                    break
                except SourceError as error:
                    if error.reason != "refused" or time.monotonic() > end:
                        raise
                    time.sleep(0.2)

    def _rows(self, container: str, prefix: str = "") -> Iterator[Listed]:
        """Yields the objects in a container, or the containers of the account (""), page by page."""
        marker: Marker | None = BEGINNING
        while marker is not None:
            listed = partial(self._service.listed, prefix=prefix, marker=marker, limit=PAGE)
            page = self._session.request(listed, container) or Page()
            yield from page.rows
            marker = page.next


def mixed(uploads: Iterator[Request], shares: Sequence[int], first: int) -> Iterator[Request]:
    """Yields puts, gets and deletes of objects that exist, drawn by their shares, endlessly.

    first: puts that come first. An object is requested by one at a time, so none is read after its
    deletion.
    """
    random = Random(0)  # noqa: S311 - no secret
    stored: list[str] = []

    def put(sample: Sample) -> None:
        if not sample.error:
            stored.append(sample.name)

    def got(sample: Sample) -> None:
        stored.append(sample.name)

    for number in itertools.count():
        (operation,) = random.choices(OPERATIONS, shares)
        if operation == "put" or number < first or not stored:
            yield next(uploads)._replace(ended=put)
            continue
        name = stored.pop(random.randrange(len(stored)))
        ended = got if operation == "get" else None
        yield Request(operation, name, "", operation.upper(), ended=ended)


def new_run() -> str:
    """A new name for the containers of a run."""
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{secrets.token_hex(3)}"
