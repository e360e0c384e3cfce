# SPDX-License-Identifier: Apache-2.0
"""The body that the server iterates over, which counts what is sent; and headers about times."""

import os
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from oslogserve.errors import ClientLeft, Header, Incomplete
from oslogserve.http.request import Request
from oslogserve.http.response import Response
from oslogserve.metrics import Metrics, size_class

#: A header with any value in a request; the response has the number of the process in it.
WORKER = "Log-Worker"


class ServerTiming:
    """The times that sources took for one request, in order."""

    def __init__(self, started: float) -> None:
        """started: when the request came, by time.perf_counter()."""
        self._started = started
        self._metrics: list[str] = []
        #: Seconds that all sources took.
        self.opening = 0.0

    def add(self, source: str, outcome: str, seconds: float) -> None:
        """Adds the time that a source took to open a log or to report a miss."""
        self.opening += seconds
        self._metrics.append(f"{source};dur={seconds * 1000:.3f};desc={outcome}")

    def headers(self, request: Request) -> list[Header]:
        """Server-Timing: milliseconds of each source, and `begin`, from request to response."""
        headers = []
        if self._metrics:
            begin = f"begin;dur={(time.perf_counter() - self._started) * 1000:.3f}"
            headers.append(("Server-Timing", ", ".join([*self._metrics, begin])))
        if "HTTP_LOG_WORKER" in request.environ:
            headers.append((WORKER, str(os.getpid())))
        return headers


class Ended(NamedTuple):
    """The outcome of a response."""

    #: "complete", "aborted" (the client left) or "failed".
    ending: str
    #: Seconds since the request came.
    seconds: float
    #: Seconds until the first byte was passed to the server; None for none.
    first_byte: float | None
    #: Bytes.
    sent: int


class Body:
    """Iterator over a response's body.

    A class, not a generator, so that close() also works before the first byte (HEAD, a client that
    left). If the body fails midway, this is counted, and the server breaks the connection.
    """

    def __init__(
        self,
        response: Response,
        metrics: Metrics,
        started: float,
        note: Callable[[Response, Ended], None] | None = None,
    ) -> None:
        """started: when the request came, by time.perf_counter(). note: called once, at the end."""
        self._response = response
        self._pieces = iter(response.body)
        self._metrics = metrics
        self._started = started
        self._note = note
        self._first_byte: float | None = None
        self._ending = "aborted"
        self._sent = 0
        self._raised: list[Incomplete] = []
        self._is_closed = False
        metrics["responses_total", response.status[:3]].inc()
        metrics["worker_responses_total", str(os.getpid())].inc()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            piece = next(self._pieces)
        except StopIteration:
            self._ending = "failed" if self._response.of.missing else "complete"
            raise
        except ClientLeft:
            raise
        except Exception as error:
            self._ending = "failed"
            if isinstance(error, Incomplete):
                self._raised.append(error)
            raise
        if self._first_byte is None:
            self._first_byte = time.perf_counter() - self._started
        self._sent += len(piece)
        if self._response.of.meter is not None:
            self._response.of.meter.note(sent=len(piece))
        return piece

    def fail(self) -> None:
        """Closes a response that never began."""
        self._ending = "failed"
        self.close()

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        response, metrics = self._response, self._metrics
        response.close()
        sent = response.of
        size = size_class(sent.stored_size)
        key = "response_seconds", sent.source, sent.view, self._ending, size
        seconds = time.perf_counter() - self._started
        metrics[key].observe(seconds)
        for error in (*sent.missing, *self._raised):
            metrics["incomplete_logs_total", sent.source, error.reason].inc()
        metrics["sent_bytes_total", sent.view].inc(self._sent)
        metrics["requests_in_progress"].dec()
        metrics["threads_busy", str(os.getpid())].dec()
        if self._note is not None:
            self._note(response, Ended(self._ending, seconds, self._first_byte, self._sent))
