# SPDX-License-Identifier: Apache-2.0
"""The renderer for tests: what it gives of a log, and what a page shows of one line."""

import functools
import re
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import convert, to_builtins

from oslogserve.lines.renderer import Renderer, Room
from oslogserve.lines.selection import LONGEST_LINE, NO_TIME, Tally, Wanted
from oslogserve.lines.summary import Summary
from oslogserve.native import SEVERITIES, LogWords
from tests import corpus

VIEWS = ("html", "text", "jsonl", "summary")
LEVELS = (None, *SEVERITIES)
#: Lines of the corpus with their time and severity, b"" for none.
EXAMPLES = {
    each.line: (each.time, b"" if each.severity == "NONE" else each.severity.encode())
    for each in corpus.family("heads.tsv")
}

_ALIKE = re.compile(rb"<ol class=b>|</ol>|(?<= id=L)(\d+)><a href=#L\1(?: name=([^>]*))?>#</a>")
_ELEMENT = re.compile(rb"<ol class=b><li(?: class=(\w))? id=L1><a href=#L1(?: name=([^>]*))?>#</a>")
_BY_INITIAL = {name[:1]: name for name in map(str.encode, SEVERITIES)}


@functools.cache
def renderer() -> Renderer:
    """The renderer without user formats, whose grammar is compiled once."""
    return Renderer()


class Seen(NamedTuple):
    """What is seen in a line: the anchor of its time, and its severity; b"" for none."""

    anchor: bytes
    severity: bytes


def seen_in(line: bytes, of: Renderer | None = None) -> Seen:
    """What a page shows of a line that is a log of its own."""
    page = b"".join((of or renderer())([line], Wanted("html")))
    found = _ELEMENT.match(page)
    if found is None:  # an empty log
        return Seen(b"", b"")
    initial, anchor = found.groups(b"")
    return Seen(anchor, _BY_INITIAL[initial] if initial else b"")


def words_of(*pieces: bytes) -> LogWords:
    """The words of a log of a run that passed."""
    words = renderer().new_words()
    for piece in pieces:
        words.feed(piece)
    words.finish()
    return words


def new_lines(log: bytes, words: LogWords) -> list[int]:
    """The numbers of the lines that the log of these words has no like of."""
    rendering = renderer()([log], Wanted("jsonl", words=words))
    return [line["line"] for line in rendering.objects() if "new" in line]


def is_new(line: bytes, words: LogWords) -> bool:
    """True for a line that the log of these words has no like of."""
    return new_lines(line, words) == [1]


def anchor_of(time: bytes) -> bytes:
    """The anchor of a time, as the manual defines it."""
    return b"_" + re.sub(rb"[^0-9A-Za-z+/-]", b"_", time) if time else b""


def escaped(text: bytes) -> bytes:
    """The text as HTML shows it between tags."""
    return text.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;")


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
    rendering = render(pieces, wanted, room=Room(line=longest))
    if wanted.label is not None:
        return rows_of(rendering), rendering.tally
    if wanted.view == "summary":
        return to_builtins(rendering.summary()), rendering.tally
    return b"".join(rendering), rendering.tally


def summary_with(**members) -> Summary:
    """The summary of an empty log, with these members."""
    empty = to_builtins(renderer()([], Wanted("summary")).summary())
    return convert(empty | members, Summary)


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


def cut(log: bytes, at: Iterable[int]) -> list[bytes]:
    """The log in pieces that end at these offsets."""
    ends = sorted(at)
    return [log[a:b] for a, b in zip([0, *ends], [*ends, len(log)], strict=True)]
