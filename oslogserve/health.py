# SPDX-License-Identifier: Apache-2.0
"""Checks whether each source answers, within a time limit."""

import threading
import time
from collections.abc import Sequence

from oslogserve.errors import SourceError
from oslogserve.sources import Source

#: Seconds; below the patience of the usual load balancer.
TIME_LIMIT = 5.0


class Readiness:
    """A check of each source in a thread. One that hangs keeps its thread, and no other is begun."""

    def __init__(self, sources: Sequence[Source], time_limit: float = TIME_LIMIT) -> None:
        self._checks = [_Check(source) for source in sources]
        self._time_limit = time_limit

    def failures(self) -> dict[str, str]:
        """What is wrong with each source that fails, by its name."""
        threads = [check.begin() for check in self._checks]
        deadline = time.monotonic() + self._time_limit
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return {check.name: check.fault for check in self._checks if check.fault is not None}


class _Check:
    def __init__(self, source: Source) -> None:
        self.name = source.name
        #: What is wrong with the source; None where it answered.
        self.fault: str | None = None
        self._source = source
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def begin(self) -> threading.Thread:
        """The thread of the check that runs now, which is begun unless one does."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()
            return self._thread

    def _run(self) -> None:
        self.fault = "it did not answer in time"
        try:
            self._source.check()
            self.fault = None
        except SourceError as error:
            self.fault = str(error)
