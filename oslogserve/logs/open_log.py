# SPDX-License-Identifier: Apache-2.0
"""Opens logs: the stored bytes of a source become the text of a log, within the budget of a request.

An OpenLog has its first chunk. That tells how it is compressed, whether it is a log at all, and, of most small ones,
all of it. Its text may be read several times; the first time from the chunks that were opened, and again from the
source, of the same version only. If that has changed meanwhile, the log breaks off rather than mix two versions.

A large log may have an index, see `blocks`. Then nothing is read when it is opened but the metadata, and only what an
answer needs afterwards.

What reading a compressed log to its end has shown is remembered for its version: the size of its text, and whether the
stored bytes are one member that a client can inflate. So the next client gets them as they are, or a range of the text.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from threading import Lock

from oslogserve.compression import SUFFIXES
from oslogserve.errors import Error, Incomplete, SourceError, Unavailable
from oslogserve.logs.blocks import Blocks, is_indexed
from oslogserve.logs.budget import Budget
from oslogserve.logs.decode import (
    MOST_LAYERS,
    PIECE,
    Decoded,
    exactly,
    first_bytes,
    length,
    within,
)
from oslogserve.logs.indexes import Indexes
from oslogserve.logs.media_type import Views, passed_through_as
from oslogserve.sources import FULL_BODY, Folder, Log, OpenOptions, Source, Stored
from oslogserve.sources.first_of import open_again, open_first

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

#: Bytes of a text, and true if it is stored as one complete gzip member or Zstandard frame, which a client can
#: inflate: curl and browsers read only the first member of a gzip, and do not notice one that is cut short.
Facts = tuple[int, bool]


class TextFacts:
    """LRU cache by version, for many threads."""

    def __init__(self) -> None:
        self._facts: OrderedDict[Stored, Facts] = OrderedDict()
        self._lock = Lock()

    def get(self, stored: Stored) -> Facts | None:
        key = stored.identity
        with self._lock:
            if key in self._facts:
                self._facts.move_to_end(key)
            return self._facts.get(key)

    def learn(self, stored: Stored, text: Facts) -> None:
        if not stored.version:  # without a version it may change unseen
            return
        key = stored.identity
        with self._lock:
            self._facts[key] = text
            self._facts.move_to_end(key)
            if len(self._facts) > MOST_REMEMBERED:
                self._facts.popitem(last=False)


class Logs:
    """Opens logs, and remembers facts of compressed ones."""

    def __init__(self, views: Views, indexes: Indexes | None = None) -> None:
        """views: see passed_through_as(). indexes: None if no indexes are kept."""
        self._views = views
        self._indexes = indexes
        self._text_facts = TextFacts()

    def open(
        self,
        path: bytes,
        sources: Sequence[Source],
        budget: Budget,
        options: OpenOptions = FULL_BODY,
        *,
        by_index: bool = False,
        most_whole: int = 0,
        is_again: bool = False,
        is_read_twice: bool = False,
    ) -> "OpenLog | None":
        """The log, to be closed; None for a folder. Raises Error.

        by_index: if its index is found, nothing is read of the log until an answer needs a block, unless it has at
        most `most_whole` stored bytes. The sources share the deadline of one call. is_again, is_read_twice: see Blocks.
        """

        def opened(options: OpenOptions) -> OpenLog | None:
            found = open_first(sources, path, options)
            if isinstance(found, Folder):
                return None
            return OpenLog(
                found,
                path,
                sources,
                self._text_facts,
                budget,
                options.chunk_size,
                self._indexes if options.body or by_index else None,
                is_again=is_again,
                is_read_twice=is_read_twice,
            )

        if by_index and self._indexes and self._indexes.are_there:
            try:
                log = opened(options._replace(body=False))
            except Error:  # a store or a proxy may refuse HEAD alone
                return opened(options)
            if log is None or (log.blocks and (log.stored.size or 0) > most_whole):
                return log
            log.close()
        return opened(options)

    def media_type(self, name: str, head: bytes = b"") -> str | None:
        """The media type of a file that is not a log; None for a log. head: its first bytes, if they are known."""
        return passed_through_as(name, head, self._views)


class OpenLog:
    """An open log with its first chunk, its text, and the blocks of that if it is large enough to have an index."""

    def __init__(
        self,
        log: Log,
        path: bytes = b"",
        sources: Sequence[Source] = (),
        text_facts: TextFacts | None = None,
        budget: Budget | None = None,
        piece_size: int | None = None,
        indexes: Indexes | None = None,
        *,
        is_again: bool = False,
        is_read_twice: bool = False,
    ) -> None:
        """Takes over `log`, and closes it if it raises. Raises Unavailable.

        path, sources: where it was found; without them, it can be read once. piece_size: bytes of a piece of its
        text; None for PIECE. indexes: those that it may be read by. is_again, is_read_twice: see Blocks.
        """
        self.source_log = log
        self.budget = budget or Budget()
        self.stored = log.stored
        self._text_facts = text_facts or TextFacts()
        self._piece_size = piece_size or PIECE
        self._opened = [log]
        #: Opens the same stored bytes again, or a range of them, see open_again().
        self.reopened = partial(
            open_again, sources, path, log.stored, self._piece_size, self._opened
        )
        self._facts: Facts | None = None
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
        is_unread = not self.first and bool(self.stored.size)
        #: The stored bytes; None once they were given to be read, and if only the metadata was opened.
        self._stream: Iterator[bytes] | None = None
        if not is_unread:
            self._stream = chain([self.first] if self.first else [], chunks)
        #: Its compression is the declared one if only the metadata was opened.
        self.first_bytes = first_bytes(self.first, self.stored.encoding)
        #: None if all of it must be read: it is small, or only its metadata are there, and no index.
        self.blocks: Blocks | None = None
        # The points of an index are those of one inflater.
        is_one = not self.first_bytes.is_layered
        if indexes and is_one and is_indexed(self.stored, self.packing):
            index = indexes.find(self.stored) if is_unread else None
            if index:
                self.first_bytes = index.first_bytes
            if index or not is_unread:
                self.blocks = Blocks(
                    self.stored,
                    self.first_bytes,
                    self.reopened,
                    self.budget,
                    indexes,
                    self._piece_size,
                    index,
                    path=path,
                    is_again=is_again,
                    is_read_twice=is_read_twice,
                )
                if self.is_whole:
                    self.blocks.note_all_read()

    @property
    def packing(self) -> str:
        """How the stored bytes are compressed, see packed_as()."""
        return self.first_bytes.packing

    @property
    def written(self) -> float:
        """When it was last written, in seconds since 1970: a compressed log may have been stored much later."""
        return min(self.stored.modified, self.first_bytes.packed_at or self.stored.modified)

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

    def stored_bytes(self) -> Iterator[bytes]:
        """Yields the stored bytes; may be called again. Raises Incomplete, also if they cannot be opened again."""
        stream, self._stream = self._stream, None
        if self.is_whole:
            return self._first_chunk()
        return self._again() if stream is None else stream

    def _first_chunk(self) -> Iterator[bytes]:
        yield from filter(None, [self.first])
        if self._damage is not None:
            raise self._damage

    def _again(self) -> Iterator[bytes]:
        try:
            log = self.reopened()
        except Error as error:
            raise Incomplete("corrupt", "it could not be read again") from error
        yield from log

    def text(self) -> Iterator[bytes]:
        """Yields the text, charged to the thread that reads it; may be called again. Raises Incomplete."""
        return self._text(self.stored_bytes())

    def _text(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yields the text of stored bytes. At the end, remembers what a compressed log has shown."""
        points, interval, layers = None, 0, MOST_LAYERS
        if self.blocks:
            self.blocks.note_all_read()
            points, interval, layers = self.blocks.points, self.blocks.interval, 0
        decoded = Decoded(chunks, self.stored.encoding, self._piece_size, interval, points, layers)
        size = 0
        for piece in self.budget.charged(decoded, bool(self.packing), decoded.memory):
            size += len(piece)
            yield piece
        if self.packing:
            self._facts = size, decoded.is_one_member
            self._text_facts.learn(self.stored, self._facts)

    def _recalled(self) -> Facts | None:
        if self._facts is None:
            self._facts = self._text_facts.get(self.stored)
        return self._facts

    def is_one_member(self) -> bool:
        """True if it is one complete gzip member or Zstandard frame, as far as that is known or quickly
        found out.
        """
        if self.packing not in SUFFIXES.values():
            return False
        is_here = self.is_whole or self.source_log.is_local
        if self._recalled() is None and self._damage is None and is_here:
            # Exactly the bytes at opening, which are sent: more may have been appended since.
            size = self.stored.size or 0
            again = [self.first] if self.is_whole else exactly(size, self._again())
            length(self._text(again), MOST_LOOKED_THROUGH)
        facts = self._recalled()
        return facts is not None and facts[1]

    def known_size(self) -> int | None:
        """Bytes of the text; None if it would have to be read for that."""
        if not self.packing and (self.first or self.stored.size == 0):
            return self.stored.size
        if facts := self._recalled():
            return facts[0]
        index = self.blocks.index if self.blocks else None
        return index.size if index else None

    def counted_size(self) -> int | None:
        """Bytes of the text, inflated to count them; None if it is incomplete or very long.

        Raises Unavailable if the log cannot be opened again.
        """
        if self.packing and self.known_size() is None:
            length(self._text(self._opened_bytes()), MOST_COUNTED)
            if not self.is_whole:
                self.source_log.close()
                self.source_log = self.reopened()
                self._stream = iter(self.source_log)
        return self.known_size()

    def _opened_bytes(self) -> Iterator[bytes]:
        """The stored bytes, without those that were appended meanwhile."""
        size = self.stored.size
        return self.stored_bytes() if size is None else exactly(size, self.stored_bytes())

    def text_range(self, first: int, end: int) -> Iterator[bytes]:
        """Yields the bytes of a range of a text of known size. Raises Incomplete if they changed.

        The last piece is held until that is known: at the log's end by the checksum of its compression.
        """
        if self.blocks and self.blocks.index:
            return exactly(end - first, self.blocks.range(first, end))
        return exactly(end - first, within(self._text(self._opened_bytes()), first, end))

    def close(self) -> None:
        if self.blocks:
            self.blocks.close()
        for log in self._opened:
            log.close()
