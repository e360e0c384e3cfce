# SPDX-License-Identifier: Apache-2.0
"""Pieces of any size to blocks of whole lines.

Everything downstream sees blocks that end at a line's end, never a line at a time. Two
exceptions, both without a final newline: the log's last line, and a line longer than
LONGEST_LINE, which comes in parts.
"""

from collections.abc import Iterable, Iterator

#: A line is held back until its end is seen; this bounds what is held. It is far more than any
#: row of formats looks at: where a line is cut changes nothing about what is recognised in it.
LONGEST_LINE = 1024 * 1024


def whole_lines(pieces: Iterable[bytes], longest: int = LONGEST_LINE) -> Iterator[bytes]:
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        end = piece.rfind(b"\n") + 1
        if end:
            held.append(piece[:end])
            yield b"".join(held)
            held, size = [], 0
            piece = piece[end:]
        if piece:
            held.append(piece)
            size += len(piece)
        if size >= longest:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)
