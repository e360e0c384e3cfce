# SPDX-License-Identifier: Apache-2.0
"""Text of a line that a terminal does not show: what was written over, and marks of sections.

A progress bar is one line, written again and again from its beginning. GitLab's marks of sections are
written over by their titles, so they are gone as well; GitHub's are text.
"""

import re
from typing import NamedTuple

from oslogserve.lines.pure.ansi import SEQUENCE, without_sequences

_RETURN = b"\r"
#: Behind a byte order mark and GitHub's own time.
_SECTION = re.compile(rb"(?:\xef\xbb\xbf)?(?:[0-9T:.-]{1,40}Z )?(##\[(?:end)?group\])")
#: Continuation bytes of UTF-8, which are no characters of their own.
_CONTINUATION = bytes(range(0x80, 0xC0))


class Overwritten(NamedTuple):
    """The place of what is not shown of a line, and what it leaves behind the rest of the line, which
    is shorter; empty where nothing is hidden."""

    start: int
    end: int
    left: bytes = b""


def overwritten_in(text: bytes) -> Overwritten:
    """The part of a line that is not shown."""
    if _RETURN in text:
        written = text.rstrip(_RETURN)
        end = written.rfind(_RETURN) + 1
        if end:
            return Overwritten(0, end, _left(text[: end - 1], written[end:]))
    section = _SECTION.match(text)
    return Overwritten(*section.span(1)) if section else Overwritten(0, 0)


def _left(before: bytes, last: bytes) -> bytes:
    """Text that was written before and reaches beyond all that was written later."""
    left = []
    width, erases = _width(last), _erases(last)
    for written in reversed(before.split(_RETURN)):
        if erases:
            break
        if _width(written) > width:
            left.append(_behind(without_sequences(written), width))
            width = _width(written)
        erases = _erases(written)
    return b"".join(left)


def _erases(text: bytes) -> bool:
    """True if it erases what was written before: K the line, J the screen."""
    return any(found[2] in (b"K", b"J") for found in SEQUENCE.finditer(text))


def _width(text: bytes) -> int:
    """Characters, each of which takes one column here."""
    return len(without_sequences(text).translate(None, _CONTINUATION))


def _behind(text: bytes, width: int) -> bytes:
    """The text behind so many characters, of which it has more."""
    starts = (at for at, byte in enumerate(text) if byte not in _CONTINUATION)
    for _ in range(width):
        next(starts)
    return text[next(starts) :]
