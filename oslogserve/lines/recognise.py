# SPDX-License-Identifier: Apache-2.0
"""What a line shows, colours or not: by a user's format, else by the grammar of heads."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from oslogserve.lines.ansi import ESCAPE, SEQUENCE, without_sequences
from oslogserve.lines.head import REACH, read_head
from oslogserve.lines.inheritance import continues
from oslogserve.lines.severities import NAMES
from oslogserve.lines.user_formats import CompiledFormat, UserFormat


class Seen(NamedTuple):
    """What a line shows.

    start, end: the place of its time, with the escape sequences within; equal for none. severity:
    the name of its own, b"" for none. time, program: their texts, b"" for none. continues: it
    shows neither, and its shape says that it goes on with the line above.
    """

    start: int = 0
    end: int = 0
    severity: bytes = b""
    time: bytes = b""
    program: bytes = b""
    continues: bool = False


_PROGRAM = re.compile(rb"[ \t:|\]]*([^ \t:|\]]{0,64})").match


class Recogniser:
    """Compiled once, shared by all logs and threads. Raises ValueError for a format at fault."""

    def __init__(self, user_formats: Sequence[UserFormat] = ()) -> None:
        self._user_formats = [CompiledFormat(one) for one in user_formats]

    def seen_in(self, line: bytes) -> Seen:
        """What a line shows. line: without its end; REACH bytes of it are enough."""
        stored = line[:REACH]
        text = without_sequences(stored).removesuffix(b"\r")
        head = read_head(text)
        start, end, severity = head.start, head.end, NAMES[head.rank] if head.rank else b""
        found = next((one for each in self._user_formats if (one := each.seen_in(text))), None)
        if found:
            start, end = (found.start, found.end) if found.start != found.end else (start, end)
            severity = found.severity or severity
        time, program = text[start:end], b""
        if severity and (name := _PROGRAM(text, head.behind)):
            program = name[1]
        elif not severity and not time and continues(text):
            return Seen(continues=True)
        if ESCAPE in stored and time:
            start, end = _place_among_escapes(start, end, stored)
        return Seen(start, end, severity, time, program)


def _place_among_escapes(start: int, end: int, stored: bytes) -> tuple[int, int]:
    """Where a part of the text without escape sequences stands in the text with them."""
    moved = moved_start = 0
    for escapes in SEQUENCE.finditer(stored):
        at = escapes.start() - moved
        if at >= end:
            break
        moved += len(escapes[0])
        if at <= start:
            moved_start = moved
    return start + moved_start, end + moved
