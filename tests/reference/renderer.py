# SPDX-License-Identifier: Apache-2.0
"""The renderer in Python, which defines the output of both renderers."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from types import SimpleNamespace as Counting

from oslogserve.lines.grammar.user_formats import UserFormat
from oslogserve.lines.renderer import Room
from oslogserve.lines.selection import Rows, Tally, Wanted
from oslogserve.lines.summary import as_json
from tests.reference.clock import Clock
from tests.reference.html import Elements
from tests.reference.jsonl import objects, row_of
from tests.reference.known import Known
from tests.reference.line import Line
from tests.reference.recognise import Recogniser
from tests.reference.select import Gap, Selector, Shown
from tests.reference.split import split
from tests.reference.totals import Summary

#: Output is yielded once it has so many bytes: a tail, held back, comes all at once.
MOST_JOINED = 256 * 1024


class PureRenderer:
    """The Renderer in Python. Raises ValueError for a faulty user format."""

    def __init__(self, user_formats: Sequence[UserFormat] = ()) -> None:
        self._recogniser = Recogniser(user_formats)

    def __call__(
        self, pieces: Iterable[bytes], wanted: Wanted, room: Room | None = None
    ) -> "PureRendering":
        return PureRendering(self._recogniser, pieces, wanted, (room or Room()).line)

    def known(self) -> Known:
        return Known()


class PureRendering:
    """The Rendering in Python."""

    def __init__(
        self, recogniser: Recogniser, pieces: Iterable[bytes], wanted: Wanted, longest: int
    ) -> None:
        self.tally = Tally()
        self._tally = Counting(**vars(self.tally))
        self._clock = Clock(wanted.last_written())
        self._selector = Selector(wanted, recogniser, self._clock, self._tally, longest)
        self._shown = self._selector.shown(split(_counted(pieces, self._tally), longest))
        self._wanted, self._longest = wanted, longest

    def __iter__(self) -> Iterator[bytes]:
        rendered = _rendered(self._shown, self._wanted, self._clock, self._tally, self._longest)
        yield from _joined(rendered, self._tally)
        self.tally = Tally(**vars(self._tally))

    def rows(self) -> Iterator[Rows]:
        selector = self._selector
        for rows in _rows_of(self._shown, self._wanted, self._clock, self._tally, self._longest):
            yield rows._replace(reached=min(rows.reached, selector.first_time))
        yield Rows(b"", (), (), selector.first_time)
        self.tally = Tally(**vars(self._tally))


def _rendered(
    shown: Iterable[Shown], wanted: Wanted, clock: Clock, tally: Counting, longest: int
) -> Iterable[bytes]:
    """Yields the view, line by line."""
    match wanted.view:
        case "html":
            return Elements(wanted.link, wanted.selection.searches, longest).rendered(shown, tally)
        case "jsonl":
            return objects(shown, clock, longest)
        case "summary":
            return iter([as_json(Summary(clock, wanted.known).of(shown))])
    return (one.text for one in shown if not isinstance(one, Gap))


def _rows_of(
    shown: Iterable[Shown], wanted: Wanted, clock: Clock, tally: Counting, longest: int
) -> Iterator[Rows]:
    """Yields a row for each line shown. longest: bytes of a line's text; longer ones are cut."""
    elements = Elements(wanted.link, wanted.selection.searches, longest, wanted.label)
    for line in shown:
        if not isinstance(line, Line):
            continue
        content = line.text.removesuffix(b"\n")
        if len(content) >= longest:  # independent of how the log was cut into pieces
            tally.cut_line = tally.cut_line or line.number
            content = content[:longest]
            line = line._replace(text=content)
        match wanted.view:
            case "html":
                row = elements.row(line, tally)
            case "jsonl":
                row = row_of(line, clock, longest, wanted.label or b"")
            case _:
                row = b"%b%d:%b\n" % (wanted.label or b"", line.number, content)
        yield Rows(row, array("q", [len(row)]), array("q", [line.time]), line.time)


def _joined(rendered: Iterable[bytes], tally: Counting) -> Iterator[bytes]:
    """Joins the output for each piece of the log: each yield is compressed and sent by itself."""
    of_piece = bytearray()
    read = tally.bytes
    for one in rendered:
        if of_piece and (tally.bytes != read or len(of_piece) >= MOST_JOINED):
            yield bytes(of_piece)
            of_piece.clear()
        read = tally.bytes
        of_piece += one
    if of_piece:
        yield bytes(of_piece)


def _counted(pieces: Iterable[bytes], tally: Counting) -> Iterator[bytes]:
    for piece in pieces:
        tally.bytes += len(piece)
        yield piece
