# SPDX-License-Identifier: Apache-2.0
"""A source whose logs come whole, or say what is missing: what breaks off goes on where it broke,
and what came is checked against the checksum that the source has of it."""

import random
import time
from collections.abc import Iterator
from hashlib import md5
from itertools import chain

from oslogserve.errors import Incomplete, SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources import FULL_BODY, Entry, Folder, Log, OpenOptions, Source, deadline

#: Seconds before a log goes on for the first time; doubled for each next, and jittered. Together
#: they outlast a server that restarts.
PAUSE = 0.1
LONGEST_PAUSE = 2.0


class ResumingSource:
    """resumes: how often one log may go on. patience: seconds that it may take to."""

    def __init__(
        self, source: Source, metrics: Metrics, resumes: int, patience: float = 20.0
    ) -> None:
        self.name = source.name
        self._source = source
        self._metrics = metrics
        self._resumes = resumes
        self._patience = patience

    def open(self, path: bytes, options: OpenOptions = FULL_BODY) -> Log | Folder | None:
        found = self._source.open(path, options)
        if not isinstance(found, Log) or not options.body:
            return found
        return ResumingLog(
            found, self._source, path, options, self._metrics, self._resumes, self._patience
        )

    def entries(self, path: bytes) -> Iterator[Entry] | None:
        return self._source.entries(path)

    def check(self) -> None:
        self._source.check()


class ResumingLog(Log):
    def __init__(
        self,
        log: Log,
        source: Source,
        path: bytes,
        options: OpenOptions,
        metrics: Metrics,
        resumes: int,
        patience: float,
    ) -> None:
        super().__init__(log.stored)
        self.is_local = log.is_local
        self.sendfile_descriptor = log.sendfile_descriptor
        self._log: Log | None = log
        self._chunks = iter(log)
        self._source = source
        self._path = path
        self._first, self._end = options.byte_range or (0, log.stored.size)
        self._is_all = options.byte_range is None
        self._metrics = metrics
        self._left = resumes
        self._patience = patience
        self._came = 0
        self._checksum = md5(usedforsecurity=False)

    def __iter__(self) -> Iterator[bytes]:
        is_checked = self._is_all and self.stored.md5 != ""
        while self._log is not None:
            try:
                for chunk in self._chunks:
                    self._came += len(chunk)
                    if is_checked or self._end is None:
                        self._checksum.update(chunk)
                    yield chunk
                break
            except Incomplete as error:
                if not self._goes_on(error):
                    raise self._told(error) from error
        is_read = self._log is not None
        if is_read and is_checked and self._checksum.hexdigest() != self.stored.md5:
            raise Incomplete("corrupt", "what was stored is damaged, its checksum does not fit")

    def _goes_on(self, error: Incomplete) -> bool:
        """Whether the log was opened again where it broke off."""
        if error.reason not in ("timeout", "failed") or not self.stored.version:
            return False
        if self._first + self._came == self._end:
            return False
        pause = PAUSE
        deadline = time.monotonic() + self._patience
        while self._left > 0 and self._log is not None and time.monotonic() < deadline:
            self._left -= 1
            self._log.close()
            outcome = self._open_again()
            self._metrics["source_resumes_total"].labels(self.stored.source, outcome).inc()
            if outcome != "failed":
                return outcome == "resumed"
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(2 * pause, LONGEST_PAUSE)
        return False

    def _open_again(self) -> str:
        """'resumed', 'changed' or 'failed'."""
        position = self._first + self._came
        # What has no length, a large object in very many parts, Swift sends only whole.
        span = (position, self._end)
        options = (
            FULL_BODY
            if self._end is None
            else OpenOptions(byte_range=span, version=self.stored.version)
        )
        try:
            with deadline.start_clock():  # the first bytes may have come long ago
                log = self._source.open(self._path, options)
            if not isinstance(log, Log):
                return "changed"
            self._log = log
            self._chunks = iter(log)
            if log.stored.version != self.stored.version:
                return "changed"
            if self._end is None and not self._begins_as_before():
                return "changed"
        except SourceError as failure:
            return "changed" if failure.reason == "changed" else "failed"
        except Incomplete:
            return "failed"
        return "resumed"

    def _begins_as_before(self) -> bool:
        """Reads once more what has come. Its version tells nothing of its parts."""
        left = self._came
        checksum = md5(usedforsecurity=False)
        for chunk in self._chunks:
            checksum.update(chunk[:left])
            if left <= len(chunk):
                if left < len(chunk):  # an empty chunk would be taken for the end
                    self._chunks = chain((chunk[left:],), self._chunks)
                return checksum.digest() == self._checksum.digest()
            left -= len(chunk)
        return False

    def _told(self, error: Incomplete) -> Incomplete:
        of = "" if self._end is None else f" of {self._end - self._first}"
        return Incomplete(error.reason, f"{error}, {self._came}{of} stored bytes came")

    def count_sent(self, size: int) -> None:
        if self._log is not None:
            self._log.count_sent(size)

    def close(self) -> None:
        log, self._log = self._log, None
        if log is not None:
            log.close()
