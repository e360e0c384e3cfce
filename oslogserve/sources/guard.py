# SPDX-License-Identifier: Apache-2.0
"""The guard of a source: it hides dot files, measures, and keeps a source's trouble from the others.

A circuit breaker leaves a failing source alone. A bulkhead lets half of the threads wait for the
source. Once none of them gets on, further calls fail at once: their threads are for logs elsewhere.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from threading import Semaphore
from typing import Protocol, TypeVar

from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics, size_class
from oslogserve.sources import FULL_BODY, Entry, Folder, Log, OpenOptions, Source
from oslogserve.sources.bulkhead import Bulkhead, Full
from oslogserve.sources.circuit_breaker import CircuitBreaker
from oslogserve.sources.context import Context

#: Seconds without a finished call before further ones are refused: of the first source, and of one
#: behind a disk, whose readers need the threads.
PATIENCE = 5.0
PATIENCE_BEHIND_DISK = 1.0
#: Behind a disk a quarter of the threads may wait for a place. Others wait so many seconds for that.
ROOM_PATIENCE_BEHIND_DISK = 0.1

_T = TypeVar("_T")


class Backend(Source, Protocol):
    """A source of a process."""

    def check(self) -> None:
        """Asks whether the source answers. Raises SourceError where it does not."""

    def for_request(self, context: Context) -> Source:
        """The source for the calls of one request."""


class Guard:
    """The guard of one source in one process."""

    def __init__(
        self,
        source: Backend,
        metrics: Metrics,
        threads: int,
        is_behind_disk: bool = False,
        shows_dot_files: bool = False,
    ) -> None:
        """threads: of the process."""
        self.name = source.name
        self.source = source
        self.metrics = metrics
        self.shows_dot_files = shows_dot_files
        self._breaker = CircuitBreaker(source.name, metrics)
        self._places = Bulkhead(threads // 2, PATIENCE)
        if is_behind_disk:
            room = Semaphore(max(1, threads // 4))
            patience, room_patience = PATIENCE_BEHIND_DISK, ROOM_PATIENCE_BEHIND_DISK
            self._places = Bulkhead(threads // 2, patience, room, room_patience)

    def for_request(
        self, context: Context, note: Callable[[str, str, float], None]
    ) -> "GuardedSource":
        """The guarded source of one request. note: see GuardedSource."""
        return GuardedSource(self, self.source.for_request(context), note)

    def check(self) -> None:
        """Asks the source in any case, as a probe does. Raises SourceError."""
        self._breaker.probe(self.source.check)

    def call(self, path: bytes, call: Callable[[], _T]) -> _T | None:
        """The result of `call`; None for a dot file, so that no answer tells of one.

        Raises SourceError, at once where the source fails or is slow.
        """
        if not self.shows_dot_files and b"/." in b"/" + path:
            return None
        try:
            self._places.enter()
        except Full:
            raise SourceError(self.name, "it is slow to answer those who asked before") from None
        try:
            return self._breaker.call(call)
        finally:
            self._places.leave()


class GuardedSource:
    """A source behind its guard, for one request."""

    def __init__(
        self, guard: Guard, source: Source, note: Callable[[str, str, float], None]
    ) -> None:
        """note: gets the source's name, the outcome and the seconds of each opening."""
        self.name = source.name
        self._guard = guard
        self._source = source
        self._note = note

    def waiting_anew(self) -> "GuardedSource":
        return GuardedSource(self._guard, self._source.waiting_anew(), self._note)

    def open(self, path: bytes, options: OpenOptions = FULL_BODY) -> Log | Folder | None:
        started = time.perf_counter()
        outcome, size = "miss", "none"
        try:
            found = self._guard.call(path, partial(self._source.open, path, options))
            if found is not None:
                outcome = "hit"
            if isinstance(found, Log):
                size = size_class(found.stored.size)
        except SourceError:
            outcome = "error"
            raise
        finally:
            spent = time.perf_counter() - started
            metrics = self._guard.metrics
            metrics["source_open_seconds", self.name, outcome, size].observe(spent)
            self._note(self.name, outcome, spent)
        return TimedLog(found, spent, metrics) if isinstance(found, Log) else found

    def entries(self, path: bytes) -> Iterator[Entry] | None:
        entries = self._guard.call(path, partial(self._source.entries, path))
        if entries is None or self._guard.shows_dot_files:
            return entries
        return (entry for entry in entries if not entry.name.startswith(b"."))


class TimedLog(Log):
    """A log that adds up the time spent waiting for its source, without the client's time."""

    def __init__(self, log: Log, waited: float, metrics: Metrics) -> None:
        """waited: seconds until it was open."""
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
