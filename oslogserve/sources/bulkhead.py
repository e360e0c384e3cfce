# SPDX-License-Identifier: Apache-2.0
"""A bulkhead: work of one kind that never takes all threads of a process."""

import threading
import time
from typing import Protocol

#: Timeout in seconds for entering the waiting room: threads that find it full take turns at that.
ROOM_PATIENCE = 0.5


class Full(Exception):
    """All places are taken."""


class Holder(Protocol):
    """Work that holds a place."""

    def give_up(self) -> bool:
        """Gives the place back if the work is stuck on its own account. True if it did."""


class Bulkhead:
    """Places for work of one kind.

    Where all are taken, others wait for as long as places are given back quickly.
    """

    def __init__(
        self,
        places: int,
        patience: float,
        waiting_room: threading.Semaphore | None = None,
        room_patience: float = ROOM_PATIENCE,
    ) -> None:
        """patience: seconds in which no place is taken or given back until the work counts as stuck;
        then nobody waits. waiting_room: for the threads that wait, maybe for several kinds of work.
        room_patience: see ROOM_PATIENCE."""
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
        """Seconds until the work counts as stuck. Raises Full where it does."""
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
