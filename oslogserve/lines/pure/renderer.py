# SPDX-License-Identifier: Apache-2.0
"""The renderer in Python: the definition of what the native one does."""

from collections.abc import Iterable, Iterator, Sequence

from oslogserve.lines.grammar.times import Clock
from oslogserve.lines.grammar.user_formats import UserFormat
from oslogserve.lines.pure.html import Elements
from oslogserve.lines.pure.jsonl import objects
from oslogserve.lines.pure.recognise import Recogniser
from oslogserve.lines.pure.rows import rows_of
from oslogserve.lines.pure.select import Gap, Selector
from oslogserve.lines.pure.split import split
from oslogserve.lines.pure.totals import Summary
from oslogserve.lines.rows import Rows
from oslogserve.lines.selection import LONGEST_LINE, Tally, Wanted
from oslogserve.lines.summary import as_json

#: Bytes that are joined at the most, and one line: what a tail held back comes at once.
MOST_JOINED = 256 * 1024


class PureRenderer:
    """The Renderer in Python. Raises ValueError for a faulty user format."""

    def __init__(self, user_formats: Sequence[UserFormat] = ()) -> None:
        self._recogniser = Recogniser(user_formats)

    def __call__(
        self,
        pieces: Iterable[bytes],
        wanted: Wanted,
        tally: Tally | None = None,
        longest: int = LONGEST_LINE,
    ) -> Iterator[bytes]:
        tally = Tally() if tally is None else tally
        clock = Clock(wanted.last_written())
        selector = Selector(wanted, self._recogniser, clock, tally, longest)
        shown = selector.shown(split(_counted(pieces, tally), longest))
        match wanted.view:
            case "html":
                elements = Elements(wanted.link, wanted.selection.searches, longest)
                rendered = elements.rendered(shown, tally)
            case "jsonl":
                rendered = objects(shown, clock, longest)
            case "summary":
                rendered = iter([as_json(Summary(clock).of(shown))])
            case _:
                rendered = (one.text for one in shown if not isinstance(one, Gap))
        return _joined(rendered, tally)

    def rows(
        self, pieces: Iterable[bytes], wanted: Wanted, tally: Tally, longest: int = LONGEST_LINE
    ) -> Iterator[Rows]:
        clock = Clock(wanted.last_written())
        selector = Selector(wanted, self._recogniser, clock, tally, longest)
        shown = selector.shown(split(_counted(pieces, tally), longest))
        for rows in rows_of(shown, wanted, clock, tally, longest):
            yield rows._replace(reached=min(rows.reached, selector.first_time))
        yield Rows(b"", (), (), selector.first_time)


def _joined(rendered: Iterable[bytes], tally: Tally) -> Iterator[bytes]:
    """Output for each piece of the log, joined: whatever is yielded is sent and compressed by
    itself."""
    of_piece: list[bytes] = []
    size = 0
    read = tally.bytes
    for one in rendered:
        if of_piece and (tally.bytes != read or size >= MOST_JOINED):
            yield b"".join(of_piece)
            of_piece.clear()
            size = 0
        read = tally.bytes
        size += len(one)
        of_piece.append(one)
    if of_piece:
        yield b"".join(of_piece)


def _counted(pieces: Iterable[bytes], tally: Tally) -> Iterator[bytes]:
    for piece in pieces:
        tally.bytes += len(piece)
        yield piece
