# SPDX-License-Identifier: Apache-2.0
"""Ranks lines without a level in their head: by their words, a location in a file, or their end."""

import re

from oslogserve.lines.grammar.exceptions import ENDINGS, LOCATION, RULES
from oslogserve.lines.grammar.severities import LETTERS, RANKS, WORDS

_MATCHERS = [(re.compile(rule.replace(b"{end}", rb"\Z")).match, rank) for rule, rank in RULES]
_LOCATION = re.compile(LOCATION)


def rank_at(text: bytes, at: int) -> int | None:
    """The rank of the first rule that matches at `at`; None for none."""
    return next((rank for match, rank in _MATCHERS if match(text, at)), None)


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
    return next((rank for end, rank in ENDINGS.items() if text.endswith(end)), None)
