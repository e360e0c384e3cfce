# SPDX-License-Identifier: Apache-2.0
"""Remembers facts of compressed logs that were read to their end: size, checksums, members."""

from array import array
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from threading import Lock

from oslogserve.errors import Incomplete
from oslogserve.fastzlib import fast
from oslogserve.sources import Stored

#: Bytes between two checksums. Inflating so many takes 10 ms, which a range may cost in addition.
INTERVAL = 8 * 1024 * 1024
#: Versions that a process remembers. Each takes 500 bytes of memory, and 4 for each INTERVAL.
MOST_REMEMBERED = 4096


class Counted:
    """Size and checksums of a log's text.

    They verify a range of it: the checksum of a compression comes only after the last byte, and was checked when
    the log was counted.
    """

    def __init__(self) -> None:
        #: Bytes of the text.
        self.size = 0
        #: True for one complete gzip member or Zstandard frame, which a client can inflate: curl and
        #: browsers read only the first member of a gzip, and do not notice one that is cut short.
        self.is_one_member = False
        self._checksum = 0
        #: CRC-32 of the text up to each multiple of INTERVAL.
        self._at_intervals = array("I")

    def add(self, piece: bytes) -> None:
        """Counts the next bytes of the text."""
        rest = memoryview(piece)
        while rest:
            room = INTERVAL - self.size % INTERVAL
            self._checksum = fast.crc32(rest[:room], self._checksum)
            self.size += len(rest[:room])
            rest = rest[room:]
            if self.size % INTERVAL == 0:
                self._at_intervals.append(self._checksum)

    def checked_range(self, first: int, end: int, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yields the bytes of a range. pieces: the text again, read up to the next checksum.

        Raises Incomplete if it is not the text that was counted.
        """
        read = Counted()
        checkpoint = min(self.size, -(-end // INTERVAL) * INTERVAL)
        for piece in pieces:
            at = read.size
            read.add(piece[: checkpoint - at])
            if not self._begins_with(read):
                break
            within = piece[max(0, first - at) : max(0, end - at)]
            if within:
                yield within
            if read.size == checkpoint:
                return
        raise Incomplete("corrupt", "the log is not the same as when it was counted")

    def _begins_with(self, read: "Counted") -> bool:
        passed = read._at_intervals
        return passed == self._at_intervals[: len(passed)] and (
            read.size < self.size or read._checksum == self._checksum
        )


class KnownTexts:
    """LRU cache of the facts of compressed logs, by version."""

    def __init__(self) -> None:
        self._known: OrderedDict[Stored, Counted] = OrderedDict()
        self._lock = Lock()

    def get(self, stored: Stored) -> Counted | None:
        key = stored._replace(modified=0.0)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
            return self._known.get(key)

    def learn(self, stored: Stored, counted: Counted) -> None:
        if not stored.version:  # without a version it may change unseen
            return
        key = stored._replace(modified=0.0)
        with self._lock:
            self._known[key] = counted
            self._known.move_to_end(key)
            if len(self._known) > MOST_REMEMBERED:
                self._known.popitem(last=False)
