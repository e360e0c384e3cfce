# SPDX-License-Identifier: Apache-2.0
"""Which stored logs a client may inflate by itself.

curl and browsers end at a gzip's first member, and say nothing of one that is cut short. So a
gzip goes out as it is stored only where it has been read to its end once.
"""

from threading import Lock

from oslogserve.sources import Stored

#: Versions that are remembered in each process, some 100 bytes each.
REMEMBERED = 4096


class Wholes:
    """Versions of logs that are one gzip member from beginning to end."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, int | None], None] = {}
        self._lock = Lock()

    def __contains__(self, stored: Stored) -> bool:
        return _key(stored) in self._known

    def add(self, stored: Stored) -> None:
        with self._lock:
            self._known[_key(stored)] = None
            if len(self._known) > REMEMBERED:
                del self._known[next(iter(self._known))]


def _key(stored: Stored) -> tuple[str, str, int | None]:
    return stored.source, stored.version, stored.size
