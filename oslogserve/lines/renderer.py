# SPDX-License-Identifier: Apache-2.0
"""A log's own bytes to a view's, by either of two renderers that give the same bytes.

PURE is the definition. NATIVE is its twin of the native core, None where that is not there.
"""

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from oslogserve import __version__
from oslogserve.lines.blocks import LONGEST_LINE, whole_lines
from oslogserve.lines.clock import Clock
from oslogserve.lines.formats import OwnRow
from oslogserve.lines.html import Elements
from oslogserve.lines.jsonl import objects
from oslogserve.lines.pieces import for_native
from oslogserve.lines.recognise import BUILT_IN, Formats
from oslogserve.lines.select import Gap, Selector, Shown
from oslogserve.lines.selection import Tally, Wanted
from oslogserve.lines.summary import Summary
from oslogserve.native import CORE
from oslogserve.native import WHY_NOT as WHY_NOT_NATIVE


class Renderer(Protocol):
    """pieces: of any size. tally: has what came of it in the end.

    longest: bytes of a line that are held until its end is seen, and that are searched.
    """

    def __call__(
        self,
        pieces: Iterable[bytes],
        wanted: Wanted,
        tally: Tally | None = None,
        longest: int = LONGEST_LINE,
    ) -> Iterator[bytes]: ...


def _pure_of(formats: Formats) -> Renderer:
    def pure(
        pieces: Iterable[bytes],
        wanted: Wanted,
        tally: Tally | None = None,
        longest: int = LONGEST_LINE,
    ) -> Iterator[bytes]:
        view, selection = wanted.view, wanted.selection
        tally = Tally() if tally is None else tally
        blocks = whole_lines(_counted(pieces, tally), longest)
        clock = Clock(_second(wanted.written))
        page = wanted.page if view == "html" else None
        selector = Selector(
            *(selection, formats, clock, tally, longest),
            reads_all=view == "summary",
            counts=view == "html",
            page=page,
        )
        shown = selector.shown(blocks)
        match view:
            case "html":
                return Elements(wanted.link, selection.searches, longest).of_shown(shown, tally)
            case "jsonl":
                return objects(shown, clock, longest)
            case "summary":
                return _summary(shown, clock)
        return (one.text for one in shown if not isinstance(one, Gap))

    return pure


def _summary(shown: Iterable[Shown], clock: Clock) -> Iterator[bytes]:
    yield json.dumps(Summary(clock).of(shown)).encode()


def _counted(pieces: Iterable[bytes], tally: Tally) -> Iterator[bytes]:
    for piece in pieces:
        tally.bytes += len(piece)
        yield piece


def _second(written: float | None) -> int:
    """A log that is just being written was last written now."""
    return int(time.time() if written is None else written)


def _native_of(core: Any, own: Sequence[OwnRow]) -> Renderer:
    formats = core.Formats(for_native(own=own))

    def native(
        pieces: Iterable[bytes],
        wanted: Wanted,
        tally: Tally | None = None,
        longest: int = LONGEST_LINE,
    ) -> Iterator[bytes]:
        written = _second(wanted.written)
        try:
            renderer = core.Renderer(
                *(formats, wanted.view, wanted.selection, written, wanted.link),
                *(wanted.page if wanted.view == "html" else None, longest),
            )
        except ValueError:  # of a pattern that RE2 alone takes
            pure = _pure_of(Formats(own=own)) if own else PURE
            yield from pure(pieces, wanted, tally, longest)
            return
        for piece in pieces:
            made = renderer.feed(piece)
            if made:
                yield made
            if renderer.done:
                break
        yield renderer.finish()
        if tally is not None:
            renderer.tell(tally)

    return native


PURE = _pure_of(BUILT_IN)
NATIVE: Renderer | None = _native_of(CORE, ()) if CORE else None
BEST = NATIVE or PURE


def named(wanted: str, own: Sequence[OwnRow] = ()) -> tuple[str, Renderer]:
    """The renderer and its name, 'native' or 'pure'. wanted: one of these, or 'auto' for the best.
    own: rows that come before the table of formats.

    Raises LookupError, saying why there is no native one, and ValueError for a row at fault.
    """
    if wanted == "pure" or (wanted == "auto" and NATIVE is None):
        return "pure", _pure_of(Formats(own=own)) if own else PURE
    if NATIVE is None:
        raise LookupError(WHY_NOT_NATIVE)
    return "native", _native_of(CORE, own) if own else NATIVE


def described(name: str) -> str:
    """Version and renderer for people, and why it is not the faster one."""
    if name == "native":
        why_not = ""
    elif WHY_NOT_NATIVE:
        why_not = f", slower than the native one, which cannot be used: {WHY_NOT_NATIVE}"
    else:
        why_not = ", slower than the native one, as configured"
    return f"oslogserve {__version__}, {name} renderer{why_not}"
