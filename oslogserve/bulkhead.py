# SPDX-License-Identifier: Apache-2.0
"""A bulkhead: it keeps one kind of work from taking all threads of a process."""

import threading
import time
from collections.abc import Callable

#: Timeout in seconds for entering the waiting room.
ROOM_PATIENCE = 0.5


class Full(Exception):
    """Raised if all places are taken, and waiting is pointless."""


class Bulkhead:
    """A number of places for one kind of work.

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
            if not self._is_full():
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
        taken = len(self._holders)
        if taken >= self._places:
            taken -= sum(is_idle() for is_idle in self._holders)
        return taken >= self._places

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
