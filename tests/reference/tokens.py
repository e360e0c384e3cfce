# SPDX-License-Identifier: Apache-2.0
"""Matches the tokens of a line's head."""

import re
from typing import NamedTuple

from oslogserve.lines.grammar.tokens import RULES, Kind, Position

_MATCHERS = [
    (rule.positions, rule.kind, re.compile(rule.pattern.replace(b"{end}", rb"\Z")).match)
    for rule in RULES
]


class Token(NamedTuple):
    """A token. end: its end in the line."""

    kind: Kind
    end: int
    text: bytes


def token_at(position: Position, text: bytes, at: int, limit: int) -> Token | None:
    """The token that begins at offset `at`; None if no rule matches. limit: where the text ends."""
    for positions, kind, match in _MATCHERS:
        if position in positions and (found := match(text, at, limit)):
            return Token(kind, found.end(), found[0])
    return None
