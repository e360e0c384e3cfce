# SPDX-License-Identifier: Apache-2.0
"""An object as a log: its metadata, and its open response."""

import math
import re
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime

import urllib3.exceptions

from oslogserve.errors import Incomplete, NoRange, SourceError
from oslogserve.sources import Log, OpenOptions, Stored, within_dates
from oslogserve.sources.deadline import Connection
from oslogserve.sources.objects.errors import FAILURES, TIMEOUTS
from oslogserve.sources.objects.listing import LARGEST, is_marker
from oslogserve.sources.objects.service import Service
from oslogserve.sources.objects.session import ObjectSession

_LENGTH = re.compile(r"[0-9]+")
_MD5 = re.compile(r"[0-9a-f]{32}")


class ObjectLog(Log):
    """An object's metadata."""

    def __init__(self, source: str, service: Service, headers: Mapping[str, str]) -> None:
        """source: its name. headers: of a response. Raises ValueError or KeyError if some is missing."""
        super().__init__(_stored(source, headers))
        self.md5 = service.md5_of(headers)
        self.is_joined = service.is_joined(headers)
        self.is_folder = is_marker(headers.get("content-type", ""), self.stored.size or 0)


class OpenObjectLog(ObjectLog):
    """An open response. Its connection goes back to the session when all was read."""

    def __init__(
        self,
        source: str,
        service: Service,
        headers: Mapping[str, str],
        chunks: Iterator[bytes],
        connection: Connection,
        session: ObjectSession,
    ) -> None:
        """Reads the first chunk. For the others, see ObjectLog."""
        super().__init__(source, service, headers)
        self._chunks = chunks
        self._first = next(self._chunks, b"")
        if not self._first and self.stored.size:
            raise urllib3.exceptions.IncompleteRead(0, self.stored.size)
        self._is_read = False
        self._connection = connection
        self._is_open = True
        self._session = session

    def __iter__(self) -> Iterator[bytes]:
        size = self.stored.size
        left = math.inf if size is None else size
        chunk = self._first
        while chunk:
            left -= len(chunk)
            if left < 0:
                raise Incomplete("corrupt", f"{self.stored.source} sent more than it said")
            self._is_read = left == 0  # a reader that counts the bytes may stop here
            yield chunk
            chunk = b"" if self._is_read else self._next_chunk()
        if 0 < left < math.inf:
            raise Incomplete("failed", f"{self.stored.source} ended too early")
        self._is_read = True

    def _next_chunk(self) -> bytes:
        """The next chunk, or b"" at the end. Raises Incomplete.

        It has a deadline. Else a server that sends a byte a second would hold the thread, even after
        the client has left.
        """
        self._connection.wait_until(self._session.chunk_deadline())
        try:
            return next(self._chunks, b"")
        except TIMEOUTS as error:
            raise Incomplete("timeout", f"{self.stored.source} stopped answering") from error
        except FAILURES as error:
            raise Incomplete("failed", f"the connection to {self.stored.source} broke") from error

    def close(self) -> None:
        """Gives the connection back if all was read, else closes it."""
        is_open, self._is_open = self._is_open, False
        if is_open and self._is_read:
            self._session.release(self._connection)
        elif is_open:
            self._connection.close()


def check_answer(
    source: str, status: int, headers: Mapping[str, str], options: OpenOptions
) -> None:
    """Raises ValueError or SourceError if an answer has other bytes than requested."""
    if options.version and version_of(headers) != options.version:  # not every store obeys If-Match
        raise SourceError(source, "the object changed", "changed")
    if options.byte_range is None:
        if status != 200:
            raise ValueError("neither an object nor an error")
        return
    first, end = options.byte_range
    is_range = headers.get("content-range", "").startswith(f"bytes {first}-{end - 1}/")
    if status != 206 or not is_range or headers.get("content-length") != str(end - first):
        # A large object without a length is always sent as a whole.
        raise NoRange(source, "it does not send this range of the log", "changed")


def version_of(headers: Mapping[str, str]) -> str:
    """The ETag without its quotes. A weak one names no bytes: ""."""
    etag = headers.get("etag", "")
    return "" if etag.startswith("W/") else etag.strip('"')


def md5_in_etag(headers: Mapping[str, str]) -> str:
    """The ETag, where it has the form of an MD5; else ""."""
    etag = version_of(headers)
    return etag if _MD5.fullmatch(etag) else ""


def _stored(source: str, headers: Mapping[str, str]) -> Stored:
    """Metadata in a response's headers. Raises ValueError or KeyError if some is missing."""
    length = headers.get("content-length", "0")
    if not _LENGTH.fullmatch(length):
        raise ValueError("no length")
    if int(length) > LARGEST:  # this is no failure of the source
        raise SourceError(source, "no log is as large", "refused")
    return Stored(
        source=source,
        size=int(length) if "content-length" in headers else None,
        modified=within_dates(parsedate_to_datetime(headers["last-modified"]).timestamp()),
        version=version_of(headers),
        encoding=headers.get("content-encoding", "").lower(),
    )
