# SPDX-License-Identifier: Apache-2.0
"""How a source fares: a circuit breaker, and the messages about its outages."""

import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from oslogserve import messages
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics

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
    closes it or opens it for twice as long. The state is of one process.
    """

    def __init__(self, source: str, metrics: Metrics) -> None:
        """source: the source's name."""
        self._source = source
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

    @contextmanager
    def calling(self, is_check: bool = False) -> Iterator[None]:
        """Context of a call. Raises SourceError, at once while the breaker is open, unless it is a check."""
        is_probe = False
        if not is_check:
            with self._lock:
                is_probe = self._is_open
                if is_probe:
                    if self._is_probing or time.monotonic() < self._half_open_at:
                        what = f"it failed {self._failures} times and is left alone for a while"
                        raise SourceError(self._source, what)
                    self._is_probing = True
        try:
            yield
        except SourceError as error:
            if error.is_outage:
                self._record_failure(is_probe or is_check)
            else:
                self._record_success()
            raise
        else:
            self._record_success()
        finally:
            if is_probe:
                self._is_probing = False

    def _record_success(self) -> None:
        if self._failures:
            with self._lock:
                self._failures = 0
                self._is_open = False
                self._pause = FIRST_PAUSE
                self._available.set(1)

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


class Outages:
    """The outages of a source, as one process sees them. One is logged, not each failure in it."""

    def __init__(self, source: str, location: str) -> None:
        """source: its name. location: its folder or container."""
        self._source = source
        self._location = location
        self._lock = threading.Lock()
        self._began: float | None = None
        self._is_logged = False
        self._quiet_until = 0.0

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Context of a call. The server's log gets the beginning and the end of an outage."""
        try:
            yield
        except SourceError as error:
            if error.is_outage:
                self._failed(str(error))
            else:
                self._answered()
            raise
        self._answered()

    def _failed(self, reason: str) -> None:
        with self._lock:
            now = time.monotonic()
            if self._began is None:
                self._began = now
            if self._is_logged or now < self._quiet_until:
                return
            self._is_logged, self._quiet_until = True, now + QUIET
        where = f"[{self._location}]"
        messages.log(f"{self._source} fails in process {os.getpid()}: {reason} {where}")

    def _answered(self) -> None:
        if self._began is None:  # the usual case needs no lock
            return
        with self._lock:
            if self._began is None:
                return
            seconds = time.monotonic() - self._began
            was_logged, self._began, self._is_logged = self._is_logged, None, False
        if not was_logged:
            return
        messages.log(f"{self._source} answers process {os.getpid()} again, after {seconds:.0f} s")
