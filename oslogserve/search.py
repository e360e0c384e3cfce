# SPDX-License-Identifier: Apache-2.0
"""Searches of lines for literal text or a regular expression, in linear time.

Patterns have RE2's syntax, which links use. The native core searches with Rust's `regex`, so a pattern is
first rewritten where that reads the same text in another way.
"""

import re

from oslogserve.native import LIMITS

#: Characters of one pattern; a query may have several.
LONGEST = 1000
#: States of all searches in a query, see native.state_count; and matches of each that are marked in a line.
MOST_STATES, MOST_MATCHES = LIMITS["search.MOST_STATES"], LIMITS["search.MOST_MATCHES"]

#: RE2's classes, which are ASCII only, as text within brackets.
_CLASSES = {
    "d": r"0-9",
    "D": r"\x00-/:-\x{10ffff}",
    "s": r"\t\n\f\r ",
    "S": r"\x00-\x08\x0b\x0e-\x1f!-\x{10ffff}",
    "w": r"0-9A-Za-z_",
    "W": r"\x00-/:-@\[-\^`\{-\x{10ffff}",
}
#: A backslash with literal text, a property, a code, or any other character.
_ESCAPE = r"\\(?:Q.*?(?:\\E|\Z)|[pP](?:\{[^}]*\}|.)|x(?:\{[^}]*\}|..)|.)"
_TOKEN = re.compile(rf"{_ESCAPE}|\{{\d+(?:,\d*)?\}}|\[\^?\]?|.", re.DOTALL).match
_TOKEN_IN_CLASS = re.compile(rf"{_ESCAPE}|\[:\^?\w+:\]|--|.", re.DOTALL).match
#: Text that Rust would read as a nested class or as an operation on classes.
_LITERAL_IN_CLASS = {"[": r"\[", "&": r"\&", "~": r"\~", "--": r"-\-"}
#: A group that begins with other flags than RE2's.
_FLAGS = re.compile(r"\(\?(?=[a-zA-Z-])(?!P[<=>])[imsU-]*[^imsU:)-]").match
#: Characters that a backslash makes literal.
_META = set(r"\.+*?()|[]{}^$-&~#/")
_LITERAL = str.maketrans({character: f"\\{character}" for character in _META})


def literal(text: str) -> str:
    """The pattern for literal text. It ignores case unless the text has a capital letter."""
    pattern = text.translate(_LITERAL)
    return pattern if any(map(str.isupper, text)) else f"(?i){pattern}"


def rewritten(pattern: str) -> str:
    """The pattern in RE2's syntax as Rust's `regex` writes it. Raises ValueError with the fault."""
    tokens: list[str] = []
    at = 0
    class_start: int | None = None
    while found := (_TOKEN if class_start is None else _TOKEN_IN_CLASS)(pattern, at):
        token = found[0]
        if token[0] == "\\":
            tokens.append(_escaped(token, in_class=class_start is not None))
        elif class_start is not None:
            tokens.append(_LITERAL_IN_CLASS.get(token, token))
            class_start = None if token == "]" else class_start  # noqa: S105 - of a pattern
        elif token[0] == "[":
            class_start = at
            tokens.append(token.replace("]", r"\]"))
        else:  # a lone brace is text; Rust would read {,3} as a repetition
            if flags := _FLAGS(pattern, at):
                raise ValueError(f"{flags[0]} is no known kind of group")
            tokens.append(r"\{" if token == "{" else token)  # noqa: S105 - of a pattern
        at = found.end()
    if class_start is not None:
        raise ValueError("an opening bracket is never closed")
    return "".join(tokens)


def _escaped(escape: str, in_class: bool) -> str:
    letter = escape[1:2]
    if not letter:
        raise ValueError("it ends in a backslash")
    if letter in _CLASSES:
        return _CLASSES[letter] if in_class else f"[{_CLASSES[letter]}]"
    if letter == "Q" and in_class:
        raise ValueError(r"\Q is not taken within [...]")
    if letter == "Q":
        return escape[2:].removesuffix("\\E").translate(_LITERAL)
    if letter.isdigit() or letter == "C":
        raise ValueError(f"\\{letter} is not taken: write a character's code as \\x41")
    if letter.isalpha() or letter in _META or not letter.isascii():
        return escape  # the core refuses what it does not know
    return letter
