# SPDX-License-Identifier: Apache-2.0
"""A source whose times and bytes are measured; what is measured knows nothing of it."""

import time
from collections.abc import Callable, Iterator

from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics, size_class
from oslogserve.sources import FULL_BODY, Entry, Folder, Log, OpenOptions, Source


class TimedSource:
    """Wrapper of a source that measures the time until a log's first bytes, and its reading."""

    def __init__(
        self, source: Source, metrics: Metrics, note: Callable[[str, str, float], None]
    ) -> None:
        """note: gets the source's name, the outcome and the seconds of each opening."""
        self.name = source.name
        self._source = source
        self._metrics = metrics
        self._note = note

    def open(self, path: bytes, options: OpenOptions = FULL_BODY) -> Log | Folder | None:
        started = time.perf_counter()
        outcome, size = "miss", "none"
        try:
            found = self._source.open(path, options)
            if found is not None:
                outcome = "hit"
            if isinstance(found, Log):
                size = size_class(found.stored.size)
        except SourceError:
            outcome = "error"
            raise
        finally:
            spent = time.perf_counter() - started
            self._metrics["source_open_seconds", self.name, outcome, size].observe(spent)
            self._note(self.name, outcome, spent)
        return TimedLog(found, spent, self._metrics) if isinstance(found, Log) else found

    def entries(self, path: bytes) -> Iterator[Entry] | None:
        return self._source.entries(path)

    def check(self) -> None:
        self._source.check()


class TimedLog(Log):
    """Wrapper of a log that adds up the time waited for its source, without the client's time."""

    def __init__(self, log: Log, waited: float, metrics: Metrics) -> None:
        super().__init__(log.stored)
        self.is_local = log.is_local
        self._log: Log | None = log
        self._chunks = iter(log)
        self._metrics = metrics
        self._waited = waited
        self._size = 0

    def __iter__(self) -> Iterator[bytes]:
        while True:
            started = time.perf_counter()
            try:
                chunk = next(self._chunks, b"")
            finally:
                self._waited += time.perf_counter() - started
            if not chunk:
                return
            self._size += len(chunk)
            yield chunk

    def close(self) -> None:
        if self._log is None:
            return
        log, self._log = self._log, None
        log.close()
        if self._size:
            source, size = self.stored.source, size_class(self.stored.size)
            self._metrics["source_read_seconds", source, size].observe(self._waited)
            self._metrics["source_read_bytes", source].observe(self._size)
