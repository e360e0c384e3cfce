# SPDX-License-Identifier: Apache-2.0
"""The renderer: the native core, which is fed with the pieces of a log."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from oslogserve import native
from oslogserve.lines.grammar.native_grammar import NativeGrammar
from oslogserve.lines.grammar.user_formats import UserFormat
from oslogserve.lines.selection import LONGEST_LINE, Rows, Tally, Wanted
from oslogserve.lines.summary import as_json


class Renderer:
    """Renders logs by one grammar. Raises ValueError, with the row's name, for a faulty one."""

    def __init__(self, user_formats: Sequence[UserFormat] = ()) -> None:
        self._grammar = native.Grammar(NativeGrammar(user_formats))

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
        core = self._core(wanted, longest)
        yield from filter(None, _fed(core, pieces))
        if totals := core.totals():
            yield as_json(totals)
        if tally is not None:
            vars(tally).update(core.tally())

    def rows(
        self, pieces: Iterable[bytes], wanted: Wanted, tally: Tally, longest: int = LONGEST_LINE
    ) -> Iterator[Rows]:
        """Yields the same lines as rows. `wanted` has a label and the view html, text or jsonl."""
        core = self._core(wanted, longest)
        for text in _fed(core, pieces):
            ends, times, reached = core.rows()
            yield Rows(text, memoryview(ends).cast("q"), memoryview(times).cast("q"), reached)
        vars(tally).update(core.tally())

    def known(self) -> native.Known:
        """The words of no lines yet."""
        return native.Known()

    def iso(self, time: bytes, written: int) -> str | None:
        """A time as a line shows it in ISO 8601; None if it is none.

        written: when the log was last written, in seconds since 1970, for a time without a year.
        """
        return self._grammar.clock(written).iso(time)

    def _core(self, wanted: Wanted, longest: int) -> native.Renderer:
        written = wanted.last_written()
        return native.Renderer(self._grammar, wanted, written, longest, wanted.known)


def summary_of(
    renderer: Renderer, pieces: Iterable[bytes], wanted: Wanted, tally: Tally | None = None
) -> dict[str, Any]:
    """The summary of a log, see `lines.summary`. wanted: of the view summary."""
    summary: dict[str, Any] = json.loads(b"".join(renderer(pieces, wanted, tally)))
    return summary


def _fed(core: native.Renderer, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the core's output for each piece of the log, and an empty one last."""
    for piece in pieces:
        yield core.feed(piece)
        if core.done:
            break
    yield from iter(core.finish, b"")
    yield b""
