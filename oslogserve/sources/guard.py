# SPDX-License-Identifier: Apache-2.0
"""The guard of a source: it hides dot files, measures, and keeps one source's trouble from others.

Trouble is of two kinds. A source that fails answers at once: a circuit breaker stops calling it after some failures in
a row, and tries again after a pause that doubles. A source that hangs answers late or never: a bulkhead lets half of
the threads wait for it. If none of these finishes, further calls fail at once, so that their threads can serve other
logs. Behind a disk, even fewer may wait, since the disk's readers need the threads.

The server's log gets the beginning and the end of an outage, and not each failure in it. Failures of a single log are
none: the next request to the source may succeed.

A GuardedSource is a source behind its guard, for one request. It times each opening and all reading without the
client's time, and notes in the request's trace why the source failed.
"""

import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

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
from oslogserve.text import duration, log_message
from oslogserve.threads import Bulkhead, Full, ThreadLimit

#: Failures in a row that open the circuit breaker.
FAILURES = 5
#: Seconds without a success before the breaker opens: in a short disturbance, many threads fail at
#: once.
MIN_FAILING = 1.0
#: Seconds for which the breaker is open: first, and at most; doubled in between.
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
#: Seconds between the beginnings of two outages that are logged: a source may fail now and then.
QUIET = 60.0


class CircuitBreaker:
    """A circuit breaker: calls to a source that keeps failing fail at once.

    Closed, it lets all calls through. After FAILURES in a row, over at least MIN_FAILING seconds, it
    opens: calls fail at once. After a pause it is half-open: one call, the probe, goes through, and
    closes it or opens it for twice as long. The server's log gets the beginning and the end of an outage,
    not each failure in it. The state is of one process.
    """

    def __init__(self, source: str, location: str, metrics: Metrics) -> None:
        """source: its name. location: its folder or container."""
        self._source = source
        self._location = location
        self._available = metrics["source_available", source]
        self._available.set(1)
        self._lock = threading.Lock()
        # Failures are counted since the last success.
        self._failures = 0
        self._failing_since = 0.0
        self._is_open = False
        self._half_open_at = 0.0
        self._pause = FIRST_PAUSE
        self._is_probing = False
        #: When the outage began, also by a call that was not made; None for no outage.
        self._began: float | None = None
        self._is_logged = False
        self._quiet_until = 0.0

    @contextmanager
    def calling(self, is_check: bool = False) -> Iterator[None]:
        """Context of a call. Raises SourceError, at once while the breaker is open, unless it is a check."""
        is_probe = False
        if not is_check:
            with self._lock:
                is_probe = self._is_open
                must_wait = self._is_probing or time.monotonic() < self._half_open_at
                if is_probe and not must_wait:
                    self._is_probing = True
            if is_probe and must_wait:
                raise self.refusal(
                    f"it failed {self._failures} times and is left alone for a while"
                )
        try:
            yield
        except SourceError as error:
            if error.is_outage:
                self._record_failure(is_probe or is_check)
                self._log_outage(str(error))
            else:
                self._record_success()
            raise
        else:
            self._record_success()
        finally:
            if is_probe:
                self._is_probing = False

    def refusal(self, why: str) -> SourceError:
        """The error of a call that is not made."""
        self._log_outage(why)
        return SourceError(self._source, why)

    def _record_success(self) -> None:
        if not self._failures and self._began is None:  # the usual case needs no lock
            return
        with self._lock:
            began, was_logged = self._began, self._is_logged
            self._began, self._is_logged = None, False
            self._failures = 0
            self._is_open = False
            self._pause = FIRST_PAUSE
            self._available.set(1)
        if began is not None and was_logged:
            after = duration(time.monotonic() - began)
            log_message(f"{self._source} answers process {os.getpid()} again, after {after}")

    def _record_failure(self, is_probe: bool) -> None:
        with self._lock:
            now = time.monotonic()
            if self._failures == 0:
                self._failing_since = now
            self._failures += 1
            if self._is_open:
                if not is_probe:  # it called before the breaker opened
                    return
                self._pause = min(2 * self._pause, LONGEST_PAUSE)
            elif self._failures < FAILURES or now < self._failing_since + MIN_FAILING:
                return
            self._is_open = True
            jitter = random.uniform(0.75, 1.25)  # noqa: S311 - no secret
            self._half_open_at = now + self._pause * jitter
            self._available.set(0)

    def _log_outage(self, reason: str) -> None:
        with self._lock:
            now = time.monotonic()
            if self._began is None:
                self._began = now
            if self._is_logged or now < self._quiet_until:
                return
            self._is_logged, self._quiet_until = True, now + QUIET
        where = f"[{self._location}]"
        log_message(f"{self._source} fails in process {os.getpid()}: {reason} {where}")


#: Seconds without a finished call before waiters are refused. Shorter for all sources but the first, whose readers need
#: the threads.
PATIENCE = 5.0
FALLBACK_PATIENCE = 1.0
#: A quarter of the threads may wait for a place in a fallback. Timeout in seconds for joining them.
FALLBACK_LIMIT_PATIENCE = 0.1


class Guard:
    """The guard of one source in one process."""

    def __init__(
        self,
        source: Backend,
        metrics: Metrics,
        threads: int,
        is_fallback: bool = False,
        shows_dot_files: bool = False,
    ) -> None:
        """threads: of the process. is_fallback: true if another source is asked before."""
        self.name = source.name
        self.source = source
        self.metrics = metrics
        self.shows_dot_files = shows_dot_files
        self._breaker = CircuitBreaker(source.name, source.location, metrics)
        self._places = Bulkhead(threads // 2, PATIENCE)
        if is_fallback:
            places = max(1, threads // 2)
            limit = ThreadLimit(places + max(1, threads // 4), FALLBACK_LIMIT_PATIENCE)
            self._places = Bulkhead(places, FALLBACK_PATIENCE, limit)

    def for_request(self, context: Context) -> "GuardedSource":
        """The guarded source of one request."""
        return GuardedSource(self, self.source.for_request(context), context.trace)

    def check(self) -> None:
        """Checks the source even while the breaker is open. Raises SourceError."""
        with self._breaker.calling(is_check=True):
            self.source.check()

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Context of a call. Raises SourceError, at once if the source keeps failing or hangs."""
        try:
            self._places.enter()
        except Full:
            raise self._breaker.refusal("it is slow to answer earlier requests") from None
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
