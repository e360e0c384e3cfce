# SPDX-License-Identifier: Apache-2.0
"""A log that is read by its index, or whose index is made while it is read."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from oslogserve import native
from oslogserve.errors import Error, Incomplete, Unavailable, WrongIndex
from oslogserve.fastzlib import fast
from oslogserve.logs.budget import Budget
from oslogserve.logs.decode import FirstBytes, inflated, within
from oslogserve.logs.index_file import Facts, IndexFile, LogIndex, file_of
from oslogserve.logs.indexes import Indexes
from oslogserve.sources import Log, Stored

if TYPE_CHECKING:
    from oslogserve_core import Point

_T = TypeVar("_T")

#: Stored bytes of the smallest log that has an index: one that is compressed, and another. A smaller one
#: is read in a millisecond.
LEAST_PACKED, LEAST_PLAIN = 16 * 1024, 256 * 1024
#: Bytes of text from one block to the next. Half of it has twice the index, and saves a millisecond.
INTERVAL = 2 * 1024 * 1024
#: Blocks of an index, roughly: those of larger logs are larger.
MOST_BLOCKS = 1024
#: Bytes of a block that are held until its checksum is known. A larger one, of a log above 512 MiB as
#: stored, is read twice: an index that is wrong must not show wrong lines.
MOST_HELD = 8 * 1024 * 1024
#: The least ratio of compression by which the text's size is guessed.
_RATIO = 16


def is_indexed(stored: Stored, packing: str) -> bool:
    """True for a log that is large enough to have an index, and cannot change unseen."""
    return bool(stored.version) and (stored.size or 0) >= (LEAST_PACKED if packing else LEAST_PLAIN)


class IndexedLog:
    """The blocks of a log, by its index: they are read, or the index is made."""

    def __init__(
        self,
        stored: Stored,
        first_bytes: Callable[[], FirstBytes],
        open_range: Callable[[tuple[int, int]], Log],
        budget: Budget,
        indexes: Indexes,
        piece_size: int,
        is_again: bool = False,
    ) -> None:
        """first_bytes: those of the log that is read, for an index that is made. piece_size: bytes of a piece.

        open_range: opens a range of the stored bytes, or raises Error. is_again: True if the answer has opened
        the log before: its unread bytes are counted once.
        """
        self._stored = stored
        self._size = stored.size or 0
        self._first_bytes_read = first_bytes
        self._open_range = open_range
        self._budget = budget
        self._indexes = indexes
        self._piece_size = piece_size
        #: Text from a place on, the place, and what was read beyond it.
        self._stream: Iterator[bytes] = iter(())
        self._at = -1
        self._rest = b""
        #: Stored bytes up to which the stream reads at first, and bytes that it read.
        self._stored_end = 0
        self._read = 0
        self._is_used = False
        #: True once this one has made the index.
        self._is_made = False
        self._is_again = is_again
        #: True if the log is read twice: then an index is made for the second time.
        self.is_read_twice = False
        #: True once points are wanted, see `logs.decode.Decoded`.
        self.is_collecting = False
        #: The points of the log's compression, once it was read to its end.
        self.points: Sequence[Point] = ()
        #: The index, once it was looked for; None for none.
        self._file: IndexFile | None = None
        self._is_sought = False
        #: Its parts that were read, by the method of IndexFile.
        self._parts: dict[Callable[[IndexFile], Any], Any] = {}

    @property
    def _packing(self) -> str:
        """How the log is compressed, see `logs.decode.packed_as`."""
        return (self.first_bytes or self._first_bytes_read()).packing

    @property
    def interval(self) -> int:
        """Bytes of text from one block to the next, for an index that is made."""
        return interval_of(self._size, bool(self._packing))

    @property
    def first_bytes(self) -> FirstBytes | None:
        """The log's first bytes; None without an index."""
        return self._part(IndexFile.first_bytes)

    @property
    def facts(self) -> Facts | None:
        """What is known of all of the log; None without an index."""
        return self._used(self._part(IndexFile.facts))

    @property
    def compact(self) -> Facts | None:
        """The same with a compact summary: it is read in a third of the time."""
        return self._used(self._part(IndexFile.compact))

    @property
    def index(self) -> LogIndex | None:
        """What is known of its blocks; None without an index."""
        return self._used(self._part(IndexFile.index))

    def _part(self, read: Callable[[IndexFile], _T]) -> _T | None:
        """A part of the index, which is read once; None without an index. A damaged one is removed."""
        if not self._is_sought:
            self._is_sought, self._file = True, self._indexes.find(self._stored)
        if read not in self._parts:
            self._parts[read] = None
            try:
                self._parts[read] = read(self._file) if self._file else None
            except ValueError as error:
                self._give_up("damaged", str(error))
        part: _T | None = self._parts[read]
        return part

    def _used(self, part: _T) -> _T:
        """The part. Counts that the index is used, if it was there before."""
        if part is not None and not (self._is_used or self._is_made):
            self._is_used = True
            self._indexes.metrics["indexes_used_total"].inc()
        return part

    @property
    def is_kept(self) -> bool:
        """False if an index that is made would be of no use."""
        return self._indexes.keeps or self.is_read_twice

    def collect(self) -> None:
        """Prepares to make the index while all of the text is read."""
        self.is_collecting = True

    def refuse(self, why: str) -> None:
        """Removes an index that is wrong."""
        self._give_up("damaged", why)

    def _give_up(self, reason: str, why: str) -> None:
        self._indexes.refuse(self._stored, reason, why)
        self._file = None

    def keep(self, facts: Facts, compact: bytes, blocks: bytes) -> None:
        """Keeps what reading to the end has shown. compact: JSON of a compact summary. blocks: JSON of the core."""
        content = file_of(self._first_bytes_read(), facts, compact, blocks, self.points)
        self._indexes.keep(self._stored, content)
        self._file, self._is_made, self._parts = IndexFile(content), True, {}

    def keep_contents(self, words: bytes, ids: bytes) -> None:
        """Adds the words and ids of all blocks to the index, see Contents of the core."""
        if self._file:
            self._indexes.keep(self._stored, self._file.with_contents(words, ids))

    def read(self, place: int, most_held: int | None = None) -> Iterator[bytes]:
        """Yields the text of a block.

        most_held: bytes that may be held until its checksum is known; None for the usual number. It is read
        twice if it has more. Raises Incomplete if it cannot be read, or is another text.
        """
        if self.index is None:
            raise ValueError("it has no index")
        return self._budget.charged(
            self._checked(self.index, place, most_held or MOST_HELD), bool(self._packing)
        )

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
        places = range(place, blocks.place_of(end - 1) + 1)
        return within(chain.from_iterable(map(self.read, places)), first, end, blocks[place][0])

    def _checked(self, index: LogIndex, place: int, most_held: int) -> Iterator[bytes]:
        """Yields a block once its checksum is known to be right, and before that empty pieces."""
        at, size, expected = index.blocks[place]
        is_held = size <= most_held
        held: deque[bytes] = deque()
        checksum = 0
        for piece in self._block(index, at, size):
            checksum = fast.crc32(piece, checksum)
            if is_held:
                held.append(piece)
            yield b""
        if checksum != expected:
            raise self._misfit("text", "the log has other text")
        while held:
            yield held.popleft()
        if not is_held:
            yield from self._block(index, at, size)

    def _block(self, index: LogIndex, at: int, size: int) -> Iterator[bytes]:
        """Yields so many bytes of text from `at` on. Pieces may be empty."""
        end = at + size
        self._stored_end = index.stored_end(end) or self._size if self._packing else end
        yield from self._begin(index, at)
        while size:
            piece = self._rest or next(self._stream, None)
            if piece is None:
                raise self._misfit("text", "the log is shorter")
            within, self._rest = piece[:size], piece[size:]
            size -= len(within)
            yield within
        self._at = end

    def _begin(self, index: LogIndex, at: int) -> Iterator[bytes]:
        """Makes `at` the next byte of the stream. Yields nothing but empty pieces, to be charged.

        It goes on where it is if no point is nearer: else blocks far from a point would be inflated for
        each block behind them.
        """
        skipped = at - self._at
        point = index.point_before(at) if self._packing else None
        is_near = point is not None and point["at"] > self._at
        may_go_on = bool(self._packing) and not is_near and 0 <= self._at <= at
        if skipped and not may_go_on:
            self._stream, self._rest, skipped = self._text_from(index, at), b"", 0
        self._at = -1
        while skipped:
            piece = self._rest or next(self._stream, None)
            if piece is None:
                raise self._misfit("text", "the log is shorter")
            self._rest = piece[skipped:]
            skipped -= min(skipped, len(piece))
            yield b""

    def _misfit(self, reason: str, why: str) -> WrongIndex:
        self._give_up(reason, why)
        return WrongIndex()

    def _text_from(self, index: LogIndex, at: int) -> Iterator[bytes]:
        """Yields the text from its byte `at` on."""
        if not self._packing:
            yield from self._stored_from(at)
            return
        point = index.point_before(at)
        inflater = native.Inflater(self._packing, self._piece_size)
        if point:
            inflater = native.Inflater.at(self._packing, self._piece_size, point)
        skipped = at - (point["at"] if point else 0)
        pieces = self._inflated(inflater, point["stored"] if point else 0)
        for piece in self._budget.unpacked(pieces, lambda: inflater.memory):
            yield piece[skipped:]
            skipped = max(0, skipped - len(piece))

    def _inflated(self, inflater: native.Inflater, at: int) -> Iterator[bytes]:
        """Yields what the stored bytes from `at` on inflate to."""
        yield from inflated(inflater, self._stored_from(at))
        if inflater.fault:
            raise self._misfit("text", "it cannot be inflated from here")

    def _stored_from(self, at: int) -> Iterator[bytes]:
        """Yields the stored bytes from `at` on. Raises Incomplete."""
        while at < self._size:
            end = min(self._stored_end, self._size) if self._stored_end > at else self._size
            try:
                log = self._open_range((at, end))
            except Error as error:
                if isinstance(error, Unavailable) and error.lacks_range:
                    raise self._misfit("ranges", "its source does not send ranges") from error
                raise Incomplete("failed", error.sentence) from error
            with closing(log):
                for chunk in log:
                    at += len(chunk)
                    self._read += len(chunk)
                    yield chunk

    def note_all_read(self) -> None:
        """Notes that all of the log is read, whatever its index says."""
        self._read = self._size

    def close(self) -> None:
        if self._is_used and not self._is_again:
            unread = max(0, self._size - self._read)
            self._indexes.metrics["index_unread_bytes_total"].inc(unread)
            self._is_used = False


def interval_of(stored_size: int, is_packed: bool) -> int:
    """Bytes of text from one block to the next."""
    interval = INTERVAL
    while stored_size * (_RATIO if is_packed else 1) > interval * MOST_BLOCKS:
        interval *= 2
    return interval
