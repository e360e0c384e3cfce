# SPDX-License-Identifier: Apache-2.0
"""Time ranges: a query's `2013-09-27T18:25` stands for that minute."""

import re
from datetime import date, timedelta
from typing import NamedTuple

from oslogserve.lines.grammar.times import zone_of

_EPOCH = date(1970, 1, 1).toordinal()
_SECOND = 10**6
_MINUTE = 60 * _SECOND
_DAY = 24 * 60 * _MINUTE
_HOURS = r"(?:[01]\d|2[0-3])(?::?[0-5]\d)?"


class TimeRange(NamedTuple):
    """The first and the last microsecond that a query's time stands for.

    Since it: `on_clock_of(offset) >= first`; until it: `<= last`. offset: its zone's minutes east
    of UTC; None without a zone.
    """

    first: int
    last: int
    offset: int | None = None

    @property
    def first_in_utc(self) -> int:
        """The first microsecond, its zone applied; a time without one is in UTC."""
        return self.first - (self.offset or 0) * _MINUTE


_LOWEST = "0000-00-00T00:00:00.000000"
_SHAPE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,]\d{6,9}", re.ASCII)
#: The plus of a zone is a space in a URL that does not escape it.
_ZONED = re.compile(
    r"(\d{4}-\d\d-\d\d[T ]\d[\d:.,]*)"
    rf"(?: ?(?:Z|UTC|GMT|[+-]{_HOURS})| {_HOURS})",
    re.ASCII,
)


def time_range(text: str) -> TimeRange:
    """The range of all times whose ISO 8601 text begins with this one. It may have a zone.

    Raises ValueError that says what is expected.
    """
    zoned = _ZONED.fullmatch(text)
    time = zoned[1] if zoned else text
    if not time or not _SHAPE.fullmatch(time + _LOWEST[len(time) :]):
        raise _wrong("this is neither" if time else "this is empty")
    year = _fitting("year", time[:4], 1, 9999)
    month = _fitting("month", time[5:7], 1, 12)
    day = _fitting("day", time[8:10], 1, _days_in(year[1], month[1]), f" in {time[:7]}")
    hour = _fitting("hour", time[11:13], 0, 23)
    minute = _fitting("minute", time[14:16], 0, 59)
    seconds, digits = time[17:19], time[20:26]
    if seconds in ("6", "60"):  # as in a line
        seconds, digits = "59", "999999"
    second = _fitting("second", seconds, 0, 59)
    fraction = _fitting("fraction", digits, 0, 999_999)
    ends = zip(year, month, day, hour, minute, second, fraction, strict=True)
    first, last = (_micros_of(end) for end in ends)
    zone = text[len(time) :].strip()
    if zone[:1].isdigit():
        zone = f"+{zone}"
    return TimeRange(first, last, zone_of(zone.encode())[0])


def _wrong(why: str) -> ValueError:
    return ValueError(
        f"a date and time of ISO 8601, with or without a zone, or its beginning ({why})"
    )


def _fitting(name: str, digits: str, low: int, high: int, where: str = "") -> tuple[int, int]:
    """The lowest and the highest number from low to high that begins with these digits."""
    width = len(str(high))
    lowest = max(low, int(digits.ljust(width, "0")))
    highest = min(high, int(digits.ljust(width, "9")))
    if lowest > highest:
        begins = "" if len(digits) == width else "that begins with "
        raise _wrong(f"there is no {name} {begins}{digits}{where}")
    return lowest, highest


def _days_in(year: int, month: int) -> int:
    return 31 if month == 12 else (date(year, month + 1, 1) - timedelta(1)).day


def _micros_of(end: tuple[int, ...]) -> int:
    """Microseconds since 1970 of a year, month, day, hour, minute, second and fraction."""
    *day, hour, minute, second, fraction = end
    days = date(*day).toordinal() - _EPOCH
    return days * _DAY + (hour * 60 + minute) * _MINUTE + second * _SECOND + fraction
