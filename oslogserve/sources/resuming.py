# SPDX-License-Identifier: Apache-2.0
"""A source whose logs are complete, or say what is missing.

A log that breaks off is reopened where it broke off, and verified against its checksums.
What is kept of an open log is its position, how far it was verified, and the attempts left.
"""

import random
import time
from collections.abc import Iterator
from hashlib import md5
from itertools import chain

from oslogserve.errors import Incomplete, SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources import ALL, FULL_BODY, Checksum, Entry, Folder, Log, OpenOptions, Source
from oslogserve.sources.checksums import Verifier, within
from oslogserve.sources.deadline import start_clock

#: Seconds before the second attempt to reopen a log; doubled for each next, and jittered. Together
#: they outlast a server that restarts.
PAUSE = 0.1
LONGEST_PAUSE = 2.0


class ResumingSource:
    """Wrapper of a source that resumes the logs of it which break off midway."""

    def __init__(self, source: Source, metrics: Metrics, resumes: int, patience: float) -> None:
        self.name = source.name
        self.source = source
        self.metrics = metrics
        #: Attempts to reopen one log.
        self.resumes = resumes
        #: Seconds that these may take, each time that it breaks off.
        self.patience = patience

    def open(self, path: bytes, options: OpenOptions = FULL_BODY) -> Log | Folder | None:
        found = self.source.open(path, options)
        if isinstance(found, Log) and options.body:
            return ResumingLog(found, path, options, self)
        return found

    def entries(self, path: bytes) -> Iterator[Entry] | None:
        return self.source.entries(path)

    def check(self) -> None:
        self.source.check()


class ResumingLog(Log):
    """Wrapper of a log that is reopened where it breaks off."""

    def __init__(
        self, log: Log, path: bytes, options: OpenOptions, wrapper: ResumingSource
    ) -> None:
        super().__init__(log.stored)
        self._log: Log | None = log
        self._chunks = iter(log)
        self._path = path
        self._wrapper = wrapper
        self._resumes_left = wrapper.resumes
        self._chunk_size = options.chunk_size
        self._first, self._end = options.byte_range or (0, log.stored.size)
        self._position = self._first
        self._range = options.byte_range or (0, ALL)
        self._checksum = md5(usedforsecurity=False)
        self._verifier: Verifier | None = None
        # Chunks that came before the verifier was there.
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
                    # A reader that has announced a length passes the first on behind the second.
                    if self._verifier is not None or len(self._unverified) > 1:
                        self._verify()
                if self._log is not None:  # else it was closed meanwhile
                    self._verify().end()
            except Incomplete as error:
                self._resume(error)
            else:
                break

    def _verify(self) -> Verifier:
        """Holds what came against its checksums, which are requested first. Raises Incomplete."""
        if self._verifier is None:
            self._verifier = Verifier(within(self._checksums(), *self._range))
        while self._unverified:
            self._verifier.update(self._unverified.pop(0))
        return self._verifier

    def _checksums(self) -> list[Checksum]:
        """The log's checksums. Raises Incomplete."""
        if self._log is None:
            return []
        try:
            with start_clock():  # the first bytes may have come long ago
                return self._log.checksums()
        except SourceError as error:
            reason = "failed" if error.is_outage else "corrupt"
            raise Incomplete(reason, f"its checksums could not be had ({error})") from error

    def _resume(self, error: Incomplete) -> None:
        """Reopens the log. Raises Incomplete, with how much came, where that cannot be done."""
        pause = PAUSE
        give_up = time.monotonic() + self._wrapper.patience
        while self._may_resume(error) and time.monotonic() < give_up:
            self._resumes_left -= 1
            outcome = "resumed"
            try:
                self._reopen()
            except (SourceError, Incomplete) as failure:
                outcome = "changed" if failure.reason == "changed" else "failed"
            self._wrapper.metrics["source_resumes_total", self.stored.source, outcome].inc()
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
            and self._resumes_left > 0
            and self._log is not None
        )

    def _reopen(self) -> None:
        """Opens the log at its position. Raises SourceError or Incomplete."""
        if self._log is not None:
            self._log.close()
        options = OpenOptions(chunk_size=self._chunk_size)
        if self._end is not None:  # Swift sends no range of a large object without a length
            place = (self._position, self._end)
            options = options._replace(byte_range=place, version=self.stored.version)
        with start_clock():  # the first bytes may have come long ago
            log = self._wrapper.source.open(self._path, options)
        if not isinstance(log, Log):
            raise self._changed()
        self._log = log
        self._chunks = iter(log)
        if log.stored.version != self.stored.version:
            raise self._changed()
        if self._end is None:
            self._skip_to_position()

    def _skip_to_position(self) -> None:
        """Reads once more what has come, and compares it: the version is of a manifest only."""
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
