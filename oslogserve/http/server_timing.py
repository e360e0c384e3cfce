# SPDX-License-Identifier: Apache-2.0
"""Headers about the server: how long the sources took, and which process it is."""

import os
import time

from oslogserve.errors import Header
from oslogserve.http.request import Request

#: Requests that carry it, with any value, are answered with the number of the process in it.
WORKER = "Log-Worker"


class ServerTiming:
    """The times of one request, in the order in which the sources were asked."""

    def __init__(self, started: float) -> None:
        """started: when the request came, by time.perf_counter()."""
        self._started = started
        self._metrics: list[str] = []
        #: Seconds that the sources took, together.
        self.opening = 0.0

    def add(self, source: str, outcome: str, seconds: float) -> None:
        """Adds the time that a source took to open a log or to say that it has none."""
        self.opening += seconds
        self._metrics.append(f"{source};dur={seconds * 1000:.3f};desc={outcome}")

    def headers(self, request: Request) -> list[Header]:
        """Server-Timing: milliseconds of each source, and `begin`, until the response began."""
        headers = []
        if self._metrics:
            begin = f"begin;dur={(time.perf_counter() - self._started) * 1000:.3f}"
            headers.append(("Server-Timing", ", ".join([*self._metrics, begin])))
        if "HTTP_LOG_WORKER" in request.environ:
            headers.append((WORKER, str(os.getpid())))
        return headers
