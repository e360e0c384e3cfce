# SPDX-License-Identifier: Apache-2.0
"""A source behind a circuit breaker and a bulkhead: its trouble takes no threads from the others.

Closed, the breaker lets all calls through. After FAILURES in a row, over MIN_FAILING seconds or
more, it opens: calls fail at once. When its pause is over it is half-open: one call, the probe,
goes through, and closes it or opens it for twice as long. The bulkhead lets half of the threads
wait for the source. Once it stands still, others are refused at once: their threads are for those whose
log is elsewhere. The state is of one process.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from oslogserve.bulkhead import Bulkhead, Full
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources import FULL_BODY, Entry, Folder, Log, OpenOptions, Source

FAILURES = 5
#: Seconds without a success before the breaker opens: many threads fail at once in a trouble that
#: is over a moment later.
MIN_FAILING = 1.0
#: Seconds for which the breaker is open: at first, and at the most; doubled in between.
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
#: Seconds in which no call of a source ends until nobody waits for its places, at the least and at the
#: most: of any source, and of a network's behind a disk, whose readers need the threads. Between
#: these it is so many times as long as an answer usually takes, and before the first one the most.
PATIENCE = (5.0, 5.0)
PATIENCE_BEHIND_DISK = (0.1, 1.0)
USUAL_TIMES = 3
#: The share of the last answer in what is usual.
_NEW = 0.125

_T = TypeVar("_T")


class CircuitBreaker:
    """Wrapper of a source whose calls raise SourceError at once while the breaker is open."""

    def __init__(
        self,
        source: Source,
        metrics: Metrics,
        threads: int,
        patience: tuple[float, float] = PATIENCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = source.name
        self._source = source
        self._available = metrics["source_available", source.name]
        self._available.set(1)
        self._clock = clock
        self._lock = threading.Lock()
        # The breaker. Failures are counted since the last success.
        self._failures = 0
        self._failing_since = 0.0
        self._is_open = False
        self._half_open_at = 0.0
        self._pause = FIRST_PAUSE
        self._is_probing = False
        self._patience = patience
        #: Seconds of an answer; None before the first.
        self._usual: float | None = None
        self._places = Bulkhead(threads // 2, patience=patience[1], clock=clock)

    def open(self, path: bytes, options: OpenOptions = FULL_BODY) -> Log | Folder | None:
        return self._call(lambda: self._source.open(path, options))

    def entries(self, path: bytes) -> Iterator[Entry] | None:
        return self._call(lambda: self._source.entries(path))

    def check(self) -> None:
        """Asks the source whatever the state is, as a probe does."""
        self._observe(self._source.check, is_probe=True)

    def _call(self, call: Callable[[], _T]) -> _T:
        try:
            self._places.enter()
        except Full:
            raise SourceError(self.name, "it is slow to answer those who asked before") from None
        try:
            is_probe = self._begin()
            try:
                return self._observe(call, is_probe)
            finally:
                if is_probe:
                    self._is_probing = False
        finally:
            self._places.leave()

    def _begin(self) -> bool:
        """True if the next call is the probe. Raises SourceError where none may be made."""
        with self._lock:
            if not self._is_open:
                return False
            if self._is_probing or self._clock() < self._half_open_at:
                what = f"it failed {self._failures} times and is left alone for a while"
                raise SourceError(self.name, what)
            self._is_probing = True
            return True

    def _observe(self, call: Callable[[], _T], is_probe: bool) -> _T:
        began = self._clock()
        try:
            result = call()
        except SourceError as error:
            if error.is_outage:
                self._record_failure(is_probe)
            else:
                self._record_success(began)
            raise
        self._record_success(began)
        return result

    def _record_success(self, began: float) -> None:
        spent = self._clock() - began
        before = spent if self._usual is None else self._usual
        self._usual = before + _NEW * (spent - before)
        least, most = self._patience
        self._places.patience = max(least, min(USUAL_TIMES * self._usual, most))
        if self._failures:
            with self._lock:
                self._failures = 0
                self._is_open = False
                self._pause = FIRST_PAUSE
                self._available.set(1)

    def _record_failure(self, is_probe: bool) -> None:
        with self._lock:
            now = self._clock()
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
