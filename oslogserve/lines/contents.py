# SPDX-License-Identifier: Apache-2.0
"""What the blocks of a log hold: their words and ids, by which searches pass over blocks.

To collect them takes as long as to make a summary. So an index has none until somebody searches.
"""

from collections.abc import Callable, Iterator

from oslogserve import native
from oslogserve.logs.indexed_log import IndexedLog
from oslogserve.logs.log_text import LogText


class Learner:
    """Collects what the blocks of a log hold while all of them are read in order, and adds it to the index."""

    def __init__(self, blocks: IndexedLog, count: int) -> None:
        """count: how many blocks there are."""
        self._blocks = blocks
        self._count = count
        self._contents = native.Contents()
        #: IndexedLog that were read so far, from the first one on.
        self._known = 0

    def reading(self, place: int, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """Yields the pieces of a block. If one before it was not read, nothing is learnt."""
        if place != self._known:
            yield from pieces
            return
        for piece in pieces:
            self._contents.feed(piece)
            yield piece
        self._contents.end_block()
        self._known += 1
        if self._known == self._count:
            self._blocks.keep_contents(*self._contents.finish())


def learn(text: LogText, charge: Callable[[], None] = lambda: None) -> None:
    """Adds words and ids to a log's index, if they are missing. charge: see Renderer."""
    index = text.blocks and text.blocks.index
    if not text.blocks or not index or index.file.has_contents:
        return
    learner = Learner(text.blocks, len(index.blocks))
    for place in range(len(index.blocks)):
        for _ in learner.reading(place, text.block(place)):
            charge()
