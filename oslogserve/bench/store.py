# SPDX-License-Identifier: Apache-2.0
"""The containers of the benchmark in the configured Swift, and the requests that fill and empty them.

A container is one of ours by its name and by its metadata: no other is written to or deleted.
"""

import itertools
import os
import re
import secrets
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

from swiftclient import client as swift_api

from oslogserve.bench.samples import BadPlan, Body, Request
from oslogserve.config import load
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources.swift_session import SwiftSession

PREFIX = "oslogserve-bench-"
MARK = "x-container-meta-oslogserve-bench"
#: Random bytes, of which all uploads are made: more would only fill the processor's cache.
DATA = 16 * 2**20
#: Objects that are looked up before they are deleted, in one run.
MOST_DELETED = 100_000
#: Seconds until a container that is empty may be deleted, by when Swift has counted its objects.
PATIENCE = 20
PUT, DELETE = "put", "delete"


class Store:
    def __init__(self, config_file: str | None) -> None:
        """Raises ConfigError where no credentials are configured."""
        # The benchmark needs no container to be configured, but all that makes one usable.
        config = load(config_file, swift_container=PREFIX)
        self.ca_file: str = config["swift", "ca_file"]
        self._session = SwiftSession(config, Metrics())

    def close(self) -> None:
        self._session.close()

    def make_containers(self, run: str, count: int) -> list[str]:
        names = [f"{PREFIX}{run}-{number}" for number in range(count)]
        for name in names:
            self._session.request(swift_api.put_container, name, headers={MARK: run})
        return names

    def containers(self, run: str = "") -> list[str]:
        """Names of the containers of one run, or of all runs."""
        beginning = f"{PREFIX}{run}-" if run else PREFIX
        names = list(self._names(swift_api.get_account, prefix=beginning))
        heads = [self._session.request(swift_api.head_container, name) for name in names]
        return [name for name, head in zip(names, heads, strict=True) if head and MARK in head]

    def uploads(self, containers: Sequence[str], data: bytes, size: int) -> Iterator[Request]:
        """An endless sequence of uploads, of a new object to each container in turn."""
        for number, container in enumerate(itertools.cycle(containers)):
            body = Body(data, size, number * 7919 % max(1, len(data)))
            # Expect would make curl wait for a word before it sends the body.
            headers = ("Content-Type: text/plain", "Expect:")
            name = f"{container}/log-{number:09}.txt"
            yield Request(PUT, name, "", "PUT", headers, body)

    def deletions(self, containers: Sequence[str]) -> list[Request]:
        """Deletions of the first objects that these containers hold."""
        found: list[Request] = []
        for container in containers:
            names = self._names(swift_api.get_container, container)
            for name in itertools.islice(names, MOST_DELETED - len(found)):
                path = f"{container}/{quote(name)}"
                found.append(Request(DELETE, path, "", "DELETE"))
        return found

    def allowed(self, requests: Iterable[Request]) -> Iterator[Request]:
        """The requests with URL and token, which each gets just before it is sent."""
        for request in requests:
            url, token = self._access()
            headers = (token, *request.headers)
            yield request._replace(url=f"{url}/{request.name}", headers=headers)

    def remove(self, containers: Sequence[str]) -> None:
        """Deletes empty containers. Raises SourceError where one holds an object."""
        end = time.monotonic() + PATIENCE
        for name in containers:
            while True:
                try:
                    self._session.request(swift_api.delete_container, name)
                    break
                except SourceError as error:
                    if error.reason != "refused" or time.monotonic() > end:
                        raise
                    time.sleep(0.2)

    def _names(self, call: Any, *arguments: str, prefix: str = "") -> Iterator[str]:
        """The names of a listing, page by page."""
        marker = ""
        while True:
            found = self._session.request(call, *arguments, prefix=prefix, marker=marker)
            names = [str(row["name"]) for row in found[1]] if found else []
            yield from names
            if not names:
                return
            marker = names[-1]

    def _access(self) -> tuple[str, str]:
        """The storage URL, and the header with the token."""
        found = self._session.request(lambda url, token, http_conn: (url, token))
        if found is None:
            raise SourceError("swift", "it gave no token")
        return found[0], f"X-Auth-Token: {found[1]}"


def new_run() -> str:
    """A new name for the containers of a run."""
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{secrets.token_hex(3)}"


def checked_run(name: str) -> str:
    """The name, if it has the form of new_run(). Raises BadPlan."""
    if not re.fullmatch(r"[0-9]{8}T[0-9]{6}-[0-9a-f]{6}", name):
        raise BadPlan(f"{name}: give the name of a run, as `bench put --keep` says it, or --all")
    return name


def random_data(size: int) -> bytes:
    return os.urandom(min(size, DATA))
