# SPDX-License-Identifier: Apache-2.0
"""The renderer and its reference behind one signature, for tests of both."""

import functools
import json
import re
from collections.abc import Iterable, Sequence

from oslogserve.lines.grammar.native_grammar import NativeGrammar
from oslogserve.lines.grammar.severities import NAMES, SEVERITIES
from oslogserve.lines.grammar.user_formats import UserFormat
from oslogserve.lines.renderer import Renderer, Room
from oslogserve.lines.selection import LONGEST_LINE, NO_TIME, Tally, Wanted
from oslogserve.native import Grammar
from tests import corpus
from tests.reference.ansi import without_sequences
from tests.reference.recognise import Recogniser, Seen
from tests.reference.renderer import PureRenderer

VIEWS = ("html", "text", "jsonl", "summary")
LEVELS = (None, *SEVERITIES)
#: Lines of the corpus with their time and severity, b"" for none.
EXAMPLES = {
    each.line: (each.time, b"" if each.severity == "NONE" else each.severity.encode())
    for each in corpus.family("heads.tsv")
}

_ALIKE = re.compile(rb"<ol class=b>|</ol>|(?<= id=L)(\d+)><a href=#L\1(?: name=([^>]*))?>#</a>")


pure = PureRenderer()
native = Renderer()


def bare(html: bytes) -> bytes:
    """A page's lines without their blocks and the links on their numbers, which are all alike: only
    the name of a time stays, in the line's element."""
    return _ALIKE.sub(_without_link, html)


def _without_link(found: re.Match[bytes]) -> bytes:
    number, name = found.groups()
    if number is None:
        return b""
    return number + (b" name=" + name if name else b"") + b">"


def answered(
    render, pieces: Iterable[bytes], wanted: Wanted, longest: int = LONGEST_LINE
) -> tuple[object, Tally]:
    """(what a renderer gives of a log, its tally)"""
    rendering = render(pieces, wanted, Room(line=longest))
    if wanted.label is not None:
        return rows_of(rendering), rendering.tally
    content = b"".join(rendering)
    return json.loads(content) if wanted.view == "summary" else content, rendering.tally


def rows_of(rendering) -> list[tuple[int, bytes]]:
    """The rows of a log, each behind its time."""
    found = []
    reached = NO_TIME
    for rows in rendering.rows():
        texts = [rows.text[a:b] for a, b in zip([0, *rows.ends], rows.ends, strict=False)]
        found += zip(rows.times, texts, strict=True)
        assert b"".join(texts) == rows.text
        assert min(rows.times, default=reached) >= reached
        reached = rows.reached
    return found


class NativeRecogniser:
    """The native core's twin of Recogniser."""

    def __init__(self, user_formats: Sequence[UserFormat] = ()) -> None:
        self._grammar = Grammar(NativeGrammar(user_formats))

    def seen_in(self, line: bytes) -> Seen:
        (start, end), severity, (first, last), continues = self._grammar.seen(line)
        if start == end:
            start = end = 0
        time, program = (without_sequences(line[a:b]) for a, b in ((start, end), (first, last)))
        rank = NAMES.index(severity) if severity else 0
        return Seen(start, end, rank, time, program, continues)


@functools.cache
def recogniser(name: str) -> Recogniser | NativeRecogniser:
    """name: pure or native."""
    return Recogniser() if name == "pure" else NativeRecogniser()


def cut(log: bytes, at: Iterable[int]) -> list[bytes]:
    """The log in pieces that end at these offsets."""
    ends = sorted(at)
    return [log[a:b] for a, b in zip([0, *ends], [*ends, len(log)], strict=True)]
