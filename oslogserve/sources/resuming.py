# SPDX-License-Identifier: Apache-2.0
"""A log that resumes where it broke off, and verifies its bytes by their checksum."""

import random
import time
from collections.abc import Callable, Iterator
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
        checksum: str,
        is_joined: bool,
        attempts: Attempts,
    ) -> None:
        """log: opened with `options`. reopen: opens it again with other options; may raise SourceError.

        checksum: the MD5 of all stored bytes in hexadecimal digits; "" for none. A byte range has none.
        is_joined: True if the store may break off since what it sent before was damaged: see _reopen().
        """
        super().__init__(log.stored)
        self._log: Log | None = log
        self._chunks = iter(log)
        self._options = options
        self._open = reopen
        self._attempts = attempts
        self._attempts_left = attempts.most
        self._first, self._end = options.byte_range or (0, log.stored.size)
        self._position = self._first
        self._expected = "" if options.byte_range else checksum
        self._is_read_again = is_joined or self._end is None
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
            raise self._changed()
        self._log = log
        self._chunks = iter(log)
        if log.stored.version != self.stored.version:
            raise self._changed()
        if self._is_read_again:
            self._skip_to_position()

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

    def _changed(self) -> SourceError:
        return SourceError(self.stored.source, "the log changed", "changed")

    def close(self) -> None:
        log, self._log = self._log, None
        if log is not None:
            log.close()
