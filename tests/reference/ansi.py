# SPDX-License-Identifier: Apache-2.0
"""Escape sequences of terminals: colours with their CSS classes, and links."""

import re
from typing import Any, NamedTuple

#: Control sequences (ECMA-48), links (OSC 8), and tput's `ESC ( B`. Longer or unfinished ones are text.
SEQUENCE = re.compile(
    rb"\x1b(?:"
    rb"\[(?P<parameters>[0-?]{0,64})[ -/]{0,4}(?P<last>[@-~])"
    rb"|\]8;[ -:<-~]{0,256};(?P<address>[^\x00-\x1f\x7f]{0,2083})(?:\x07|\x1b\\)"
    rb"|\(B)"
)


def without_sequences(text: bytes) -> bytes:
    """The text without its escape sequences."""
    return SEQUENCE.sub(b"", text)


class Style(NamedTuple):
    """The look of text. Colours are 0 to 15; None is the default."""

    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    inverse: bool = False
    foreground: int | None = None
    background: int | None = None

    def classes(self) -> bytes:
        """CSS classes, separated by spaces; b"" for plain text."""
        foreground, background = self.foreground, self.background
        names = [name for name in ("bold", "dim", "italic", "underline") if getattr(self, name)]
        if self.inverse and foreground is background is None:
            names.append("inverse")
        elif self.inverse:
            foreground, background = background, _WHITE if foreground is None else foreground
        names += [] if foreground is None else [f"fg{foreground}"]
        names += [] if background is None else [f"bg{background}"]
        return " ".join(names).encode()

    def after(self, parameters: bytes) -> "Style":
        """The style after a sequence that ends in `m`. Unknown parameters change nothing."""
        style = self
        codes = [
            int(code[:4] or b"0") for code in re.split(rb"[;:]", parameters) if _is_number(code)
        ]
        while codes:
            code, *codes = codes
            changes = _CHANGES.get(code, {})
            if field := _WIDE.get(code):
                colour, codes = _wide(codes)
                changes = {field: colour}
            style = style._replace(**changes)
        return style


PLAIN = Style()
#: A terminal's default foreground.
_WHITE = 7
#: The fields that a code changes.
_CHANGES: dict[int, dict[str, Any]] = {
    0: PLAIN._asdict(),
    1: {"bold": True},
    2: {"dim": True},
    3: {"italic": True},
    4: {"underline": True},
    7: {"inverse": True},
    22: {"bold": False, "dim": False},
    23: {"italic": False},
    24: {"underline": False},
    27: {"inverse": False},
    39: {"foreground": None},
    49: {"background": None},
    **{30 + colour: {"foreground": colour} for colour in range(8)},
    **{40 + colour: {"background": colour} for colour in range(8)},
    **{90 + colour: {"foreground": 8 + colour} for colour in range(8)},
    **{100 + colour: {"background": 8 + colour} for colour in range(8)},
}
#: Codes before a colour of 256 or in RGB, and the field that it changes.
_WIDE = {38: "foreground", 48: "background"}


def _is_number(code: bytes) -> bool:
    return not code.strip(b"0123456789")


def _wide(codes: list[int]) -> tuple[int | None, list[int]]:
    """The nearest of the 16 colours to one of 256 or in RGB, and the codes after it.

    The colour is None if the codes name none.
    """
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
