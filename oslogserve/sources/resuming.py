# SPDX-License-Identifier: Apache-2.0
"""A log that resumes where it broke off, and verifies its bytes by their checksums."""

import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from hashlib import md5
from itertools import chain
from typing import NamedTuple

from oslogserve.errors import Incomplete, SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources import Folder, Log, OpenOptions

#: Seconds between two attempts to reopen a log: first, and at most. Doubled each time, and jittered,
#: they outlast the restart of a server.
PAUSE = 0.1
LONGEST_PAUSE = 2.0
#: More bytes than any log has.
ALL = sys.maxsize


class Checksum(NamedTuple):
    """The MD5 of some stored bytes. In a list, each covers the bytes after those of the one before."""

    #: Bytes that it covers; ALL for all that are left.
    size: int
    #: In hexadecimal digits; "" if unknown.
    md5: str


#: Expected after the last checksum: no more bytes.
NOTHING = Checksum(ALL, md5(usedforsecurity=False).hexdigest())


def within(checksums: Iterable[Checksum], first: int, end: int) -> Iterator[Checksum]:
    """Yields checksums of the bytes from `first` up to `end`. A checksum of more bytes loses its MD5."""
    at = 0
    for size, digest in checksums:
        covered = min(at + size, end) - max(at, first)
        at += size
        if covered > 0:
            yield Checksum(covered, digest if covered == size else "")


class Verifier:
    """Compares bytes with their checksums. Raises Incomplete at the end of those that differ."""

    def __init__(self, checksums: Iterable[Checksum]) -> None:
        self._checksums = iter(checksums)
        self._begin(Checksum(ALL, ""))

    def _begin(self, default: Checksum) -> None:
        self._left, self._expected = next(self._checksums, default)
        self._md5 = md5(usedforsecurity=False)

    def update(self, chunk: bytes) -> None:
        while len(chunk) >= self._left:
            self._add(chunk[: self._left])
            chunk = chunk[self._left :]
            self.end()
            self._begin(NOTHING)
        self._add(chunk)
        self._left -= len(chunk)

    def _add(self, chunk: bytes) -> None:
        if self._expected:
            self._md5.update(chunk)

    def end(self) -> None:
        """Verifies the bytes since the last checksum. Raises Incomplete."""
        if self._expected and self._md5.hexdigest() != self._expected:
            raise Incomplete(
                "corrupt", "the stored bytes are damaged: their checksum does not match"
            )


class Attempts(NamedTuple):
    """Limits of the attempts to reopen a log, and the metrics that count them."""

    #: Attempts for one log.
    most: int
    #: Seconds for the attempts after each break.
    patience: float
    metrics: Metrics


class ResumingLog(Log):
    def __init__(
        self,
        log: Log,
        options: OpenOptions,
        reopen: Callable[[OpenOptions], Log | Folder | None],
        checksums: Callable[[], list[Checksum]],
        attempts: Attempts,
    ) -> None:
        """log: opened with `options`. reopen: opens it again with other options. checksums: requests
        those of all stored bytes, from the first byte on. Both may raise SourceError.
        """
        super().__init__(log.stored)
        self._log: Log | None = log
        self._chunks = iter(log)
        self._chunk_size = options.chunk_size
        self._open = reopen
        self._checksums = checksums
        self._attempts = attempts
        self._attempts_left = attempts.most
        self._first, self._end = options.byte_range or (0, log.stored.size)
        self._position = self._first
        self._range = options.byte_range or (0, ALL)
        self._checksum = md5(usedforsecurity=False)
        self._verifier: Verifier | None = None
        # Chunks that are still to be verified.
        self._unverified: list[bytes] = []

    def __iter__(self) -> Iterator[bytes]:
        while self._log is not None:
            try:
                for chunk in self._chunks:
                    self._position += len(chunk)
                    if self._end is None:
                        self._checksum.update(chunk)
                    self._unverified.append(chunk)
                    yield chunk
                    # With the second chunk, since a client should not wait for the first one
                    # until the list of segments is here.
                    if self._verifier is not None or len(self._unverified) > 1:
                        self._verify()
                if self._log is not None:  # else it was closed meanwhile
                    self._verify().end()
            except Incomplete as error:
                self._resume(error)
            else:
                break

    def _verify(self) -> Verifier:
        """Verifies the chunks that are left. Requests the checksums if need be. Raises Incomplete."""
        if self._verifier is None:
            try:
                checksums = self._checksums() if self._log is not None else []
            except SourceError as error:
                reason = "failed" if error.is_outage else "corrupt"
                raise Incomplete(reason, f"its checksums could not be read ({error})") from error
            self._verifier = Verifier(within(checksums, *self._range))
        while self._unverified:
            self._verifier.update(self._unverified.pop(0))
        return self._verifier

    def _resume(self, error: Incomplete) -> None:
        """Reopens the log. If it cannot, raises Incomplete that says how many bytes came."""
        pause = PAUSE
        give_up = time.monotonic() + self._attempts.patience
        while self._may_resume(error) and time.monotonic() < give_up:
            self._attempts_left -= 1
            outcome = "resumed"
            try:
                self._reopen()
            except (SourceError, Incomplete) as failure:
                outcome = "changed" if failure.reason == "changed" else "failed"
            self._attempts.metrics["source_resumes_total", self.stored.source, outcome].inc()
            if outcome == "resumed":
                return
            if outcome == "changed":
                break
            time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 - no secret
            pause = min(2 * pause, LONGEST_PAUSE)
        size = "" if self._end is None else f" of {self._end - self._first}"
        came = f"{self._position - self._first}{size} stored bytes came"
        raise Incomplete(error.reason, f"{error}, {came}") from error

    def _may_resume(self, error: Incomplete) -> bool:
        return (
            error.reason in ("timeout", "failed")
            and self.stored.version != ""
            and self._position != self._end
            and self._attempts_left > 0
            and self._log is not None
        )

    def _reopen(self) -> None:
        """Opens the log at its position. Raises SourceError or Incomplete."""
        if self._log is not None:
            self._log.close()
        options = OpenOptions(chunk_size=self._chunk_size)
        if self._end is not None:  # Swift sends no range of a large object without a length
            byte_range = self._position, self._end
            options = options._replace(byte_range=byte_range, version=self.stored.version)
        log = self._open(options)
        if not isinstance(log, Log):
            raise self._changed()
        self._log = log
        self._chunks = iter(log)
        if log.stored.version != self.stored.version:
            raise self._changed()
        if self._end is None:
            self._skip_to_position()

    def _skip_to_position(self) -> None:
        """Reads the bytes that came before again, and compares them.

        The version does not tell whether they changed: it is the manifest's.
        """
        left = self._position
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

    def _changed(self) -> SourceError:
        return SourceError(self.stored.source, "the log changed", "changed")

    def close(self) -> None:
        log, self._log = self._log, None
        if log is not None:
            log.close()
