# SPDX-License-Identifier: Apache-2.0
"""A log while it is read: its stored bytes, and its text."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from threading import Lock
from typing import NamedTuple

from oslogserve.encodings import SUFFIXES
from oslogserve.errors import Error, Incomplete, SourceError, Unavailable
from oslogserve.logs.budget import Budget
from oslogserve.logs.decode import (
    PIECE,
    Decoded,
    FirstBytes,
    beginning,
    exactly,
    length,
    packed_as,
    within,
)
from oslogserve.logs.indexed_log import IndexedLog, is_indexed
from oslogserve.logs.indexes import Indexes
from oslogserve.logs.log_text import LogText
from oslogserve.logs.media_type import Views, passed_through_as
from oslogserve.sources import FULL_BODY, Folder, Log, OpenOptions, Source, Stored
from oslogserve.sources.first_of import open_first

#: Versions that a process remembers. Each takes 500 bytes of memory.
MOST_REMEMBERED = 4096
#: Bytes that are inflated before the first byte is sent, to check that the stored bytes can be sent as
#: they are: some 10 ms. A larger log is compressed again, and is known from then on.
MOST_LOOKED_THROUGH = 32 * 1024 * 1024
#: Bytes that are inflated to count them before a range is sent: some 3 s. A longer log is sent from its
#: beginning, and its size is known from then on.
MOST_COUNTED = 4 * 1024**3
#: Bytes of a compressed log that is quick to render: stored, and inflated.
MOST_QUICK_STORED = 4096
MOST_QUICK = 64 * 1024


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


class Logs:
    """Opens logs, and remembers facts of compressed ones."""

    def __init__(self, views: Views, indexes: Indexes | None = None) -> None:
        """views: see passed_through_as(). indexes: None if no indexes are kept."""
        self._views = views
        self._indexes = indexes
        self._known_texts = KnownTexts()

    def open(
        self,
        path: bytes,
        sources: Sequence[Source],
        budget: Budget,
        options: OpenOptions = FULL_BODY,
    ) -> "OpenLog | None":
        """The log, to be closed; None for a folder. Raises Error."""
        log = self._opened(path, sources, budget, options)
        if log and self._indexes and options.body:
            log.use(self._indexes)
        return log

    def open_by_index(
        self,
        path: bytes,
        sources: Sequence[Source],
        budget: Budget,
        options: OpenOptions = FULL_BODY,
        is_again: bool = False,
        most_whole: int = 0,
    ) -> "OpenLog | None":
        """The same. If its index is found, nothing is read of the log until an answer needs a block.

        is_again: True if the answer has opened it before. sources: they share the deadline of one call.
        most_whole: stored bytes of a log that is read all the same.
        """
        if not (self._indexes and self._indexes.are_there):
            return self.open(path, sources, budget, options)
        try:
            log = self._opened(path, sources, budget, options._replace(body=False))
        except Error:  # a store or a proxy may refuse HEAD alone
            log = self._opened(path, sources, budget, options)
        else:
            if log is None:
                return None
            log.use(self._indexes, is_again)
            if log.has_index and (log.stored.size or 0) > most_whole:
                return log
            log.close()
            log = self._opened(path, sources, budget, options)
        if log:
            log.use(self._indexes, is_again)
        return log

    def _opened(
        self, path: bytes, sources: Sequence[Source], budget: Budget, options: OpenOptions
    ) -> "OpenLog | None":
        found = open_first(sources, path, options)
        if isinstance(found, Folder):
            return None
        piece_size = options.chunk_size or PIECE
        return OpenLog(found, path, sources, self._known_texts, budget, piece_size)

    def media_type(self, name: str, log: "OpenLog | None" = None) -> str | None:
        """The media type of a file that is not a log; None for a log. log: None if it is not open."""
        head = log.known_first_bytes.text if log else b""
        return passed_through_as(name, head, self._views)


class OpenLog:
    """An open log with its first chunk. Iterate `stored_bytes` once, or use a method that does."""

    def __init__(
        self,
        log: Log,
        path: bytes,
        sources: Sequence[Source],
        known_texts: KnownTexts,
        budget: Budget,
        piece_size: int = PIECE,
    ) -> None:
        """Takes over `log`, and closes it if it raises. Raises Unavailable.

        path, sources: where it was found. piece_size: bytes of a piece of its text.
        """
        self.source_log = log
        self.budget = budget
        self.stored = log.stored
        self._path = path
        self._sources = sources
        self._known_texts = known_texts
        self._piece_size = piece_size
        self._opened = [log]
        self._known_text: KnownText | None = None
        self._blocks: IndexedLog | None = None
        self._first_bytes: FirstBytes | None = None
        #: Why a small log's bytes are damaged; None if they are not.
        self._damage: Incomplete | None = None
        chunks = iter(log)
        try:
            #: The first chunk of the stored bytes; empty if only the metadata was opened.
            self.first = next(chunks, b"")
            if self.is_whole and not log.is_local:
                try:
                    next(chunks, b"")  # behind its last byte, its checksum is verified
                except Incomplete as error:
                    self._damage = error
        except BaseException as error:
            log.close()
            if isinstance(error, Incomplete):
                raise Unavailable([SourceError(log.stored.source, str(error))]) from error
            raise
        self.stored_bytes = self._read(chunks)
        #: How the stored bytes are compressed, see packed_as(); as declared if only the metadata was opened.
        self.packing = packed_as(self.first, self.stored.encoding)

    def use(self, indexes: Indexes, is_again: bool = False) -> None:
        """Lets it be read by its index, if it is large enough to have one.

        Of a log that was not read, the index must be there. is_again: see IndexedLog.
        """
        if not is_indexed(self.stored, self.packing):
            return
        blocks = IndexedLog(
            self.stored,
            lambda: self.known_first_bytes,
            self.reopened,
            self.budget,
            indexes,
            self._piece_size,
            is_again,
        )
        if self._is_unread:
            found = blocks.first_bytes
            if found is None:
                return
            self._first_bytes, self.packing = found, found.packing
        if self.is_whole:
            blocks.note_all_read()
        self._blocks = blocks

    def will_be_read_twice(self) -> None:
        """Makes an index while it is read, even if none is kept: the second time, parts are enough."""
        if self._blocks:
            self._blocks.is_read_twice = True

    @property
    def has_index(self) -> bool:
        """True if it is read by its index, or if that is made."""
        return self._blocks is not None

    @property
    def _is_unread(self) -> bool:
        """True if only the metadata was opened."""
        return not self.first and bool(self.stored.size)

    @property
    def known_first_bytes(self) -> FirstBytes:
        """Its first bytes, as far as they were read or its index has them."""
        if self._first_bytes is None:
            text = beginning(self.first, encoding=self.stored.encoding) or b""
            self._first_bytes = FirstBytes(self.packing, text)
        return self._first_bytes

    def _read(self, rest: Iterator[bytes]) -> Iterator[bytes]:
        if self._is_unread:
            rest = self._read_again()
        if self.first:
            yield self.first
        if self._damage is not None:
            raise self._damage
        yield from rest

    @property
    def is_whole(self) -> bool:
        """True if the first chunk has all stored bytes, so that nobody waits for the source."""
        return len(self.first) == self.stored.size

    @property
    def is_quick(self) -> bool:
        """True if the log is small enough to render at once. Inflates a compressed one to know."""
        if not self.is_whole or not self.packing:
            return self.is_whole
        if len(self.first) > MOST_QUICK_STORED:
            return False
        return length(Decoded([self.first], self.stored.encoding), MOST_QUICK) is not None

    @property
    def may_break_off(self) -> bool:
        """True if its source is another server, and the rest may be missing or damaged."""
        return not self.source_log.is_local and (not self.is_whole or self._damage is not None)

    def reopened(self, byte_range: tuple[int, int] | None = None) -> Log:
        """The same stored bytes again, or a range of them.

        Raises Unavailable if the log has changed, or cannot be opened now.
        """
        stored = self.stored
        options = OpenOptions(True, byte_range, stored.version, chunk_size=self._piece_size)
        source = next(source for source in self._sources if source.name == stored.source)
        log = open_first([source.waiting_anew()], self._path, options)
        if not isinstance(log, Folder):
            self._opened.append(log)
            if log.stored.version == stored.version:
                return log
        raise Unavailable([SourceError(stored.source, "the log changed while it was read")])

    def _read_again(self) -> Iterator[bytes]:
        """Yields the stored bytes from their beginning. Raises Incomplete if they cannot be opened."""
        try:
            log = self.reopened()
        except Error as error:
            raise Incomplete("corrupt", "it could not be read again") from error
        yield from log

    def text(self) -> LogText:
        """The text, to be read by its index too. See decoded()."""
        return LogText(self.decoded, self._blocks)

    def text_again(self) -> LogText:
        """The text from its beginning, to be read by its index too. See decoded_again()."""
        return LogText(self.decoded_again, self._blocks)

    def decoded(self) -> Iterator[bytes]:
        """Yields the text, charged to the thread that reads it. Raises Incomplete if it breaks off."""
        return self._text(self.stored_bytes)

    def decoded_again(self) -> Iterator[bytes]:
        """Yields the text again from its beginning. Raises Incomplete if it breaks off."""
        return self._text([self.first] if self.is_whole else self._read_again())

    def _text(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yields the text of stored bytes. At the end, remembers what a compressed log has shown."""
        if self._blocks:
            self._blocks.note_all_read()
        blocks = self._blocks if self._blocks and self._blocks.is_collecting else None
        interval = blocks.interval if blocks else None
        decoded = Decoded(chunks, self.stored.encoding, self._piece_size, interval)
        pieces = self.budget.unpacked(decoded, decoded.memory)
        text = self.budget.charged(pieces, are_inflated=bool(self.packing))
        size = 0
        for piece in text:
            size += len(piece)
            yield piece
        if blocks:
            blocks.points = decoded.points
        if self.packing:
            self._known_text = KnownText(size, decoded.is_one_member)
            self._known_texts.learn(self.stored, self._known_text)

    def _known(self) -> KnownText | None:
        if self._known_text is None:
            self._known_text = self._known_texts.get(self.stored)
        return self._known_text

    def _look_through(self, chunks: Iterable[bytes], most: int) -> None:
        """Inflates `chunks` to learn their facts, up to `most` bytes."""
        length(self._text(chunks), most)

    def is_one_member(self) -> bool:
        """True if it is one complete gzip member or Zstandard frame, as far as that is known or quickly
        found out.
        """
        if self.packing not in SUFFIXES.values():
            return False
        is_here = self.is_whole or self.source_log.is_local
        if self._known() is None and self._damage is None and is_here:
            # Exactly the bytes at opening, which are sent: more may have been appended since.
            size = self.stored.size or 0
            again = [self.first] if self.is_whole else exactly(size, self._read_again())
            self._look_through(again, MOST_LOOKED_THROUGH)
        known = self._known()
        return known is not None and known.is_one_member

    def known_size(self) -> int | None:
        """Bytes of the text; None if it would have to be read for that."""
        if not self.packing and (self.first or self.stored.size == 0):
            return self.stored.size
        known = self._known()
        if known:
            return known.size
        return self._blocks.text_size if self._blocks else None

    def counted_size(self) -> int | None:
        """Bytes of the text, inflated to count them; None if it is incomplete or very long.

        Raises Unavailable if the log cannot be opened again.
        """
        if self.packing and self.known_size() is None:
            self._look_through(self._opened_bytes(), MOST_COUNTED)
            self.source_log.close()
            self.source_log = self.reopened()
            self.stored_bytes = iter(self.source_log)
        return self.known_size()

    def _opened_bytes(self) -> Iterator[bytes]:
        """The stored bytes, without those that were appended meanwhile."""
        size = self.stored.size
        return self.stored_bytes if size is None else exactly(size, self.stored_bytes)

    def decoded_range(self, first: int, end: int) -> Iterator[bytes]:
        """Yields the bytes of a range of a log with a known size. Raises Incomplete if they changed.

        The last piece is held until that is known: at the log's end by the checksum of its compression.
        """
        if self._blocks and self._blocks.text_size is not None:
            return exactly(end - first, self._blocks.range(first, end))
        return exactly(end - first, within(self._text(self._opened_bytes()), first, end))

    def close(self) -> None:
        if self._blocks:
            self._blocks.close()
        for log in self._opened:
            log.close()
