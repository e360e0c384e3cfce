# SPDX-License-Identifier: Apache-2.0
"""Recognises a line's time and severity by its head."""

import re
from typing import NamedTuple

from tests.reference.head import REACH, read_head

#: Control sequences (ECMA-48), links (OSC 8), and tput's `ESC ( B`. Longer or unfinished ones are text.
_SEQUENCE = re.compile(
    rb"\x1b(?:"
    rb"\[[0-?]{0,64}[ -/]{0,4}[@-~]"
    rb"|\]8;[ -:<-~]{0,256};[^\x00-\x1f\x7f]{0,2083}(?:\x07|\x1b\\)"
    rb"|\(B)"
)


class Seen(NamedTuple):
    """A line's time, b"" for none, and the rank of its own severity, 0 for none."""

    time: bytes
    rank: int


def seen_in(line: bytes) -> Seen:
    """Time and severity of a line without its line feed. Reads REACH bytes."""
    text = without_sequences(line[:REACH]).removesuffix(b"\r")
    head = read_head(text)
    return Seen(text[head.start : head.end], head.rank or 0)


def without_sequences(text: bytes) -> bytes:
    """The text without its escape sequences."""
    return _SEQUENCE.sub(b"", text)
