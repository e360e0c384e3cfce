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
    held = b""
    is_rest = False
    for piece in pieces:
        *ends, held = (held + piece).split(b"\n")
        for end in ends:
            yield RestOfLine(end + b"\n") if is_rest else end + b"\n"
            is_rest = False
        if held and (is_rest or len(held) >= longest):
            yield RestOfLine(held) if is_rest else held
            held, is_rest = b"", True
    if held:
        yield held
