# SPDX-License-Identifier: Apache-2.0
"""A log that was opened for a response: its stored bytes, and the log that they hold."""

from collections.abc import Iterator, Sequence
from itertools import chain

from oslogserve.errors import Error, Incomplete, SourceError, Unavailable
from oslogserve.handlers.known_gzips import KnownGzips
from oslogserve.http import ByteRange
from oslogserve.lines.decode import decoded, exactly, is_one_member, length, packed_as
from oslogserve.sources import Folder, Log, OpenOptions, Source, deadline
from oslogserve.sources.first_of import open_first

#: Inflated bytes of a log that is looked through before its first byte is sent, to see whether it
#: may be sent as it is stored: some 10 ms. A larger one is compressed anew, and known from then on.
MOST_LOOKED_THROUGH = 32 * 1024 * 1024
#: Inflated bytes that are counted before the first byte of a range is sent: some 3 s. A longer log
#: is sent whole, and its size is known from then on.
MOST_COUNTED = 4 * 1024**3


class OpenLog:
    """An open log and its first bytes. `stored_bytes` can be iterated once."""

    def __init__(self, log: Log, path: bytes, sources: Sequence[Source], known: KnownGzips) -> None:
        """Takes over `log`, also where it raises. path, sources: where it was found."""
        self.log = log
        self.stored = log.stored
        self._path = path
        self._sources = sources
        self._known = known
        self._opened = [log]
        chunks = iter(log)
        try:
            #: The first chunk of the stored bytes; empty where only the metadata was asked for.
            self.first = next(chunks, b"")
        except BaseException:
            log.close()
            raise
        self.stored_bytes: Iterator[bytes] = chain((self.first,), chunks) if self.first else chunks
        #: How the stored bytes are compressed, see packed_as().
        self.packing = packed_as(self.first, self.stored.encoding)

    @property
    def is_small(self) -> bool:
        """True if all stored bytes are here: the source is not waited for any more."""
        return len(self.first) == self.stored.size

    @property
    def may_break_off(self) -> bool:
        """True if its source is another server, and more of it is to come."""
        return not self.log.is_local and not self.is_small

    def reopened(self, byte_range: ByteRange | None = None) -> Log:
        """The same stored bytes once more, or a range of them.

        Raises Unavailable where the log changed since, or cannot be opened now.
        """
        stored = self.stored
        sources = [source for source in self._sources if source.name == stored.source]
        options = OpenOptions(byte_range=byte_range, version=stored.version)
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
        yield from log

    def decoded(self) -> Iterator[bytes]:
        """The log, inflated. Raises Incomplete where it breaks off."""
        if self.is_small and self.log.is_local and not self.packing:
            return iter((self.first,))
        return self._decoded()

    def _decoded(self) -> Iterator[bytes]:
        size = 0
        for piece in decoded(
            self.stored_bytes, self.stored.encoding, self._read_again, self._set_one_member
        ):
            size += len(piece)
            yield piece
        self._known.set_inflated_size(self.stored, size)

    def _set_one_member(self) -> None:
        self._known.set_one_member(self.stored)

    def is_one_member(self) -> bool:
        """True if it is one gzip member, as far as that can be seen at once."""
        if self.packing != "gzip":
            return False
        if self._known.get(self.stored).is_one_member:
            return True
        if self.is_small:
            found = is_one_member([self.first], MOST_LOOKED_THROUGH)
        elif self.log.is_local:
            # Exactly: one that is just being completed is sent as it was when it was opened.
            again = exactly(self.stored.size or 0, self._read_again())
            found = is_one_member(again, MOST_LOOKED_THROUGH)
        else:
            found = False
        if found:
            self._set_one_member()
        return found

    def known_size(self) -> int | None:
        """Bytes of the log; None where it would have to be read for that."""
        if self.first and not self.packing:
            return self.stored.size
        return self._known.get(self.stored).inflated_size

    def counted_size(self) -> int | None:
        """Bytes of the log, which is inflated for that. None where it is incomplete or very long.

        Raises Unavailable where it cannot be opened once more.
        """
        size = self.known_size()
        if size is not None or not self.packing:
            return size
        stored, chunks = self.stored, self.stored_bytes
        if stored.size is not None:  # of what is appended meanwhile nothing is counted
            chunks = exactly(stored.size, chunks)
        size = length(chunks, stored.encoding, MOST_COUNTED, self._set_one_member)
        self.log.close()
        with deadline.start_clock():  # the counting has taken its time
            self.log = self.reopened()
        self.stored_bytes = iter(self.log)
        if size is not None:
            self._known.set_inflated_size(stored, size)
        return size

    def close(self) -> None:
        for log in self._opened:
            log.close()


def _changed(source: str) -> Unavailable:
    return Unavailable([SourceError(source, "the log changed while it was asked for")])
