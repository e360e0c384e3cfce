# SPDX-License-Identifier: Apache-2.0
"""What a line is searched for: literal text or a regular expression, in linear time.

Both renderers search: this one by RE2, the native one by the `regex` crate's engine. A pattern is
first brought into a form that the two read alike, and RE2 has the last word on what is accepted.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import re2

#: Characters. Who needs more of them has several.
LONGEST = 1000
#: Bytes that a compiled pattern may take: some of a thousand characters want gigabytes.
MEMORY = 1024 * 1024
#: Matches that are looked for in a line: each may take another pass over the rest of it.
MOST_MATCHES = 100

#: RE2's: of ASCII only. As parts of a class.
_CLASSES = {
    "d": r"0-9",
    "D": r"\x00-/:-\x{10ffff}",
    "s": r"\t\n\f\r ",
    "S": r"\x00-\x08\x0b\x0e-\x1f!-\x{10ffff}",
    "w": r"0-9A-Za-z_",
    "W": r"\x00-/:-@\[-\^`\{-\x{10ffff}",
}
#: One escape: a class, a property, a code, or any other character.
_ESCAPE = re.compile(r"\\(?:Q.*?(?:\\E|\Z)|[pP](?:\{[^}]*\}|.)|x(?:\{[^}]*\}|..)|.)", re.DOTALL)
_REPETITION = re.compile(r"\{\d+(?:,\d*)?\}")
#: What may stand behind a backslash for itself, in both.
_META = set(r"\.+*?()|[]{}^$-&~#/")


class Search(NamedTuple):
    """pattern: of RE2's syntax, over one line."""

    pattern: str

    @classmethod
    def of_text(cls, text: str) -> "Search":
        """Case counts once the text holds a capital."""
        literal = "".join(_literal(character) for character in text)
        return cls(literal if any(map(str.isupper, text)) else f"(?i){literal}")

    @classmethod
    def of_pattern(cls, given: str) -> "Search":
        """Raises ValueError with what is wrong."""
        search = cls(_common(given))
        try:
            search.compiled()
        except re2.error as error:
            told = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
            raise ValueError(told[:80]) from None
        return search

    def compiled(self) -> Any:
        """With search() and finditer() over the bytes of a line."""
        options = re2.Options()
        options.log_errors = False
        options.never_capture = True
        options.max_mem = MEMORY
        return re2.compile(self.pattern, options)


def spans_in(pattern: Any, text: bytes) -> Iterator[tuple[int, int]]:
    """Where the first matches stand, from left to right. pattern: compiled."""
    at = 0
    for _ in range(MOST_MATCHES):
        found = pattern.search(text, at) if at <= len(text) else None
        if found is None:
            return
        start, end = found.span()
        if start < end:
            yield start, end
        at = end if start < end else end + 1


def _literal(character: str) -> str:
    return f"\\{character}" if character in _META else character


def _common(given: str) -> str:
    return "".join(_parts(given))


def _parts(given: str) -> Iterator[str]:
    at = 0
    while at < len(given):
        character = given[at]
        if character == "\\":
            escape = _escape_at(given, at)
            at += len(escape)
            yield _escaped(escape)
        elif character == "[":
            part, at = _class(given, at)
            yield part
        elif character == "{" and not _REPETITION.match(given, at):
            at += 1
            yield r"\{"  # a literal one for RE2, and {,3} a repetition for the other
        else:
            at += 1
            yield character


def _escape_at(given: str, at: int) -> str:
    found = _ESCAPE.match(given, at)
    if found is None:
        raise ValueError("it ends in a backslash")
    return found[0]


def _escaped(escape: str) -> str:
    kind = escape[1]
    if kind in _CLASSES:
        return f"[{_CLASSES[kind]}]"
    if kind == "Q":
        return "".join(_literal(one) for one in escape[2:].removesuffix("\\E"))
    return _single(escape)


def _single(escape: str) -> str:
    kind = escape[1]
    if kind.isdigit() or kind == "C":
        raise ValueError(f"\\{kind} is not taken: write a character's code as \\x41")
    if kind.isalpha() or kind in _META or not kind.isascii():
        return escape  # RE2 refuses what it does not know
    return kind


def _class(given: str, at: int) -> tuple[str, int]:
    """A bracketed class, and where it ends."""
    start = at
    at += 1
    parts = ["["]
    if given[at : at + 1] == "^":
        parts.append("^")
        at += 1
    is_first = True
    while given[at : at + 1] != "]" or is_first:
        is_first = False
        if at >= len(given):
            raise ValueError(f"missing closing ]: {given[start:][:40]}")
        named = re.compile(r"\[:\^?\w+:\]").match(given, at)
        if named:
            parts.append(named[0])
            at = named.end()
        elif given[at] == "\\":
            escape = _escape_at(given, at)
            if escape[1] == "Q":
                raise ValueError(r"\Q is not taken within [...]")
            at += len(escape)
            parts.append(_CLASSES.get(escape[1]) or _single(escape))
        else:
            # What would begin a class within a class, or an operation on classes, there.
            parts.append(f"\\{given[at]}" if given[at] in "[]&~" else given[at])
            if given[at : at + 2] == "--":
                parts[-1] = r"-\-"
                at += 1
            at += 1
    return "".join(parts) + "]", at + 1
