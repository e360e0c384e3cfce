# SPDX-License-Identifier: Apache-2.0
"""The iterable that a server gets: counts what goes out and closes what was opened, once."""

import os
import time
from collections.abc import Iterable, Iterator
from itertools import chain

from oslogserve.errors import Incomplete
from oslogserve.http import Answer, FilePart
from oslogserve.metrics import Metrics

#: Bytes that are gathered before they go out: as much as one block of a big log.
GATHERED = 256 * 1024


def gathered(pieces: Iterable[bytes]) -> tuple[Iterable[bytes], int | None]:
    """The same bytes as one piece, and their count; where they are more than GATHERED as they
    were, and None."""
    rest = iter(pieces)
    held = []
    size = 0
    for piece in rest:
        held.append(piece)
        size += len(piece)
        if size > GATHERED:
            return chain(held, rest), None
    return [b"".join(held)], size


class Body:
    """A class, not a generator: close() works before the first byte too (HEAD, a client that
    left). Failing midway it tells the metrics and lets the server break the connection."""

    def __init__(self, answer: Answer, metrics: Metrics, started: float) -> None:
        """started: of time.perf_counter."""
        self._answer = answer
        self._pieces = iter(answer.pieces)
        self._metrics = metrics
        self._started = started
        self._ending = "aborted"
        self._sent = 0
        self._closed = False
        metrics["responses_total"].labels(answer.status[:3]).inc()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            piece = next(self._pieces)
        except StopIteration:
            self._ending = "failed" if self._answer.missing else "complete"
            raise
        except Exception as error:
            self._ending = "failed"
            if isinstance(error, Incomplete):
                self._answer.missing.append(error)
            raise
        self._sent += len(piece)
        return piece

    def fail(self) -> None:
        """Closes an answer that never began."""
        self._ending = "failed"
        self.close()

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        answer, metrics = self._answer, self._metrics
        answer.close()
        spent = time.perf_counter() - self._started
        metrics["response_seconds"].labels(answer.source, answer.view, self._ending).observe(spent)
        for error in answer.missing:
            metrics["incomplete_logs_total"].labels(answer.source, error.reason).inc()
        metrics["sent_bytes_total"].labels(answer.view).inc(self._sent)
        metrics["requests_in_progress"].dec()


class FileBody(Body):
    """What a server's wsgi.file_wrapper gets: a file that it may send by itself.

    gunicorn sends from fileno() and ends with seek(), mod_wsgi asks tell() and says no more,
    others read().
    """

    def __init__(self, answer: Answer, metrics: Metrics, started: float, part: FilePart) -> None:
        super().__init__(answer, metrics, started)
        self._part = part
        self._is_silent = False
        os.lseek(part.descriptor, part.first, os.SEEK_SET)

    def fileno(self) -> int:
        return self._part.descriptor

    def read(self, size: int = -1) -> bytes:
        self._is_silent = False
        left = self._part.size - self._sent
        piece = os.read(self._part.descriptor, left if size < 0 else min(size, left))
        self._sent += len(piece)
        return piece

    def tell(self) -> int:
        """mod_wsgi answers 500 where there is none."""
        self._is_silent = True
        return self._part.first + self._sent

    def seek(self, position: int, whence: int = os.SEEK_SET) -> None:
        """socket.sendfile() calls it at its end, however it ends: it came as far as that."""
        self._is_silent = False
        if whence == os.SEEK_END:
            position += self._part.first + self._part.size
        self._sent = os.lseek(self._part.descriptor, position, os.SEEK_SET) - self._part.first

    def close(self) -> None:
        """Raises where the file was cut short meanwhile: the connection must not be kept, for
        its reader waits for what was announced."""
        if self._closed:
            return
        part = self._part
        there = min(part.size, max(0, os.fstat(part.descriptor).st_size - part.first))
        if self._is_silent:
            self._sent = there
        cut = None
        if self._sent == part.size:
            self._ending = "complete"
        elif there < part.size:
            cut = Incomplete("truncated", "the file was cut short while it was read")
            self._ending = "failed"
            self._answer.missing.append(cut)
        part.sent(self._sent)
        super().close()
        if cut is not None:
            raise cut
