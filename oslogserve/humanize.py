# SPDX-License-Identifier: Apache-2.0
"""Sizes, times, durations and names as a page shows them."""

from datetime import UTC, datetime
from math import inf

#: Units of time, and how many make one of the next.
_UNITS_OF_TIME = {"ms": 1000, "s": 60, "min": 60, "h": 24, "days": inf}


def size_shown(size: int) -> str:
    """The size with three digits: '999 B', '1.23 kB', '45.6 MB'."""
    if size < 1000:
        return f"{size} B"
    amount = size / 1000
    for unit in ("kB", "MB", "GB", "TB"):
        if amount < 999.5 or unit == "TB":
            break
        amount /= 1000
    decimals = 2 if amount < 9.995 else 1 if amount < 99.95 else 0
    return f"{amount:.{decimals}f} {unit}"


def moment(seconds: float | None) -> str | None:
    """The time as '2013-09-27 18:22:11', in UTC; None if unknown. seconds: since 1970."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(" ", "seconds")[:19]


def iso_moment(seconds: float | None) -> str | None:
    """The time as '2013-09-27T18:22:11Z'; None if unknown. seconds: since 1970."""
    shown = moment(seconds)
    return f"{shown.replace(' ', 'T')}Z" if shown else None


def duration(micros: int) -> str:
    """The duration with two digits or more: '0.5 ms', '39 ms', '1.5 s', '12 min', '23 h', '1,200 days'."""
    amount = micros / 1000
    unit, of_next = next(units := iter(_UNITS_OF_TIME.items()))
    while round(amount) >= of_next:
        amount = max(1, amount / of_next)
        unit, of_next = next(units)
    shown = f"{amount:.2g}" if amount < 9.95 else f"{amount:,.0f}"
    return "1 day" if (shown, unit) == ("1", "days") else f"{shown} {unit}"


def counted(number: int, noun: str) -> str:
    """The number and its noun, in the plural if need be."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
