# SPDX-License-Identifier: Apache-2.0
"""Read-ahead: a thread prepares pieces while earlier ones are sent.

Two in a row use three processors for a large log: one thread inflates, one renders, and the server's
own sends. All three let other threads run meanwhile.
"""

from collections.abc import Callable, Iterator
from queue import SimpleQueue
from threading import Lock, Thread

#: Pieces before a thread is started: for a log of a megabyte it would not pay.
PIECES_WITHOUT_THREAD = 4
#: Pieces that are ready and not yet taken; each is some 400 KiB of a page.
MOST_READY = 2


class ReadAhead:
    """Iterator over `pieces` whose thread prepares the next ones. close() calls `on_close`.

    If the thread is still at work, it calls `on_close` itself when it ends. So its source is not
    closed meanwhile, and nobody waits for a source that hangs.
    """

    def __init__(self, pieces: Iterator[bytes], on_close: Callable[[], None]) -> None:
        self._pieces = pieces
        self._on_close = on_close
        self._taken = 0
        #: Pieces, and after the last one the exception to raise.
        self._ready: SimpleQueue[bytes | Exception] = SimpleQueue()
        self._room: SimpleQueue[None] = SimpleQueue()
        self._lock = Lock()
        self._is_at_work = False
        self._is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        self._taken += 1
        if self._taken <= PIECES_WITHOUT_THREAD:
            return next(self._pieces)
        if self._taken == PIECES_WITHOUT_THREAD + 1:
            for _ in range(MOST_READY):
                self._room.put(None)
            self._is_at_work = True
            Thread(target=self._work, name="oslogserve-read-ahead", daemon=True).start()
        piece = self._ready.get()
        if isinstance(piece, Exception):
            self._ready.put(piece)  # for the next call, which ends the same way
            raise piece
        self._room.put(None)
        return piece

    def _work(self) -> None:
        end: Exception = StopIteration()
        try:
            self._room.get()
            for piece in self._pieces:
                self._ready.put(piece)
                self._room.get()
                if self._is_closed:
                    break
        except Exception as error:  # noqa: BLE001 - raised again where the pieces are taken
            end = error
        with self._lock:
            self._is_at_work = False
            must_close = self._is_closed
        if must_close:
            self._on_close()
        self._ready.put(end)

    def close(self) -> None:
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            if self._is_at_work:
                self._room.put(None)
                return
        self._on_close()
