# SPDX-License-Identifier: Apache-2.0
"""Checks whether each source answers, within a time limit."""

import time
from collections.abc import Sequence
from threading import Lock, Thread

from oslogserve.errors import SourceError
from oslogserve.sources import Source

#: Seconds; below the patience of the usual load balancer.
TIME_LIMIT = 5.0


class Readiness:
    """A check of each source in a thread. One that hangs keeps its thread, and no other is begun."""

    def __init__(self, sources: Sequence[Source], time_limit: float = TIME_LIMIT) -> None:
        self._sources = sources
        self._time_limit = time_limit
        self._lock = Lock()
        self._threads: dict[str, Thread] = {}
        self._failures: dict[str, str] = {}

    def failures(self) -> dict[str, str]:
        """The fault of each source that fails, by its name."""
        threads = [self._begun(source) for source in self._sources]
        deadline = time.monotonic() + self._time_limit
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return self._failures.copy()

    def _begun(self, source: Source) -> Thread:
        """The thread of the source's check that runs now; it is begun unless one does."""
        with self._lock:
            thread = self._threads.get(source.name)
            if thread is None or not thread.is_alive():
                thread = Thread(target=self._check, args=(source,), daemon=True)
                self._threads[source.name] = thread
                thread.start()
            return thread

    def _check(self, source: Source) -> None:
        self._failures[source.name] = "it did not answer in time"
        try:
            source.check()
            del self._failures[source.name]
        except SourceError as error:
            self._failures[source.name] = str(error)
