# SPDX-License-Identifier: Apache-2.0
"""Numbers, sizes and durations as arguments of a command."""

import argparse
import math
import re
from collections.abc import Callable, Mapping

DECIMAL_SIZES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
BINARY_SIZES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_TEN_YEARS = 3650 * 86400


def whole_number(
    lowest: int, highest: int, units: Mapping[str, int] | None = None
) -> Callable[[str], int]:
    """A parser of whole numbers, such as 5, or 10k if `units` has a k."""

    def parsed(text: str) -> int:
        found = re.fullmatch("([0-9]{1,18})([a-z]?)", text.lower())
        unit = (units or {"": 1}).get(found[2]) if found else None
        if found is None or unit is None or not lowest <= int(found[1]) * unit <= highest:
            raise argparse.ArgumentTypeError(f"{text}: give a number from {lowest} to {highest}")
        return int(found[1]) * unit

    return parsed


def duration(text: str) -> float:
    """A duration such as 30d, in seconds. A number without a unit is seconds."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([a-z]?)", text)
    seconds = float(found[1]) * _SECONDS.get(found[2], math.nan) if found else math.nan
    if not 0 < seconds <= _TEN_YEARS:
        raise argparse.ArgumentTypeError(f"{text}: give a time such as 90, 10s, 5m, 2h or 30d")
    return seconds
