# SPDX-License-Identifier: Apache-2.0
"""The guard of a source: it hides dot files, measures, and keeps one source's trouble from others.

A circuit breaker stops calls to a failing source. A bulkhead lets half of the threads wait for a
source. If none of these finishes, further calls fail at once, so that their threads can serve other
logs.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from oslogserve.bulkhead import Bulkhead, Full
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics, size_class
from oslogserve.sources import (
    ALL_ENTRIES,
    FULL_BODY,
    Backend,
    Context,
    Entry,
    Folder,
    Log,
    OpenOptions,
    Source,
    Trace,
    WantedEntries,
)
from oslogserve.sources.breaker import CircuitBreaker, Outages

#: Seconds without a finished call before waiters are refused. Shorter for Swift if there is a disk too,
#: whose readers need the threads.
PATIENCE = 5.0
PATIENCE_BEHIND_DISK = 1.0
#: Behind a disk, a quarter of the threads may wait for a place. Timeout in seconds for joining them.
ROOM_PATIENCE_BEHIND_DISK = 0.1


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
        self._outages = Outages(source.name, source.location)
        self._places = Bulkhead(threads // 2, PATIENCE)
        if is_behind_disk:
            room = threading.Semaphore(max(1, threads // 4))
            patience, room_patience = PATIENCE_BEHIND_DISK, ROOM_PATIENCE_BEHIND_DISK
            self._places = Bulkhead(threads // 2, patience, room, room_patience)

    def for_request(self, context: Context) -> "GuardedSource":
        """The guarded source of one request."""
        return GuardedSource(self, self.source.for_request(context), context.trace)

    def check(self) -> None:
        """Checks the source even while the breaker is open. Raises SourceError."""
        with self._outages.watching(), self._breaker.calling(is_check=True):
            self.source.check()

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Context of a call. Raises SourceError, at once if the source keeps failing or hangs."""
        with self._outages.watching():
            try:
                self._places.enter()
            except Full:
                raise SourceError(self.name, "it is slow to answer earlier requests") from None
            try:
                with self._breaker.calling():
                    yield
            finally:
                self._places.leave()

    def hides(self, path: bytes) -> bool:
        """True for a dot file: no answer reveals one."""
        return not self.shows_dot_files and b"/." in b"/" + path


class GuardedSource:
    """A source behind its guard, for one request."""

    def __init__(self, guard: Guard, source: Source, trace: Trace) -> None:
        """trace: gets the outcome of each opening, and why the source failed."""
        self.name = source.name
        self._guard = guard
        self._source = source
        self._trace = trace

    def waiting_anew(self) -> "GuardedSource":
        return GuardedSource(self._guard, self._source.waiting_anew(), self._trace)

    def open(self, path: bytes, options: OpenOptions = FULL_BODY) -> Log | Folder | None:
        started = time.perf_counter()
        outcome, size, found = "miss", "none", None
        try:
            if not self._guard.hides(path):
                with self._noting(), self._guard.calling():
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
            metrics = self._guard.metrics
            metrics["source_open_seconds", self.name, outcome, size].observe(spent)
            self._trace.openings.append((self.name, outcome, spent))
        return TimedLog(found, spent, metrics) if isinstance(found, Log) else found

    def entries(self, path: bytes, wanted: WantedEntries = ALL_ENTRIES) -> Iterator[Entry] | None:
        if self._guard.hides(path):
            return None
        with self._noting(), self._guard.calling():
            entries = self._source.entries(path, wanted)
        return None if entries is None else self._shown(entries)

    def _shown(self, entries: Iterator[Entry]) -> Iterator[Entry]:
        with self._noting():
            for entry in entries:
                if not self._guard.hides(entry.name):
                    yield entry

    @contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except SourceError as error:
            self._trace.failures[self.name] = str(error)
            raise


class TimedLog(Log):
    """A log that measures the time spent waiting for its source, without the client's time."""

    def __init__(self, log: Log, waited: float, metrics: Metrics) -> None:
        """waited: seconds that opening it took."""
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
