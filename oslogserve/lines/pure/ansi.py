# SPDX-License-Identifier: Apache-2.0
"""Terminal colours: escape sequences, and the CSS classes that they stand for."""

import re
from typing import Any, NamedTuple

#: Control sequences (ECMA-48), and what tput puts before some. A longer or unfinished one is text.
SEQUENCE = re.compile(rb"\x1b(?:\[([0-?]{0,64})[ -/]{0,4}([@-~])|\(B)")


def without_sequences(text: bytes) -> bytes:
    """The text without its escape sequences."""
    return SEQUENCE.sub(b"", text)


class Style(NamedTuple):
    """The look of text in a line. Colours are 0 to 15, or None for the page's default."""

    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    foreground: int | None = None
    background: int | None = None

    @property
    def classes(self) -> bytes:
        """CSS classes, separated by spaces; b"" for plain text."""
        names = [name for name in ("bold", "dim", "italic", "underline") if getattr(self, name)]
        colours = {"fg": self.foreground, "bg": self.background}
        names += [f"{name}{colour}" for name, colour in colours.items() if colour is not None]
        return " ".join(names).encode()


PLAIN = Style()
#: Fields of Style by the codes that change them.
_CHANGES: dict[int, dict[str, Any]] = {
    0: PLAIN._asdict(),
    1: {"bold": True},
    2: {"dim": True},
    3: {"italic": True},
    4: {"underline": True},
    22: {"bold": False, "dim": False},
    23: {"italic": False},
    24: {"underline": False},
    39: {"foreground": None},
    49: {"background": None},
    **{30 + colour: {"foreground": colour} for colour in range(8)},
    **{40 + colour: {"background": colour} for colour in range(8)},
    **{90 + colour: {"foreground": 8 + colour} for colour in range(8)},
    **{100 + colour: {"background": 8 + colour} for colour in range(8)},
}
#: The fields that a wide colour behind a code changes.
_WIDE = {38: "foreground", 48: "background"}


def after(style: Style, parameters: bytes) -> Style:
    """The style behind a sequence that ends in `m`. Unknown parameters change nothing."""
    codes = [int(code[:4] or b"0") for code in re.split(rb"[;:]", parameters) if _is_number(code)]
    while codes:
        code, *codes = codes
        if code in _WIDE:
            colour, codes = _wide(codes)
            changes: dict[str, Any] = {_WIDE[code]: colour}
        else:
            changes = _CHANGES.get(code, {})
        style = style._replace(**changes)
    return style


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
