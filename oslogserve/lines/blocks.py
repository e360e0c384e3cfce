# SPDX-License-Identifier: Apache-2.0
"""Blocks of complete lines, from pieces of any size.

Everything downstream sees blocks that end at a line's end, never a line at a time. Two
exceptions, both without a final newline: the log's last line, and a line longer than
LONGEST_LINE, which comes in parts.
"""

from collections.abc import Iterable, Iterator

#: Bytes of a line that are buffered until its end is seen. Far more than recognition looks at, so
#: that a line's fragments do not change what is recognised in it.
LONGEST_LINE = 1024 * 1024


def whole_lines(pieces: Iterable[bytes], longest: int = LONGEST_LINE) -> Iterator[bytes]:
    """Blocks that end with a line, or with a fragment of `longest` bytes or more."""
    pending: list[bytes] = []
    size = 0
    for piece in pieces:
        end = piece.rfind(b"\n") + 1
        if end:
            pending.append(piece[:end])
            yield b"".join(pending)
            pending, size = [], 0
            piece = piece[end:]
        if piece:
            pending.append(piece)
            size += len(piece)
        if size >= longest:
            yield b"".join(pending)
            pending, size = [], 0
    if pending:
        yield b"".join(pending)
