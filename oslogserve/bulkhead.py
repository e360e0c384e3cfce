# SPDX-License-Identifier: Apache-2.0
"""A bulkhead: work of one kind that never takes all threads of a process."""

import threading
import time
from collections.abc import Callable

#: Seconds in which no place is taken or given back until the work counts as stuck: nobody waits for a
#: place then.
PATIENCE = 0.1


class Full(Exception):
    """All places are taken."""


class Bulkhead:
    """Places for work of one kind.

    Where all are taken, others wait for as long as places are given back quickly.
    """

    def __init__(
        self,
        places: int,
        most_waiting: float = float("inf"),
        patience: float = PATIENCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """most_waiting: threads that may wait for a place at once. patience: see PATIENCE."""
        self.places = max(1, places)
        self._most_waiting = most_waiting
        self._patience = patience
        self._clock = clock
        self._changed = threading.Condition()
        self._taken = 0
        self._waiting = 0
        #: When a place was last taken or given back.
        self._last_change = 0.0

    def enter(self) -> None:
        """Takes a place. Raises Full."""
        with self._changed:
            self._wait()
            self._taken += 1
            self._last_change = self._clock()

    def _wait(self) -> None:
        if self._taken < self.places:
            return
        if self._waiting >= self._most_waiting:
            raise Full
        self._waiting += 1
        try:
            while self._taken >= self.places:
                left = self._last_change + self._patience - self._clock()
                if left <= 0:
                    raise Full
                self._changed.wait(left)
        finally:
            self._waiting -= 1

    def leave(self) -> None:
        """Gives a place back."""
        with self._changed:
            self._taken -= 1
            self._last_change = self._clock()
            self._changed.notify()
