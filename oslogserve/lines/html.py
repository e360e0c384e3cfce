# SPDX-License-Identifier: Apache-2.0
"""Lines as elements of a page."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from oslogserve.lines import ansi
from oslogserve.lines.anchor import anchor_of
from oslogserve.lines.escape import escaped
from oslogserve.lines.formats import NONE, RANK
from oslogserve.lines.links import links_in
from oslogserve.lines.search import Search, spans_in
from oslogserve.lines.select import Gap, Part, Shown
from oslogserve.lines.selection import Tally

_ROW = b'<span id="L%d" class="%b"><a class="n" href="#L%d">%d</a>%b\n</span>'
_TIME = b'<a name="%b" href="#%b">%b</a>'
_URL = b'<a href="%b" rel="noopener noreferrer">%b</a>'
_REQUEST = b'<a href="%bq=%b">%b</a>'
_END = b"\n</span>"
#: The class of the lines below one of a severity. Those below none are as at a log's beginning.
_INHERITED = {name: name + b" more" if rank else name for name, rank in RANK.items()}
#: Lines of a block, which a browser leaves out of its layout as long as nobody looks at it.
_BLOCK = 256
Span = tuple[int, int]


class Elements:
    """Each line an element: id `L<number>`, class its severity, `name` the time's anchor. Lines
    stand in blocks of _BLOCK.

    A line without a severity of its own has that of the last line that had one, and the class
    `more`. `name`, not `id`, because many lines may share a time; the browser goes to the first
    of them. link: see Wanted. searches: what is marked. longest: bytes of a line in which colours,
    links and matches are looked for.
    """

    def __init__(self, link: bytes, searches: Sequence[Search], longest: int) -> None:
        self._link = link
        self._searches = [search.compiled() for search in searches]
        self._longest = longest

    def of_shown(self, shown: Iterable[Shown], tally: Tally) -> Iterator[bytes]:
        """tally: whoever shows them stops where it has as many elements as a page may have."""
        end = b""
        count = 0
        in_block = False
        for one in shown:
            if isinstance(one, Part):
                yield escaped(one.text.removesuffix(b"\n"))
            elif isinstance(one, Gap):
                yield end + (b"" if in_block else _block(0)) + self._gap(one)
                end = b""
                in_block = True
                tally.elements += 1
            else:
                text = one.text.removesuffix(b"\n")
                kind = one.own or _INHERITED[one.severity or NONE]
                kind += b" " + one.role if one.role else b""
                inner = self._line(text, one.start, one.end)
                if not count % _BLOCK and (count or not in_block):
                    end += _block(count)
                    in_block = True
                count += 1
                row = _ROW % (one.number, kind, one.number, one.number, inner)
                tally.elements += _elements(row)
                yield end + row.removesuffix(_END)
                end = _END
        yield end + (b"</div>" if in_block else b"")

    def _gap(self, gap: Gap) -> bytes:
        size = gap.last - gap.first + 1
        told = b"%d line%b\n" % (size, b"" if size == 1 else b"s")
        if not self._link:
            return b'<span class="gap">%b</span>' % told
        address = b"%blines=%d-%d" % (self._link, gap.first, gap.last)
        return b'<a class="gap" href="%b">%b</a>' % (address, told)

    def _line(self, text: bytes, start: int, end: int) -> bytes:
        line = _Line(text[: self._longest], self._link, self._searches)
        before = line.linked(0, start)
        time = b""
        if start < end:
            anchor = anchor_of(ansi.without_sequences(text[start:end]))
            time = _TIME % (anchor, anchor, line.styled(start, end))
        behind = line.linked(end, len(line.text))
        return before + time + behind + escaped(text[self._longest :])


def _elements(marked_up: bytes) -> int:
    """Each has one end."""
    return marked_up.count(b"</")


def _block(lines: int) -> bytes:
    """The beginning of one. lines: in those before."""
    return b'</div><div class="b">' if lines else b'<div class="b">'


class _Line:
    """The inside of one line, from left to right: links around colours around marks."""

    def __init__(self, text: bytes, link: bytes, searches: Sequence[Any]) -> None:
        self.text = text
        self._link = link
        self._style = ansi.PLAIN
        self._marks = _merged(span for one in searches for span in spans_in(one, text))[::-1]

    def linked(self, start: int, end: int) -> bytes:
        parts = []
        for link in links_in(self.text, start, end):
            if not link.is_url and not self._link:
                continue
            parts.append(self.styled(start, link.start))
            to = escaped(self.text[link.start : link.end])
            shown = self.styled(link.start, link.end)
            if link.is_url:
                parts.append(_URL % (to, shown))
            else:
                parts.append(_REQUEST % (self._link, to, shown))
            start = link.end
        return b"".join([*parts, self.styled(start, end)])

    def styled(self, start: int, end: int) -> bytes:
        parts = []
        for found in ansi.SEQUENCE.finditer(self.text, start, end):
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
            parts.append(escaped(self.text[start:first]))
            start = max(first, min(last, end))  # it may end in what is not shown
            parts.append(
                b"<mark>%b</mark>" % escaped(self.text[first:start]) if first < start else b""
            )
            if last > end:
                break
            self._marks.pop()
        return b"".join([*parts, escaped(self.text[start:end])])


def _merged(spans: Iterable[Span]) -> list[Span]:
    """In order, and none touching another."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
