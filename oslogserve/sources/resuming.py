# SPDX-License-Identifier: Apache-2.0
"""A source whose logs are complete, or say what is missing.

A log that breaks off is reopened where it broke off, and verified against its checksum at its end.
What is kept of an open log is its position, the checksum up to there, and the attempts left.
"""

import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import md5
from itertools import chain
from typing import Any, NamedTuple

from oslogserve.errors import Incomplete, SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources import FULL_BODY, Entry, Folder, Log, OpenOptions, Source
from oslogserve.sources.deadline import start_clock

#: Seconds before the second attempt to reopen a log; doubled for each next, and jittered. Together
#: they outlast a server that restarts.
PAUSE = 0.1
LONGEST_PAUSE = 2.0


class _Limits(NamedTuple):
    #: Attempts to reopen one log.
    resumes: int
    #: Seconds that these attempts may take, each time that it breaks off.
    patience: float


class ResumingSource:
    """Wrapper of a source that resumes the logs of it which break off midway."""

    def __init__(
        self, source: Source, metrics: Metrics, resumes: int, patience: float = 20.0
    ) -> None:
        self.name = source.name
        self._source = source
        self._resumes_total = metrics["source_resumes_total"]
        self._limits = _Limits(resumes, patience)

    def open(self, path: bytes, options: OpenOptions = FULL_BODY) -> Log | Folder | None:
        found = self._source.open(path, options)
        if not isinstance(found, Log) or not options.body:
            return found
        reopen = partial(self._source.open, path)
        return ResumingLog(found, options, reopen, self._limits, self._resumes_total)

    def entries(self, path: bytes) -> Iterator[Entry] | None:
        return self._source.entries(path)

    def check(self) -> None:
        self._source.check()


class ResumingLog(Log):
    """Wrapper of a log. reopen: opens it once more. resumes_total: counts source and outcome."""

    def __init__(
        self,
        log: Log,
        options: OpenOptions,
        reopen: Callable[[OpenOptions], Log | Folder | None],
        limits: _Limits,
        resumes_total: Any,
    ) -> None:
        super().__init__(log.stored)
        self._log: Log | None = log
        self._chunks = iter(log)
        self._first, self._end = options.byte_range or (0, log.stored.size)
        self._position = self._first
        self._reopen_log = reopen
        self._resumes_left, self._patience = limits
        self._resumes_total = resumes_total
        self._has_md5 = options.byte_range is None and log.stored.md5 != ""
        self._checksum = md5(usedforsecurity=False)

    def __iter__(self) -> Iterator[bytes]:
        while self._log is not None:
            try:
                for chunk in self._chunks:
                    self._position += len(chunk)
                    if self._has_md5 or self._end is None:
                        self._checksum.update(chunk)
                    yield chunk
            except Incomplete as error:
                self._resume(error)
            else:
                break
        is_read = self._log is not None
        if is_read and self._has_md5 and self._checksum.hexdigest() != self.stored.md5:
            raise Incomplete("corrupt", "what was stored is damaged, its checksum does not fit")

    def _resume(self, error: Incomplete) -> None:
        """Reopens the log. Raises Incomplete, with how much came, where that cannot be done."""
        pause = PAUSE
        give_up = time.monotonic() + self._patience
        while self._may_resume(error) and time.monotonic() < give_up:
            self._resumes_left -= 1
            outcome = "resumed"
            try:
                self._reopen()
            except (SourceError, Incomplete) as failure:
                outcome = "changed" if failure.reason == "changed" else "failed"
            self._resumes_total.labels(self.stored.source, outcome).inc()
            if outcome == "resumed":
                return
            if outcome == "changed":
                break
            time.sleep(pause * random.uniform(0.5, 1.5))
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
        options = FULL_BODY  # Swift sends no range of a large object without a length
        if self._end is not None:
            options = OpenOptions(True, (self._position, self._end), self.stored.version)
        with start_clock():  # the first bytes may have come long ago
            log = self._reopen_log(options)
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
