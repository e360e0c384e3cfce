# SPDX-License-Identifier: Apache-2.0
"""Checksums of a log's beginnings, by which a byte range is held against what was counted before.

gzip has one checksum, behind the last byte. It was checked when the log was counted; these are of the
bytes that it was checked for.
"""

from array import array
from collections.abc import Iterable, Iterator

from oslogserve.errors import Incomplete
from oslogserve.fastzlib import fast

#: Bytes from one checkpoint to the next: inflated in some 10 ms, which a range may cost more.
INTERVAL = 8 * 1024 * 1024


class Checkpoints:
    """CRC-32 of a log's bytes up to each multiple of INTERVAL, and of all of them."""

    def __init__(self) -> None:
        #: Bytes of the log.
        self.size = 0
        self._checksum = 0
        self._at_intervals = array("I")

    def add(self, piece: bytes) -> None:
        """Counts the next bytes of the log."""
        rest = memoryview(piece)
        while rest:
            room = INTERVAL - self.size % INTERVAL
            self._checksum = fast.crc32(rest[:room], self._checksum)
            self.size += len(rest[:room])
            rest = rest[room:]
            if self.size % INTERVAL == 0:
                self._at_intervals.append(self._checksum)

    def counting(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The pieces, which are added."""
        for piece in pieces:
            self.add(piece)
            yield piece

    def checked_range(self, first: int, end: int, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The bytes of a range, read on to the next checkpoint. pieces: the same log once more.

        Raises Incomplete where it is not the same.
        """
        read = Checkpoints()
        checkpoint = min(self.size, -(-end // INTERVAL) * INTERVAL)
        for piece in pieces:
            at = read.size
            read.add(piece[: checkpoint - at])
            if not self._begin_with(read):
                break
            within = piece[max(0, first - at) : max(0, end - at)]
            if within:
                yield within
            if read.size == checkpoint:
                return
        raise Incomplete("corrupt", "the log is not the same as when it was counted")

    def _begin_with(self, read: "Checkpoints") -> bool:
        passed = read._at_intervals
        return passed == self._at_intervals[: len(passed)] and (
            read.size < self.size or read._checksum == self._checksum
        )
