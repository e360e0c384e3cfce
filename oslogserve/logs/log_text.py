# SPDX-License-Identifier: Apache-2.0
"""The text of a log, as a renderer reads it: all of it, or the blocks of its index that it needs."""

from collections.abc import Callable, Iterable, Iterator

from oslogserve.logs.indexed_log import IndexedLog

Wrap = Callable[[Iterator[bytes]], Iterator[bytes]]


class LogText:
    """The text of a log; iterate it, or read its blocks, once."""

    def __init__(
        self,
        read: Callable[[], Iterable[bytes]],
        blocks: IndexedLog | None = None,
        wrap: Wrap = iter,
    ) -> None:
        """read: reads all of it. wrap: wraps whatever is read."""
        self._read = read
        self._wrap = wrap
        self.blocks = blocks

    def __iter__(self) -> Iterator[bytes]:
        return self._wrap(iter(self._read()))

    def block(self, place: int, most_held: int | None = None) -> Iterator[bytes]:
        """Yields the text of a block. most_held: see IndexedLog.read()."""
        return self._wrap(self.blocks.read(place, most_held)) if self.blocks else iter(())

    def read_by(self, pieces: Iterable[bytes]) -> "LogText":
        """The same text; all of it is read from `pieces`."""
        return LogText(lambda: pieces, self.blocks, self._wrap)

    def through(self, wrap: Wrap) -> "LogText":
        """The same text, of which all that is read goes through `wrap`."""
        return LogText(self._read, self.blocks, lambda pieces: wrap(self._wrap(pieces)))


def text_of(pieces: Iterable[bytes]) -> LogText:
    """The pieces of a log as its text."""
    return pieces if isinstance(pieces, LogText) else LogText(lambda: pieces)
