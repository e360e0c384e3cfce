# SPDX-License-Identifier: Apache-2.0
"""The renderer in Python: the definition of what the native one does."""

import json
from collections.abc import Iterable, Iterator, Sequence

from oslogserve.lines.blocks import LONGEST_LINE, whole_lines
from oslogserve.lines.html import Elements
from oslogserve.lines.jsonl import objects
from oslogserve.lines.recognise import Recogniser
from oslogserve.lines.renderer import last_written
from oslogserve.lines.select import Gap, Selector, Shown
from oslogserve.lines.selection import Tally, Wanted
from oslogserve.lines.summary import Summary
from oslogserve.lines.times import Clock
from oslogserve.lines.user_formats import UserFormat


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
        clock = Clock(last_written(wanted))
        selector = Selector(wanted, self._recogniser, clock, tally, longest)
        shown = selector.shown(whole_lines(_counted(pieces, tally), longest))
        match wanted.view:
            case "html":
                elements = Elements(wanted.link, wanted.selection.searches, longest)
                rendered = elements.of_shown(shown, tally)
            case "jsonl":
                rendered = objects(shown, clock, longest)
            case "summary":
                rendered = _summary(shown, clock)
            case _:
                rendered = (one.text for one in shown if not isinstance(one, Gap))
        return _joined(rendered, tally)


def _summary(shown: Iterable[Shown], clock: Clock) -> Iterator[bytes]:
    yield json.dumps(Summary(clock).of(shown)).encode()


def _joined(rendered: Iterable[bytes], tally: Tally) -> Iterator[bytes]:
    """What came of each piece of the log at once: each part is sent, and compressed, by itself."""
    parts: list[bytes] = []
    read = tally.bytes
    for part in rendered:
        if parts and tally.bytes != read:
            yield b"".join(parts)
            parts.clear()
        read = tally.bytes
        parts.append(part)
    if parts:
        yield b"".join(parts)


def _counted(pieces: Iterable[bytes], tally: Tally) -> Iterator[bytes]:
    for piece in pieces:
        tally.bytes += len(piece)
        yield piece
