# SPDX-License-Identifier: Apache-2.0
"""Searches lines for literal text or a regular expression, in linear time.

The pure renderer uses RE2, the native one the `regex` crate. A pattern is first rewritten so that
both read it alike. RE2 decides which patterns are accepted.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import re2

#: Characters of one pattern; a query may have several.
LONGEST = 1000
#: Bytes of a compiled pattern: a thousand characters can need gigabytes.
MEMORY = 1024 * 1024
#: RE2 instructions of all searches in a query. Each may cost a step for each byte of a log, some 3 ns.
LARGEST_PROGRAM = 5000
#: Matches of each search that are marked in a line; see most_matches().
MOST_MATCHES = 100

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
#: Text that the regex crate would read as a nested class or as an operation on classes.
_LITERAL_IN_CLASS = {"[": r"\[", "&": r"\&", "~": r"\~", "--": r"-\-"}
#: Faults of a pattern in words, by RE2's message. {}: the part of the pattern that RE2 names.
_FAULTS = {
    "missing )": "an opening parenthesis is never closed",
    "unexpected )": "a closing parenthesis has no opening one",
    "no argument for repetition operator": "there is nothing before {} to repeat",
    "bad repetition operator": "{} repeats what is repeated already",
    "invalid repetition size": "{} makes more than 1,000 repetitions, or has its higher number first",
    "invalid escape sequence": "{} is no known escape",
    "invalid character class range": "{} is no class or range of characters",
    "invalid named capture group": "the name of a group is incomplete: {}",
    "invalid perl operator": "{} is no known kind of group",
}
_LOOKS_AROUND = ("(?=", "(?!", "(?<=", "(?<!")
#: Characters that a backslash makes literal in both engines.
_META = set(r"\.+*?()|[]{}^$-&~#/")


class Search(NamedTuple):
    """One search of lines. pattern: in the syntax that both engines read alike."""

    pattern: str

    @classmethod
    def of_text(cls, text: str) -> "Search":
        """The search for literal text. It ignores case unless the text has a capital letter."""
        literal = "".join(_literal(character) for character in text)
        return cls(literal if any(map(str.isupper, text)) else f"(?i){literal}")

    @classmethod
    def of_pattern(cls, pattern: str) -> "Search":
        """The search for a regular expression. Raises ValueError with the fault in words."""
        search = cls(_common(pattern))
        try:
            search.compiled()
        except re2.error as error:
            why = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
            raise ValueError(_in_words(why)) from None
        return search

    def compiled(self) -> Any:
        """RE2's compiled pattern; its search() takes the bytes of a line."""
        options = re2.Options()
        options.log_errors = False
        options.never_capture = True
        options.max_mem = MEMORY
        return re2.compile(self.pattern, options)


def program_size(searches: Iterable[Search]) -> int:
    """RE2 instructions of these searches together."""
    return sum(search.compiled().programsize for search in searches)


def most_matches(searches: Sequence[Search]) -> int:
    """The most matches of each search to mark in a line.

    Caps them, so that marking a line costs at most one search by the largest program.
    """
    return max(1, min(MOST_MATCHES, LARGEST_PROGRAM // (program_size(searches) or 1)))


def matches_in(pattern: Any, text: bytes, most: int = MOST_MATCHES) -> Iterator[tuple[int, int]]:
    """Yields start and end of the first `most` matches, from left to right. pattern: compiled."""
    at = 0
    for _ in range(most):
        found = pattern.search(text, at) if at <= len(text) else None
        if found is None:
            return
        start, end = found.span()
        if start < end:
            yield start, end
        at = end if start < end else end + 1


def _in_words(message: str) -> str:
    """The fault that RE2's message tells, such as "missing ): (a"."""
    fault, _, part = message.partition(": ")
    if part in _LOOKS_AROUND:
        return f"{part} looks around, which RE2 does not do"
    return _FAULTS[fault].format(part[:20]) if fault in _FAULTS else message[:80]


def _literal(character: str) -> str:
    return f"\\{character}" if character in _META else character


def _common(pattern: str) -> str:
    """The pattern, rewritten so that both engines read it alike. Raises ValueError with the fault."""
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
        else:  # a lone brace is text; the regex crate would read {,3} as a repetition
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
        return "".join(_literal(one) for one in escape[2:].removesuffix("\\E"))
    if letter.isdigit() or letter == "C":
        raise ValueError(f"\\{letter} is not taken: write a character's code as \\x41")
    if letter.isalpha() or letter in _META or not letter.isascii():
        return escape  # RE2 refuses what it does not know
    return letter
