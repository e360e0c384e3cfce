# SPDX-License-Identifier: Apache-2.0
"""The two renderers, which make the same bytes of a log for each view.

The native core is the engine. The pure renderer (`pure`) is the definition, and takes its place
where it is not installed. Nothing of one is built where the other is used.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from oslogserve import __version__
from oslogserve.lines.grammar.native_grammar import NativeGrammar
from oslogserve.lines.grammar.user_formats import UserFormat
from oslogserve.lines.selection import LONGEST_LINE, Rows, Tally, Wanted
from oslogserve.lines.summary import as_json
from oslogserve.native import CORE
from oslogserve.native import WHY_NOT as WHY_NOT_NATIVE


class Renderer(Protocol):
    """A renderer of logs."""

    def __call__(
        self,
        pieces: Iterable[bytes],
        wanted: Wanted,
        tally: Tally | None = None,
        longest: int = LONGEST_LINE,
    ) -> Iterator[bytes]:
        """The view of a log. pieces: the log, cut anywhere. tally: has what came of it in the end.
        longest: bytes of a line that are held until its end is seen, and that are searched."""

    def rows(
        self, pieces: Iterable[bytes], wanted: Wanted, tally: Tally, longest: int = LONGEST_LINE
    ) -> Iterator[Rows]:
        """The same lines as rows, which need a label in `wanted`; of HTML, text or jsonl."""


def pure_renderer(user_formats: Sequence[UserFormat] = ()) -> Renderer:
    """The renderer in Python. Raises ValueError for a faulty format."""
    from oslogserve.lines.pure.renderer import PureRenderer

    return PureRenderer(user_formats)


class NativeRenderer:
    """The renderer of the native core. Raises LookupError, saying why there is none, and ValueError
    for a faulty format."""

    def __init__(self, user_formats: Sequence[UserFormat] = ()) -> None:
        if CORE is None:
            raise LookupError(WHY_NOT_NATIVE)
        self._user_formats = user_formats
        self._grammar = CORE.Grammar(NativeGrammar(user_formats))

    def __call__(
        self,
        pieces: Iterable[bytes],
        wanted: Wanted,
        tally: Tally | None = None,
        longest: int = LONGEST_LINE,
    ) -> Iterator[bytes]:
        core = self._core(wanted, longest)
        if core is None:
            yield from pure_renderer(self._user_formats)(pieces, wanted, tally, longest)
            return
        yield from filter(None, _fed(core, pieces))
        if wanted.view == "summary":
            yield as_json(core.totals())
        if tally is not None:
            vars(tally).update(core.tally())

    def rows(
        self, pieces: Iterable[bytes], wanted: Wanted, tally: Tally, longest: int = LONGEST_LINE
    ) -> Iterator[Rows]:
        core = self._core(wanted, longest)
        if core is None:
            yield from pure_renderer(self._user_formats).rows(pieces, wanted, tally, longest)
            return
        for text in _fed(core, pieces):
            ends, times, reached = core.rows()
            yield Rows(text, memoryview(ends).cast("q"), memoryview(times).cast("q"), reached)
        vars(tally).update(core.tally())

    def _core(self, wanted: Wanted, longest: int) -> Any:
        """The core's renderer of one log; None for a pattern that RE2 alone takes."""
        try:
            return CORE.Renderer(self._grammar, wanted, wanted.last_written(), longest)
        except CORE.UnsupportedPattern:
            return None


def _fed(core: Any, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The view, as far as each piece completes it; the last one is empty."""
    for piece in pieces:
        yield core.feed(piece)
        if core.done:
            break
    yield from iter(core.finish, b"")
    yield b""


def named(name: str, user_formats: Sequence[UserFormat] = ()) -> tuple[str, Renderer]:
    """The name, 'native' or 'pure', and the renderer. name: one of these, or 'auto' for the best.

    Raises LookupError, saying why there is no native one, and ValueError for a faulty format.
    """
    if name == "pure" or (name == "auto" and CORE is None):
        return "pure", pure_renderer(user_formats)
    return "native", NativeRenderer(user_formats)


def described(name: str) -> str:
    """The version and the renderer's name for people, and why it is not the faster one."""
    why_not = ""
    if name != "native":
        why = f"which cannot be used: {WHY_NOT_NATIVE}" if WHY_NOT_NATIVE else "as configured"
        why_not = f", slower than the native one, {why}"
    return f"oslogserve {__version__}, {name} renderer{why_not}"
