# SPDX-License-Identifier: Apache-2.0
"""The iterable that a server gets: counts what goes out and closes what was opened, once."""

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from oslogserve.errors import Incomplete
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

    def __init__(
        self,
        pieces: Iterable[bytes],
        metrics: Metrics,
        view: str,
        started: float,
        source: str,
        missing: list[Incomplete],
        on_close: Callable[[], None],
    ) -> None:
        """source: of the log, or 'none'. view: a fixed word. started: of time.perf_counter.

        missing: what `pieces` found missing by the time they end, and told the reader.
        """
        self._pieces = iter(pieces)
        self._metrics = metrics
        self._view = view
        self._started = started
        self._source = source
        self._missing = missing
        self._on_close = on_close
        self._ending = "aborted"
        self._sent = 0
        self._closed = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            piece = next(self._pieces)
        except StopIteration:
            self._ending = "failed" if self._missing else "complete"
            raise
        except Exception as error:
            self._ending = "failed"
            if isinstance(error, Incomplete):
                self._missing.append(error)
            raise
        self._sent += len(piece)
        return piece

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._on_close()
        spent = time.perf_counter() - self._started
        self._metrics.response[self._source, self._view, self._ending].observe(spent)
        for error in self._missing:
            self._metrics.incomplete_logs[self._source, error.reason].inc()
        self._metrics.sent_bytes[self._view].inc(self._sent)
        self._metrics.in_progress.dec()
