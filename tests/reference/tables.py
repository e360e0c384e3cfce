# SPDX-License-Identifier: Apache-2.0
"""Matches the rows of the grammar's tables of heads: times, tokens and exceptions."""

import re
from collections.abc import Callable, Iterable
from enum import StrEnum, auto
from typing import NamedTuple

from tests.reference.grammar import LETTERS, PIECES, RANKS, WORDS, compiled, expanded, table

Match = Callable[..., re.Match[bytes] | None]


class Kind(StrEnum):
    """The meaning of a token, see core/grammar/tokens.toml."""

    FIRST_WORD = auto()
    LAST_WORD = auto()
    LETTER = auto()
    LINE_LETTER = auto()
    DIGIT = auto()
    FATAL = auto()
    COLUMN = auto()
    KLOG = auto()
    NUMBER_TIME = auto()
    SECTION_TIME = auto()
    PREFIX = auto()
    PRIORITY = auto()
    WRAPPER = auto()
    DEFAULT = auto()
    AGAIN = auto()
    ORNAMENT = auto()
    PROGRAM = auto()
    PROCESS = auto()
    BAR = auto()
    MARK = auto()
    DASH = auto()
    GROUP = auto()
    OBJECT = auto()
    PAIR = auto()
    LAST_PAIR = auto()
    NUMBER = auto()
    FIELD = auto()
    WORD = auto()
    STOP = auto()


class Position(StrEnum):
    """The context of a token. It is FIRST_ up to the first field of the content."""

    START = "S"
    FIRST_START = "s"
    NAMED = "N"
    FIRST_NAMED = "n"
    TIMED = "T"
    FIRST_TIMED = "t"
    NUMBERED = "#"
    LOGGED = "L"
    FIRST_LOGGED = "l"
    PROSE = "p"


_times, _tokens, _exceptions = (table(f"{name}.toml") for name in ("times", "tokens", "exceptions"))
_times["pieces"]["zones"] = "|".join(" ".join(_times["zones"].values()).split())
UPTIME, AUDIT, THING, DATED_THING, NO_CLOCK = (
    compiled(_times[name], _times["pieces"])
    for name in ("uptime", "audit", "thing", "dated_thing", "no_clock")
)


def pattern_of(layout: str) -> str:
    """The layout as a regular expression."""
    escaped = re.sub(r"[.|]", r"\\\g<0>", layout)
    return re.sub(r"%(\w)", lambda found: _times["directives"][found[1]], escaped)


def _scanner(layouts: Iterable[str]) -> Match:
    """A function that matches a time of these layouts at an offset; the match spans the time."""
    names = {"{date}": _times["dates"], "{day}": _times["days"], "": [""]}
    patterns = (
        pattern_of(layout.replace(name, part) if name else layout)
        for layout in layouts
        for name in [next(name for name in names if name in layout)]
        for part in names[name]
    )
    before_number = r"(?=:\d)"  # a zone may stand there
    guard = f"(?:(?: (?:{{zones}}){before_number})|{_times['guard']})"
    return compiled(f"(?! )(?:{'|'.join(patterns)}){guard}", _times["pieces"]).match


#: Arguments: the text, the offset, and where a time must end.
scan = _scanner(_times["layouts"])
#: The same for the layouts of special contexts.
SCAN_PLACED = {name: _scanner(_times[name]) for name in ("klog", "members", "boot", "day_of_year")}
_TOKENS = [
    (
        expanded(positions, _tokens["positions"]).replace("w", "s"),
        Kind(kind),
        compiled(pattern, _tokens["pieces"] | PIECES).match,
    )
    for positions, kind, pattern in _tokens["tokens"]
]
_EXCEPTIONS = [
    (compiled(pattern, _exceptions["pieces"]).match, RANKS[severity])
    for severity, patterns in _exceptions["lines"].items()
    for pattern in patterns
]
_LOCATION = compiled(_exceptions["location"], _exceptions["pieces"])
#: Lines that tell of no failure, whatever they are like.
has_passed = compiled(_exceptions["passed"], _exceptions["pieces"]).search


class Token(NamedTuple):
    """A token. end: its end in the line."""

    kind: Kind
    end: int
    text: bytes


def token_at(position: Position, text: bytes, at: int, limit: int) -> Token | None:
    """The token that begins at offset `at`; None if no rule matches. limit: where the text ends."""
    for positions, kind, match in _TOKENS:
        if position in positions and (found := match(text, at, limit)):
            return Token(kind, found.end(), found[0])
    return None


def rank_at(text: bytes, at: int) -> int | None:
    """The rank of the first exception that matches at `at`; None for none."""
    return next((rank for match, rank in _EXCEPTIONS if match(text, at)), None)


def rank_of_location(text: bytes, start: int, end: int) -> int | None:
    """The rank of the severity that follows a location in a file; None for none."""
    found = _LOCATION.search(text, start, end)
    if found is None:
        return None
    if found[2]:
        return LETTERS[found[2][:1]]
    return WORDS.get(found[1].upper(), RANKS["INFO"])


def rank_of_ending(text: bytes) -> int | None:
    """The rank that a line's end tells; None for none."""
    for severity, endings in _exceptions["endings"].items():
        if text.endswith(tuple(ending.encode() for ending in endings)):
            return RANKS[severity]
    return None
