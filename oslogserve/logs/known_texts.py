# SPDX-License-Identifier: Apache-2.0
"""Remembers what reading a compressed log to its end has shown, for servers without its index."""

from collections import OrderedDict
from threading import Lock
from typing import NamedTuple

from oslogserve.sources import Stored

#: Versions that a process remembers. Each takes 500 bytes of memory.
MOST_REMEMBERED = 4096


class KnownText(NamedTuple):
    #: Bytes of the text.
    size: int
    #: True for one complete gzip member or Zstandard frame, which a client can inflate: curl and browsers
    #: read only the first member of a gzip, and do not notice one that is cut short.
    is_one_member: bool


class KnownTexts:
    """LRU cache by version, for many threads."""

    def __init__(self) -> None:
        self._known: OrderedDict[Stored, KnownText] = OrderedDict()
        self._lock = Lock()

    def get(self, stored: Stored) -> KnownText | None:
        key = stored._replace(modified=0.0)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
            return self._known.get(key)

    def learn(self, stored: Stored, text: KnownText) -> None:
        if not stored.version:  # without a version it may change unseen
            return
        key = stored._replace(modified=0.0)
        with self._lock:
            self._known[key] = text
            self._known.move_to_end(key)
            if len(self._known) > MOST_REMEMBERED:
                self._known.popitem(last=False)
