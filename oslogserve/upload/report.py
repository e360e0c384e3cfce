# SPDX-License-Identifier: Apache-2.0
"""The report of an upload: a line for each failed or skipped file, and a summary."""

from collections.abc import Mapping

from oslogserve.progress import Progress
from oslogserve.text import duration, shown, size_shown


class Report(Progress):
    """For many threads. Control characters of file names are escaped."""

    def __init__(self) -> None:
        super().__init__(_line)

    @property
    def has_failures(self) -> bool:
        return self.counts["failed"] > 0

    @property
    def is_complete(self) -> bool:
        return not self.has_failures and not self.counts["incomplete"]

    def uploaded(self, size: int, stored_size: int) -> None:
        """Counts an uploaded file. size: its bytes. stored_size: the bytes sent for it."""
        self.count(uploaded=1, size=size, stored_size=stored_size)

    def there(self) -> None:
        """Counts a file that is stored already, byte for byte."""
        self.count(there=1)

    def skipped(self, path: bytes, why: str) -> None:
        """Reports a path that is not a regular file."""
        self.count(skipped=1)
        self.note(f"{shown(path)}: not uploaded: {why}")

    def failed(self, path: bytes, why: str) -> None:
        """Reports a file whose current bytes are not stored."""
        self.count(failed=1)
        self.note(f"{shown(path)}: {why}")

    def incomplete(self, text: str) -> None:
        """Reports why an upload is incomplete, other than by a single file."""
        self.count(incomplete=1)
        self.note(text)

    def summary(self) -> str:
        self.end()
        counts = self.counts
        size, stored = size_shown(counts["size"]), size_shown(counts["stored_size"])
        return ", ".join(
            [
                f"{counts['uploaded']} uploaded ({size}, {stored} as stored)",
                f"{counts['there']} there already",
                *(f"{counts[name]} {name}" for name in ("skipped", "failed") if counts[name]),
                duration(self.seconds),
            ]
        )


def _line(counts: Mapping[str, int]) -> str:
    size = size_shown(counts["size"])
    return f"{counts['uploaded']} uploaded ({size}), {counts['there']} there already"
