# SPDX-License-Identifier: Apache-2.0
"""Read-ahead of logs, in a few threads that all jobs of a process share."""

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from typing import Generic, TypeVar

#: Threads of a pool.
LOGS_AT_ONCE = max(2, min(4, os.cpu_count() or 1))

#: Added to the niceness of these threads, so that readers of single logs come first.
NICER = 10

_T = TypeVar("_T")


def pool_of(source: str) -> ThreadPoolExecutor:
    """Threads of low priority, for the logs of one source: if it hangs, that delays no others."""
    return ThreadPoolExecutor(LOGS_AT_ONCE, f"oslogserve-{source}", _yield_to_others)


def _yield_to_others() -> None:
    if sys.platform == "linux":  # elsewhere threads have no niceness of their own
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), os.nice(0) + NICER)


class Ahead(Generic[_T]):
    """Iterator over `values` that lets a thread of the pool compute the next one in advance.

    The thread works within the context that `working` returns. If it is at work when close() is
    called, its result is dropped, and that thread closes `values`.
    """

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        values: Iterator[_T],
        working: Callable[[], AbstractContextManager[None]],
        is_eager: bool = True,
    ) -> None:
        """is_eager: true if the next value is computed once one was taken, false if start() says when."""
        self._pool = pool
        self._is_eager = is_eager
        self._values = values
        self._working = working
        self._next: Future[_T | None] | None = None
        self._is_over = False

    def start(self) -> None:
        """Starts to compute the next value, unless that has begun."""
        if self._next is None and not self._is_over:
            self._next = self._pool.submit(self._made)

    def _made(self) -> _T | None:
        with self._working():
            return next(self._values, None)

    @property
    def is_ready(self) -> bool:
        """True if the next value need not be waited for."""
        return self._next is not None and self._next.done()

    def __iter__(self) -> Iterator[_T]:
        return self

    def __next__(self) -> _T:
        self.start()
        if self._next is None:
            raise StopIteration
        value = self._next.result()
        self._next = None
        if value is None:
            self._is_over = True
            raise StopIteration
        if self._is_eager:
            self.start()
        return value

    def close(self) -> None:
        """Closes `values`. May be called twice."""
        self._is_over = True
        future, self._next = self._next, None
        close = getattr(self._values, "close", lambda: None)
        if future is None or future.cancel():
            close()
        else:
            future.add_done_callback(lambda _: close())


def started(several: Iterable[Ahead[_T]], most: int = LOGS_AT_ONCE) -> Iterator[Ahead[_T]]:
    """The iterators in their order. Each is yielded once the next `most` were started."""
    waiting: deque[Ahead[_T]] = deque()
    for one in several:
        one.start()
        waiting.append(one)
        if len(waiting) > most:
            yield waiting.popleft()
    yield from waiting
