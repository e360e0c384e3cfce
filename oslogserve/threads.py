# SPDX-License-Identifier: Apache-2.0
"""The threads of a process: places for one kind of work, work in a thread of its own, and memory for all."""

import ctypes
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from math import inf
from typing import TypeVar

_T = TypeVar("_T")
#: Seconds for which those wait for whom there is no room: then they are refused.
LIMIT_PATIENCE = 0.5
#: Seconds between two looks of a waiter whether it still waits for something.
LOOK_EVERY = 0.5
# glibc's numbers of its parameters.
_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8
#: So many threads can allocate at once. Memory that is free in one arena is of no use to the others.
ARENAS = 4
#: Bytes from which a buffer gets its own pages, which are returned to the system when it is freed.
#: By default, glibc raises this limit with each such buffer, up to 32 MiB.
LARGE = 1024 * 1024
#: Free bytes at an arena's end that are kept.
KEPT = 4 * LARGE


class Full(Exception):
    """Raised if all places are taken, and waiting is pointless."""


class ThreadLimit:
    """The threads that may have places of bulkheads or wait for them, together: the others stay free.

    If too many wait, the first ones of each kind of work may stay, and the others are refused soon.
    """

    def __init__(self, threads: float = inf, patience: float = LIMIT_PATIENCE) -> None:
        """patience: see LIMIT_PATIENCE."""
        self.lock = threading.Lock()
        self.patience = patience
        #: Places that are taken, of all bulkheads.
        self.taken = 0
        #: In the order in which they came.
        self.waiting: list[_Waiter] = []
        self._threads = threads

    def has_room_for(self, waiter: "_Waiter") -> bool:
        of_kind = Counter[Bulkhead]()
        ranks = {}
        for place, one in enumerate(self.waiting):
            ranks[one] = of_kind[one.bulkhead], place
            of_kind[one.bulkhead] += 1
        before = sum(rank < ranks[waiter] for rank in ranks.values())
        return self.taken + before < self._threads


class _Waiter:
    def __init__(self, bulkhead: "Bulkhead", lock: threading.Lock) -> None:
        self.bulkhead = bulkhead
        #: Notified when it may be its turn.
        self.turn = threading.Condition(lock)


class Bulkhead:
    """A number of places for one kind of work, which keep it from taking all threads.

    If all are taken, callers wait for their turns, as long as places keep being given back.
    """

    def __init__(self, places: int, patience: float, limit: ThreadLimit | None = None) -> None:
        """patience: seconds without a place taken or given back before waiters are refused. limit: several bulkheads
        may share it; None for one without limits."""
        self._places = max(1, places)
        self._patience = patience
        self._limit = limit or ThreadLimit()
        #: Of each who has a place, what says that it does nothing.
        self._holders: list[Callable[[], bool]] = []
        #: When a place was last taken or given back.
        self._last_change = 0.0

    def enter(
        self, is_idle: Callable[[], bool] = bool, look: Callable[[], None] = lambda: None
    ) -> None:
        """Takes a place. Raises Full. is_idle: true while the place counts as free; `bool` never says so. look: called
        while it waits; what it raises ends that."""
        limit = self._limit
        with limit.lock:
            if self._first_waiter() is not None or self._is_full():
                self._patience_left()
                waiter = _Waiter(self, limit.lock)
                limit.waiting.append(waiter)
                try:
                    self._wait(waiter, look)
                finally:
                    limit.waiting.remove(waiter)
                    self._call_next()
            self._holders.append(is_idle)
            limit.taken += 1
            self._last_change = time.monotonic()

    def _wait(self, waiter: _Waiter, look: Callable[[], None]) -> None:
        limit, crowded_since = self._limit, inf
        while self._first_waiter() is not waiter or self._is_full():
            look()
            now, left = time.monotonic(), self._patience_left()
            if limit.has_room_for(waiter):
                crowded_since = inf
            else:
                crowded_since = min(crowded_since, now)
                left = min(left, crowded_since + limit.patience - now)
                if left <= 0:
                    raise Full
            waiter.turn.wait(min(left, LOOK_EVERY))

    def _first_waiter(self) -> _Waiter | None:
        return next((one for one in self._limit.waiting if one.bulkhead is self), None)

    def _call_next(self) -> None:
        if waiter := self._first_waiter():
            waiter.turn.notify()

    def _is_full(self) -> bool:
        return sum(not is_idle() for is_idle in self._holders) >= self._places

    def _patience_left(self) -> float:
        """Seconds until waiters are refused. Raises Full if none are left."""
        left = self._last_change + self._patience - time.monotonic()
        if left <= 0:
            raise Full
        return left

    def leave(self, is_idle: Callable[[], bool] = bool) -> None:
        """Gives a place back. is_idle: as for enter()."""
        with self._limit.lock:
            self._holders.remove(is_idle)
            self._limit.taken -= 1
            self._last_change = time.monotonic()
            self._call_next()


def started(work: Callable[[], _T], name: str) -> "Future[_T]":
    """Starts work in a thread of its own, for callers that may wait for it less long than it takes.

    Returns what the work returns or raises. Raises RuntimeError if the system allows no more threads.
    """
    future: Future[_T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised where the result is taken
            future.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return future


def set_up_malloc() -> None:
    """Lets threads share a few arenas and return large buffers. Call it before there are threads.

    By default, glibc gives each thread an arena, which keeps the memory of its requests: 80 MiB more
    for 24 tails at once. Other C libraries have no arenas.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, ARENAS)
        mallopt(_M_MMAP_THRESHOLD, LARGE)
        mallopt(_M_TRIM_THRESHOLD, KEPT)
