# SPDX-License-Identifier: Apache-2.0
"""The body that the server iterates over, which counts what is sent."""

import os
import time
from collections.abc import Callable, Iterator

from oslogserve.errors import ClientLeft, Incomplete
from oslogserve.http.answer import Answer
from oslogserve.metrics import Metrics, size_class


class Body:
    """Iterator over an answer's pieces.

    A class, not a generator, so that close() also works before the first byte (HEAD, a client that
    left). If the body fails midway, this is counted, and the server breaks the connection.
    """

    def __init__(
        self,
        answer: Answer,
        metrics: Metrics,
        started: float,
        note: Callable[["Body"], None] | None = None,
    ) -> None:
        """started: when the request came, by time.perf_counter(). note: called once, at the end."""
        self.answer = answer
        #: "complete", "aborted" (the client left) or "failed".
        self.ending = "aborted"
        #: Seconds from the request to the first byte that the server got, None for none; and to the end.
        self.first_byte: float | None = None
        self.seconds = 0.0
        #: Bytes.
        self.sent = 0
        self._pieces = iter(answer.pieces)
        self._metrics = metrics
        self._started = started
        self._note = note
        self._is_closed = False
        metrics["responses_total", answer.status[:3]].inc()
        metrics["worker_responses_total", str(os.getpid())].inc()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            piece = next(self._pieces)
        except StopIteration:
            self.ending = "failed" if self.answer.missing else "complete"
            raise
        except ClientLeft:
            raise
        except Exception as error:
            self.ending = "failed"
            if isinstance(error, Incomplete):
                self.answer.missing.append(error)
            raise
        if self.first_byte is None:
            self.first_byte = time.perf_counter() - self._started
        self.sent += len(piece)
        self.answer.note_sent(len(piece))
        return piece

    def fail(self) -> None:
        """Closes an answer that never began."""
        self.ending = "failed"
        self.close()

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        answer, metrics = self.answer, self._metrics
        if answer.close:
            answer.close()
        size = size_class(answer.stored_size)
        key = "response_seconds", answer.source, answer.view, self.ending, size
        self.seconds = time.perf_counter() - self._started
        metrics[key].observe(self.seconds)
        for error in answer.missing:
            metrics["incomplete_logs_total", answer.source, error.reason].inc()
        metrics["sent_bytes_total", answer.view].inc(self.sent)
        metrics["requests_in_progress"].dec()
        metrics["threads_busy", str(os.getpid())].dec()
        if self._note is not None:
            self._note(self)
