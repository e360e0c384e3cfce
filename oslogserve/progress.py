# SPDX-License-Identifier: Apache-2.0
"""The progress of a command: counts, and on a terminal one line that is written over."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from threading import Lock

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

    def summary(self, said: Mapping[str, str]) -> str:
        """Ends the progress: the last line, each other count with what is said of it, and the seconds."""
        self.end()
        others = [f"{self.counts[name]} {text}" for name, text in said.items() if self.counts[name]]
        return ", ".join([self._line(self.counts), *others, f"{self.seconds:.1f} s"])

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
