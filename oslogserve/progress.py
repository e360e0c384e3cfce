# SPDX-License-Identifier: Apache-2.0
"""A command at work: its progress, and its end at a signal.

The progress is counts, and on a terminal one line that is written over. At a signal, what a command has begun ends,
and the next run goes on from there.
"""

import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event, Lock
from typing import Any

from oslogserve.errors import Incomplete
from oslogserve.text import duration

#: Seconds between two lines of progress.
PAUSE = 0.2


class Progress:
    """For many threads. The line is shown on a terminal only."""

    def __init__(self, line: Callable[[Mapping[str, int]], str]) -> None:
        """line: words the counts."""
        self.counts: Counter[str] = Counter()
        self._line = line
        self._lock = Lock()
        self._began = self._shown = time.monotonic()
        self._is_shown = sys.stderr.isatty()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def count(self, **counts: int) -> None:
        with self._lock:
            self.counts.update(counts)
            now = time.monotonic()
            if self._is_shown and now - self._shown >= PAUSE:
                self._shown = now
                print(f"\r\x1b[K{self._line(self.counts)}", end="", file=sys.stderr, flush=True)

    def note(self, text: str) -> None:
        """Writes a sentence to standard error."""
        erase = "\r\x1b[K" if self._is_shown else ""
        with self._lock:
            print(f"{erase}oslogserve: {text}", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class Work(Progress):
    """The progress of a command that the first SIGINT or SIGTERM stops. The second one ends it at once."""

    def __init__(self, line: Callable[[Mapping[str, int]], str]) -> None:
        super().__init__(line)
        self.stopped = Event()
        at_signals(self._stop)

    def _stop(self, *_: object) -> None:
        at_signals(signal.SIG_DFL)
        self.stopped.set()

    def charge(self) -> None:
        """Raises Incomplete once it is stopped, which ends the reading of a log."""
        if self.stopped.is_set():
            raise Incomplete("failed", "stopped")

    def finish(self, again: str, said: Mapping[str, str]) -> int:
        """Prints the last line, each other count with what is said of it, and the seconds.

        Returns the exit status: 1 if it was stopped or a count is of failures. again: what to do if it was stopped.
        """
        if self.stopped.is_set():
            self.note(f"stopped: {again}")
        self.end()
        others = [f"{self.counts[name]} {text}" for name, text in said.items() if self.counts[name]]
        print(", ".join([self._line(self.counts), *others, duration(self.seconds)]))
        return 1 if self.stopped.is_set() or self.counts["failed"] else 0


def in_threads(work: Callable[[], None], count: int) -> None:
    """Does the same work in several threads, while the main thread takes signals. Raises what one of them raises."""
    with ThreadPoolExecutor(count) as pool:
        threads = [pool.submit(work) for _ in range(count)]
        # A wait without end sleeps on if a signal came right before it, or to another thread.
        while wait(threads, PAUSE).not_done:
            pass
        for thread in threads:
            thread.result()


def at_signals(handler: Any) -> None:
    """Sets the handler of SIGINT and SIGTERM."""
    signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGTERM, handler)
