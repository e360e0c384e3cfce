# SPDX-License-Identifier: Apache-2.0
"""The work that requests may cost: processor time and inflated bytes, while their clients are there."""

import time
from collections.abc import Callable, Iterable, Iterator
from threading import get_ident
from typing import NamedTuple

from oslogserve.bulkhead import Bulkhead, Full
from oslogserve.errors import Busy, ClientLeft, Incomplete

#: Seconds between two looks whether the client is there.
LOOK_EVERY = 0.05
#: Bytes that are searched before the budget is looked at again: at first, the fewest and the most. They
#: are doubled while a block takes less than BLOCK_TIME seconds.
FIRST_BLOCK = 16 * 1024
SMALLEST_BLOCK = 4 * 1024
LARGEST_BLOCK = 256 * 1024
BLOCK_TIME = 0.02


class Allowance(NamedTuple):
    """What each request may cost."""

    #: Seconds, of all its threads.
    processor_time: float
    #: Bytes.
    inflated_size: int


class Budget:
    """What is left of a request's allowance.

    To be created in the thread that answers; other threads that work for it must be new ones.
    """

    def __init__(
        self,
        allowance: Allowance,
        has_client_left: Callable[[], bool] = lambda: False,
        leave: Callable[[], None] = lambda: None,
    ) -> None:
        """leave: gives back a place of the workload."""
        self._allowance = allowance
        self._has_client_left = has_client_left
        self._leave = [leave]
        self._next_look = time.monotonic() + LOOK_EVERY
        self._inflated = 0
        #: Processor time of the thread that answers before the request began.
        self._before = {get_ident(): time.thread_time()}
        #: Processor time by thread.
        self._spent: dict[int, float] = {}

    def spend(self, inflated: int = 0) -> None:
        """Counts inflated bytes and this thread's processor time.

        Raises Incomplete where the budget is spent, and ClientLeft.
        """
        thread = get_ident()
        self._spent[thread] = time.thread_time() - self._before.get(thread, 0.0)
        self._inflated += inflated
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + LOOK_EVERY
            if self._has_client_left():
                raise ClientLeft
        seconds, size = self._allowance
        if sum(list(self._spent.values())) > seconds:
            raise Incomplete(
                "budget", f"the {seconds:g} s of processor time of one request are over"
            )
        if self._inflated > size:
            raise Incomplete("budget", f"one request inflates no more than {size >> 20} MiB")

    def inflating(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The inflated pieces, as they are paid for."""
        for piece in pieces:
            self.spend(len(piece))
            yield piece

    def reading(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The pieces; whatever is done with one is paid for before the next."""
        for piece in pieces:
            self.spend()
            yield piece

    def searching(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """As reading(), in blocks so small that each is searched in a short time."""
        size = FIRST_BLOCK
        for piece in pieces:
            at = 0
            while at < len(piece):
                self.spend()
                began = time.thread_time()
                yield piece[at : at + size]
                at += size
                is_fast = time.thread_time() - began < BLOCK_TIME
                size = min(2 * size, LARGEST_BLOCK) if is_fast else max(size // 2, SMALLEST_BLOCK)

    def close(self) -> None:
        """May be called twice."""
        if self._leave:
            self._leave.pop()()


class Workload:
    """What the requests of a process may cost, each and together."""

    def __init__(self, allowance: Allowance, threads: int) -> None:
        """threads: of the process. A quarter of them may be at searches, half as many wait for that."""
        self._allowance = allowance
        self._searches = Bulkhead(threads // 4, most_waiting=threads // 8)

    def begin(self, has_client_left: Callable[[], bool], is_search: bool) -> Budget:
        """The budget of a request, to be closed in the end. Raises Busy.

        is_search: some lines of a log are looked for, which may take long without output.
        """
        if not is_search:
            return Budget(self._allowance, has_client_left)
        try:
            self._searches.enter()
        except Full:
            raise Busy("searches") from None
        return Budget(self._allowance, has_client_left, self._searches.leave)
