# SPDX-License-Identifier: Apache-2.0
"""The lines of which an excerpt is made: the plan by a log's summary, and what is read by it."""

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.json import Decoder
from msgspec.structs import replace

from oslogserve.lines.selection import Selection
from oslogserve.lines.summary import Summary
from oslogserve.text import characters_held

#: Lines that are read: so many, and one more for so many bytes of the excerpt.
LEAST_LINES, BYTES_OF_LINE = 600, 40
#: Lines that are read around an error elsewhere, and bytes of the excerpt for each such error behind the first.
ABOVE_ERROR, BELOW_ERROR, BYTES_OF_ERROR = 2, 10, 2000
#: Bytes of lines that are held as they are; of further lines, so many characters are.
MOST_HELD, SHORT = 1024 * 1024, 512
#: No log has a line of this number.
_NO_LINE = 10**12


class MarkedLine(Struct, frozen=True, array_like=True):
    """A line of the core's view `marked`: what a terminal shows of it, and what it tells of a failure."""

    number: int
    #: The rank of its own severity; 0 for none.
    rank: int
    #: The name of its mark by the rules of causes; "Word" if it speaks of a failure, "Green" for what
    #: passed, a command or quoted source; else "".
    sign: str
    #: The place of its content, behind a time and blanks.
    start: int
    #: True if the log that lines are compared with has no like of it.
    is_new: bool
    #: Its text; of a long line the beginning.
    text: str
    #: Bytes of a long line that are not there, and its end.
    hidden: int = 0
    end: str = ""
    #: The rank of the severity that it inherits; 0 for none.
    inherited: int = 0

    @property
    def content(self) -> str:
        return self.text[self.start :]

    def within(self, most: int) -> str:
        """The text; if it has more than `most` characters, with a mark in place of its middle."""
        whole = self.text + self.end
        if len(whole) <= most:
            if not self.hidden:
                return whole
            head, tail = len(self.text), len(self.end)
        else:
            tail = min(most // 5, len(self.end)) if self.hidden else most // 5
            head = min(most - tail, len(self.text))
        end = len(whole) - tail
        left_out = self.hidden + len(whole[head:end].encode())
        return f"{whole[:head]} ... {left_out:,} bytes ... {whole[end:]}"


_DECODER = Decoder(MarkedLine)


def planned(summary: Summary, lines: int, size: int) -> Selection:
    """The selection of what is read: ranges of lines, none of which touches another, and one more line behind
    each, since a line is written when the next one comes.

    lines: of the log. size: bytes of the excerpt.
    """
    most = LEAST_LINES + size // BYTES_OF_LINE
    wanted = [(1 if lines <= most else lines - most // 5, lines)]
    if lines > most:
        if cause := summary.cause:
            wanted.append((cause.line - most // 10, min(cause.last, cause.line + most // 4)))
            wanted.append((cause.last - most // 10, cause.last + most // 4))
        if step := summary.step:
            wanted += [(step.first, step.first + 1), (step.last - most // 5, step.last + 5)]
        first_of_kinds: dict[int, int] = {}
        for error in summary.errors:
            first_of_kinds.setdefault(error.kind, error.line)
        elsewhere = [
            (line - ABOVE_ERROR, line + BELOW_ERROR)
            for line in first_of_kinds.values()
            if not any(first <= line <= last for first, last in wanted)
        ]
        # The others are known by the summary: to read them takes long.
        wanted += elsewhere[: max(1, size // BYTES_OF_ERROR - 1)]
    ranges: list[tuple[int, int]] = []
    for first, last in sorted(wanted):
        first, last = max(1, first), min(last, lines)
        if ranges and first <= ranges[-1][1] + 1:
            ranges[-1] = ranges[-1][0], max(last, ranges[-1][1])
        elif first <= last:
            ranges.append((first, last))
    return plan_of(ranges)


def plan_of(ranges: Iterable[tuple[int, int]]) -> Selection:
    """The plan to read these ranges of lines, see planned()."""
    shown = tuple(b"L%d-L%d" % (first, last + 1) for first, last in ranges)
    return Selection(first=_NO_LINE, show=shown)


def marked_lines(pieces: Iterable[bytes], plan: Selection) -> Iterator[MarkedLine]:
    """Yields the planned lines, and reads no further. pieces: of the view `marked`."""
    behind = {end for _, end in plan.shown_ranges}
    last = max(behind) - 1
    rest = b""
    held = 0
    for piece in pieces:
        *texts, rest = (rest + piece).split(b"\n")
        for line in map(_DECODER.decode, texts):
            if line.number not in behind:
                held += characters_held(line.text) + characters_held(line.end)
                yield line if held <= MOST_HELD else _short(line)
            if line.number >= last:
                return


def _short(line: MarkedLine) -> MarkedLine:
    whole = line.text + line.end
    if len(whole) <= SHORT:
        return line
    head, end = SHORT * 4 // 5, len(whole) - SHORT // 5
    hidden = line.hidden + len(whole[head:end].encode())
    return replace(line, text=whole[:head], hidden=hidden, end=whole[end:])
