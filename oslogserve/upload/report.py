# SPDX-License-Identifier: Apache-2.0
"""The report of an upload: a line for each failed or skipped file, and a summary."""

import sys
import time
from collections import Counter
from threading import Lock

from oslogserve.humanize import size_shown
from oslogserve.messages import visible

#: Seconds between two lines of progress.
PROGRESS = 0.2


class Report:
    """For many threads. Control characters of file names are escaped."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._began = self._shown = time.monotonic()
        self._has_progress = sys.stderr.isatty()
        #: Files by outcome, and bytes.
        self._counts: Counter[str] = Counter()

    @property
    def has_failures(self) -> bool:
        return self._counts["failed"] > 0

    @property
    def is_complete(self) -> bool:
        return not self.has_failures and not self._counts["incomplete"]

    def uploaded(self, size: int, stored_size: int) -> None:
        """Counts an uploaded file. size: its bytes. stored_size: the bytes sent for it."""
        self._count(uploaded=1, size=size, stored_size=stored_size)

    def there(self) -> None:
        """Counts a file that is in Swift already, byte for byte."""
        self._count(there=1)

    def skipped(self, path: bytes, why: str) -> None:
        """Reports a path that is not a regular file."""
        self._count(skipped=1)
        self.note(f"{shown(path)}: not uploaded: {why}")

    def failed(self, path: bytes, why: str) -> None:
        """Reports a file whose current bytes are not in Swift."""
        self._count(failed=1)
        self.note(f"{shown(path)}: {why}")

    def incomplete(self, text: str) -> None:
        """Reports why an upload is incomplete, other than by a single file."""
        self._count(incomplete=1)
        self.note(text)

    def note(self, text: str) -> None:
        erase = "\r\x1b[K" if self._has_progress else ""
        with self._lock:
            print(f"{erase}oslogserve: {text}", file=sys.stderr, flush=True)

    def summary(self) -> str:
        counts = self._counts
        if self._has_progress:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        size, stored = size_shown(counts["size"]), size_shown(counts["stored_size"])
        return ", ".join(
            [
                f"{counts['uploaded']} uploaded ({size}, {stored} as stored)",
                f"{counts['there']} there already",
                *(f"{counts[name]} {name}" for name in ("skipped", "failed") if counts[name]),
                f"{time.monotonic() - self._began:.1f} s",
            ]
        )

    def _count(self, **counts: int) -> None:
        with self._lock:
            self._counts.update(counts)
            now = time.monotonic()
            if self._has_progress and now - self._shown >= PROGRESS:
                self._shown = now
                found = self._counts
                size = size_shown(found["size"])
                text = f"{found['uploaded']} uploaded ({size}), {found['there']} there already"
                print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def shown(path: bytes) -> str:
    """A path as one line of text, whatever its bytes are."""
    return visible(path.decode("utf-8", "backslashreplace"))
