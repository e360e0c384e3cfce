# SPDX-License-Identifier: Apache-2.0
"""Logs in containers of OpenStack Swift: one open response each, and listings."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from swiftclient import client as swift_api

from oslogserve.config import Config
from oslogserve.errors import Incomplete, SourceError
from oslogserve.sources import FULL_BODY, Entry, Folder, Log, OpenOptions, Stored
from oslogserve.sources.swift_session import FAILURES, TIMEOUTS, Connection, SwiftSession

#: Swift's own bound of one page.
PAGE = 10000
#: Swift's longest object name, bytes.
MAX_NAME = 1024
_MD5 = re.compile(r"[0-9a-f]{32}")


class Swift:
    name = "swift"

    def __init__(self, config: Config, session: SwiftSession) -> None:
        self._session = session
        self._container = config["swift", "container"]
        self._partitions = config["swift", "partitions"]
        self._chunk_size = config["serve", "chunk_size"]

    def open(self, path: bytes, options: OpenOptions = FULL_BODY) -> "SwiftLog | Folder | None":
        place = self._place(path)
        if place is None:
            return None
        container, name = place
        deadline = self._session.deadline()
        for stored_name in (name, name + ".gz") if name else ():
            if len(stored_name.encode()) > MAX_NAME:
                continue
            log = (
                self._get(container, stored_name, options, deadline)
                if options.body
                else self._head(container, stored_name, deadline)
            )
            if log is not None and log.is_folder:
                log.close()
                return Folder()
            if log is not None:
                return log
        if self._page(container, name + "/" if name else "", "", 1, deadline):
            return Folder()
        self._check_not_lost(container, name, deadline)
        return None

    def _check_not_lost(self, container: str, name: str, deadline: float) -> None:
        """What is not found and yet listed expired just now, or its bytes are lost."""
        for lost in (name, name + ".gz") if name else ():
            page = self._page(container, lost, "", 1, deadline)
            if not page:
                return
            if page[0].get("name") == lost:
                told = "it lists the log and does not find it, which expired just now or is damaged"
                raise SourceError(self.name, told, "lost")

    def _place(self, path: bytes) -> tuple[str, str] | None:
        """(container, object name) of a path; None where Swift can hold no such name."""
        try:
            name = path.decode("utf-8")
        except UnicodeDecodeError:
            return None
        container = self._container
        if "{partition}" in container:
            partition, _, name = name.partition("/")
            if not self._partitions.fullmatch(partition):
                return None
            container = container.replace("{partition}", partition)
        return container, name

    def _head(self, container: str, name: str, deadline: float) -> "SwiftLog | None":
        return self._session.asked(
            lambda url, token, connection: _seen(
                swift_api.head_object(url, token, container, name, http_conn=connection)
            ),
            deadline,
        )

    def _get(
        self, container: str, name: str, options: OpenOptions, deadline: float
    ) -> "SwiftLog | None":
        headers = {}
        if options.byte_range is not None:
            first, end = options.byte_range
            headers["Range"] = f"bytes={first}-{'' if end is None else end - 1}"
            headers["If-Match"] = f'"{options.version}"'
        return self._session.asked(
            lambda url, token, connection: self._begun(
                options,
                connection,
                *swift_api.get_object(
                    url,
                    token,
                    container,
                    name,
                    http_conn=connection,
                    resp_chunk_size=self._chunk_size,
                    headers=headers,
                ),
            ),
            deadline,
            keep=True,
        )

    def _begun(
        self,
        options: OpenOptions,
        connection: Connection,
        headers: dict[str, str],
        body: Iterator[bytes],
    ) -> "SwiftLog":
        if options.byte_range is not None and not headers.get("content-range", "").startswith(
            f"bytes {options.byte_range[0]}-"
        ):
            # A large object without a length is sent whole, whatever part of it is asked for.
            raise SourceError(self.name, "it does not send this log in parts", "changed")
        first = next(body, b"")
        return SwiftLog(
            _stored(headers), _is_folder(headers), first, body, connection, self._session
        )

    def entries(self, path: bytes) -> Iterator[Entry] | None:
        place = self._place(path)
        if place is None:
            return None
        container, name = place
        prefix = name + "/" if name else ""
        page = self._page(container, prefix, "", PAGE, self._session.deadline())
        return self._entries(container, prefix, page) if page else None

    def _entries(self, container: str, prefix: str, page: list[dict[str, Any]]) -> Iterator[Entry]:
        start = len(prefix)
        while page:
            for row in page:
                if "subdir" in row:
                    yield Entry(row["subdir"][start:].encode(), None, None, self.name)
                elif len(row["name"]) > start and not _is_marker(row["content_type"], row["bytes"]):
                    yield Entry(
                        row["name"][start:].encode(),
                        row["bytes"],
                        _seconds(row["last_modified"]),
                        self.name,
                    )
            marker = page[-1].get("subdir") or page[-1]["name"]
            page = self._page(container, prefix, marker, PAGE, self._session.deadline())

    def _page(
        self, container: str, prefix: str, marker: str, limit: int, deadline: float
    ) -> list[dict[str, Any]]:
        answer = self._session.asked(
            lambda url, token, connection: swift_api.get_container(
                url,
                token,
                container,
                http_conn=connection,
                prefix=prefix or None,
                delimiter="/",
                marker=marker,
                limit=limit,
            ),
            deadline,
        )
        if answer is None:
            self._check_account(deadline)
            return []
        found: list[dict[str, Any]] = answer[1]
        return found

    def _check_account(self, deadline: float) -> None:
        """A container is not found, too, where its account's server is down."""
        try:
            self._session.asked(
                lambda url, token, connection: swift_api.head_account(
                    url, token, http_conn=connection
                ),
                deadline,
            )
        except SourceError as error:
            if error.reason not in (
                "denied",
                "forbidden",
            ):  # who may read a container may not see its account
                raise

    def check(self) -> None:
        found = self._session.asked(
            lambda url, token, connection: (
                swift_api.head_account(url, token, http_conn=connection)
                if "{partition}" in self._container
                else swift_api.head_container(url, token, self._container, http_conn=connection)
            ),
            self._session.deadline(),
        )
        if found is None:
            raise SourceError(self.name, "there is no such container")

    def close(self) -> None:
        self._session.close()


class SwiftLog(Log):
    def __init__(
        self,
        stored: Stored,
        is_folder: bool,
        first: bytes = b"",
        rest: Iterator[bytes] | None = None,
        connection: Connection | None = None,
        session: SwiftSession | None = None,
    ) -> None:
        super().__init__(stored)
        self.is_folder = is_folder
        self._first = first
        self._rest = rest
        self._left = None if stored.size is None else stored.size - len(first)
        self._connection = connection
        self._session = session

    def __iter__(self) -> Iterator[bytes]:
        if self._left == 0:
            self._rest = None
        if self._first:
            yield self._first
        while self._rest is not None:
            self._wait_for_a_chunk()
            try:
                chunk = next(self._rest, b"")
            except FAILURES as error:
                if isinstance(error, TIMEOUTS):
                    raise Incomplete("timeout", "Swift stopped answering") from error
                raise Incomplete("failed", "the connection to Swift broke") from error
            if not chunk:
                if self._left:
                    raise Incomplete("failed", "Swift ended too early")
                self._rest = None
                return
            if self._left is not None:
                self._left -= len(chunk)
                if self._left == 0:  # a reader that counts does not ask for the end
                    self._rest = None
            yield chunk

    def _wait_for_a_chunk(self) -> None:
        """No longer than for the first: who sends a byte a second is never late, and a thread
        would be stuck, also when its reader has left."""
        if self._connection is not None and self._session is not None:
            self._connection[1].adapter.at = self._session.chunk_deadline()

    def close(self) -> None:
        """A connection whose answer was read whole goes back; a broken-off one is closed."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._rest is None and self._session is not None:
            self._session.release(connection)
        else:
            connection[1].close()


def _seen(headers: dict[str, str]) -> SwiftLog:
    return SwiftLog(_stored(headers), _is_folder(headers))


def _stored(headers: dict[str, str]) -> Stored:
    length = headers.get("content-length")
    version = headers.get("etag", "").strip('"')
    is_large = "x-static-large-object" in headers or "x-object-manifest" in headers
    return Stored(
        source=Swift.name,
        size=int(length) if length is not None else None,
        modified=parsedate_to_datetime(headers["last-modified"]).timestamp(),
        version=version,
        encoding=headers.get("content-encoding", "").lower(),
        md5="" if is_large or not _MD5.fullmatch(version) else version,
    )


def _is_folder(headers: dict[str, str]) -> bool:
    return _is_marker(headers.get("content-type", ""), int(headers.get("content-length", 0)))


def _is_marker(content_type: str, size: int) -> bool:
    """Zuul and others keep an empty object for each folder, without a slash at its end."""
    return size == 0 and content_type.partition(";")[0] == "application/directory"


def _seconds(listed: str) -> float:
    """Swift lists times as ISO 8601 in UTC, without saying so."""
    return datetime.fromisoformat(listed).replace(tzinfo=UTC).timestamp()
