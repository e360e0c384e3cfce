# SPDX-License-Identifier: Apache-2.0
"""A log's own bytes to a view's, by either of two renderers that give the same bytes.

PURE is the definition. NATIVE is its twin of the native core, None where that is not there.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from oslogserve import __version__
from oslogserve.lines import render
from oslogserve.lines.blocks import LONGEST_LINE, whole_lines
from oslogserve.lines.filter import at_least, first_lines, numbered
from oslogserve.lines.formats import LEADS, SEVERITIES, TIMES
from oslogserve.native import CORE
from oslogserve.native import WHY_NOT as WHY_NOT_NATIVE


class Renderer(Protocol):
    """pieces: of any size. view: "html" or "text". level: None for all. limit: in lines.

    longest: bytes of a line that are held until its end is seen.
    """

    def __call__(
        self,
        pieces: Iterable[bytes],
        view: str,
        level: str | None = None,
        limit: int | None = None,
        longest: int = LONGEST_LINE,
    ) -> Iterator[bytes]: ...


def _pure(
    pieces: Iterable[bytes],
    view: str,
    level: str | None = None,
    limit: int | None = None,
    longest: int = LONGEST_LINE,
) -> Iterator[bytes]:
    blocks = whole_lines(pieces, longest)
    runs = numbered(blocks) if level is None else at_least(level, blocks)
    if limit is not None:
        runs = first_lines(limit, runs)
    return render.html(runs) if view == "html" else render.text(runs)


def _native_of(speedups: Any) -> Renderer:
    formats = speedups.Formats(
        [row.pattern for row in TIMES],
        [row.pattern for row in LEADS],
        [severity.encode() for severity in SEVERITIES],
    )

    def native(
        pieces: Iterable[bytes],
        view: str,
        level: str | None = None,
        limit: int | None = None,
        longest: int = LONGEST_LINE,
    ) -> Iterator[bytes]:
        renderer = speedups.Renderer(formats, view, level, limit, longest)
        for piece in pieces:
            rendered = renderer.feed(piece)
            if rendered:
                yield rendered
            if renderer.done:
                return
        yield renderer.finish()

    return native


PURE: Renderer = _pure
NATIVE: Renderer | None = _native_of(CORE) if CORE else None
BEST = NATIVE or PURE


def named(wanted: str) -> tuple[str, Renderer]:
    """The renderer and its name, 'native' or 'pure'. wanted: one of these, or 'auto' for the best.

    Raises LookupError, saying why there is no native one.
    """
    if wanted == "pure" or (wanted == "auto" and NATIVE is None):
        return "pure", PURE
    if NATIVE is None:
        raise LookupError(WHY_NOT_NATIVE)
    return "native", NATIVE


def described(name: str) -> str:
    """For people: the renderer in use, and why it is not the faster one."""
    why = f" ({WHY_NOT_NATIVE})" if name == "pure" and WHY_NOT_NATIVE else ""
    return f"oslogserve {__version__}, {name} renderer{why}"
