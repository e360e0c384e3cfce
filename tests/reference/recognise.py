# SPDX-License-Identifier: Apache-2.0
"""Recognises a line's time and severity, by a user format or by the grammar of heads."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from oslogserve.lines.grammar.continuation import CONTINUATION
from oslogserve.lines.grammar.user_formats import UserFormat
from tests.reference.ansi import SEQUENCE, without_sequences
from tests.reference.head import REACH, read_head
from tests.reference.user_formats import CompiledFormat


class Seen(NamedTuple):
    """A line's time, severity and program."""

    #: Start and end of its time in the line with escape sequences; equal for none.
    start: int = 0
    end: int = 0
    #: The rank of its own severity; 0 for none.
    rank: int = 0
    time: bytes = b""
    #: The name after the severity.
    program: bytes = b""
    #: True if its shape says that it continues the line above: it has no time and no severity.
    continues: bool = False


_CONTINUES = re.compile(CONTINUATION.replace(b"{end}", rb"\Z")).match
_PROGRAM = re.compile(rb"[ \t:|\]]*([^ \t:|\]]{0,64})").match


class Recogniser:
    """Recognises lines; one for all logs and threads. Raises ValueError for a faulty user format."""

    def __init__(self, user_formats: Sequence[UserFormat] = ()) -> None:
        self._user_formats = [CompiledFormat(one) for one in user_formats]

    def seen_in(self, line: bytes) -> Seen:
        """Time, severity and program of a line without its line feed. Reads REACH bytes."""
        stored = line[:REACH]
        text = without_sequences(stored).removesuffix(b"\r")
        head = read_head(text)
        start, end, rank = head.start, head.end, head.rank or 0
        found = next((one for each in self._user_formats if (one := each.seen_in(text))), None)
        if found:
            start, end = (found.start, found.end) if found.start != found.end else (start, end)
            rank = found.rank or rank
        time, program = text[start:end], b""
        if rank and (name := _PROGRAM(text, head.behind)):
            program = name[1]
        elif not rank and not time and _CONTINUES(text):
            return Seen(continues=True)
        if time:
            start, end = _offsets_among_escapes(start, end, stored)
        return Seen(start, end, rank, time, program)


def _offsets_among_escapes(start: int, end: int, stored: bytes) -> tuple[int, int]:
    """The offsets in the text with escape sequences, for offsets in the text without them."""
    moved = moved_start = 0
    for escapes in SEQUENCE.finditer(stored):
        at = escapes.start() - moved
        if at >= end:
            break
        moved += len(escapes[0])
        if at <= start:
            moved_start = moved
    return start + moved_start, end + moved
