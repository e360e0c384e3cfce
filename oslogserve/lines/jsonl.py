# SPDX-License-Identifier: Apache-2.0
"""Lines as JSON: an object a line."""

import json
from collections.abc import Iterable, Iterator

from oslogserve.lines.ansi import without_sequences
from oslogserve.lines.select import Gap, Part, Shown
from oslogserve.lines.severities import SEVERITIES
from oslogserve.lines.times import Clock

_ENDED = b'"}\n'
#: Of a line that is longer than may be held.
_CUT = b'", "cut": true}\n'


def objects(shown: Iterable[Shown], clock: Clock, longest: int) -> Iterator[bytes]:
    """longest: bytes of a line; an object whose text is cut there has `"cut": true`."""
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
            *(one.number, _json(time), severity.encode()),
            _json(text.decode("utf-8", "replace"))[1:-1],
        )
        end = _CUT if len(content) > longest else _ENDED
    yield end


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
