# SPDX-License-Identifier: Apache-2.0
"""An object as a log: its metadata, its open response, and how it goes on where that breaks off."""

import math
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from hashlib import md5
from itertools import chain

import urllib3.exceptions

from oslogserve.errors import Incomplete, NoRange, SourceError
from oslogserve.sources import Folder, Log, OpenOptions, Stored, within_dates
from oslogserve.sources.deadline import Connection
from oslogserve.sources.objects.errors import FAILURES, TIMEOUTS
from oslogserve.sources.objects.service import LARGEST, is_marker
from oslogserve.sources.objects.session import Attempts, ObjectSession

_LENGTH = re.compile(r"[0-9]+")
_MD5 = re.compile(r"[0-9a-f]{32}")
#: Seconds between two attempts to reopen a log: first, and at most. Doubled each time, and jittered,
#: they outlast the restart of a server.
PAUSE = 0.1
LONGEST_PAUSE = 2.0


class ObjectLog(Log):
    """An object's metadata."""

    def __init__(self, session: ObjectSession, headers: Mapping[str, str]) -> None:
        """headers: of a response. Raises ValueError or KeyError if some is missing."""
        super().__init__(_stored(session.source, headers))
        self.md5 = session.service.md5_of(headers)
        self.is_joined = session.service.is_joined(headers)
        self.is_folder = is_marker(headers.get("content-type", ""), self.stored.size or 0)


class OpenObjectLog(ObjectLog):
    """An open response. Its connection goes back to the session when all was read."""

    def __init__(
        self,
        session: ObjectSession,
        headers: Mapping[str, str],
        chunks: Iterator[bytes],
        connection: Connection,
    ) -> None:
        """Reads the first chunk. For the others, see ObjectLog."""
        super().__init__(session, headers)
        self._chunks = chunks
        self._first = next(self._chunks, b"")
        if not self._first and self.stored.size:
            raise urllib3.exceptions.IncompleteRead(0, self.stored.size)
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
            yield chunk
            chunk = self._next_chunk() if left else b""
        if 0 < left < math.inf:
            raise Incomplete("failed", f"{self.stored.source} ended too early")

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
        is_open, self._is_open = self._is_open, False
        if is_open:
            self._session.release(self._connection)


class ResumingLog(Log):
    """A log that resumes where it broke off, and verifies its bytes by their checksum."""

    def __init__(
        self,
        log: OpenObjectLog,
        options: OpenOptions,
        reopen: Callable[[OpenOptions], Log | Folder | None],
        attempts: Attempts,
    ) -> None:
        """log: opened with `options`. reopen: opens it again with other options; may raise SourceError."""
        super().__init__(log.stored)
        self._log: Log | None = log
        self._chunks = iter(log)
        self._options = options
        self._open = reopen
        self._attempts = attempts
        self._attempts_left = attempts.most
        self._first, self._end = options.byte_range or (0, log.stored.size)
        self._position = self._first
        #: The MD5 of all bytes; "" for a range, and where none is known.
        self._expected = "" if options.byte_range else log.md5
        self._is_read_again = log.is_joined or self._end is None
        # Of the bytes that came, if they may be compared.
        self._checksum = md5(usedforsecurity=False)

    def __iter__(self) -> Iterator[bytes]:
        while self._log is not None:
            try:
                for chunk in self._chunks:
                    self._position += len(chunk)
                    if self._expected or self._is_read_again:
                        self._checksum.update(chunk)
                    yield chunk
                # It may have been closed meanwhile.
                if self._log and self._expected not in ("", self._checksum.hexdigest()):
                    damaged = "the stored bytes are damaged: their checksum does not match"
                    raise Incomplete("corrupt", damaged)
            except Incomplete as error:
                self._resume(error)
            else:
                break

    def _resume(self, error: Incomplete) -> None:
        """Reopens the log. If it cannot, raises Incomplete that says how many bytes came."""
        pause, why = PAUSE, str(error)
        give_up = time.monotonic() + self._attempts.patience
        while self._may_resume(error) and time.monotonic() < give_up:
            self._attempts_left -= 1
            outcome = "resumed"
            try:
                self._reopen()
            except (SourceError, Incomplete) as failure:
                outcome = "failed"
                if failure.reason == "changed":
                    outcome, why = "changed", f"{error}, and {failure}"
            self._attempts.metrics["source_resumes_total", self.stored.source, outcome].inc()
            if outcome == "resumed":
                return
            if outcome == "changed":
                break
            time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 - no secret
            pause = min(2 * pause, LONGEST_PAUSE)
        size = "" if self._end is None else f" of {self._end - self._first}"
        came = f"{self._position - self._first}{size} stored bytes came"
        raise Incomplete(error.reason, f"{why}, {came}") from error

    def _may_resume(self, error: Incomplete) -> bool:
        return (
            error.reason in ("timeout", "failed")
            and self.stored.version != ""
            and self._position != self._end
            and self._attempts_left > 0
            and self._log is not None
        )

    def _reopen(self) -> None:
        """Opens the log at its position. Raises SourceError or Incomplete.

        Swift sends no range of a large object without a length. Behind a damaged segment it breaks off: the rest
        would make it whole.
        """
        if self._log is not None:
            self._log.close()
        options = self._options
        if self._end is not None and not self._is_read_again:
            byte_range = self._position, self._end
            options = options._replace(byte_range=byte_range, version=self.stored.version)
        log = self._open(options)
        if not isinstance(log, Log):
            raise self._changed("the log is gone")
        self._log = log
        self._chunks = iter(log)
        if log.stored.version != self.stored.version:
            raise self._changed()
        if self._is_read_again:
            try:
                self._skip_to_position()
            except Incomplete:
                # It breaks off anywhere, and not behind a damaged segment.
                self._is_read_again = self._end is None
                raise

    def _skip_to_position(self) -> None:
        """Reads the bytes that came before again, and compares them.

        The version does not tell whether they changed: it is the manifest's.
        """
        left = self._position - self._first
        checksum = md5(usedforsecurity=False)
        for chunk in self._chunks:
            checksum.update(chunk[:left])
            if left <= len(chunk):
                if left < len(chunk):  # an empty chunk would be taken for the end
                    self._chunks = chain((chunk[left:],), self._chunks)
                if checksum.digest() == self._checksum.digest():
                    return
                break
            left -= len(chunk)
        raise self._changed()

    def _changed(self, what: str = "the log changed") -> SourceError:
        return SourceError(self.stored.source, what, "changed")

    def close(self) -> None:
        log, self._log = self._log, None
        if log is not None:
            log.close()


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
