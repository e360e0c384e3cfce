# SPDX-License-Identifier: Apache-2.0
"""Lines, from pieces of any size."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from oslogserve.lines.selection import LONGEST_LINE


class RestOfLine(NamedTuple):
    """More of the line before."""

    text: bytes


def split(pieces: Iterable[bytes], longest: int = LONGEST_LINE) -> Iterator[bytes | RestOfLine]:
    """The lines of a log, each with its line feed. Of a line of `longest` bytes or more may come
    the beginning, of no less than that, and then its rest."""
    pending: list[bytes] = []
    size = 0
    is_rest = False
    for piece in pieces:
        *ends, last = piece.split(b"\n")
        for end in ends:
            line = b"".join([*pending, end, b"\n"])
            yield RestOfLine(line) if is_rest else line
            pending, size, is_rest = [], 0, False
        pending.append(last)
        size += len(last)
        if last and (is_rest or size >= longest):
            beginning = b"".join(pending)
            yield RestOfLine(beginning) if is_rest else beginning
            pending, size, is_rest = [], 0, True
    if size:
        yield b"".join(pending)
