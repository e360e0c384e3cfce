# SPDX-License-Identifier: Apache-2.0
"""Pages of small logs that were made, for who asks for the same once more: all whom a report sends
to one log, and scripts that look at it every minute."""

from threading import Lock
from typing import NamedTuple

from oslogserve.query import Query
from oslogserve.sources import Stored

#: Pages that are kept in each process, and bytes of one together with its log: 4 MiB at most.
KEPT = 64
LARGEST = 64 * 1024


class Asked(NamedTuple):
    """All that a page is made of, but for its log's bytes. mount: SCRIPT_NAME."""

    query: Query
    mount: str
    stored: Stored


class Made:
    """By what was asked; what nobody asked for longest goes first."""

    def __init__(self) -> None:
        self._pages: dict[Asked, tuple[bytes, bytes]] = {}
        self._lock = Lock()

    def of(self, asked: Asked, log: bytes) -> bytes | None:
        """Made of just these bytes: two writes within a clock's tick have the same version."""
        with self._lock:
            kept = self._pages.pop(asked, None)
            if kept is None or kept[0] != log:
                return None
            self._pages[asked] = kept
        return kept[1]

    def add(self, asked: Asked, log: bytes, page: bytes) -> None:
        if len(log) + len(page) > LARGEST:
            return
        with self._lock:
            self._pages.pop(asked, None)
            self._pages[asked] = log, page
            if len(self._pages) > KEPT:
                del self._pages[next(iter(self._pages))]
