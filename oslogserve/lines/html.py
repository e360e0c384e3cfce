# SPDX-License-Identifier: Apache-2.0
"""Lines as elements of a page."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from oslogserve.lines import ansi
from oslogserve.lines.anchor import anchor_of
from oslogserve.lines.filter import Run
from oslogserve.lines.formats import RANK, SEVERITIES
from oslogserve.lines.recognise import Formats
from oslogserve.lines.search import Search, spans_in
from oslogserve.lines.select import Gap, Part, Shown

_END = b"\n</span>"
_NONE = SEVERITIES[0].encode()
#: The class of the lines below one of a severity. Those below none are as at a log's beginning.
_INHERITED = {name: name + b" more" if rank else name for name, rank in RANK.items()}
_REQUEST_ID = re.compile(rb"req-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
Span = tuple[int, int]


def escaped(text: bytes) -> bytes:
    """For text between tags and in attributes with double quotes."""
    return (
        text.replace(b"&", b"&amp;")
        .replace(b"<", b"&lt;")
        .replace(b">", b"&gt;")
        .replace(b'"', b"&quot;")
    )


class Elements:
    """Each line an element: id `L<number>`, class its severity, `name` the time's anchor.

    A line without a severity of its own has that of the last line that had one, and the class
    `more`. `name`, not `id`, because many lines may share a time; the browser goes to the first
    of them. link: see Wanted. searches: what is marked. longest: bytes of a line in which colours,
    request ids and matches are looked for.
    """

    def __init__(self, link: bytes, searches: Sequence[Search], longest: int) -> None:
        self._link = link
        self._searches = [search.compiled() for search in searches]
        self._longest = longest
        self._to_request = rb'<a href="%bq=\g<0>">\g<0></a>' % link.replace(b"\\", rb"\\")

    def of_runs(self, runs: Iterable[Run], formats: Formats) -> Iterator[bytes]:
        """Of blocks of lines, where nothing is searched."""
        inherited = _NONE
        inside_line = False
        for number, lines in runs:
            if inside_line:
                end = lines.find(b"\n") + 1
                if not end:
                    yield escaped(lines)
                    continue
                yield escaped(lines[: end - 1]) + _END
                lines = lines[end:]
                number += 1
            inside_line = not lines.endswith(b"\n") if lines else False
            rows = []
            whole = lines + b"\n" if inside_line else lines
            texts = whole.split(b"\n")
            simple = self._simple(whole).split(b"\n")
            is_simple = b"\x1b" not in whole and len(whole) <= self._longest
            for index, (start, end, own) in enumerate(formats.seen_in(whole)):
                inherited = _INHERITED[own] if own else inherited
                inner = simple[index]
                if start or not (is_simple or self._is_simple(texts[index])):
                    inner = self._line(texts[index], start, end)
                elif end:
                    inner = _time(inner[:end], inner[:end]) + inner[end:]
                kind = own or inherited
                rows.append(
                    b'<span id="L%d" class="%b">%b\n</span>' % (number + index, kind, inner)
                )
            marked_up = b"".join(rows)
            yield marked_up.removesuffix(_END) if inside_line else marked_up
        if inside_line:
            yield _END

    def of_shown(self, shown: Iterable[Shown]) -> Iterator[bytes]:
        end = b""
        for one in shown:
            if isinstance(one, Part):
                yield escaped(one.text.removesuffix(b"\n"))
            elif isinstance(one, Gap):
                yield end + self._gap(one)
                end = b""
            else:
                text = one.text.removesuffix(b"\n")
                kind = one.own or _INHERITED[one.severity or _NONE]
                kind += b" " + one.role if one.role else b""
                inner = self._line(text, one.start, one.end)
                yield b'%b<span id="L%d" class="%b">%b' % (end, one.number, kind, inner)
                end = _END
        yield end

    def _gap(self, gap: Gap) -> bytes:
        size = gap.last - gap.first + 1
        told = b"%d line%b\n" % (size, b"" if size == 1 else b"s")
        if not self._link:
            return b'<span class="gap">%b</span>' % told
        address = b"%blines=%d-%d" % (self._link, gap.first, gap.last)
        return b'<a class="gap" href="%b">%b</a>' % (address, told)

    def _simple(self, lines: bytes) -> bytes:
        text = escaped(lines)
        if not self._link or b"req-" not in text:
            return text
        return _REQUEST_ID.sub(self._to_request, text)

    def _is_simple(self, text: bytes) -> bool:
        return b"\x1b" not in text and len(text) <= self._longest

    def _line(self, text: bytes, start: int, end: int) -> bytes:
        line = _Line(text[: self._longest], self._link, self._searches)
        before = line.linked(0, start)
        time = _time(text[start:end], line.styled(start, end)) if end else b""
        behind = line.linked(end, len(line.text))
        return before + time + behind + escaped(text[self._longest :])


def _time(text: bytes, shown: bytes) -> bytes:
    anchor = anchor_of(ansi.without_sequences(text))
    return b'<a name="%b" href="#%b">%b</a>' % (anchor, anchor, shown)


class _Line:
    """The inside of one line, from left to right: links around colours around marks."""

    def __init__(self, text: bytes, link: bytes, searches: Sequence[Any]) -> None:
        self.text = text
        self._link = link
        self._style = ansi.PLAIN
        self._marks = _merged(span for one in searches for span in spans_in(one, text))[::-1]

    def linked(self, start: int, end: int) -> bytes:
        parts = []
        requests = _REQUEST_ID.finditer(self.text, start, end) if self._link else ()
        for found in requests:
            parts.append(self.styled(start, found.start()))
            shown = self.styled(*found.span())
            parts.append(b'<a href="%bq=%b">%b</a>' % (self._link, found[0], shown))
            start = found.end()
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
