# SPDX-License-Identifier: Apache-2.0
"""Matches times in a line."""

import re
from collections.abc import Callable, Iterable

from oslogserve.lines.grammar.times import GUARD, LAYOUTS, PLACED_LAYOUTS, pattern_of

Match = Callable[..., re.Match[bytes] | None]


def _scanner(layouts: Iterable[str]) -> Match:
    """A function that matches a time of these layouts at an offset; the match spans the time."""
    each = "|".join(map(pattern_of, layouts))
    guard = GUARD.replace("{end}", r"\Z")
    return re.compile(f"(?! )(?:{each}){guard}".encode()).match


#: Arguments: the text, the offset, and where a time must end.
scan = _scanner(LAYOUTS)
#: The same for PLACED_LAYOUTS.
SCAN_PLACED = {place: _scanner(layouts) for place, layouts in PLACED_LAYOUTS.items()}
