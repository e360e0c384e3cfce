# SPDX-License-Identifier: Apache-2.0
"""A log that is read by its index, or whose index is made while it is read."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from oslogserve import native
from oslogserve.errors import Error, Incomplete
from oslogserve.fastzlib import fast
from oslogserve.index.directory import IndexDirectory
from oslogserve.index.log_index import Facts, IndexFile, LogIndex, file_of
from oslogserve.logs.budget import Budget
from oslogserve.metrics import Metrics
from oslogserve.sources import Log, Stored

if TYPE_CHECKING:
    from oslogserve_core import Collected, Point

_T = TypeVar("_T")

#: Stored bytes of the smallest log that has an index: one that is compressed, and another. A smaller one
#: is read in a millisecond.
LEAST_PACKED, LEAST_PLAIN = 16 * 1024, 256 * 1024
#: Bytes of text from one block to the next. Half of it has twice the index, and saves a millisecond.
INTERVAL = 2 * 1024 * 1024
#: Blocks of an index, roughly: those of larger logs are larger.
MOST_BLOCKS = 1024
#: The least ratio of compression by which the text's size is guessed.
_RATIO = 16


class Indexes(NamedTuple):
    """Where indexes are kept, and for which rules they hold."""

    directory: IndexDirectory
    #: Version and rules: part of every key.
    salt: str
    metrics: Metrics

    def key(self, stored: Stored) -> str:
        """Whatever an index depends on."""
        what = (stored.source, stored.version, stored.size, stored.encoding, int(stored.modified))
        return f"{self.salt} {what}"


def is_indexed(stored: Stored, packing: str) -> bool:
    """True for a log that is large enough to have an index, and cannot change unseen."""
    return bool(stored.version) and (stored.size or 0) >= (LEAST_PACKED if packing else LEAST_PLAIN)


class IndexedLog:
    """The blocks of one open log, see `lines.log_text.Blocks`."""

    def __init__(
        self,
        stored: Stored,
        packing: str,
        indexes: Indexes,
        reopened: Callable[[tuple[int, int]], Log],
        budget: Budget,
        piece_size: int,
    ) -> None:
        """reopened: opens a range of the stored bytes, or raises Error. piece_size: bytes of a piece."""
        self._stored = stored
        self._size = stored.size or 0
        self._packing = packing
        self._indexes = indexes
        self._reopened = reopened
        self._budget = budget
        self._piece_size = piece_size
        #: Text from a place on, the place, and what was read beyond it.
        self._stream: Iterator[bytes] = iter(())
        self._at = -1
        self._rest = b""
        #: Stored bytes up to which the stream reads at first, and bytes that it read.
        self._stored_end = 0
        self._read = 0
        self._is_used = False
        self.interval = interval_of(self._size, bool(packing))
        #: True once points are wanted, see `logs.decode.Decoded`.
        self.is_collecting = False
        #: The points of the log's compression, once it was read to its end.
        self.points: Sequence[Point] = ()

    @cached_property
    def _key(self) -> str:
        return self._indexes.key(self._stored)

    @cached_property
    def _file(self) -> IndexFile | None:
        return self._indexes.directory.get(self._key)

    @cached_property
    def facts(self) -> Facts | None:
        return self._part_of_file(IndexFile.facts)

    @cached_property
    def index(self) -> LogIndex | None:
        return self._part_of_file(IndexFile.index)

    def _part_of_file(self, read: Callable[[IndexFile], _T]) -> _T | None:
        """What a method of the file gives; None if there is none, or it is removed as damaged."""
        try:
            part = read(self._file) if self._file else None
        except ValueError as error:
            self.refuse(str(error))
            return None
        if part is not None and not self._is_used:
            self._is_used = True
            self._indexes.metrics["indexes_used_total"].inc()
        return part

    def collect(self) -> None:
        self.is_collecting = True

    def refuse(self, why: str) -> None:
        self._indexes.directory.refuse(self._key, why)
        self._file = None

    def keep(self, facts: Facts, found: "Collected") -> None:
        self._indexes.directory.put(self._key, file_of(facts, found, self.points))

    def read(self, place: int) -> Iterator[bytes]:
        if self.index is None:
            raise ValueError("it has no index")
        return self._budget.charged(self._checked(self.index, place), bool(self._packing))

    @property
    def text_size(self) -> int | None:
        """Bytes of the text; None without an index."""
        return self.facts.size if self.facts else None

    def range(self, first: int, end: int) -> Iterator[bytes]:
        """Yields the bytes of a range of the text. Ends when all blocks of it are known to be right."""
        if self.index is None:
            raise ValueError("it has no index")
        blocks = self.index.blocks
        place = blocks.place_of(first)
        while place < len(blocks) and (at := blocks[place][0]) < end:
            for piece in self.read(place):
                within = piece[max(0, first - at) : max(0, end - at)]
                at += len(piece)
                if within:
                    yield within
            place += 1

    def _checked(self, index: LogIndex, place: int) -> Iterator[bytes]:
        """Yields a block. Its last piece is held until its checksum is known to be right."""
        at, left, expected = index.blocks[place]
        end = at + left
        self._stored_end = index.stored_end(end) or self._size if self._packing else end
        if self._at != at:
            self._stream, self._rest = self._text_from(index, at), b""
        self._at = -1
        checksum, last = 0, b""
        while left:
            piece = self._rest or next(self._stream, None)
            if piece is None:
                raise self._misfit("the log is shorter")
            if last:
                yield last
            last, self._rest = piece[:left], piece[left:]
            left -= len(last)
            checksum = fast.crc32(last, checksum)
        if checksum != expected:
            raise self._misfit("the log has other text")
        self._at = end
        yield last

    def _misfit(self, why: str) -> Incomplete:
        self.refuse(why)
        return Incomplete("corrupt", "its index did not fit the log: ask again")

    def _text_from(self, index: LogIndex, at: int) -> Iterator[bytes]:
        """Yields the text from its byte `at` on."""
        if not self._packing:
            yield from self._stored_from(at)
            return
        point = index.point_before(at)
        try:
            inflater = self._inflater(point)
        except ValueError:
            raise self._misfit("a window is wrong") from None
        skipped = at - (point["at"] if point else 0)
        for chunk in self._stored_from(point["stored"] if point else 0):
            piece: bytes | None = inflater.feed(chunk)
            while piece is not None:
                if len(piece) > skipped:
                    yield piece[skipped:]
                skipped = max(0, skipped - len(piece))
                piece = inflater.more()
            if inflater.fault:
                raise self._misfit("it cannot be inflated from here")

    def _inflater(self, point: "Point | None") -> native.Inflater:
        if point is None:
            return native.Inflater(self._packing, self._piece_size)
        return native.Inflater.at(self._packing, self._piece_size, point)

    def _stored_from(self, at: int) -> Iterator[bytes]:
        """Yields the stored bytes from `at` on. Raises Incomplete."""
        while at < self._size:
            try:
                log = self._reopened((at, max(self._stored_end, at + 1)))
            except Error as error:
                raise Incomplete("failed", error.sentence) from error
            with closing(log):
                for chunk in log:
                    at += len(chunk)
                    self._read += len(chunk)
                    yield chunk

    def close(self) -> None:
        if self._is_used:
            unread = max(0, self._size - self._read)
            self._indexes.metrics["index_unread_bytes_total"].inc(unread)
            self._is_used = False


def interval_of(stored_size: int, is_packed: bool) -> int:
    """Bytes of text from one block to the next."""
    interval = INTERVAL
    while stored_size * (_RATIO if is_packed else 1) > interval * MOST_BLOCKS:
        interval *= 2
    return interval
