# SPDX-License-Identifier: Apache-2.0
"""Pieces of any size to blocks of whole lines.

Everything downstream sees blocks that end at a line's end, never a line at a time. Two
exceptions, both without a final newline: the log's last line, and a line longer than
LONGEST_LINE, which comes in parts.
"""

from collections.abc import Iterable, Iterator

from oslogserve.errors import Incomplete

#: A line is held back until its end is seen; this bounds what is held.
LONGEST_LINE = 1024 * 1024


def whole_lines(pieces: Iterable[bytes], longest: int = LONGEST_LINE) -> Iterator[bytes]:
    """Where the pieces end in Incomplete, what was held back comes first."""
    held: list[bytes] = []
    size = 0
    broken: Incomplete | None = None
    try:
        for piece in pieces:
            end = piece.rfind(b'\n') + 1
            if end:
                held.append(piece[:end])
                yield b''.join(held)
                held, size = [], 0
                piece = piece[end:]
            if piece:
                held.append(piece)
                size += len(piece)
            if size >= longest:
                yield b''.join(held)
                held, size = [], 0
    except Incomplete as error:
        broken = error
    if held:
        yield b''.join(held)
    if broken is not None:
        raise broken
