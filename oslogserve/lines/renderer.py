# SPDX-License-Identifier: Apache-2.0
"""A log's own bytes to a view's, by either of two renderers that give the same bytes.

The native core is the engine. The pure renderer (`pure`) is the definition, and takes its place
where it is not installed. Nothing of one is built where the other is used.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from oslogserve import __version__
from oslogserve.lines.native_grammar import NativeGrammar
from oslogserve.lines.selection import Tally, Wanted
from oslogserve.lines.split import LONGEST_LINE
from oslogserve.lines.summary import as_json
from oslogserve.lines.user_formats import UserFormat
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


def pure_renderer(user_formats: Sequence[UserFormat] = ()) -> Renderer:
    """The renderer in Python. Raises ValueError for a format at fault."""
    from oslogserve.lines.pure import PureRenderer

    return PureRenderer(user_formats)


class NativeRenderer:
    """The renderer of the native core. Raises ValueError for a format at fault."""

    def __init__(self, core: Any, user_formats: Sequence[UserFormat] = ()) -> None:
        self._core = core
        self._user_formats = user_formats
        self._grammar = core.Grammar(NativeGrammar(user_formats))

    def __call__(
        self,
        pieces: Iterable[bytes],
        wanted: Wanted,
        tally: Tally | None = None,
        longest: int = LONGEST_LINE,
    ) -> Iterator[bytes]:
        try:
            renderer = self._core.Renderer(self._grammar, wanted, last_written(wanted), longest)
        except self._core.UnsupportedPattern:  # RE2 alone takes it
            yield from pure_renderer(self._user_formats)(pieces, wanted, tally, longest)
            return
        for piece in pieces:
            rendered = renderer.feed(piece)
            if rendered:
                yield rendered
            if renderer.done:
                break
        yield renderer.finish()
        if wanted.view == "summary":
            yield as_json(renderer.totals())
        if tally is not None:
            vars(tally).update(renderer.tally())


def native_renderer(user_formats: Sequence[UserFormat] = ()) -> Renderer:
    """The renderer of the native core. Raises LookupError, saying why there is none."""
    if CORE is None:
        raise LookupError(WHY_NOT_NATIVE)
    return NativeRenderer(CORE, user_formats)


def last_written(wanted: Wanted) -> int:
    """When the log was last written, in seconds since 1970: now, where it is just being written."""
    return int(time.time() if wanted.written is None else wanted.written)


def named(wanted: str, user_formats: Sequence[UserFormat] = ()) -> tuple[str, Renderer]:
    """The renderer and its name, 'native' or 'pure'. wanted: one of these, or 'auto' for the best.

    Raises LookupError, saying why there is no native one, and ValueError for a format at fault.
    """
    if wanted == "pure" or (wanted == "auto" and CORE is None):
        return "pure", pure_renderer(user_formats)
    return "native", native_renderer(user_formats)


def described(name: str) -> str:
    """Version and renderer for people, and why it is not the faster one."""
    if name == "native":
        why_not = ""
    elif WHY_NOT_NATIVE:
        why_not = f", slower than the native one, which cannot be used: {WHY_NOT_NATIVE}"
    else:
        why_not = ", slower than the native one, as configured"
    return f"oslogserve {__version__}, {name} renderer{why_not}"
