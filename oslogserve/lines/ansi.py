# SPDX-License-Identifier: Apache-2.0
"""Terminal colours: escape sequences, and the CSS classes that they stand for."""

import re
from typing import NamedTuple

ESCAPE = b"\x1b"
#: Control sequences (ECMA-48), and what tput puts before some. A longer or unfinished one is text.
SEQUENCE = re.compile(rb"\x1b(?:\[([0-?]{0,64})[ -/]{0,4}([@-~])|\(B)")


def without_sequences(text: bytes) -> bytes:
    """The text without its escape sequences."""
    return SEQUENCE.sub(b"", text) if ESCAPE in text else text


class Style(NamedTuple):
    """How text looks at a place in a line. Colours are 0 to 15, or None for the page's default."""

    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    foreground: int | None = None
    background: int | None = None

    @property
    def classes(self) -> bytes:
        """CSS classes, separated by spaces; b"" for plain text."""
        names = [
            name.encode() for name, is_on in zip(self._fields, self[:4], strict=False) if is_on
        ]
        if self.foreground is not None:
            names.append(b"fg%d" % self.foreground)
        if self.background is not None:
            names.append(b"bg%d" % self.background)
        return b" ".join(names)


PLAIN = Style()
_ON: dict[int, str] = {1: "bold", 2: "dim", 3: "italic", 4: "underline"}
_OFF = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",)}
#: By the code of the first of eight colours: True for foregrounds, and that colour's number.
_BASES = {30: (True, 0), 90: (True, 8), 40: (False, 0), 100: (False, 8)}


def after(style: Style, parameters: bytes) -> Style:
    """The style behind a sequence that ends in `m`. Unknown parameters change nothing."""
    codes = [int(code[:4] or b"0") for code in re.split(rb"[;:]", parameters) if _is_number(code)]
    while codes:
        code = codes.pop(0)
        if code == 0:
            style = PLAIN
        elif code in _ON:
            style = style._replace(**{_ON[code]: True})
        elif code in _OFF:
            style = style._replace(**dict.fromkeys(_OFF[code], False))
        elif code in (38, 48):
            colour, codes = _wide(codes)
            style = _painted(style, code < 40, colour)
        elif code in (39, 49):
            style = _painted(style, code < 40, None)
        elif code % 10 < 8 and code - code % 10 in _BASES:
            is_foreground, base = _BASES[code - code % 10]
            style = _painted(style, is_foreground, base + code % 10)
    return style


def _painted(style: Style, is_foreground: bool, colour: int | None) -> Style:
    return style._replace(foreground=colour) if is_foreground else style._replace(background=colour)


def _is_number(code: bytes) -> bool:
    return not code.strip(b"0123456789")


def _wide(codes: list[int]) -> tuple[int | None, list[int]]:
    """The colour of the 16 that is nearest to one of 256 or to red, green and blue, and the codes
    that follow it."""
    if codes[:1] == [5] and len(codes) > 1:
        return _of_256(codes[1]), codes[2:]
    if codes[:1] == [2] and len(codes) > 3:
        red, green, blue = (min(value, 255) * 6 >> 8 for value in codes[1:4])
        return _of_cube(red, green, blue), codes[4:]
    return None, []


def _of_256(code: int) -> int | None:
    if code < 16:
        return code
    if code < 232:
        return _of_cube((code - 16) // 36, (code - 16) // 6 % 6, (code - 16) % 6)
    return (0, 8, 7, 15)[(code - 232) // 6] if code < 256 else None


def _of_cube(red: int, green: int, blue: int) -> int:
    """The nearest of the 16 colours. red, green, blue: 0 to 5."""
    most = max(red, green, blue)
    if not most:
        return 0
    bits = sum(bit for bit, value in ((1, red), (2, green), (4, blue)) if 2 * value > most)
    return bits + 8 * (most > 3)
