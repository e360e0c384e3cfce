# SPDX-License-Identifier: Apache-2.0
"""A bulkhead: work of one kind that never takes all threads of a process."""

import threading
import time
from collections.abc import Callable

#: Seconds in which no place is taken or given back until the work counts as stuck: nobody waits for a
#: place then.
PATIENCE = 0.1

#: Seconds for which a thread waits for room to wait in: those that are left take turns at that.
ROOM_PATIENCE = 0.5


class Full(Exception):
    """All places are taken."""


class Bulkhead:
    """Places for work of one kind.

    Where all are taken, others wait for as long as places are given back quickly.
    """

    def __init__(
        self,
        places: int,
        waiting_room: threading.Semaphore | None = None,
        patience: float = PATIENCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """waiting_room: room for all threads that wait, maybe for work of several kinds; whoever
        finds none waits for that, see ROOM_PATIENCE. patience: see PATIENCE."""
        self.places = max(1, places)
        self._waiting_room = waiting_room
        self.patience = patience
        self._clock = clock
        self._changed = threading.Condition()
        self._taken = 0
        #: When a place was last taken or given back.
        self._last_change = 0.0

    def enter(self) -> None:
        """Takes a place. Raises Full."""
        with self._changed:
            if self._taken < self.places:
                self._take()
                return
            self._patience_left()
        room = self._waiting_room
        if room is not None and not room.acquire(timeout=ROOM_PATIENCE):
            raise Full
        try:
            with self._changed:
                while self._taken >= self.places:
                    self._changed.wait(self._patience_left())
                self._take()
        finally:
            if room is not None:
                room.release()

    def _take(self) -> None:
        self._taken += 1
        self._last_change = self._clock()

    def _patience_left(self) -> float:
        """Seconds until the work counts as stuck. Raises Full where it does."""
        left = self._last_change + self.patience - self._clock()
        if left <= 0:
            raise Full
        return left

    def leave(self) -> None:
        """Gives a place back."""
        with self._changed:
            self._taken -= 1
            self._last_change = self._clock()
            self._changed.notify()
