# SPDX-License-Identifier: Apache-2.0
"""Recognises a line's time and severity by its head."""

import re
from typing import NamedTuple

from tests.reference.head import REACH, read_head
from tests.reference.sequences import without_sequences
from tests.reference.tables import DATED_THING

#: A time of Buildkite's, which a terminal does not show.
_STAMP = re.compile(rb"\x1b_bk;t=([0-9]+)").match
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
    stamp = _STAMP(line) if head.start == head.end else None
    seen = Seen(stamp[1] if stamp else text[head.start : head.end], head.rank or 0)
    is_alone = seen == (text.strip(), 0) and len(line) <= _LONGEST_HEADING
    if is_alone and len(above) <= _LONGEST_HEADING and _DATED_THING(without_sequences(above)):
        return Seen(b"", 0)
    return seen
