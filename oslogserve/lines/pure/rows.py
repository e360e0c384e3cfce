# SPDX-License-Identifier: Apache-2.0
"""Lines as rows, each complete in itself."""

from array import array
from collections.abc import Iterable, Iterator

from oslogserve.lines.clock import Clock
from oslogserve.lines.pure.html import Elements
from oslogserve.lines.pure.jsonl import row_of
from oslogserve.lines.pure.select import Line, Shown
from oslogserve.lines.rows import Rows
from oslogserve.lines.selection import Tally, Wanted


def rows_of(
    shown: Iterable[Shown], wanted: Wanted, clock: Clock, tally: Tally, longest: int
) -> Iterator[Rows]:
    """The rows of the lines shown, one by one. longest: bytes of a line; the rest of it is cut."""
    elements = Elements(wanted.link, wanted.selection.searches, longest, wanted.label)
    for line in shown:
        if not isinstance(line, Line):
            continue
        content = line.text.removesuffix(b"\n")
        if len(content) >= longest:  # so that how the log was cut into pieces is not to be seen
            tally.cut_line = tally.cut_line or line.number
            content = content[:longest]
            line = line._replace(text=content)
        match wanted.view:
            case "html":
                row = elements.row(line, tally)
            case "jsonl":
                row = row_of(line, clock, longest, wanted.label or b"")
            case _:
                row = b"%b%d:%b\n" % (wanted.label or b"", line.number, content)
        yield Rows(row, array("q", [len(row)]), array("q", [line.time]), line.time)
