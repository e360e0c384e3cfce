# SPDX-License-Identifier: Apache-2.0
"""Whether each source answers, within a bound."""

import threading
import time
from collections.abc import Sequence

from oslogserve.errors import SourceError
from oslogserve.sources import Source

#: Seconds; below the patience of the usual load balancer.
BOUND = 5.0


class Readiness:
    """A check that hangs keeps its one thread; the next request finds it still hanging."""

    def __init__(self, sources: Sequence[Source], bound: float = BOUND) -> None:
        self._checks = [_Check(source) for source in sources]
        self._bound = bound

    def failures(self) -> dict[str, str]:
        """Source name -> what is wrong with it."""
        threads = [check.begin() for check in self._checks]
        deadline = time.monotonic() + self._bound
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        told = {check.name: check.result() for check in self._checks}
        return {name: fault for name, fault in told.items() if fault is not None}


class _Check:
    def __init__(self, source: Source) -> None:
        self.name = source.name
        self._source = source
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._fault: str | None = None

    def begin(self) -> threading.Thread:
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()
            return self._thread

    def _run(self) -> None:
        self._fault = "it did not answer in time"
        try:
            self._source.check()
            self._fault = None
        except SourceError as error:
            self._fault = str(error)

    def result(self) -> str | None:
        return self._fault
