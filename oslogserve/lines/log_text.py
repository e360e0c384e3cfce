# SPDX-License-Identifier: Apache-2.0
"""The text of a log, as a renderer reads it: all of it, or the blocks of its index that it needs."""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from oslogserve.index.log_index import Facts, LogIndex

Wrap = Callable[[Iterator[bytes]], Iterator[bytes]]


class Blocks(Protocol):
    """The blocks of a log, by its index."""

    @property
    def interval(self) -> int:
        """Bytes of text from one block to the next, for an index that is made."""

    @property
    def facts(self) -> Facts | None:
        """What is known of all of the log; None without an index."""

    @property
    def compact(self) -> Facts | None:
        """The same with a compact summary: it is read in a third of the time."""

    @property
    def index(self) -> LogIndex | None:
        """What is known of its blocks; None without an index."""

    @property
    def is_kept(self) -> bool:
        """False if an index that is made would be of no use."""

    def collect(self) -> None:
        """Prepares to make the index while all of the text is read."""

    def refuse(self, why: str) -> None:
        """Removes an index that is wrong."""

    def keep(self, facts: Facts, blocks: bytes) -> None:
        """Keeps what reading to the end has shown. blocks: JSON of the core."""

    def keep_contents(self, words: bytes, ids: bytes) -> None:
        """Adds the words and ids of all blocks to the index, see Contents of the core."""

    def read(self, place: int, most_held: int | None = None) -> Iterator[bytes]:
        """Yields the text of a block.

        most_held: bytes that may be held until its checksum is known; None for the usual number. It is read
        twice if it has more. Raises Incomplete if it cannot be read, or is another text."""


class LogText:
    """The text of a log; iterate it, or read its blocks, once."""

    def __init__(
        self, read: Callable[[], Iterable[bytes]], blocks: Blocks | None = None, wrap: Wrap = iter
    ) -> None:
        """read: reads all of it. wrap: wraps whatever is read."""
        self._read = read
        self._wrap = wrap
        self.blocks = blocks

    def __iter__(self) -> Iterator[bytes]:
        return self._wrap(iter(self._read()))

    def block(self, place: int, most_held: int | None = None) -> Iterator[bytes]:
        """Yields the text of a block. most_held: see Blocks.read()."""
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
