# SPDX-License-Identifier: Apache-2.0
"""What is remembered of stored logs that were read to their end once.

Which of them a client may inflate by itself: curl and browsers end at a gzip's first member, and
say nothing of one that is cut short. And how long they are inflated: nothing in a gzip says it for
sure, and a range needs it before the first byte.
"""

from threading import Lock
from typing import Generic, TypeVar

from oslogserve.sources import Stored

#: Versions that are remembered in each process, some 200 bytes each.
REMEMBERED = 4096

_T = TypeVar("_T")


class _Remembered(Generic[_T]):
    """By version; what nobody asked for longest is forgotten first."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, int | None, str], _T] = {}
        self._lock = Lock()

    def _get(self, stored: Stored) -> _T | None:
        with self._lock:
            key = _key(stored)
            found = self._known.pop(key, None)
            if found is not None:
                self._known[key] = found
            return found

    def _put(self, stored: Stored, value: _T) -> None:
        if not stored.version:  # it may be any
            return
        with self._lock:
            key = _key(stored)
            self._known.pop(key, None)
            self._known[key] = value
            if len(self._known) > REMEMBERED:
                del self._known[next(iter(self._known))]


class Wholes(_Remembered[bool]):
    """Versions of logs that are one gzip member from beginning to end."""

    def __contains__(self, stored: Stored) -> bool:
        return self._get(stored) is not None

    def add(self, stored: Stored) -> None:
        self._put(stored, True)


class Lengths(_Remembered[int]):
    """Bytes of the logs themselves, of those that are known to be whole."""

    def of(self, stored: Stored) -> int | None:
        return self._get(stored)

    def add(self, stored: Stored, length: int) -> None:
        self._put(stored, length)


def _key(stored: Stored) -> tuple[str, str, int | None, str]:
    return stored.source, stored.version, stored.size, stored.encoding
