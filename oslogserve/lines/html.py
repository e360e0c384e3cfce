# SPDX-License-Identifier: Apache-2.0
"""HTML elements of lines.

    <li class=E id=L17><a href=#L17 name=_2013-09-27_18_22_11_248>#</a>2013-09-27 18:22:11.248 ...

Optional end tags and quotes are left out: they would be a third of a large log's page. The style
sheet takes the number from the link's address. `name`, not `id`, leads to a time, since `id` has
the number.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from oslogserve.lines import ansi
from oslogserve.lines.anchor import anchor_of
from oslogserve.lines.escape import escaped
from oslogserve.lines.links import Link, links_in
from oslogserve.lines.search import Search, matches_in
from oslogserve.lines.select import Gap, Line, Part, Shown
from oslogserve.lines.selection import Tally
from oslogserve.lines.severities import NAMES

#: Lines of a block, which a browser does not lay out until it is scrolled to.
_BLOCK = 256
_BLOCK_BEGINS = b"<ol class=b>"
_BLOCK_ENDS = b"</ol>"
#: Where a match begins and ends.
Place = tuple[int, int]


class Elements:
    """The elements of one log's lines, in blocks of _BLOCK.

    link: see Wanted. searches: what to mark. longest: bytes of a line in which colours, links and
    matches are found.
    """

    def __init__(self, link: bytes, searches: Sequence[Search], longest: int) -> None:
        self._link = link
        self._searches = [search.compiled() for search in searches]
        self._longest = longest
        self._anchor = b""  # of the last time

    def of_shown(self, shown: Iterable[Shown], tally: Tally) -> Iterator[bytes]:
        """The elements, counted in the tally, by which the selector ends a page."""
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
        """The element of a line, without its line feed."""
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
        """The attribute that leads to a time, on the first of the lines that share it; else b""."""
        anchor = anchor_of(line.time) if line.start < line.end else self._anchor
        if anchor == self._anchor:
            return b""
        self._anchor = anchor
        return b" name=" + anchor


def _class_of(line: Line) -> bytes:
    """The class attribute: the severity's initial, in lower case if inherited, and the role."""
    severity = line.own or line.severity
    initial = b"" if severity == NAMES[0] else severity[:1] if line.own else severity[:1].lower()
    names = b" ".join(filter(None, (initial, line.role)))
    return b"" if not names else b' class="%b"' % names if b" " in names else b" class=" + names


def _start_tags(marked_up: bytes) -> int:
    """The number of start tags; all other `<` are escaped."""
    return marked_up.count(b"<") - marked_up.count(b"</")


class _Text:
    """A text that is marked up from left to right: links around colours around marks."""

    def __init__(self, text: bytes, link: bytes, searches: Sequence[Any]) -> None:
        self._text = text
        self._link = link
        self._style = ansi.PLAIN
        self._marks = _merged(place for one in searches for place in matches_in(one, text))[::-1]

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


def _merged(places: Iterable[Place]) -> list[Place]:
    """The places in order, those that touch joined."""
    merged: list[Place] = []
    for start, end in sorted(places):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
