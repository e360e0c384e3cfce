# SPDX-License-Identifier: Apache-2.0
"""Chooses between the two renderers, which produce the same bytes.

The native core is the fast one. The pure renderer (`pure`) is the definition, and replaces the core
where it is not installed. A process builds only the one that it uses.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from oslogserve import __version__
from oslogserve.lines.grammar.native_grammar import NativeGrammar
from oslogserve.lines.grammar.user_formats import UserFormat
from oslogserve.lines.selection import LONGEST_LINE, Known, Rows, Tally, Wanted
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
        """Yields the bytes of a log's view.

        pieces: the log's text, cut anywhere. tally: complete once all was yielded. longest: bytes of a
        line that are held and searched, see LONGEST_LINE.
        """

    def rows(
        self, pieces: Iterable[bytes], wanted: Wanted, tally: Tally, longest: int = LONGEST_LINE
    ) -> Iterator[Rows]:
        """Yields the same lines as rows. `wanted` has a label and the view html, text or jsonl."""

    def known(self) -> Known:
        """The words of no lines yet."""


def summary_of(
    renderer: Renderer, pieces: Iterable[bytes], wanted: Wanted, tally: Tally | None = None
) -> dict[str, Any]:
    """The summary of a log, see `lines.summary`. wanted: of the view summary."""
    summary: dict[str, Any] = json.loads(b"".join(renderer(pieces, wanted, tally)))
    return summary


def pure_renderer(user_formats: Sequence[UserFormat] = ()) -> Renderer:
    """The pure renderer. Raises ValueError for a faulty user format."""
    from oslogserve.lines.pure.renderer import PureRenderer

    return PureRenderer(user_formats)


class NativeRenderer:
    """The renderer of the native core.

    Raises LookupError if there is no core, with the reason, and ValueError for a faulty user format.
    """

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

    def known(self) -> Known:
        known: Known = CORE.Known()
        return known

    def _core(self, wanted: Wanted, longest: int) -> Any:
        """The core's renderer for one log; None for a pattern that only RE2 accepts."""
        try:
            return CORE.Renderer(
                self._grammar, wanted, wanted.last_written(), longest, wanted.known
            )
        except CORE.UnsupportedPattern:
            return None


def _fed(core: Any, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the core's output for each piece of the log, and an empty one last."""
    for piece in pieces:
        yield core.feed(piece)
        if core.done:
            break
    yield from iter(core.finish, b"")
    yield b""


def named(name: str, user_formats: Sequence[UserFormat] = ()) -> tuple[str, Renderer]:
    """A renderer's name, 'native' or 'pure', and the renderer. name: one of these, or 'auto'.

    Raises LookupError if the native one was named and is missing, and ValueError for a faulty format.
    """
    if name == "pure" or (name == "auto" and CORE is None):
        return "pure", pure_renderer(user_formats)
    return "native", NativeRenderer(user_formats)


def described(name: str) -> str:
    """A sentence for people: the version, the renderer, and why it is not the native one."""
    why_not = ""
    if name != "native":
        why = f"which cannot be used: {WHY_NOT_NATIVE}" if WHY_NOT_NATIVE else "as configured"
        why_not = f", slower than the native one, {why}"
    return f"oslogserve {__version__}, {name} renderer{why_not}"
