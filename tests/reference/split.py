# SPDX-License-Identifier: Apache-2.0
"""Splits pieces of any size into lines."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from oslogserve.lines.selection import LONGEST_LINE


class RestOfLine(NamedTuple):
    """More text of the line that was yielded last."""

    text: bytes


def split(pieces: Iterable[bytes], longest: int = LONGEST_LINE) -> Iterator[bytes | RestOfLine]:
    """Yields a log's lines, each with its line feed.

    A longer line than `longest` bytes may come in parts: a beginning of at least `longest` bytes,
    then RestOfLine.
    """
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
