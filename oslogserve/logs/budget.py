# SPDX-License-Identifier: Apache-2.0
"""The work that requests may cost: processor time and inflated bytes, while their clients are there."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from threading import Semaphore, get_ident
from typing import NamedTuple

from oslogserve import native
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
#: Bytes that are rendered at once: each request holds several of such pieces, as markup.
LARGEST_RENDERED = 256 * 1024
#: Lines that are rendered at once, or searched: a short one becomes forty times as many bytes of JSON.
MOST_LINES = 8 * 1024
#: Places for work of each kind: each takes up to 15 MiB of large logs, 32 of searches.
MOST_LARGE_LOGS, MOST_SEARCHES, MOST_FOLDERS = 12, 3, 2
MOST_JOBS = MOST_OVERVIEWS = 2
#: Kinds of work, as an answer that refuses it names them.
SEARCHES, LARGE_LOGS, FOLDERS = "searches", "large logs", "folders"
JOBS, OVERVIEWS = "folders' lines", "folders' summaries"
#: Seconds in which no work of a kind begins or ends until nobody waits for its place: a burst of
#: ordinary requests is only delayed, also where a dozen large logs begin at the same time.
PATIENCE = 3.0


class Allowance(NamedTuple):
    """Bounds of each request."""

    #: Seconds, of all its threads.
    processor_time: float
    #: Bytes.
    inflated_size: int


class Budget:
    """The rest of a request's allowance.

    To be created in the thread that answers; other threads that work for it must be new ones, or
    be within working().
    """

    def __init__(
        self,
        allowance: Allowance,
        has_client_left: Callable[[], bool] = lambda: False,
        bulkheads: Mapping[str, Bulkhead] | None = None,
    ) -> None:
        """bulkheads: by the kind of work; work of other kinds needs no place."""
        self._allowance = allowance
        self._has_client_left = has_client_left
        self._bulkheads = bulkheads or {}
        self._entered: list[Bulkhead] = []
        self._next_look = time.monotonic() + LOOK_EVERY
        #: Inflated bytes by thread.
        self._inflated: dict[int, int] = {}
        #: Processor time of the thread that answers before the request began.
        self._before = {get_ident(): time.thread_time()}
        #: Processor time by thread.
        self._spent: dict[int, float] = {}

    def enter(self, work: str) -> None:
        """Takes a place for work of this kind, which close() gives back. Raises Busy."""
        bulkhead = self._bulkheads.get(work)
        if bulkhead is None:
            return
        try:
            bulkhead.enter()
        except Full:
            raise Busy(work) from None
        self._entered.append(bulkhead)

    def part(self) -> "Budget":
        """The same budget for one of several logs: closing it gives no place back."""
        part = copy(self)
        part._entered = []
        return part

    @contextmanager
    def working(self) -> Iterator[None]:
        """Context in which a thread of a pool works for this budget, and for no other."""
        thread = get_ident()
        self._before[thread] = time.thread_time() - self._spent.get(thread, 0.0)
        try:
            yield
        finally:
            self._spent[thread] = time.thread_time() - self._before[thread]

    def spend(self, inflated: int = 0) -> None:
        """Counts inflated bytes and this thread's processor time.

        Raises Incomplete where the budget is spent, and ClientLeft.
        """
        thread = get_ident()
        self._spent[thread] = time.thread_time() - self._before.get(thread, 0.0)
        self._inflated[thread] = self._inflated.get(thread, 0) + inflated
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
        if sum(list(self._inflated.values())) > size:
            raise Incomplete("budget", f"one request inflates no more than {size >> 20} MiB")

    def unpacking(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The stored chunks; whatever is done with one is paid for before the next. Some inflate to
        nothing."""
        for chunk in chunks:
            self.spend()
            yield chunk

    def inflating(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The inflated pieces, as they are paid for."""
        for piece in pieces:
            self.spend(len(piece))
            yield piece

    def reading(
        self, pieces: Iterable[bytes], size: int = LARGEST_RENDERED, most_lines: int = MOST_LINES
    ) -> Iterator[bytes]:
        """The pieces, cut to what is rendered at once, at most `size` bytes and `most_lines`;
        whatever is done with one is paid for before the next."""
        for piece in pieces:
            at = 0
            while at < len(piece):
                self.spend()
                end = _end_of_block(piece, at, size, most_lines)
                yield piece[at:end]
                at = end

    def searching(self, pieces: Iterable[bytes], most_lines: int = MOST_LINES) -> Iterator[bytes]:
        """The pieces, as reading() gives them, in blocks that are searched in a short time each."""
        size = FIRST_BLOCK
        for piece in pieces:
            at = 0
            while at < len(piece):
                self.spend()
                began = time.thread_time()
                end = _end_of_block(piece, at, size, most_lines)
                yield piece[at:end]
                at = end
                is_fast = time.thread_time() - began < BLOCK_TIME
                size = min(2 * size, LARGEST_BLOCK) if is_fast else max(size // 2, SMALLEST_BLOCK)

    def close(self) -> None:
        """Gives all places back. May be called twice."""
        while self._entered:
            self._entered.pop().leave()


def _pure_line_feeds(piece: bytes, start: int, end: int) -> int:
    return piece.count(b"\n", start, end)


#: The native one is some twenty times as fast as that of CPython 3.11, during which no thread runs.
_line_feeds = native.CORE.line_feeds if native.CORE else _pure_line_feeds


def _end_of_block(piece: bytes, start: int, size: int, most_lines: int) -> int:
    """The end of a block of at most `size` bytes and so many lines."""
    while _line_feeds(piece, start, start + size) > most_lines:
        size //= 2
    return start + size


class Workload:
    """Bounds of the requests of a process, each and together: some threads are left for small
    answers, whatever the others do."""

    def __init__(self, allowance: Allowance, threads: int) -> None:
        """threads: of the process. An eighth of them neither works nor waits for such work."""
        self._allowance = allowance
        large_logs = min(MOST_LARGE_LOGS, threads * 3 // 4)
        places = {
            LARGE_LOGS: large_logs,
            SEARCHES: min(MOST_SEARCHES, threads // 4),
            FOLDERS: min(MOST_FOLDERS, threads // 8),
            JOBS: min(MOST_JOBS, threads // 8),
            OVERVIEWS: min(MOST_OVERVIEWS, threads // 8),
        }
        room = Semaphore(max(1, threads - large_logs - threads // 8))
        self._bulkheads = {work: Bulkhead(n, room, PATIENCE) for work, n in places.items()}

    def begin(self, has_client_left: Callable[[], bool]) -> Budget:
        """The budget of a request, to be closed in the end."""
        return Budget(self._allowance, has_client_left, self._bulkheads)
