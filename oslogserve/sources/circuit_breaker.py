# SPDX-License-Identifier: Apache-2.0
"""A source that is left alone while it is sick, so that it takes no threads from the others.

In each process, a circuit breaker: after FAILURES in a row, over HICCUP seconds or more, nobody
asks for a while; then one request tries, and what comes of it is for all. And half of the threads
may wait for its first bytes: the others are for those whose log is elsewhere.
"""

import math
import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources import FULL_BODY, Entry, Folder, Log, OpenOptions, Source

FAILURES = 5
#: Seconds without a success before a source counts as sick: many threads fail at once in a
#: trouble that is over a moment later.
HICCUP = 1.0
#: Seconds that a sick source is left alone: at first, and at the most; doubled in between.
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
#: Seconds that one waits for first bytes until the source counts as slow: nobody queues then.
SLOW = 5.0
#: Threads of a process where its server does not say.
THREADS = 8

_T = TypeVar("_T")


class CircuitBreaker:
    def __init__(
        self,
        source: Source,
        metrics: Metrics,
        threads: int = THREADS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = source.name
        self._source = source
        self._available = metrics["source_available"].labels(source.name)
        self._clock = clock
        self._places = max(1, threads // 2)
        self._lock = threading.Condition()
        self._failures = 0
        self._failing_since = 0.0
        self._is_left_alone = False
        self._pause = FIRST_PAUSE
        self._closed_until = 0.0
        self._is_probed = False
        self._queued = 0
        self._waiting: dict[int, float] = {}
        self._available.set(1)

    def open(self, path: bytes, options: OpenOptions = FULL_BODY) -> Log | Folder | None:
        return self._asked(lambda: self._source.open(path, options))

    def entries(self, path: bytes) -> Iterator[Entry] | None:
        return self._asked(lambda: self._source.entries(path))

    def check(self) -> None:
        """Asks in any case, and what comes of it is for all."""
        self._watched(self._source.check, is_for_all=True)

    def _asked(self, ask: Callable[[], _T]) -> _T:
        me = threading.get_ident()
        is_probe = False
        # Without the lock where all is well: each step of a dict is atomic.
        if self._is_left_alone or len(self._waiting) >= self._places:
            is_probe = self._admitted()
        self._waiting[me] = self._clock()
        try:
            return self._watched(ask, is_probe)
        finally:
            del self._waiting[me]
            if is_probe:
                self._is_probed = False
            if self._queued:
                with self._lock:
                    self._lock.notify()

    def _admitted(self) -> bool:
        """Whether it asks for all. Raises SourceError for who must not ask now."""
        with self._lock:
            if not self._is_left_alone:
                self._wait_for_a_place()
            if not self._is_left_alone:
                return False
            if self._clock() < self._closed_until or self._is_probed:
                raise SourceError(
                    self.name, f"it failed {self._failures} times and is left alone for a while"
                )
            self._is_probed = True
            return True

    def _wait_for_a_place(self) -> None:
        """With the lock held, which others get meanwhile. No longer than the source is asked."""
        self._queued += 1
        try:
            while len(self._waiting) >= self._places and not self._is_left_alone:
                left = min(list(self._waiting.values()), default=math.inf) + SLOW - self._clock()
                if left <= 0:
                    raise SourceError(self.name, "it is slow to answer those who asked before")
                self._lock.wait(min(left, SLOW))
        finally:
            self._queued -= 1

    def _watched(self, ask: Callable[[], _T], is_for_all: bool) -> _T:
        try:
            found = ask()
        except SourceError as error:
            if error.is_outage:
                self._failed(is_for_all)
            else:
                self._answered()
            raise
        self._answered()
        return found

    def _answered(self) -> None:
        if self._failures:
            with self._lock:
                self._failures = 0
                self._is_left_alone = False
                self._pause = FIRST_PAUSE
                self._available.set(1)

    def _failed(self, is_for_all: bool) -> None:
        with self._lock:
            now = self._clock()
            if self._failures == 0:
                self._failing_since = now
            self._failures += 1
            if self._is_left_alone:
                if not is_for_all:  # it asked before
                    return
                self._pause = min(2 * self._pause, LONGEST_PAUSE)
            elif self._failures < FAILURES or now < self._failing_since + HICCUP:
                return
            self._is_left_alone = True
            self._closed_until = now + self._pause * random.uniform(0.75, 1.25)
            self._available.set(0)
            self._lock.notify_all()
