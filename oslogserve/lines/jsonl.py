# SPDX-License-Identifier: Apache-2.0
"""JSON Lines: one object for each line."""

import json
from collections.abc import Iterable, Iterator

from oslogserve.lines.ansi import without_sequences
from oslogserve.lines.select import Gap, Part, Shown
from oslogserve.lines.severities import SEVERITIES
from oslogserve.lines.times import Clock

_ENDED = b'"}\n'
#: The end of an object whose text is cut.
_CUT = b'", "cut": true}\n'


def objects(shown: Iterable[Shown], clock: Clock, longest: int) -> Iterator[bytes]:
    """The objects of the lines shown. longest: bytes of a text; one that is cut there is marked so."""
    end = b""
    for one in shown:
        if isinstance(one, Gap):
            continue
        content = one.text.removesuffix(b"\n")
        if isinstance(one, Part):
            end = _CUT if content else end
            continue
        yield end
        text = without_sequences(content[:longest].removesuffix(b"\r"))
        time = clock.iso(one.time) if one.time else None
        severity = one.own.decode() or SEVERITIES[0]
        yield b'{"line": %d, "time": %b, "severity": "%b", "text": "%b' % (
            one.number,
            _json(time),
            severity.encode(),
            _json(text.decode("utf-8", "replace"))[1:-1],
        )
        end = _CUT if len(content) > longest else _ENDED
    yield end


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
