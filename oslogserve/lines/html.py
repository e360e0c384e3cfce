# SPDX-License-Identifier: Apache-2.0
"""Lines as elements of a page.

    <li class=E id=L17><a href=#L17 name=_2013-09-27_18_22_11_248>#</a>2013-09-27 18:22:11.248 ...

No end tag that HTML lets one leave out, and no quotes around what needs none: of a large log these
bytes are a third of its page. The style sheet makes the number of the link's address. `name`, not
`id`, leads to a time, for many pages and links of the past have both.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from oslogserve.lines import ansi
from oslogserve.lines.anchor import anchor_of
from oslogserve.lines.escape import escaped
from oslogserve.lines.links import Link, links_in
from oslogserve.lines.search import Search, spans_in
from oslogserve.lines.select import Gap, Line, Part, Shown
from oslogserve.lines.selection import Tally
from oslogserve.lines.severities import NAMES

#: Lines of a block, which a browser leaves out of its layout as long as nobody looks at it.
_BLOCK = 256
_BLOCK_BEGINS = b"<ol class=b>"
_BLOCK_ENDS = b"</ol>"
Span = tuple[int, int]


class Elements:
    """The elements of one log's lines, in blocks of _BLOCK.

    link: see Wanted. searches: what is marked. longest: bytes of a line in which colours, links
    and matches are looked for.
    """

    def __init__(self, link: bytes, searches: Sequence[Search], longest: int) -> None:
        self._link = link
        self._searches = [search.compiled() for search in searches]
        self._longest = longest
        self._anchor = b""  # of the last time

    def of_shown(self, shown: Iterable[Shown], tally: Tally) -> Iterator[bytes]:
        """tally: whoever shows them stops where it has as many elements as a page may have."""
        end = b""
        lines = 0
        in_block = False
        for one in shown:
            if isinstance(one, Part):
                yield escaped(one.text.removesuffix(b"\n"))
                continue
            if isinstance(one, Line):
                if lines and lines % _BLOCK == 0:
                    end += _BLOCK_ENDS
                    in_block = False
                lines += 1
            element = self._line(one) if isinstance(one, Line) else self._gap(one)
            tally.elements += _start_tags(element)
            yield end + (b"" if in_block else _BLOCK_BEGINS) + element
            in_block = True
            end = b"\n"
        yield end + (_BLOCK_ENDS if in_block else b"")

    def _gap(self, gap: Gap) -> bytes:
        size = gap.last - gap.first + 1
        text = b"%d line%b" % (size, b"" if size == 1 else b"s")
        if self._link:
            text = b'<a href="%blines=%d-%d">%b</a>' % (self._link, gap.first, gap.last, text)
        return b"<li class=gap>" + text

    def _line(self, line: Line) -> bytes:
        """Without its end."""
        text = line.text.removesuffix(b"\n")
        looked_at = _Text(text[: self._longest], self._link, self._searches)
        return b"<li%b id=L%d><a href=#L%d%b>#</a>%b%b" % (
            _class_of(line),
            line.number,
            line.number,
            self._name_of(line),
            looked_at.marked_up(),
            escaped(text[self._longest :]),
        )

    def _name_of(self, line: Line) -> bytes:
        """The attribute that leads to the line's time, on the first of the lines that share it."""
        anchor = anchor_of(line.time) if line.start < line.end else self._anchor
        if anchor == self._anchor:
            return b""
        self._anchor = anchor
        return b" name=" + anchor


def _class_of(line: Line) -> bytes:
    """The attribute: the severity's initial, lower case where it is inherited, and the role."""
    severity = line.own or line.severity
    initial = b"" if severity == NAMES[0] else severity[:1] if line.own else severity[:1].lower()
    names = b" ".join(filter(None, (initial, line.role)))
    return b"" if not names else b' class="%b"' % names if b" " in names else b" class=" + names


def _start_tags(marked_up: bytes) -> int:
    """All other `<` are escaped."""
    return marked_up.count(b"<") - marked_up.count(b"</")


class _Text:
    """A line's text, marked up from left to right: links around colours around marks."""

    def __init__(self, text: bytes, link: bytes, searches: Sequence[Any]) -> None:
        self._text = text
        self._link = link
        self._style = ansi.PLAIN
        self._marks = _merged(span for one in searches for span in spans_in(one, text))[::-1]

    def marked_up(self) -> bytes:
        parts: list[bytes] = []
        start = 0
        for link in links_in(self._text):
            if link.is_url or self._link:
                parts += self._styled(start, link.start), self._linked(link)
                start = link.end
        return b"".join([*parts, self._styled(start, len(self._text))])

    def _linked(self, link: Link) -> bytes:
        address = escaped(self._text[link.start : link.end])
        before = b"" if link.is_url else self._link + b"q="
        return b'<a href="%b%b">%b</a>' % (before, address, self._styled(link.start, link.end))

    def _styled(self, start: int, end: int) -> bytes:
        parts = []
        for found in ansi.SEQUENCE.finditer(self._text, start, end):
            parts.append(self._in_style(start, found.start()))
            if found[2] == b"m":
                self._style = ansi.after(self._style, found[1])
            start = found.end()
        return b"".join([*parts, self._in_style(start, end)])

    def _in_style(self, start: int, end: int) -> bytes:
        classes = self._style.classes
        marked = self._marked(start, end)
        return b'<span class="%b">%b</span>' % (classes, marked) if classes and marked else marked

    def _marked(self, start: int, end: int) -> bytes:
        parts = []
        while self._marks and self._marks[-1][0] < end:
            first, last = self._marks[-1]
            first = max(first, start)
            parts.append(escaped(self._text[start:first]))
            start = max(first, min(last, end))  # it may end in what is not shown
            if first < start:
                parts.append(b"<mark>%b</mark>" % escaped(self._text[first:start]))
            if last > end:
                break
            self._marks.pop()
        return b"".join([*parts, escaped(self._text[start:end])])


def _merged(spans: Iterable[Span]) -> list[Span]:
    """In order, and none touching another."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
