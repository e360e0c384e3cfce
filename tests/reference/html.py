# SPDX-License-Identifier: Apache-2.0
"""Renders lines as HTML elements.

    <li class=E id=L17><a href=#L17 name=_2013-09-27_18_22_11_248>#</a>2013-09-27 18:22:11.248 ...

Optional end tags and quotes are left out: they would be a third of a large log's page. The style
sheet takes the shown number from the link's address. A time is marked by `name`, since `id` has the
number.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

from oslogserve.lines.grammar.severities import NAMES
from oslogserve.lines.search import Search, most_matches
from oslogserve.lines.selection import Tally
from tests.reference import ansi
from tests.reference.anchor import anchor_of
from tests.reference.escape import escaped
from tests.reference.line import Line
from tests.reference.links import MOST_URLS, LinkSpan, is_url, links_in
from tests.reference.overwritten import overwritten_in
from tests.reference.search import compiled, matches_in
from tests.reference.select import Gap, Shown
from tests.reference.split import RestOfLine

#: Lines of a block. A browser lays a block out only once it is scrolled to.
_BLOCK = 256
_BLOCK_BEGINS = b"<ol class=b>"
_BLOCK_ENDS = b"</ol>"
#: A carriage return, escaped, since an HTML parser turns a bare one into a line feed.
_RETURN = b"&#13;"


class Elements:
    """Renders the lines of one log, in blocks of _BLOCK lines.

    link: see Wanted. searches: their matches are marked. longest: bytes of a line that may have
    colours, links and marks. label: the address of the log, for rows.
    """

    def __init__(
        self, link: bytes, searches: Sequence[Search], longest: int, label: bytes | None = None
    ) -> None:
        self._link = link
        self._label = label
        self._searches = [compiled(search) for search in searches]
        self._most_matches = most_matches(searches)
        self._longest = longest
        self._anchor = b""  # the anchor of the last time

    def rendered(self, shown: Iterable[Shown], tally: Tally) -> Iterator[bytes]:
        """Yields the elements, counted in the tally: there the selector checks the page's limit."""
        lines = 0
        between = _BLOCK_BEGINS
        for one in shown:
            match one:
                case RestOfLine():
                    yield escaped(one.text.removesuffix(b"\n"))
                    continue
                case Gap():
                    element = self._gap(one)
                case Line():
                    if lines and lines % _BLOCK == 0:
                        between += _BLOCK_ENDS + _BLOCK_BEGINS
                    lines += 1
                    element = self._line(one)
            tally.elements += _start_tags(element)
            yield between + element
            between = b"\n"
        if between == b"\n":
            yield between + _BLOCK_ENDS

    def row(self, line: Line, tally: Tally) -> bytes:
        """The element of a line as a row. It has no id: other logs of the page have the same numbers."""
        element = self._line(line)
        tally.elements += _start_tags(element)
        return element + b"\n"

    def _gap(self, gap: Gap) -> bytes:
        size = gap.last - gap.first + 1
        text = b"%b line%b" % (f"{size:,}".encode(), b"" if size == 1 else b"s")
        if self._link:
            text = b'<a href="%blines=%d-%d">%b</a>' % (self._link, gap.first, gap.last, text)
        return b"<li class=gap>" + text

    def _line(self, line: Line) -> bytes:
        """The element of a line, without its line feed."""
        content = line.text.removesuffix(b"\n")
        text, rest = content[: self._longest], content[self._longest :]
        marks = [
            place
            for search in self._searches
            for place in matches_in(search, text, self._most_matches)
        ]
        marked_up = _Text(text, self._link, marks).marked_up() + escaped(rest)
        link = b"<a href=%b#L%d%b>" % (self._label or b"", line.number, self._name_of(line))
        if self._label is not None:
            return b"<li%b>%b%d</a>%b" % (_class_of(line), link, line.number, marked_up)
        return b"<li%b id=L%d>%b#</a>%b" % (_class_of(line), line.number, link, marked_up)

    def _name_of(self, line: Line) -> bytes:
        """The attribute that marks a time, for the first line with that time; else b""."""
        anchor = anchor_of(line.seen.time) if line.seen.time else self._anchor
        if anchor == self._anchor:
            return b""
        self._anchor = anchor
        return b" name=" + anchor


def _class_of(line: Line) -> bytes:
    """The class attribute: the severity's initial, in lower case if inherited, the role, and new."""
    initial = NAMES[line.seen.rank or line.rank][:1] if line.rank else b""
    new = b"new" if line.is_new else b""
    names = [initial if line.seen.rank else initial.lower(), line.role, new]
    value = b" ".join(filter(None, names))
    if b" " in value:
        return b' class="%b"' % value
    return b" class=" + value if value else b""


def _start_tags(marked_up: bytes) -> int:
    """The number of start tags; all other `<` are escaped."""
    return marked_up.count(b"<") - marked_up.count(b"</")


class _Text:
    """Marks up a line's text from left to right: links around colours around marks.

    A link of a terminal (OSC 8) goes on to the next one or to the line's end, as colours do.

    Overwritten text is put in <s>, so that a copy of the line has it.
    """

    def __init__(self, text: bytes, link: bytes, marks: Iterable[tuple[int, int]]) -> None:
        """marks: start and end of each match."""
        self._text = text
        self._link = link
        self._style = ansi.PLAIN
        self._address = b""  # of the terminal's link that is open
        self._addresses_left = MOST_URLS
        self._marks = _merged(marks)

    def marked_up(self) -> bytes:
        start, end = overwritten_in(self._text)
        if start == end:
            return self._with_links(0, len(self._text))
        parts = [self._with_links(0, start), b"<s>"]
        at = start
        for written in self._text[start:end].split(b"\r"):
            parts += self._with_links(at, at + len(written)), _RETURN
            at += len(written) + 1
        parts[-1] = b"</s>"
        parts.append(self._with_links(end, len(self._text)))
        return b"".join(parts)

    def _with_links(self, start: int, end: int) -> bytes:
        parts: list[bytes] = []
        at = start
        for found in ansi.SEQUENCE.finditer(self._text, start, end):
            if found["address"] is not None:
                parts.append(self._in_link(at, found.start()))
                self._open(found["address"])
                at = found.end()
        return b"".join([*parts, self._in_link(at, end)])

    def _open(self, address: bytes) -> None:
        """Opens a terminal's link. It is text if it is no URL, or if the line has many."""
        self._address = address if self._addresses_left and is_url(address) else b""
        self._addresses_left -= bool(self._address)

    def _in_link(self, start: int, end: int) -> bytes:
        if not self._address:
            return self._with_own_links(start, end)
        shown = self._styled(start, end)
        return b'<a href="%b">%b</a>' % (escaped(self._address), shown) if shown else b""

    def _with_own_links(self, start: int, end: int) -> bytes:
        """The text with links to what it shows: URLs and request ids."""
        parts: list[bytes] = []
        at = start
        for link in links_in(self._text[start:end]):
            if link.is_url or self._link:
                link = LinkSpan(start + link.start, start + link.end, link.is_url)
                parts += self._styled(at, link.start), self._linked(link)
                at = link.end
        return b"".join([*parts, self._styled(at, end)])

    def _linked(self, link: LinkSpan) -> bytes:
        address = escaped(self._text[link.start : link.end])
        before = b"" if link.is_url else self._link + b"q="
        return b'<a href="%b%b">%b</a>' % (before, address, self._styled(link.start, link.end))

    def _styled(self, start: int, end: int) -> bytes:
        parts = []
        for found in ansi.SEQUENCE.finditer(self._text, start, end):
            parts.append(self._in_style(start, found.start()))
            if found["last"] == b"m":
                self._style = self._style.after(found["parameters"])
            start = found.end()
        return b"".join([*parts, self._in_style(start, end)])

    def _in_style(self, start: int, end: int) -> bytes:
        classes = self._style.classes()
        marked = self._marked(start, end)
        return b'<span class="%b">%b</span>' % (classes, marked) if classes and marked else marked

    def _marked(self, start: int, end: int) -> bytes:
        parts = []
        at = bisect_right(self._marks, start, key=itemgetter(1))
        while start < end and at < len(self._marks) and self._marks[at][0] < end:
            first, last = max(self._marks[at][0], start), min(self._marks[at][1], end)
            parts.append(escaped(self._text[start:first]))
            parts.append(b"<mark>%b</mark>" % escaped(self._text[first:last]))
            start = last
            at += 1
        return b"".join([*parts, escaped(self._text[start:end])])


def _merged(matches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Starts and ends of the matches in order; those that touch are joined."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(matches):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
