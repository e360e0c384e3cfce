# SPDX-License-Identifier: Apache-2.0
"""Times of queries, which are ranges: `2013-09-27T18:25` is a whole minute."""

import re
from calendar import monthrange, timegm
from typing import NamedTuple

_HOURS = r"(?:[01]\d|2[0-3])(?::?[0-5]\d)?"
#: An unescaped plus in a URL becomes a space.
_ZONE = rf"( ?(?:Z|UTC|GMT|[+-]{_HOURS})| {_HOURS})?"
_SHAPE = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d)"
    rf"(?::(\d\d)(?::(\d\d)(?:[.,](\d{{1,9}}))?)?)?{_ZONE})?)?)?",
    re.ASCII,
)
#: Each field of a time, with its lowest and highest value.
_FIELDS = (
    ("year", 1, 9999),
    ("month", 1, 12),
    ("day", 1, 31),
    ("hour", 0, 23),
    ("minute", 0, 59),
    ("second", 0, 59),
)


class TimeRange(NamedTuple):
    """The first and the last microsecond of a query's time, since 1970, on the clock of its zone.

    A line is since it if `on_clock_of(offset) >= first`, until it if `<= last`. offset: the zone's
    minutes east of UTC; None without a zone.
    """

    first: int
    last: int
    offset: int | None = None

    @property
    def first_in_utc(self) -> int:
        """The first microsecond in UTC; a time without a zone counts as UTC."""
        return self.first - (self.offset or 0) * 60 * 10**6


def time_range(text: str) -> TimeRange:
    """The range of an ISO 8601 time or of its beginning, from the year to the fraction.

    From the hour on, it may have a zone. Raises ValueError that says what is expected.
    """
    found = _SHAPE.fullmatch(text)
    if found is None:
        raise _wrong("this is neither" if text else "this is empty")
    *fields, fraction, zone = found.groups("")
    if fields[-1] == "60":  # a leap second counts as the end of the second before, as in a line
        fields[-1], fraction = "59", "999999"
    first: list[int] = []
    last: list[int] = []
    for (name, low, high), digits in zip(_FIELDS, fields, strict=True):
        if name == "day":
            high = monthrange(last[0], last[1])[1]
        if digits and not low <= int(digits) <= high:
            where = f" in {text[:7]}" if name == "day" else ""
            raise _wrong(f"there is no {name} {digits}{where}")
        first.append(int(digits or low))
        last.append(int(digits or high))
    first.append(int(fraction[:6].ljust(6, "0")))
    last.append(int(fraction[:6].ljust(6, "9")))
    if zone.strip()[:1].isdigit():
        zone = f"+{zone.strip()}"
    return TimeRange(_micros_of(first), _micros_of(last), _offset_of(zone))


def _wrong(why: str) -> ValueError:
    return ValueError(
        f"a date and time of ISO 8601, with or without a zone, or its beginning ({why})"
    )


def _micros_of(fields: list[int]) -> int:
    """Microseconds since 1970 of a year, month, day, hour, minute, second and microsecond."""
    return timegm(tuple(fields)) * 10**6 + fields[-1]


def _offset_of(text: str) -> int | None:
    """A zone's offset in minutes; None for no zone."""
    zone = text.strip()
    if zone in ("Z", "UTC", "GMT"):
        return 0
    if not zone:
        return None
    minutes = int(zone[1:3]) * 60 + int(zone[3:].removeprefix(":") or 0)
    return -minutes if zone[0] == "-" else minutes
