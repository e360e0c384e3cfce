# SPDX-License-Identifier: Apache-2.0
"""Logs on a terminal: what drives it is escaped, so that no log changes what its reader sees of other things."""

import re
from collections.abc import Iterable, Iterator

#: Parameters of a control sequence that is kept.
_PARAMETERS = rb"[0-9;:]{0,64}"
#: Colours and erasing up to the end of the line, which are kept; and control characters, but for tabs and
#: those that begin a line. Those of two bytes are C1 in UTF-8.
_CONTROL = re.compile(
    rb"(?P<kept>\x1b\[%b[mK])|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]" % _PARAMETERS
)
#: What the next bytes may make one of these.
_OPEN = re.compile(rb"(?:\x1b(?:\[%b)?|\xc2)\Z" % _PARAMETERS)


def for_terminal(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes, with control characters as in "\\x1b"."""
    held = b""
    for piece in pieces:
        piece = held + piece
        found = _OPEN.search(piece, max(0, len(piece) - 70))
        end = found.start() if found else len(piece)
        held = piece[end:]
        yield _CONTROL.sub(_escaped, piece[:end])
    if held:
        yield _CONTROL.sub(_escaped, held)


def _escaped(found: re.Match[bytes]) -> bytes:
    if found["kept"]:
        return found[0]
    return b"\\x%02x" % found[0][-1]
