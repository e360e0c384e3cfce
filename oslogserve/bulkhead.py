# SPDX-License-Identifier: Apache-2.0
"""A bulkhead: it keeps one kind of work from taking all threads of a process."""

import threading
import time
from typing import Protocol

#: Timeout in seconds for entering the waiting room.
ROOM_PATIENCE = 0.5


class Full(Exception):
    """Raised if all places are taken, and waiting is pointless."""


class Holder(Protocol):
    """Work that holds a place."""

    def give_up(self) -> bool:
        """Gives the place back if the work is stuck on its own account. True if it did."""


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
        self._taken = 0
        self._holders: set[Holder] = set()
        #: When a place was last taken or given back.
        self._last_change = 0.0

    def enter(self, holder: Holder | None = None) -> None:
        """Takes a place. Raises Full. holder: work that may lose it to others."""
        if self._has_taken(holder):
            return
        # Without the lock: whoever gives up may leave other bulkheads too.
        if any(one.give_up() for one in [*self._holders]) and self._has_taken(holder):
            return
        with self._changed:
            self._patience_left()
        room = self._waiting_room
        if room is not None and not room.acquire(timeout=self._room_patience):
            raise Full
        try:
            with self._changed:
                while self._taken >= self._places:
                    self._changed.wait(self._patience_left())
                self._take(holder)
        finally:
            if room is not None:
                room.release()

    def _has_taken(self, holder: Holder | None) -> bool:
        """Takes a place if one is free, and says whether."""
        with self._changed:
            is_free = self._taken < self._places
            if is_free:
                self._take(holder)
            return is_free

    def _take(self, holder: Holder | None) -> None:
        self._taken += 1
        if holder is not None:
            self._holders.add(holder)
        self._last_change = time.monotonic()

    def _patience_left(self) -> float:
        """Seconds until waiters are refused. Raises Full if none are left."""
        left = self._last_change + self._patience - time.monotonic()
        if left <= 0:
            raise Full
        return left

    def leave(self, holder: Holder | None = None) -> None:
        """Gives a place back. holder: as for enter()."""
        with self._changed:
            self._taken -= 1
            if holder is not None:
                self._holders.discard(holder)
            self._last_change = time.monotonic()
            self._changed.notify()
