# SPDX-License-Identifier: Apache-2.0
"""Terminal colours: escape sequences out of a line, and what they mean as classes of CSS."""

import re
from typing import NamedTuple

ESCAPE = b"\x1b"
#: Control sequences (ECMA-48), and what tput puts before some. What is longer, or never ends, is text.
SEQUENCE = re.compile(rb"\x1b(?:\[([0-?]{0,64})[ -/]{0,4}([@-~])|\(B)")


def without_sequences(text: bytes) -> bytes:
    return SEQUENCE.sub(b"", text) if ESCAPE in text else text


class Style(NamedTuple):
    """What text looks like at a place in a line. Colours: 0 to 15, or None for the page's own."""

    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    foreground: int | None = None
    background: int | None = None

    @property
    def classes(self) -> bytes:
        """b"" for plain text."""
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
#: Of eight colours: whether they are of the text, and the number of the first.
_BASES = {30: (True, 0), 90: (True, 8), 40: (False, 0), 100: (False, 8)}


def after(style: Style, parameters: bytes) -> Style:
    """What a sequence that ends in `m` makes of a style. What is not known changes nothing."""
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
    """A colour out of 256, or of red, green and blue: the nearest of the 16, roughly. And the
    codes behind it."""
    if codes[:1] == [5] and len(codes) > 1:
        return _of_256(codes[1]), codes[2:]
    if codes[:1] == [2] and len(codes) > 3:
        red, green, blue = (min(part, 255) * 6 >> 8 for part in codes[1:4])
        return _of_cube(red, green, blue), codes[4:]
    return None, []


def _of_256(code: int) -> int | None:
    if code < 16:
        return code
    if code < 232:
        return _of_cube((code - 16) // 36, (code - 16) // 6 % 6, (code - 16) % 6)
    return (0, 8, 7, 15)[(code - 232) // 6] if code < 256 else None


def _of_cube(red: int, green: int, blue: int) -> int:
    """Each of 0 to 5."""
    most = max(red, green, blue)
    if not most:
        return 0
    bits = sum(bit for bit, part in ((1, red), (2, green), (4, blue)) if 2 * part > most)
    return bits + 8 * (most > 3)
