# SPDX-License-Identifier: Apache-2.0
"""Terminal colours: escape sequences and their CSS classes."""

import re

#: Control sequences (ECMA-48), and tput's `ESC ( B`. Longer or unfinished ones are text.
SEQUENCE = re.compile(rb"\x1b(?:\[([0-?]{0,64})[ -/]{0,4}([@-~])|\(B)")


def without_sequences(text: bytes) -> bytes:
    """The text without its escape sequences."""
    return SEQUENCE.sub(b"", text)


#: CSS classes by the fields below; "" for a plain field. Colours are 0 to 15.
Style = dict[str, str]

PLAIN: Style = dict.fromkeys(("bold", "dim", "italic", "underline", "fg", "bg"), "")
#: The fields that a code changes.
_CHANGES: dict[int, Style] = {
    0: PLAIN,
    1: {"bold": "bold"},
    2: {"dim": "dim"},
    3: {"italic": "italic"},
    4: {"underline": "underline"},
    22: {"bold": "", "dim": ""},
    23: {"italic": ""},
    24: {"underline": ""},
    39: {"fg": ""},
    49: {"bg": ""},
    **{30 + colour: {"fg": f"fg{colour}"} for colour in range(8)},
    **{40 + colour: {"bg": f"bg{colour}"} for colour in range(8)},
    **{90 + colour: {"fg": f"fg{8 + colour}"} for colour in range(8)},
    **{100 + colour: {"bg": f"bg{8 + colour}"} for colour in range(8)},
}
#: Codes before a colour of 256 or in RGB, and the field that it changes.
_WIDE = {38: "fg", 48: "bg"}


def classes_of(style: Style) -> bytes:
    """CSS classes, separated by spaces; b"" for plain text."""
    return " ".join(filter(None, style.values())).encode()


def after(style: Style, parameters: bytes) -> Style:
    """The style after a sequence that ends in `m`. Unknown parameters change nothing."""
    codes = [int(code[:4] or b"0") for code in re.split(rb"[;:]", parameters) if _is_number(code)]
    while codes:
        code, *codes = codes
        changes = _CHANGES.get(code, {})
        if field := _WIDE.get(code):
            colour, codes = _wide(codes)
            changes = {field: "" if colour is None else f"{field}{colour}"}
        style = style | changes
    return style


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
