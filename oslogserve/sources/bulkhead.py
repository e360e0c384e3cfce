# SPDX-License-Identifier: Apache-2.0
"""A bulkhead: work of one kind that never takes all threads of a process."""

import threading
import time

#: Timeout in seconds for entering the waiting room: threads that find it full take turns at that.
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
        #: When a place was last taken or given back.
        self._last_change = 0.0

    def enter(self) -> None:
        """Takes a place. Raises Full."""
        with self._changed:
            if self._taken < self._places:
                self._take()
                return
            self._patience_left()
        room = self._waiting_room
        if room is not None and not room.acquire(timeout=self._room_patience):
            raise Full
        try:
            with self._changed:
                while self._taken >= self._places:
                    self._changed.wait(self._patience_left())
                self._take()
        finally:
            if room is not None:
                room.release()

    def _take(self) -> None:
        self._taken += 1
        self._last_change = time.monotonic()

    def _patience_left(self) -> float:
        """Seconds until the work counts as stuck. Raises Full where it does."""
        left = self._last_change + self._patience - time.monotonic()
        if left <= 0:
            raise Full
        return left

    def leave(self) -> None:
        """Gives a place back."""
        with self._changed:
            self._taken -= 1
            self._last_change = time.monotonic()
            self._changed.notify()
