# SPDX-License-Identifier: Apache-2.0
"""The threads of a process: places for one kind of work, work in a thread of its own, and memory for all."""

import ctypes
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

_T = TypeVar("_T")
#: Timeout in seconds for entering the waiting room.
ROOM_PATIENCE = 0.5
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


class Bulkhead:
    """A number of places for one kind of work, which keep it from taking all threads.

    If all are taken, callers wait, as long as places keep being given back.
    """

    def __init__(
        self,
        places: int,
        patience: float,
        waiting_room: threading.Semaphore | None = None,
        room_patience: float = ROOM_PATIENCE,
    ) -> None:
        """patience: seconds without a place taken or given back before waiters are refused.

        waiting_room: limits the threads that wait; several bulkheads may share it. room_patience: see
        ROOM_PATIENCE.
        """
        self._places = max(1, places)
        self._patience = patience
        self._waiting_room = waiting_room
        self._room_patience = room_patience
        self._changed = threading.Condition()
        #: Of each who has a place, what says that it does nothing.
        self._holders: list[Callable[[], bool]] = []
        #: When a place was last taken or given back.
        self._last_change = 0.0

    def enter(self, is_idle: Callable[[], bool] = bool) -> None:
        """Takes a place. Raises Full. is_idle: true while the place counts as free; `bool` never says so."""
        with self._changed:
            if len(self._holders) < self._places or not self._is_full():
                self._take(is_idle)
                return
            self._patience_left()
        room = self._waiting_room
        if room is not None and not room.acquire(timeout=self._room_patience):
            raise Full
        try:
            with self._changed:
                while self._is_full():
                    self._changed.wait(self._patience_left())
                self._take(is_idle)
        finally:
            if room is not None:
                room.release()

    def _is_full(self) -> bool:
        return sum(not is_idle() for is_idle in self._holders) >= self._places

    def _take(self, is_idle: Callable[[], bool]) -> None:
        self._holders.append(is_idle)
        self._last_change = time.monotonic()

    def _patience_left(self) -> float:
        """Seconds until waiters are refused. Raises Full if none are left."""
        left = self._last_change + self._patience - time.monotonic()
        if left <= 0:
            raise Full
        return left

    def leave(self, is_idle: Callable[[], bool] = bool) -> None:
        """Gives a place back. is_idle: as for enter()."""
        with self._changed:
            self._holders.remove(is_idle)
            self._last_change = time.monotonic()
            self._changed.notify()


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
