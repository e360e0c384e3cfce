# SPDX-License-Identifier: Apache-2.0
"""Logs in containers of OpenStack Swift: one open response each, and listings."""

import math
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import urllib3.exceptions
from swiftclient import client as swift_api

from oslogserve.config import Config
from oslogserve.errors import Incomplete, SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources import (
    FULL_BODY,
    Checksum,
    Entry,
    Folder,
    Log,
    OpenOptions,
    Stored,
    within_dates,
)
from oslogserve.sources.deadline import DeadlineConnection
from oslogserve.sources.large_objects import checksums_of, version_of
from oslogserve.sources.swift_session import FAILURES, SOURCE, TIMEOUTS, SwiftSession

#: Rows of one page of a listing, Swift's own bound.
PAGE = 10000
#: Swift's longest object name, bytes.
MAX_NAME = 1024
#: More bytes than any object has.
LARGEST = 10**18
_LENGTH = re.compile(r"[0-9]{1,18}")


class Place(NamedTuple):
    """Place of a log in Swift."""

    container: str
    #: The object's.
    name: str


def place_of(path: bytes, container: str, partitions: re.Pattern[str]) -> Place | None:
    """The place; None where Swift can hold no such name, or its first segment names no container."""
    try:
        name = path.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if "{partition}" in container:
        partition, _, name = name.partition("/")
        if not partitions.fullmatch(partition):
            return None
        container = container.replace("{partition}", partition)
    return Place(container, name)


class Swift:
    name = SOURCE

    def __init__(self, config: Config, metrics: Metrics) -> None:
        self._session = SwiftSession(config, metrics)
        self._container = config["swift", "container"]
        self._partitions = config["swift", "partitions"]
        self._chunk_size = config["serve", "chunk_size"]

    def open(self, path: bytes, options: OpenOptions = FULL_BODY) -> "SwiftLog | Folder | None":
        place = self._place(path)
        if place is None:
            return None
        container, name = place
        for stored_name in _stored_names(name):
            log = self._log(container, stored_name, options)
            if log is not None and log.is_folder:
                log.close()
                return Folder()
            if log is not None:
                return log
        if self._page(container, name + "/" if name else "", limit=1):
            return Folder()
        self._check_not_lost(container, name)
        return None

    def _check_not_lost(self, container: str, name: str) -> None:
        """Raises SourceError for a log that is listed: it expired just now, or is damaged."""
        for stored_name in _stored_names(name):
            page = self._page(container, stored_name, limit=1)
            if not page:
                return
            if page[0].name == stored_name:
                what = "it lists the log and does not find it, which expired just now or is damaged"
                raise SourceError(self.name, what, "lost")

    def _place(self, path: bytes) -> "Place | None":
        return place_of(path, self._container, self._partitions)

    def _log(self, container: str, name: str, options: OpenOptions) -> "SwiftLog | None":
        """The log, or what stands for a folder; None where there is no such object."""
        if not options.body:
            return self._session.request(_head, container, name)
        get = partial(self._get, options)
        return self._session.request(get, container, name, keeps_connection=True)

    def _get(self, options: OpenOptions, *place: str, http_conn: Any) -> "SwiftLog":
        """An open log whose first chunk has been read."""
        headers = {}
        if options.byte_range is not None:
            first, end = options.byte_range
            headers = {"Range": f"bytes={first}-{end - 1}", "If-Match": f'"{options.version}"'}
        response: dict[str, Any] = {}
        found, chunks = swift_api.get_object(
            *place,
            http_conn=http_conn,
            resp_chunk_size=options.chunk_of(self._chunk_size),
            headers=headers,
            response_dict=response,
        )
        _check_range(found, response["status"], options.byte_range)
        checksums = partial(checksums_of, self._session, found, *place[2:])
        return OpenSwiftLog(found, chunks, http_conn[1], self._session, checksums)

    def entries(self, path: bytes) -> Iterator[Entry] | None:
        place = self._place(path)
        if place is None:
            return None
        container, name = place
        prefix = name + "/" if name else ""
        page = self._page(container, prefix, limit=PAGE)
        return self._entries(container, prefix, page) if page else None

    def _entries(self, container: str, prefix: str, page: "list[_Row]") -> Iterator[Entry]:
        start = len(prefix)
        while page:
            for row in page:
                if len(row.name) > start and not row.is_marker:
                    name = row.name[start:].encode()
                    yield Entry(name, row.size, row.modified, self.name)
            page = self._page(container, prefix, page[-1].name, limit=PAGE)

    def _page(self, container: str, prefix: str, marker: str = "", *, limit: int) -> "list[_Row]":
        """Rows of a listing, from behind the marker; none where there is no such container."""
        rows = self._session.request(
            partial(_rows, marker=marker, limit=limit), container, prefix=prefix
        )
        if rows is not None:
            return rows
        if marker:
            raise SourceError(self.name, "the rest of the listing is not found")
        self._check_account()
        return []

    def _check_account(self) -> None:
        """Raises SourceError where the account's server is down: its containers are not found."""
        try:
            self._session.request(swift_api.head_account)
        except SourceError as error:
            # Whoever may read a container may not be allowed to see its account.
            if error.reason not in ("denied", "forbidden"):
                raise

    def check(self) -> None:
        if "{partition}" in self._container:
            found = self._session.request(swift_api.head_account)
        else:
            found = self._session.request(swift_api.head_container, self._container)
        if found is None:
            raise SourceError(self.name, "there is no such container")

    def close(self) -> None:
        self._session.close()


class SwiftLog(Log):
    """The metadata of an object. It has no bytes, and nothing to close."""

    def __init__(self, headers: dict[str, str]) -> None:
        super().__init__(_stored(headers))
        content_type, size = headers.get("content-type", ""), self.stored.size or 0
        self.is_folder = _is_marker(content_type, size)

    def __iter__(self) -> Iterator[bytes]:
        return iter(())

    def close(self) -> None:
        pass


class OpenSwiftLog(SwiftLog):
    """An open response, whose connection goes back to the session when all was read."""

    def __init__(
        self,
        headers: dict[str, str],
        chunks: Iterator[bytes],
        connection: DeadlineConnection,
        session: SwiftSession,
        checksums: Callable[[], list[Checksum]],
    ) -> None:
        """Reads the first chunk."""
        super().__init__(headers)
        self._checksums = checksums
        self._chunks = chunks
        self._first = next(chunks, b"")
        if not self._first and self.stored.size:
            raise urllib3.exceptions.IncompleteRead(0, self.stored.size)
        self._is_read = False
        self._adapter = connection.adapter
        self._connection: DeadlineConnection | None = connection
        self._session = session

    def __iter__(self) -> Iterator[bytes]:
        size = self.stored.size
        left = math.inf if size is None else size
        chunk = self._first
        while chunk:
            left -= len(chunk)
            if left < 0:
                raise Incomplete("corrupt", "Swift sent more than it said")
            self._is_read = left == 0  # a reader that counts does not ask for the end
            yield chunk
            chunk = b"" if self._is_read else self._next_chunk()
        if 0 < left < math.inf:
            raise Incomplete("failed", "Swift ended too early")
        self._is_read = True

    def checksums(self) -> list[Checksum]:
        return self._checksums()

    def _next_chunk(self) -> bytes:
        """The next chunk, or b"" at the end. Raises Incomplete.

        It has a deadline: a server that sends a byte a second is never late, and a thread would be
        stuck, also when its client has left.
        """
        self._adapter.at = self._session.chunk_deadline()
        try:
            return next(self._chunks, b"")
        except TIMEOUTS as error:
            raise Incomplete("timeout", "Swift stopped answering") from error
        except FAILURES as error:
            raise Incomplete("failed", "the connection to Swift broke") from error

    def close(self) -> None:
        """Gives the connection back where all was read, else closes it."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._is_read:
            self._session.release(connection)
        else:
            connection.close()


def _stored_names(name: str) -> list[str]:
    """The names of the objects that a log may be, none of them longer than Swift allows."""
    names = [name, name + ".gz"] if name else []
    return [stored for stored in names if len(stored.encode()) <= MAX_NAME]


def _head(*place: str, http_conn: Any) -> SwiftLog:
    return SwiftLog(swift_api.head_object(*place, http_conn=http_conn))


def _check_range(headers: dict[str, str], status: int, byte_range: tuple[int, int] | None) -> None:
    """Raises ValueError or SourceError for a response with other bytes than were requested."""
    if byte_range is None:
        if status != 200:
            raise ValueError("neither an object nor an error")
        return
    first, end = byte_range
    is_range = headers.get("content-range", "").startswith(f"bytes {first}-{end - 1}/")
    if status != 206 or not is_range or headers.get("content-length") != str(end - first):
        # A large object without a length is sent as a whole, whatever range is requested.
        raise SourceError(SOURCE, "it does not send this range of the log", "changed")


def _stored(headers: dict[str, str]) -> Stored:
    """Metadata in a response's headers. Raises ValueError or KeyError where there is none."""
    length = headers.get("content-length", "0")
    if not _LENGTH.fullmatch(length):
        raise ValueError("no length")
    return Stored(
        source=SOURCE,
        size=int(length) if "content-length" in headers else None,
        modified=within_dates(parsedate_to_datetime(headers["last-modified"]).timestamp()),
        version=version_of(headers),
        encoding=headers.get("content-encoding", "").lower(),
    )


def _is_marker(content_type: str, size: int) -> bool:
    """True for the empty object that Zuul and others keep for a folder, without a slash."""
    return size == 0 and content_type.partition(";")[0] == "application/directory"


class _Row(NamedTuple):
    """An object of a listing, or a folder, whose name ends in "/"."""

    #: With the listing's prefix.
    name: str
    size: int | None = None
    #: Seconds since 1970.
    modified: float | None = None
    #: True for what stands for a folder and is not listed itself.
    is_marker: bool = False


def _rows(*place: str, prefix: str, marker: str, limit: int, http_conn: Any) -> list[_Row]:
    """Rows of one page of a listing. Raises ValueError where they are not what was asked for."""
    try:
        _, listed = swift_api.get_container(
            *place,
            marker=marker,
            limit=limit,
            prefix=prefix or None,
            delimiter="/",
            http_conn=http_conn,
        )
        if http_conn[1].resp.status != 200:  # swiftclient takes a 204 for the end
            raise ValueError("no listing")
        if not isinstance(listed, list):
            raise TypeError
        rows = [_row(fields) for fields in listed]
        names = [row.name for row in rows]
        # Rows that are not in order would be listed twice, or lost behind the next page's marker.
        is_in_order = all(a.encode() < b.encode() for a, b in pairwise([marker, *names]))
        is_within = all(
            name.startswith(prefix) and "/" not in name[len(prefix) : -1] for name in names
        )
        if not is_in_order or not is_within:
            raise ValueError("another listing")
    except (AttributeError, LookupError, TypeError) as error:
        raise ValueError("a row of the listing is malformed") from error
    return rows


def _row(fields: dict[str, Any]) -> _Row:
    """Raises one of several errors for a row that is malformed."""
    if "subdir" in fields:
        if not fields["subdir"].endswith("/"):
            raise ValueError("no folder's name")
        return _Row(fields["subdir"])
    size = fields["bytes"]
    if type(size) is not int or not 0 <= size < LARGEST:
        raise ValueError("no size")
    # ISO 8601 in UTC, without saying so.
    moment = datetime.fromisoformat(fields["last_modified"]).replace(tzinfo=UTC)
    modified = within_dates(moment.timestamp())
    return _Row(fields["name"], size, modified, _is_marker(fields["content_type"], size))
