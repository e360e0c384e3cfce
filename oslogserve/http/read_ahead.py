# SPDX-License-Identifier: Apache-2.0
"""A large log is inflated, what was inflated is rendered, and what was rendered is sent at the same
time: each but the last by a thread of its own, a few pieces ahead. All three let other threads run, so
they use all processors."""

from collections.abc import Callable, Iterator
from queue import SimpleQueue
from threading import Lock, Thread

#: Pieces until it is worth a thread: a log of a megabyte goes out sooner than one helps.
ALONE = 4
#: Pieces that are made and not yet taken; each is some 400 KiB of a page.
AHEAD = 2


class _End:
    """Behind the last piece. error: what broke the answer off, else None."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


class Ahead:
    """Iterates `pieces`; then, or where it is closed before, calls `on_close`, once.

    on_close is called by the thread that makes the pieces where that one is at work: what it
    reads from is not closed under its hands, and nobody waits for a source that hangs.
    """

    def __init__(self, pieces: Iterator[bytes], on_close: Callable[[], None]) -> None:
        self._pieces = pieces
        self._on_close = on_close
        self._taken = 0
        self._made: SimpleQueue[bytes | _End] = SimpleQueue()
        self._room: SimpleQueue[None] = SimpleQueue()
        self._lock = Lock()
        self._is_at_work = False
        self._is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        self._taken += 1
        if self._taken <= ALONE:
            return next(self._pieces)
        if self._taken == ALONE + 1:
            for _ in range(AHEAD):
                self._room.put(None)
            self._is_at_work = True
            Thread(target=self._work, name="oslogserve-ahead", daemon=True).start()
        piece = self._made.get()
        if isinstance(piece, _End):
            self._made.put(piece)  # whoever asks once more is told the same
            raise piece.error or StopIteration
        self._room.put(None)
        return piece

    def _work(self) -> None:
        end = _End()
        try:
            self._room.get()
            for piece in self._pieces:
                self._made.put(piece)
                self._room.get()
                if self._is_closed:
                    break
        except Exception as error:  # noqa: BLE001 - raised again where the pieces are taken
            end = _End(error)
        with self._lock:
            self._is_at_work = False
            must_close = self._is_closed
        if must_close:
            self._on_close()
        self._made.put(end)

    def close(self) -> None:
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            if self._is_at_work:
                self._room.put(None)
                return
        self._on_close()
