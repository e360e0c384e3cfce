# SPDX-License-Identifier: Apache-2.0
"""What reading compressed logs to their end once has shown, by version."""

from threading import Lock
from typing import NamedTuple

from oslogserve.sources import Stored

#: Versions that each process remembers, some 200 bytes each.
MOST_REMEMBERED = 4096


class Known(NamedTuple):
    """What is known of one version of a log."""

    #: True where it is one whole gzip member, so that a client may inflate it by itself: curl and
    #: browsers end at the first member, and say nothing of one that is cut short.
    is_one_member: bool
    #: Bytes of the log, inflated. A range needs it before the first byte, and no gzip says it for sure.
    size: int


class KnownGzips:
    """Map of versions to what is known of them. The least recently used is forgotten first."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, int | None, str], Known] = {}
        self._lock = Lock()

    def get(self, stored: Stored) -> Known | None:
        key = _key(stored)
        with self._lock:
            found = self._known.pop(key, None)
            if found is not None:
                self._known[key] = found
        return found

    def learn(self, stored: Stored, found: Known) -> None:
        if not stored.version:  # it may be any
            return
        key = _key(stored)
        with self._lock:
            self._known.pop(key, None)
            self._known[key] = found
            if len(self._known) > MOST_REMEMBERED:
                del self._known[next(iter(self._known))]


def _key(stored: Stored) -> tuple[str, str, int | None, str]:
    return stored.source, stored.version, stored.size, stored.encoding
