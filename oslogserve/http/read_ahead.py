# SPDX-License-Identifier: Apache-2.0
"""Read-ahead: a thread prepares pieces while earlier ones are sent.

Two in a row use three processors for a large log: one thread inflates, one renders, and the server's
own sends. All three let other threads run meanwhile.
"""

from collections import deque
from collections.abc import Callable, Iterator
from threading import Condition, Thread

#: Pieces before a thread is started: for a log of a megabyte it would not pay.
PIECES_WITHOUT_THREAD = 4
#: Pieces that are ready and not yet taken; each is some 400 KiB of a page.
MOST_READY = 3
#: Pieces of these that are left when the thread goes on: it makes several at a time, since waking it
#: takes as long as inflating one.
FEW_READY = 1


class ReadAhead:
    """Iterator over `pieces` whose thread prepares the next ones. close() calls `on_close`.

    If the thread is still at work, it calls `on_close` itself when it ends. So its source is not
    closed meanwhile, and nobody waits for a source that hangs.
    """

    def __init__(self, pieces: Iterator[bytes], on_close: Callable[[], None]) -> None:
        self._pieces = pieces
        self._on_close = on_close
        self._taken = 0
        self._ready: deque[bytes] = deque()
        #: What to raise behind the pieces that are ready; None as long as more may come.
        self._end: Exception | None = None
        self._is_at_work = False
        self._is_closed = False
        #: Guards the four above. Only one of the two threads waits for a change at a time.
        self._changed = Condition()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        self._taken += 1
        if self._taken <= PIECES_WITHOUT_THREAD:
            return next(self._pieces)
        if self._taken == PIECES_WITHOUT_THREAD + 1:
            self._is_at_work = True
            Thread(target=self._work, name="oslogserve-read-ahead", daemon=True).start()
        with self._changed:
            while not self._ready:
                if self._end is not None:
                    raise self._end
                self._changed.wait()
            piece = self._ready.popleft()
            if len(self._ready) == FEW_READY:
                self._changed.notify()
            return piece

    def _work(self) -> None:
        end: Exception = StopIteration()
        try:
            for piece in self._pieces:
                with self._changed:
                    self._ready.append(piece)
                    self._changed.notify()
                    if len(self._ready) == MOST_READY:
                        self._changed.wait_for(
                            lambda: len(self._ready) <= FEW_READY or self._is_closed
                        )
                    if self._is_closed:
                        break
        except Exception as error:  # noqa: BLE001 - raised again where the pieces are taken
            end = error
        with self._changed:
            self._is_at_work = False
            self._end = end
            self._changed.notify()
            must_close = self._is_closed
        if must_close:
            self._on_close()

    def close(self) -> None:
        with self._changed:
            if self._is_closed:
                return
            self._is_closed = True
            if self._is_at_work:
                self._changed.notify()
                return
        self._on_close()
