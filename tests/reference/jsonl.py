# SPDX-License-Identifier: Apache-2.0
"""JSON Lines: one object for each line."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from oslogserve.lines.grammar.severities import SEVERITIES
from tests.reference.ansi import without_sequences
from tests.reference.clock import Clock
from tests.reference.line import Line
from tests.reference.select import Shown
from tests.reference.split import RestOfLine


def objects(shown: Iterable[Shown], clock: Clock, longest: int) -> Iterator[bytes]:
    """Yields an object for each line shown. longest: bytes of a line's text; longer ones are cut."""
    line: dict[str, Any] = {}
    for one in shown:
        match one:
            case RestOfLine() if one.text != b"\n":
                line["cut"] = True
            case Line():
                if line:
                    yield _as_json(line)
                line = _object(one, clock, longest)
                if len(one.text.removesuffix(b"\n")) > longest:
                    line["cut"] = True
    if line:
        yield _as_json(line)


def row_of(line: Line, clock: Clock, longest: int, label: bytes) -> bytes:
    """The object of one line. label: its first member, as text of JSON."""
    is_cut = len(line.text.removesuffix(b"\n")) >= longest
    members = _object(line, clock, longest) | ({"cut": True} if is_cut else {})
    return b"{" + label + _as_json(members)[1:]


def _object(line: Line, clock: Clock, longest: int) -> dict[str, Any]:
    content = line.text.removesuffix(b"\n")[:longest].removesuffix(b"\r")
    members = {
        "line": line.number,
        "time": clock.iso(line.seen.time) if line.seen.time else None,
        "severity": SEVERITIES[line.seen.rank],
        "text": without_sequences(content).decode("utf-8", "replace"),
    }
    return members | {"new": True} if line.is_new else members


def _as_json(members: dict[str, Any]) -> bytes:
    return json.dumps(members, ensure_ascii=False).encode() + b"\n"
