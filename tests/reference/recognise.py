# SPDX-License-Identifier: Apache-2.0
"""Recognises a line's time and severity by its head."""

import re
from typing import NamedTuple

from tests.reference.head import REACH, read_head
from tests.reference.tables import DATED_THING

#: Control sequences (ECMA-48), links (OSC 8), strings (OSC, APC, DCS, PM), tput's `ESC ( B`, and `ESC 7`
#: and `ESC 8`. Longer or unfinished ones are text.
_SEQUENCE = re.compile(
    rb"\x1b(?:"
    rb"\[[0-?]{0,64}[ -/]{0,4}[@-~]"
    rb"|\]8;[ -:<-~]{0,256};[^\x00-\x1f\x7f]{0,2083}(?:\x07|\x1b\\)"
    rb"|[\]_][^\x00-\x1f\x7f]{0,4096}(?:\x07|\x1b\\)"
    rb"|[P^][^\x00-\x1f\x7f]{0,4096}\x1b\\"
    rb"|\(B|[78])"
)


_DATED_THING = DATED_THING.search
#: Bytes of a line that names the date of a thing.
_LONGEST_HEADING = 256


class Seen(NamedTuple):
    """A line's time, b"" for none, and the rank of its own severity, 0 for none."""

    time: bytes
    rank: int


def seen_in(line: bytes, above: bytes = b"") -> Seen:
    """Time and severity of a line, without its line feed, below another. Reads REACH bytes."""
    text = without_sequences(line[:REACH]).removesuffix(b"\r")
    head = read_head(text)
    seen = Seen(text[head.start : head.end], head.rank or 0)
    is_alone = seen == (text.strip(), 0) and len(line) <= _LONGEST_HEADING
    if is_alone and len(above) <= _LONGEST_HEADING and _DATED_THING(without_sequences(above)):
        return Seen(b"", 0)
    return seen


def without_sequences(text: bytes) -> bytes:
    """The text without its escape sequences."""
    return _SEQUENCE.sub(b"", text)
