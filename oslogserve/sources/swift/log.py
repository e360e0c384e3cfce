# SPDX-License-Identifier: Apache-2.0
"""An object of Swift as a log: its metadata, and its open response."""

import math
import re
from collections.abc import Callable, Iterator
from email.utils import parsedate_to_datetime

import urllib3.exceptions

from oslogserve.errors import Incomplete, NoRange, SourceError
from oslogserve.sources import Log, Stored, within_dates
from oslogserve.sources.deadline import DeadlineConnection
from oslogserve.sources.resuming import Checksum
from oslogserve.sources.swift import listing
from oslogserve.sources.swift.errors import FAILURES, SOURCE, TIMEOUTS
from oslogserve.sources.swift.large_objects import version_of
from oslogserve.sources.swift.session import SwiftSession

_BEGINNING = re.compile(r"bytes 0-([0-9]{1,18})/([0-9]{1,18})")
_LENGTH = re.compile(r"[0-9]{1,18}")


class SwiftLog(Log):
    """An object's metadata."""

    def __init__(self, headers: dict[str, str]) -> None:
        super().__init__(_stored(headers))
        self.is_folder = listing.is_marker(headers.get("content-type", ""), self.stored.size or 0)


class OpenSwiftLog(SwiftLog):
    """An open response. Its connection goes back to the session when all was read."""

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
        self.checksums = checksums
        begun = _BEGINNING.fullmatch(headers.get("content-range", ""))
        #: Bytes of the object, if this is its beginning; None if it is all, or another range.
        self.object_size = int(begun[2]) if begun else None
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
            self._is_read = left == 0  # a reader that counts the bytes may stop here
            yield chunk
            chunk = b"" if self._is_read else self._next_chunk()
        if 0 < left < math.inf:
            raise Incomplete("failed", "Swift ended too early")
        self._is_read = True

    def _next_chunk(self) -> bytes:
        """The next chunk, or b"" at the end. Raises Incomplete.

        It has a deadline. Else a server that sends a byte a second would hold the thread, even after
        the client has left.
        """
        self._adapter.at = self._session.chunk_deadline()
        try:
            return next(self._chunks, b"")
        except TIMEOUTS as error:
            raise Incomplete("timeout", "Swift stopped answering") from error
        except FAILURES as error:
            raise Incomplete("failed", "the connection to Swift broke") from error

    def close(self) -> None:
        """Gives the connection back if all was read, else closes it."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._is_read:
            self._session.release(connection)
        else:
            connection.close()


class BegunSwiftLog(SwiftLog):
    """An open response with an object's beginning. The rest is requested once that was read."""

    def __init__(
        self, beginning: OpenSwiftLog, size: int, rest: Callable[[int], SwiftLog | None]
    ) -> None:
        """size: of the object. rest: requests the bytes from a place on. Raises SourceError."""
        Log.__init__(self, beginning.stored._replace(size=size))
        self.is_folder = False
        self.checksums = beginning.checksums
        self._open: SwiftLog = beginning
        self._read = beginning.stored.size or 0
        self._rest: Callable[[int], SwiftLog | None] | None = rest

    def __iter__(self) -> Iterator[bytes]:
        yield from self._open
        if self._rest is None or self._read == self.stored.size:
            return
        self._open.close()
        try:
            found = self._rest(self._read)
            if found is None:
                raise SourceError(SOURCE, "the object is gone", "changed")
        except SourceError as error:
            reason = "timeout" if error.reason == "timeout" else "failed"
            raise Incomplete(reason, f"its rest could not be requested ({error})") from error
        self._open = found
        yield from found

    def close(self) -> None:
        self._rest = None
        self._open.close()


def check_beginning(headers: dict[str, str], most: int) -> None:
    """Raises ValueError if a response has not the first `most` bytes of an object, or all if it has fewer."""
    found = _BEGINNING.fullmatch(headers.get("content-range", ""))
    if found is None:
        raise ValueError("not the beginning of an object")
    size = min(most, int(found[2]))
    if int(found[1]) + 1 != size or headers.get("content-length") != str(size):
        raise ValueError("another range")


def check_range(headers: dict[str, str], status: int, byte_range: tuple[int, int] | None) -> None:
    """Raises ValueError or SourceError if a response has other bytes than requested."""
    if byte_range is None:
        if status != 200:
            raise ValueError("neither an object nor an error")
        return
    first, end = byte_range
    is_range = headers.get("content-range", "").startswith(f"bytes {first}-{end - 1}/")
    if status != 206 or not is_range or headers.get("content-length") != str(end - first):
        # A large object without a length is always sent as a whole.
        raise NoRange(SOURCE, "it does not send this range of the log", "changed")


def _stored(headers: dict[str, str]) -> Stored:
    """Metadata in a response's headers. Raises ValueError or KeyError if some is missing."""
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
