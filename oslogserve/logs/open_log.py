# SPDX-License-Identifier: Apache-2.0
"""A log that was opened for a response: its stored bytes, and the log that they hold."""

from collections.abc import Iterable, Iterator, Sequence

from oslogserve.errors import Error, Incomplete, SourceError, Unavailable
from oslogserve.http import ByteRange
from oslogserve.logs.budget import Budget
from oslogserve.logs.checkpoints import Checkpoints
from oslogserve.logs.decode import PIECE, Decoded, exactly, length, packed_as
from oslogserve.logs.known_gzips import Known, KnownGzips
from oslogserve.sources import Folder, Log, OpenOptions, Source, deadline
from oslogserve.sources.first_of import open_first

#: Inflated bytes of a log that is looked through before its first byte is sent, to see whether it
#: may be sent as it is stored: some 10 ms. A larger one is compressed anew, and known from then on.
MOST_LOOKED_THROUGH = 32 * 1024 * 1024
#: Inflated bytes that are counted before the first byte of a range is sent: some 3 s. A longer log
#: is sent from its beginning, and its size is known from then on.
MOST_COUNTED = 4 * 1024**3


#: Bytes of a compressed log that is quick to send, as it is stored and inflated.
MOST_QUICK_STORED = 4096
MOST_QUICK = 64 * 1024


class OpenLog:
    """An open log and its first bytes. `stored_bytes` can be iterated once."""

    def __init__(
        self,
        log: Log,
        path: bytes,
        sources: Sequence[Source],
        known_gzips: KnownGzips,
        budget: Budget,
        piece_size: int = PIECE,
    ) -> None:
        """Takes over `log`, also where it raises, and `budget`. path, sources: where it was found.
        piece_size: bytes of a piece of what it holds, at most."""
        self.source_log = log
        self.budget = budget
        self.stored = log.stored
        #: Why the log is incomplete, as its reader is informed. Grows while it is read.
        self.missing: list[Incomplete] = []
        self._path = path
        self._sources = sources
        self._known_gzips = known_gzips
        self._piece_size = piece_size
        self._opened = [log]
        #: Why the bytes of a small log are not those that were stored.
        self._damage: Incomplete | None = None
        chunks = iter(log)
        try:
            #: The first chunk of the stored bytes; empty where only the metadata was opened.
            self.first = next(chunks, b"")
            if self.is_small and not log.is_local:
                self._verify(chunks)
        except Incomplete as error:
            log.close()
            raise Unavailable([SourceError(log.stored.source, str(error))]) from error
        except BaseException:
            log.close()
            raise
        self.stored_bytes = self._read(chunks)
        #: How the stored bytes are compressed, see packed_as().
        self.packing = packed_as(self.first, self.stored.encoding)
        self._known = known_gzips.get(self.stored)

    def _verify(self, rest: Iterator[bytes]) -> None:
        """Asks for what is behind all bytes of a small log: nothing, once their checksum fits."""
        try:
            next(rest, b"")
        except Incomplete as error:
            self._damage = error

    def _read(self, rest: Iterator[bytes]) -> Iterator[bytes]:
        if self.first:
            yield self.first
        if self._damage is not None:
            raise self._damage
        yield from rest

    @property
    def is_small(self) -> bool:
        """True if all stored bytes are here: the source is not waited for any more."""
        return len(self.first) == self.stored.size

    @property
    def is_quick(self) -> bool:
        """True if all of it is soon rendered. A compressed one is inflated to see that."""
        if not self.is_small or not self.packing:
            return self.is_small
        if len(self.first) > MOST_QUICK_STORED:
            return False
        # again: of a damaged log no output is needed.
        log = Decoded([self.first], self.stored.encoding, again=tuple)
        return length(log, MOST_QUICK) is not None

    @property
    def may_break_off(self) -> bool:
        """True if its source is another server, and more of it is to come, or it came damaged."""
        return not self.source_log.is_local and (not self.is_small or self._damage is not None)

    def reopened(self, byte_range: ByteRange | None = None) -> Log:
        """The same stored bytes once more, or a range of them.

        Raises Unavailable where the log changed since, or cannot be opened now.
        """
        stored = self.stored
        sources = [source for source in self._sources if source.name == stored.source]
        options = OpenOptions(True, byte_range, stored.version, chunk_size=self._piece_size)
        log = open_first(sources, self._path, options)
        if isinstance(log, Folder):
            raise _changed(stored.source)
        self._opened.append(log)
        if log.stored.version != stored.version:
            raise _changed(stored.source)
        return log

    def _read_again(self) -> Iterator[bytes]:
        """The stored bytes from their beginning. Raises Incomplete where there are none now."""
        try:
            log = self.reopened()
        except Error as error:
            raise Incomplete("corrupt", "it is damaged, and could not be read again") from error
        yield from self.budget.unpacking(log)

    def decoded(self) -> Iterator[bytes]:
        """The log, inflated. Raises Incomplete where it breaks off."""
        if self.is_small and self.source_log.is_local and not self.packing:
            return iter((self.first,))
        return self._decoded()

    def decoded_again(self) -> Iterator[bytes]:
        """The log, inflated, once more from its beginning. Raises Incomplete where it breaks off."""
        stored_bytes = iter((self.first,)) if self.is_small else self._read_again()
        yield from self._inflating(Decoded(stored_bytes, self.stored.encoding, self._read_again))

    def _inflating(self, log: Decoded) -> Iterator[bytes]:
        return self.budget.inflating(log) if self.packing else self.budget.reading(log)

    def _decoded(self) -> Iterator[bytes]:
        counted = Checkpoints()
        stored_bytes = self.budget.unpacking(self.stored_bytes)
        log = Decoded(stored_bytes, self.stored.encoding, self._read_again, self._piece_size)
        yield from counted.counting(self._inflating(log))
        self._learn(Known(log.is_one_member, counted))

    def _look_through(self, chunks: Iterable[bytes], most: int) -> None:
        """Learns what inflating `chunks` shows, unless they are incomplete, or give over `most`
        bytes."""
        log = Decoded(self.budget.unpacking(chunks), self.stored.encoding, again=tuple)
        counted = Checkpoints()
        if length(counted.counting(self._inflating(log)), most) is not None:
            self._learn(Known(log.is_one_member, counted))

    def _learn(self, known: Known) -> None:
        self._known = known
        self._known_gzips.learn(self.stored, known)

    def is_one_member(self) -> bool:
        """True if it is one complete gzip member, as far as that can be seen at once."""
        if self._known is None and self.packing == "gzip" and self._damage is None:
            if self.is_small:
                self._look_through([self.first], MOST_LOOKED_THROUGH)
            elif self.source_log.is_local:
                # Exactly: one that is just being completed is sent as it was when it was opened.
                again = exactly(self.stored.size or 0, self._read_again())
                self._look_through(again, MOST_LOOKED_THROUGH)
        return self._known is not None and self._known.is_one_member

    def known_size(self) -> int | None:
        """Bytes of the log; None where it would have to be read for that."""
        if self.first and not self.packing:
            return self.stored.size
        return self._known.checkpoints.size if self._known else None

    def counted_size(self) -> int | None:
        """Bytes of the log, which is inflated for that. None where it is incomplete or very long.

        Raises Unavailable where it cannot be opened once more.
        """
        if self._known is None and self.packing:
            chunks = self.stored_bytes
            if self.stored.size is not None:  # of what is appended meanwhile nothing is counted
                chunks = exactly(self.stored.size, chunks)
            self._look_through(chunks, MOST_COUNTED)
            self.source_log.close()
            with deadline.start_clock():  # the counting has taken its time
                self.source_log = self.reopened()
            self.stored_bytes = iter(self.source_log)
        return self.known_size()

    def decoded_range(self, byte_range: ByteRange) -> Iterator[bytes]:
        """The bytes of a range of a counted log. Raises Incomplete where they are not those that
        were counted; the last piece is delayed until that is known."""
        if self._known is None:
            raise ValueError("it was not counted")
        pieces = self._known.checkpoints.checked_range(*byte_range, self.decoded())
        return exactly(byte_range.size, pieces)

    def close(self) -> None:
        for log in self._opened:
            log.close()
        self.budget.close()


def _changed(source: str) -> Unavailable:
    return Unavailable([SourceError(source, "the log changed while it was read")])
