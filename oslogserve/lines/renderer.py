# SPDX-License-Identifier: Apache-2.0
"""The two renderers, which make the same bytes of a log for each view.

The native core is the engine. The pure renderer (`pure`) is the definition, and takes its place
where it is not installed. Nothing of one is built where the other is used.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from oslogserve import __version__
from oslogserve.lines.grammar.native_grammar import NativeGrammar
from oslogserve.lines.grammar.user_formats import UserFormat
from oslogserve.lines.rows import Rows
from oslogserve.lines.selection import LONGEST_LINE, Tally, Wanted
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
        try:
            renderer = CORE.Renderer(self._grammar, wanted, wanted.last_written(), longest)
        except CORE.UnsupportedPattern:  # RE2 alone takes it
            yield from pure_renderer(self._user_formats)(pieces, wanted, tally, longest)
            return
        for piece in pieces:
            rendered = renderer.feed(piece)
            if rendered:
                yield rendered
            if renderer.done:
                break
        yield from iter(renderer.finish, b"")
        if wanted.view == "summary":
            yield as_json(renderer.totals())
        if tally is not None:
            vars(tally).update(renderer.tally())

    def rows(
        self, pieces: Iterable[bytes], wanted: Wanted, tally: Tally, longest: int = LONGEST_LINE
    ) -> Iterator[Rows]:
        try:
            renderer = CORE.Renderer(self._grammar, wanted, wanted.last_written(), longest)
        except CORE.UnsupportedPattern:  # RE2 alone takes it
            yield from pure_renderer(self._user_formats).rows(pieces, wanted, tally, longest)
            return
        for piece in pieces:
            text = renderer.feed(piece)
            yield _rows(text, *renderer.rows())
            if renderer.done:
                break
        text = b"any"
        while text:
            text = renderer.finish()
            yield _rows(text, *renderer.rows())
        vars(tally).update(renderer.tally())


def _rows(text: bytes, ends: bytes, times: bytes, reached: int) -> Rows:
    return Rows(text, memoryview(ends).cast("q"), memoryview(times).cast("q"), reached)


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
