# SPDX-License-Identifier: Apache-2.0
"""JSON Lines: one object for each line."""

import json
from collections.abc import Iterable, Iterator

from oslogserve.lines.grammar.severities import SEVERITIES
from oslogserve.lines.grammar.times import Clock
from oslogserve.lines.pure.ansi import without_sequences
from oslogserve.lines.pure.select import Line, Shown
from oslogserve.lines.pure.split import RestOfLine

_END = b'"}\n'
_CUT_END = b'", "cut": true}\n'


def objects(shown: Iterable[Shown], clock: Clock, longest: int) -> Iterator[bytes]:
    """The objects of the lines shown. longest: bytes of a line; the rest of it is cut."""
    end = b""
    for one in shown:
        match one:
            case RestOfLine():
                end = end if one.text == b"\n" else _CUT_END
            case Line():
                yield end + _object(one, clock, longest)
                end = _CUT_END if len(one.text.removesuffix(b"\n")) > longest else _END
    yield end


def row_of(line: Line, clock: Clock, longest: int, label: bytes) -> bytes:
    """The object of one line. label: its first member."""
    is_cut = len(line.text.removesuffix(b"\n")) >= longest
    return b"{" + label + _object(line, clock, longest)[1:] + (_CUT_END if is_cut else _END)


def _object(line: Line, clock: Clock, longest: int) -> bytes:
    """The beginning of a line's object, up to its text."""
    content = line.text.removesuffix(b"\n")[:longest].removesuffix(b"\r")
    text = without_sequences(content).decode("utf-8", "replace")
    time = clock.iso(line.seen.time) if line.seen.time else None
    fields = {"line": line.number, "time": time, "severity": SEVERITIES[line.own_rank]}
    row = json.dumps({**fields, "text": text}, ensure_ascii=False)
    return row.removesuffix('"}').encode()
