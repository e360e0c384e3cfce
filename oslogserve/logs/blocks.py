# SPDX-License-Identifier: Apache-2.0
"""The blocks of an open log: some of its text is read by its index, or that is made while all of it is read.

An index has what was found out when a log was read to its end: its counts and its summary, what each block of some
megabytes holds, and points of a compressed log from which it can be inflated. A search, a window of lines or a page
then reads the blocks that it needs, and all else of the log is passed over.

A block is checked before any of it is given out, since an index may be of another text: a log can change while its
version does not. If it does not fit, the index is removed, and the log is read as if there were none. Nothing depends
on an index; what was sent already cannot be taken back, so an answer that has begun says that it is incomplete.

What the blocks hold, their words and ids, lets searches pass over blocks. To collect it takes as long as to make a
summary, so an index has none until a search has read all blocks.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING

from oslogserve import native
from oslogserve.compression import fast
from oslogserve.errors import Error, Incomplete, NoRange, Unavailable, WrongIndex
from oslogserve.logs.budget import Budget
from oslogserve.logs.decode import FirstBytes, inflated, within
from oslogserve.logs.indexes import Indexes, LogIndex, file_of
from oslogserve.sources import Log, Stored

if TYPE_CHECKING:
    from oslogserve_core import Point

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


class Blocks:
    def __init__(
        self,
        stored: Stored,
        first_bytes: FirstBytes,
        open_range: Callable[[tuple[int, int]], Log],
        budget: Budget,
        indexes: Indexes,
        piece_size: int,
        index: LogIndex | None = None,
        *,
        path: bytes = b"",
        is_again: bool = False,
        is_read_twice: bool = False,
    ) -> None:
        """open_range: opens a range of the stored bytes, or raises Error. piece_size: bytes of a piece of text.

        index: None if it was not looked for. path: of the log, see before(). is_again: True if the answer has opened
        the log before: its unread bytes are counted once. is_read_twice: True if an index is of use though it is not
        kept.
        """
        #: False if an index that is made would be of no use.
        self.is_kept = indexes.keeps or is_read_twice
        #: Bytes of text from one block to the next, for an index that is made.
        self.interval = interval_of(stored.size or 0, bool(first_bytes.packing))
        #: Gets the points of the log's compression while all of it is read; None as long as nobody wants them.
        self.points: list[Point] | None = None
        self._stored = stored
        self._size = stored.size or 0
        #: That of the log, if its text grows as its stored bytes do; else b"".
        self._path = b"" if first_bytes.packing else path
        self._first_bytes = first_bytes
        self._packing = first_bytes.packing
        self._open_range = open_range
        self._budget = budget
        self._indexes = indexes
        self._piece_size = piece_size
        self._index = index
        self._is_sought = index is not None
        #: True once an index that was there is used; and if it is not counted, or was made here.
        self._is_used = False
        self._is_uncounted = is_again
        self._is_made = False
        #: Text from a place on, the place, and what was read beyond it.
        self._stream: Iterator[bytes] = iter(())
        self._inflater: native.Inflater | None = None
        self._at = -1
        self._rest = b""
        #: Stored bytes up to which the stream reads at first, and bytes that it read.
        self._stored_end = 0
        self._read = 0
        #: What the first blocks hold, once it is collected: it takes memory. How many they are; -1 while one is read.
        self._contents: native.Contents | None = None
        self._collected = 0

    @property
    def index(self) -> LogIndex | None:
        """The log's index; None for none. Counts that it is used, if it was there before."""
        if not self._is_sought:
            self._is_sought, self._index = True, self._indexes.find(self._stored)
        if self._index and not (self._is_used or self._is_made):
            self._is_used = True
            self._indexes.metrics["indexes_used_total"].inc()
        return self._index

    def collect(self) -> None:
        """Prepares to make the index while all of the text is read."""
        self.points = []

    def keep(
        self,
        lines: int,
        size: int,
        ends_a_line: bool,
        summary: bytes,
        compact: bytes,
        blocks: bytes,
    ) -> None:
        """Keeps what reading to the end has shown; see file_of()."""
        content = file_of(
            self._first_bytes,
            lines,
            size,
            ends_a_line,
            summary=summary,
            compact=compact,
            blocks=blocks,
            points=self.points or (),
        )
        self._indexes.keep(self._stored, content, self._path)
        self._is_sought, self._index, self._is_made = True, LogIndex(content), True

    def refuse(self, why: str, reason: str = "damaged") -> WrongIndex:
        """Removes an index that is wrong, and returns the error of who needs it."""
        self._indexes.refuse(self._stored, reason, why)
        self._index = None
        return WrongIndex()

    def read(
        self, place: int, most_held: int | None = None, is_collected: bool = False
    ) -> Iterator[bytes]:
        """Yields the text of a block. Raises Incomplete if it cannot be read, or is another text.

        most_held: bytes that may be held until its checksum is known, None for MOST_HELD; if it has more, it is read
        twice.
        is_collected: true to add what it holds to the index, once all blocks were read so in order.
        """
        index = self._found()
        at, size, expected = index.blocks[place]
        is_held = size <= (MOST_HELD if most_held is None else most_held)
        held = deque[bytes]()
        checksum = 0
        for piece in self._charged(index, at, size):
            checksum = fast.crc32(piece, checksum)
            if is_held:
                held.append(piece)
        if checksum != expected:
            raise self.refuse("the log has other text", "text")
        if is_collected and place == 0:
            self._contents, self._collected = native.Contents(), 0
        contents = None
        if is_collected and place == self._collected:  # else one before it was not read
            contents, self._collected = self._contents, -1
        given_back = (held.popleft() for _ in range(len(held)))
        for piece in given_back if is_held else self._charged(index, at, size):
            self._budget.charge(len(piece) if self._packing else 0)
            if contents is not None:
                contents.feed(piece)
            yield piece
        if contents is not None:
            contents.end_block()
            self._collected = place + 1
            if self._collected == len(index.blocks):
                content = index.with_contents(*contents.finish())
                self._indexes.keep(self._stored, content)

    def before(self) -> "tuple[native.Index, Iterator[bytes]] | None":
        """The blocks of the log before it grew, and its text from the last of these on; None if none are known.

        It is the same log if its first bytes and its last block of then are the same.
        """
        index = self._indexes.before(self._stored, self._path) if self._path else None
        if not index or index.size > self._size or index.first_bytes != self._first_bytes:
            return None
        self._stored_end = self._size
        held = []
        try:
            at, size, checksum = index.blocks[len(index.blocks) - 1]
            text, left = self._budget.charged(self._stored_from(at), False), size
            while left > 0 and size <= MOST_HELD and (piece := next(text, None)):
                held.append(piece)
                left -= len(piece)
        except (Incomplete, ValueError):  # such as a log that has changed again
            return None
        if left > 0 or fast.crc32(b"".join(held)[:size]) != checksum:
            return None
        self._is_used = True
        self._indexes.metrics["indexes_used_total"].inc()
        return index.blocks, chain(held, text)

    def range(self, first: int, end: int) -> Iterator[bytes]:
        """Yields the bytes of a range of the text. Ends when all blocks of it are known to be right."""
        try:
            blocks = self._found().blocks
        except ValueError as error:
            raise self.refuse(str(error)) from error
        place = blocks.place_of(first)
        places = range(place, blocks.place_of(end - 1) + 1)
        yield from within(chain.from_iterable(map(self.read, places)), first, end, blocks[place][0])

    def _charged(self, index: LogIndex, at: int, size: int) -> Iterator[bytes]:
        """The pieces of a block as they come. Their bytes are charged once they are given out."""

        def memory() -> int:
            return self._inflater.memory if self._inflater else 0

        return self._budget.charged(self._block(index, at, size), False, memory)

    def _found(self) -> LogIndex:
        if self._index is None:
            raise ValueError("the log has no index")
        return self._index

    def _block(self, index: LogIndex, at: int, size: int) -> Iterator[bytes]:
        """Yields so many bytes of text from `at` on, and empty pieces, to be charged.

        The stream goes on where it is if no point is nearer: else blocks far from a point would be inflated for
        each block behind them.
        """
        end = at + size
        following = index.points_around(end)[1] if self._packing else None
        self._stored_end = self._size if self._packing else end
        if following:
            self._stored_end = following["stored"]
        skipped = at - self._at
        point = index.points_around(at)[0] if self._packing else None
        is_near = point is not None and point["at"] > self._at
        may_go_on = bool(self._packing) and not is_near and 0 <= self._at <= at
        if skipped and not may_go_on:
            self._stream, self._rest, skipped = self._text_from(at, point), b"", 0
        self._at = -1
        while size:
            piece = self._rest or next(self._stream, None)
            if piece is None:
                raise self.refuse("the log is shorter", "text")
            behind, skipped = piece[skipped:], max(0, skipped - len(piece))
            wanted, self._rest = behind[:size], behind[size:]
            size -= len(wanted)
            yield wanted
        self._at = end

    def _text_from(self, at: int, point: "Point | None") -> Iterator[bytes]:
        """Yields the text from its byte `at` on. point: the last one before it; None for the log's beginning."""
        if not self._packing:
            yield from self._stored_from(at)
            return
        if point:
            inflater = native.Inflater.at(self._packing, self._piece_size, point)
        else:
            inflater = native.Inflater(self._packing, self._piece_size)
        self._inflater = inflater
        skipped = at - (point["at"] if point else 0)
        for chunk in self._stored_from(point["stored"] if point else 0):
            for piece in inflated(inflater, chunk):
                yield piece[skipped:]
                skipped = max(0, skipped - len(piece))
            if inflater.fault:
                raise self.refuse("it cannot be inflated from here", "text")

    def _stored_from(self, at: int) -> Iterator[bytes]:
        """Yields the stored bytes from `at` on. Raises Incomplete."""
        while at < self._size:
            end = min(self._stored_end, self._size) if self._stored_end > at else self._size
            try:
                log = self._open_range((at, end))
            except Error as error:
                failures = error.failures if isinstance(error, Unavailable) else ()
                if any(isinstance(failure, NoRange) for failure in failures):
                    raise self.refuse("its source does not send ranges", "ranges") from error
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
        """May be called twice."""
        if self._is_used and not self._is_uncounted:
            self._is_uncounted = True
            unread = max(0, self._size - self._read)
            self._indexes.metrics["index_unread_bytes_total"].inc(unread)


def is_indexed(stored: Stored, packing: str) -> bool:
    """True for a log that is large enough to have an index, and cannot change unseen."""
    return bool(stored.version) and (stored.size or 0) >= (LEAST_PACKED if packing else LEAST_PLAIN)


def interval_of(stored_size: int, is_packed: bool) -> int:
    """Bytes of text from one block to the next."""
    interval = INTERVAL
    while stored_size * (_RATIO if is_packed else 1) > interval * MOST_BLOCKS:
        interval *= 2
    return interval
