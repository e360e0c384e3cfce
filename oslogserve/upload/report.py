# SPDX-License-Identifier: Apache-2.0
"""The report of an upload: a line for each file that was not uploaded, and a summary."""

import sys
import time
from threading import Lock

from oslogserve.pages.humanize import size_shown, visible

#: Seconds between two lines of progress.
PROGRESS = 0.2


class Report:
    """A report that many threads add to. Its lines hold no control character of a name."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._began = self._shown = time.monotonic()
        self._has_progress = sys.stderr.isatty()
        self._uploaded = self._there = self._skipped = self._failed = 0
        self._bytes = self._stored_bytes = 0
        self._is_complete = True

    @property
    def has_failures(self) -> bool:
        return self._failed > 0

    @property
    def is_complete(self) -> bool:
        return self._is_complete and not self.has_failures

    def incomplete(self, text: str) -> None:
        """Reports why not all was uploaded, where no single file is the reason."""
        with self._lock:
            self._is_complete = False
            self._line(text)

    def uploaded(self, size: int, stored_size: int) -> None:
        """Counts a file. stored_size: bytes that were sent for its `size`."""
        with self._lock:
            self._uploaded += 1
            self._bytes += size
            self._stored_bytes += stored_size
            self._progress()

    def there(self) -> None:
        """Counts a file that was in Swift already, byte for byte."""
        with self._lock:
            self._there += 1
            self._progress()

    def skipped(self, path: bytes, why: str) -> None:
        """Reports a path that is not a regular file."""
        with self._lock:
            self._skipped += 1
            self._line(f"{shown(path)}: not uploaded: {why}")

    def failed(self, path: bytes, why: str) -> None:
        """Reports a file that is not in Swift as it is here."""
        with self._lock:
            self._failed += 1
            self._line(f"{shown(path)}: {why}")

    def note(self, text: str) -> None:
        with self._lock:
            self._line(text)

    def summary(self) -> str:
        with self._lock:
            if self._has_progress:
                print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            size, stored = size_shown(self._bytes), size_shown(self._stored_bytes)
            others = {"skipped": self._skipped, "failed": self._failed}
            told = [f"{count} {what}" for what, count in others.items() if count]
            return ", ".join(
                [
                    f"{self._uploaded} uploaded ({size}, {stored} as stored)",
                    f"{self._there} there already",
                    *told,
                    f"{time.monotonic() - self._began:.1f} s",
                ]
            )

    def _line(self, text: str) -> None:
        erase = "\r\x1b[K" if self._has_progress else ""
        print(f"{erase}oslogserve: {text}", file=sys.stderr, flush=True)

    def _progress(self) -> None:
        now = time.monotonic()
        if self._has_progress and now - self._shown >= PROGRESS:
            self._shown = now
            size = size_shown(self._bytes)
            text = f"{self._uploaded} uploaded ({size}), {self._there} there already"
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def shown(path: bytes) -> str:
    """A path as one line of text, whatever its bytes are."""
    return visible(path.decode("utf-8", "backslashreplace"))
