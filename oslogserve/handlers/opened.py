# SPDX-License-Identifier: Apache-2.0
"""A log that was opened for an answer."""

from collections.abc import Iterator, Sequence
from itertools import chain

from oslogserve.errors import Error, Incomplete, SourceError, Unavailable
from oslogserve.query import Query
from oslogserve.sources import Folder, Log, OpenOptions, Source
from oslogserve.sources.first_of import open_first


class Opened:
    """first: its first stored bytes. content: all of them, once."""

    def __init__(self, log: Log, query: Query, sources: Sequence[Source]) -> None:
        self.log = log
        self.stored = log.stored
        chunks = iter(log)
        self.first = next(chunks, b"")
        self.content: Iterator[bytes] = chain((self.first,), chunks) if self.first else chunks
        self._query = query
        self._sources = sources
        self._logs = [log]

    @property
    def is_small(self) -> bool:
        """Its source is not waited for any more."""
        return len(self.first) == self.stored.size

    @property
    def may_break_off(self) -> bool:
        """Its source is another server, and more of it is to come."""
        return not self.log.is_local and not self.is_small

    def part(self, span: tuple[int, int] | None = None) -> Log:
        """The same stored bytes once more, or some of them.

        Raises Unavailable where the log changed since, or cannot be opened now.
        """
        stored = self.stored
        sources = [source for source in self._sources if source.name == stored.source]
        log = open_first(
            sources, self._query.path, OpenOptions(byte_range=span, version=stored.version)
        )
        if isinstance(log, Folder):
            raise Unavailable([_changed(stored.source)])
        self._logs.append(log)
        if log.stored.version != stored.version:
            raise Unavailable([_changed(stored.source)])
        return log

    def rewind(self) -> None:
        """`content` from its beginning. Raises Unavailable."""
        self.log.close()
        self.log = self.part()
        self.content = iter(self.log)

    def again(self) -> Iterator[bytes]:
        """All of the stored bytes once more. Raises Incomplete, when the first are asked for,
        where there are none now."""
        try:
            log = self.part()
        except Error as error:
            raise Incomplete("corrupt", "it is damaged, and could not be read again") from error
        yield from log

    def close(self) -> None:
        for log in self._logs:
            log.close()


def _changed(source: str) -> SourceError:
    return SourceError(source, "the log changed while it was asked for")
