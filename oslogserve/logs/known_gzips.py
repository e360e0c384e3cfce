# SPDX-License-Identifier: Apache-2.0
"""Facts of compressed logs that were once read to their end, by version."""

from collections import OrderedDict
from threading import Lock
from typing import NamedTuple

from oslogserve.logs.checkpoints import Checkpoints
from oslogserve.sources import Stored

#: Versions that each process remembers, some 500 bytes each, and 4 for each 8 MiB of a log.
MOST_REMEMBERED = 4096


class Known(NamedTuple):
    """Facts of one version of a log."""

    #: True for a gzip that is one complete member, so that a client may inflate it: curl and
    #: browsers end at the first member, and say nothing of one that is cut short.
    is_one_member: bool
    #: Of the log, inflated: its size, which a range needs before the first byte and no gzip says for
    #: sure, and what a range is checked by.
    checkpoints: Checkpoints


class KnownGzips:
    """LRU map of versions to what is known of them."""

    def __init__(self) -> None:
        self._known: OrderedDict[Stored, Known] = OrderedDict()
        self._lock = Lock()

    def get(self, stored: Stored) -> Known | None:
        key = _key(stored)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
            return self._known.get(key)

    def learn(self, stored: Stored, known: Known) -> None:
        if not stored.version:  # it may be any
            return
        key = _key(stored)
        with self._lock:
            self._known[key] = known
            self._known.move_to_end(key)
            if len(self._known) > MOST_REMEMBERED:
                self._known.popitem(last=False)


def _key(stored: Stored) -> Stored:
    return stored._replace(modified=0.0)
