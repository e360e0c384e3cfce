# SPDX-License-Identifier: Apache-2.0
"""Matches the rows of the grammar's tables of heads: times, tokens and exceptions."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from oslogserve.lines.grammar import exceptions, tokens
from oslogserve.lines.grammar.severities import LETTERS, RANKS, WORDS
from oslogserve.lines.grammar.times import GUARD, LAYOUTS, PLACED_LAYOUTS, pattern_of
from oslogserve.lines.grammar.tokens import Kind, Position

Match = Callable[..., re.Match[bytes] | None]


def _compiled(pattern: bytes) -> Match:
    return re.compile(pattern.replace(b"{end}", rb"\Z")).match


def _scanner(layouts: Iterable[str]) -> Match:
    """A function that matches a time of these layouts at an offset; the match spans the time."""
    return _compiled(f"(?! )(?:{'|'.join(map(pattern_of, layouts))}){GUARD}".encode())


#: Arguments: the text, the offset, and where a time must end.
scan = _scanner(LAYOUTS)
#: The same for PLACED_LAYOUTS.
SCAN_PLACED = {place: _scanner(layouts) for place, layouts in PLACED_LAYOUTS.items()}
_TOKENS = [(rule.positions, rule.kind, _compiled(rule.pattern)) for rule in tokens.RULES]
_EXCEPTIONS = [(_compiled(rule.pattern), rule.rank) for rule in exceptions.RULES]
_LOCATION = re.compile(exceptions.LOCATION)


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
    word = WORDS.get(found[1].upper())
    return word.rank if word else RANKS["INFO"]


def rank_of_ending(text: bytes) -> int | None:
    """The rank that a line's end tells; None for none."""
    return next((rank for end, rank in exceptions.ENDINGS.items() if text.endswith(end)), None)
