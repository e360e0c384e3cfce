# SPDX-License-Identifier: Apache-2.0
"""The pure and the native renderer behind one signature, for tests of both."""

import functools
import importlib
import importlib.util
import json
import os
import re
from collections.abc import Iterable, Sequence

import pytest

from oslogserve.lines.grammar.native_grammar import NativeGrammar
from oslogserve.lines.grammar.severities import NAMES, SEVERITIES
from oslogserve.lines.grammar.user_formats import UserFormat
from oslogserve.lines.pure.ansi import without_sequences
from oslogserve.lines.pure.recognise import Recogniser, Seen
from oslogserve.lines.renderer import NativeRenderer, pure_renderer
from oslogserve.lines.selection import NO_TIME, Tally, Wanted
from tests import corpus

VIEWS = ("html", "text", "jsonl", "summary")
LEVELS = (None, *SEVERITIES)
NATIVE_IS_THERE = importlib.util.find_spec("oslogserve_speedups") is not None
#: Lines of the corpus with their time and severity, b"" for none.
EXAMPLES = {
    each.line: (each.time, b"" if each.severity == "NONE" else each.severity.encode())
    for each in corpus.family("heads.tsv")
}

_ALIKE = re.compile(rb"<ol class=b>|</ol>|(?<= id=L)(\d+)><a href=#L\1(?: name=([^>]*))?>#</a>")


pure = pure_renderer()
native = NativeRenderer() if NATIVE_IS_THERE else None
#: The one that a server takes. Where that is the native one, another environment is without it.
SERVED = "native" if NATIVE_IS_THERE else "pure"


def the_native_core():
    """The native core. Fails or skips a test where it is not there."""
    if NATIVE_IS_THERE:
        return
    if os.environ.get("CI") and os.environ.get("OSLOGSERVE_RENDERER") != "pure":
        pytest.fail("oslogserve-speedups is not installed, and OSLOGSERVE_RENDERER is not pure")
    pytest.skip("oslogserve-speedups is not installed")


def bare(html: bytes) -> bytes:
    """A page's lines without their blocks and the links on their numbers, which are all alike: only
    the name of a time stays, in the line's element."""
    return _ALIKE.sub(_without_link, html)


def _without_link(found: re.Match[bytes]) -> bytes:
    number, name = found.groups()
    if number is None:
        return b""
    return number + (b" name=" + name if name else b"") + b">"


def answered(render, pieces: Iterable[bytes], wanted: Wanted, *options) -> tuple[object, Tally]:
    """(what a renderer gives of a log, its tally)"""
    tally = Tally()
    if wanted.label is not None:
        return rows_of(render, pieces, wanted, tally, *options), tally
    content = b"".join(render(pieces, wanted, tally, *options))
    return json.loads(content) if wanted.view == "summary" else content, tally


def rows_of(renderer, pieces, wanted, tally, *options) -> list[tuple[int, bytes]]:
    """The rows of a log, each behind its time."""
    found = []
    reached = NO_TIME
    for rows in renderer.rows(pieces, wanted, tally, *options):
        texts = [rows.text[a:b] for a, b in zip([0, *rows.ends], rows.ends, strict=False)]
        found += zip(rows.times, texts, strict=True)
        assert b"".join(texts) == rows.text
        assert min(rows.times, default=reached) >= reached
        reached = rows.reached
    return found


def speedups():
    return importlib.import_module("oslogserve_speedups")


class NativeRecogniser:
    """The native core's twin of Recogniser."""

    def __init__(self, user_formats: Sequence[UserFormat] = ()) -> None:
        self._grammar = speedups().Grammar(NativeGrammar(user_formats))

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
    if name == "native":
        the_native_core()
    return Recogniser() if name == "pure" else NativeRecogniser()


def cut(log: bytes, at: Iterable[int]) -> list[bytes]:
    """The log in pieces that end at these offsets."""
    ends = sorted(at)
    return [log[a:b] for a, b in zip([0, *ends], [*ends, len(log)], strict=True)]
