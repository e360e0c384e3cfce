# SPDX-License-Identifier: Apache-2.0
"""Lines as elements of a page."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any

from oslogserve.lines import ansi
from oslogserve.lines.anchor import anchor_of, anchors_of
from oslogserve.lines.escape import escaped
from oslogserve.lines.filter import Run
from oslogserve.lines.formats import NONE, RANK
from oslogserve.lines.links import linked, linked_in, links_in
from oslogserve.lines.recognise import Formats, Seen
from oslogserve.lines.search import Search, spans_in
from oslogserve.lines.select import Gap, Part, Shown
from oslogserve.lines.selection import Page, Tally

_ROW = b'<span id="L%d" class="%b"><a class="n" href="#L%d">%d</a>%b\n</span>'
_TIME = b'<a name="%b" href="#%b">%b</a>'
_TIMED_ROW = _ROW.replace(b"</a>%b", b"</a>%b" + _TIME + b"%b")
_END = b"\n</span>"
#: The class of the lines below one of a severity. Those below none are as at a log's beginning.
_INHERITED = {name: name + b" more" if rank else name for name, rank in RANK.items()}
#: Lines of a block, which a browser leaves out of its layout as long as nobody looks at it.
_BLOCK = 256
#: Bytes of lines marked up at once. What is made of more by the way is so large that malloc() asks the
#: kernel for each, and leaves the processor's cache.
_PART = 48 * 1024
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

    def of_runs(
        self, runs: Iterable[Run], formats: Formats, tally: Tally, page: Page | None
    ) -> Iterator[bytes]:
        """Of blocks of lines, where nothing is searched. page: see Wanted."""
        inherited = NONE
        inside_line = False
        room = _Room(page, tally)
        for numbers, lines in runs:
            if inside_line:
                end = lines.find(b"\n") + 1
                if tally.next_page is None:
                    room.size -= end or len(lines)
                    yield escaped(lines[: end - 1]) + _END if end else escaped(lines)
                if not end:
                    continue
                numbers, lines = numbers[1:], lines[end:]
            inside_line = not lines.endswith(b"\n") if lines else False
            whole = lines + b"\n" if inside_line else lines
            is_shown = tally.next_page is None
            seen, rows, inherited = self._of_block(numbers, whole, formats, inherited, is_shown)
            if not seen:
                continue
            _count(numbers, seen, tally)
            if is_shown:
                shown = tally.sent
                del rows[room.taken(lines, rows) :]
                if len(rows) < len(seen):
                    tally.next_page = numbers[len(rows)]
                for index in range(-shown % _BLOCK, len(rows), _BLOCK):
                    rows[index] = _block(shown + index) + rows[index]
                marked_up = b"".join(rows)
                is_open = inside_line and tally.next_page is None
                yield marked_up.removesuffix(_END) if is_open else marked_up
        if inside_line and tally.next_page is None:
            yield _END
        if tally.sent:
            yield b"</div>"

    def _of_block(
        self,
        numbers: Sequence[int],
        whole: bytes,
        formats: Formats,
        inherited: bytes,
        is_shown: bool,
    ) -> tuple[list[Seen], list[bytes], bytes]:
        """What is seen in its lines; rows of them if they are shown, and what those behind inherit."""
        seen: list[Seen] = []
        rows: list[bytes] = []
        for part in _parts(whole):
            texts = part.split(b"\n")
            found = formats.seen_in(part, texts)
            if is_shown:
                odd = self._odd(part, texts, found)
                made, inherited = self._rows(numbers[len(seen) :], texts, found, odd, inherited)
                rows += made
            seen += found
        return seen, rows, inherited

    def _rows(
        self,
        numbers: Sequence[int],
        texts: list[bytes],
        seen: list[Seen],
        odd: dict[int, bytes],
        inherited: bytes,
    ) -> tuple[list[bytes], bytes]:
        """Of a part's lines, and what those behind them inherit. odd: see _odd()."""
        for index in odd:
            texts[index] = b""
        times = [text[start:end] for text, (start, end, _) in zip(texts, seen, strict=False)]
        before = self._before_times(texts, seen)
        behind = linked_in(
            [text[end:] for text, (_, end, _) in zip(texts, seen, strict=False)], self._link
        )
        for index, inner in odd.items():
            behind[index] = inner
        rows: list[bytes] = []
        for here, (_, _, own), first, time, anchor, rest in zip(
            numbers, seen, before, times, anchors_of(times), behind, strict=False
        ):
            if own:
                inherited = _INHERITED[own]
            rows.append(
                _TIMED_ROW % (here, own or inherited, here, here, first, anchor, anchor, time, rest)
                if time
                else _ROW % (here, own or inherited, here, here, rest)
            )
        return rows, inherited

    def _odd(self, whole: bytes, texts: list[bytes], seen: list[Seen]) -> dict[int, bytes]:
        """The lines that have to be marked up by themselves, so marked up, by their index."""
        if self._is_simple(whole):
            return {}
        return {
            index: self._line(text, start, end)
            for index, (text, (start, end, _)) in enumerate(zip(texts, seen, strict=False))
            if not self._is_simple(text)
        }

    def _before_times(self, texts: list[bytes], seen: list[Seen]) -> Iterable[bytes]:
        if not any(start for start, _, _ in seen):
            return repeat(b"")
        before = [text[:start] for text, (start, _, _) in zip(texts, seen, strict=False)]
        return linked_in(before, self._link)

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

    def _is_simple(self, text: bytes) -> bool:
        return b"\x1b" not in text and len(text) <= self._longest

    def _line(self, text: bytes, start: int, end: int) -> bytes:
        line = _Line(text[: self._longest], self._link, self._searches)
        before = line.linked(0, start)
        time = ansi.without_sequences(text[start:end])
        time = _time(time, line.styled(start, end)) if end else b""
        behind = line.linked(end, len(line.text))
        return before + time + behind + escaped(text[self._longest :])


def _parts(lines: bytes) -> Iterator[bytes]:
    """Of whole lines."""
    start = 0
    while start < len(lines):
        end = lines.find(b"\n", start + _PART) + 1 or len(lines)
        yield lines[start:end]
        start = end


def _count(numbers: Sequence[int], seen: list[Seen], tally: Tally) -> None:
    """The lines of a block."""
    shown = [own for _, _, own in seen]
    tally.matched += len(seen)
    for severity, lines in Counter(shown).items():
        rank = RANK[severity or NONE]
        first = 0 if rank in tally.severities else numbers[shown.index(severity)]
        tally.count(rank, first, lines)


class _Room:
    """What is left of a page. size: bytes."""

    def __init__(self, page: Page | None, tally: Tally) -> None:
        self.size: float = math.inf if page is None else page.size
        self._elements = math.inf if page is None else page.elements
        self._tally = tally

    def taken(self, lines: bytes, rows: list[bytes]) -> int:
        """How many of a block's lines there was room for. rows: each line marked up."""
        tally, count = self._tally, len(rows)
        elements = _elements(b"".join(rows))
        if self.size < len(lines) or tally.elements + elements > self._elements:
            count = self._fitting(lines, rows)
            elements = _elements(b"".join(rows[:count]))
        self.size -= len(lines)
        tally.elements += elements
        tally.sent += count
        return count

    def _fitting(self, lines: bytes, rows: list[bytes]) -> int:
        size, elements = self.size, self._elements - self._tally.elements
        for count, (text, row) in enumerate(zip(lines.split(b"\n"), rows, strict=False)):
            if size <= 0 or elements <= 0:
                return count
            size -= len(text) + 1
            elements -= _elements(row)
        return len(rows)


def _elements(marked_up: bytes) -> int:
    """Each has one end."""
    return marked_up.count(b"</")


def _block(lines: int) -> bytes:
    """The beginning of one. lines: in those before."""
    return b'</div><div class="b">' if lines else b'<div class="b">'


def _time(text: bytes, shown: bytes | None = None) -> bytes:
    anchor = anchor_of(text)
    return _TIME % (anchor, anchor, text if shown is None else shown)


class _Line:
    """The inside of one line, from left to right: links around colours around marks."""

    def __init__(self, text: bytes, link: bytes, searches: Sequence[Any]) -> None:
        self.text = text
        self._link = link
        self._style = ansi.PLAIN
        self._marks = _merged(span for one in searches for span in spans_in(one, text))[::-1]

    def linked(self, start: int, end: int) -> bytes:
        parts = []
        for first, last, is_url in links_in(self.text, start, end, bool(self._link)):
            parts.append(self.styled(start, first))
            to = escaped(self.text[first:last])
            parts.append(linked(self._link, to, is_url, self.styled(first, last)))
            start = last
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
