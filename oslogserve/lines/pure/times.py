# SPDX-License-Identifier: Apache-2.0
"""Times at a place in a line."""

import re
from collections.abc import Callable, Iterable

from oslogserve.lines.grammar.times import GUARD, LAYOUTS, PLACED_LAYOUTS, pattern_of

Match = Callable[..., re.Match[bytes] | None]


def _scanner(layouts: Iterable[str]) -> Match:
    """The function that finds a time of these layouts at a place in a line. The match is its span."""
    each = "|".join(map(pattern_of, layouts))
    guard = GUARD.replace("{end}", r"\Z")
    return re.compile(f"(?! )(?:{each}){guard}".encode()).match


#: Arguments: the text, the place, and where a time must end.
scan = _scanner(LAYOUTS)
#: The same for PLACED_LAYOUTS.
SCAN_PLACED = {place: _scanner(layouts) for place, layouts in PLACED_LAYOUTS.items()}
