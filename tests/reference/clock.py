# SPDX-License-Identifier: Apache-2.0
"""Reads the times in a log as instants on the log's clock.

Lines are compared on that clock, since most times name no zone, and readers copy times as lines show
them. Seconds since boot and a bare time of day are never compared with a date.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from oslogserve.lines.grammar.times import MONTHS, READABLE, pattern_of

Origin = Literal["epoch", "midnight", "boot"]

_READERS = [
    re.compile(f"(?! ){pattern_of(layout, named=True)}".encode()).fullmatch for layout in READABLE
]
_MONTH_NUMBERS = {name.encode(): number for number, name in enumerate(MONTHS.split("|"), 1)}
_SECOND = 10**6
_EPOCH = datetime(1970, 1, 1)
_MINUTE = timedelta(minutes=1)
#: Minutes since 1970 so long before the end of the year 9999 that a day can be added.
_LATEST = (datetime(9999, 12, 31) - _EPOCH) // _MINUTE - 1


class Instant(NamedTuple):
    """A point on a log's clock.

    micros: microseconds since `origin`, without applying the zone. offset: the zone's minutes east
    of UTC; None if the line names none.
    """

    micros: int
    offset: int | None = None
    origin: Origin = "epoch"

    def on_clock_of(self, offset: int | None) -> int | None:
        """Microseconds to compare with a TimeRange of this offset; None without a date.

        A query without a zone is on the log's clock. A line without a zone is in UTC.
        """
        if self.origin != "epoch":
            return None
        if offset is None:
            return self.micros
        return self.micros + (offset - (self.offset or 0)) * 60 * _SECOND


class _Stamp(NamedTuple):
    """The parts of a time. second: without the fraction, whose digits are kept as written."""

    second: datetime
    fraction: bytes
    zone: bytes = b""
    origin: Origin = "epoch"

    @property
    def micros(self) -> int:
        fraction = int(self.fraction[:6].ljust(6, b"0"))
        return (self.second - _EPOCH) // timedelta(microseconds=1) + fraction


class Clock:
    """Reads the times of one log. written: when it was last written, in seconds since 1970.

    A time without a year gets the latest year that puts it at most a day after the minute of
    `written`. The day allows for the log's time zone. Seconds never decide about the year.
    """

    def __init__(self, written: int) -> None:
        minute = _EPOCH + min(max(written, 0) // 60, _LATEST) * _MINUTE
        self._limit = minute + timedelta(days=1, seconds=59, microseconds=999_999)

    def read(self, text: bytes) -> Instant | None:
        """The instant of a time's text; None if there is none, as for 31 February."""
        stamp = self._stamp(text)
        return stamp and Instant(stamp.micros, zone_of(stamp.zone)[0], stamp.origin)

    def iso(self, text: bytes) -> str | None:
        """The time in ISO 8601 with its fraction as written; without a date, the text as it is."""
        stamp = self._stamp(text)
        if stamp is None or stamp.origin != "epoch":
            return text.decode() if stamp else None
        fraction = f".{stamp.fraction.decode()}" if stamp.fraction else ""
        return stamp.second.isoformat() + fraction + zone_of(stamp.zone)[1]

    def _stamp(self, text: bytes) -> _Stamp | None:
        found = next((found for reader in _READERS if (found := reader(text))), None)
        return self._stamp_of(found.groupdict()) if found else None

    def _stamp_of(self, fields: Mapping[str, bytes]) -> _Stamp | None:
        fraction = fields["L"] if "L" in fields else fields.get("f", b"")[1:]
        if "s" in fields:
            return _Stamp(_EPOCH + timedelta(seconds=int(fields["s"])), fraction, b"Z")
        if "E" in fields:
            digits = fields["E"][:-4].replace(b".", b"").ljust(10, b"0")
            return _Stamp(_EPOCH + timedelta(seconds=int(digits[:10])), digits[10:19], b"Z")
        if "u" in fields:
            seconds, _, fraction = fields["u"].partition(b".")
            return _Stamp(_EPOCH + timedelta(seconds=int(seconds)), fraction, b"", "boot")
        time = _time_of_day(fields)
        if fields.get("S") == b"60":  # a leap second counts as the end of the second before
            time, fraction = time - timedelta(seconds=1), b"999999"
        if fields.keys().isdisjoint(("d", "e", "j", "x")):
            return _Stamp(_EPOCH + time, fraction, b"", "midnight")
        day = self._day_of(fields, time)
        return _Stamp(day + time, fraction, fields.get("z", b"")) if day else None

    def _day_of(self, fields: Mapping[str, bytes], time: timedelta) -> datetime | None:
        """The day of a date; None if there is none."""
        if "x" in fields:
            return None
        if "Y" in fields:
            return _day_in(int(fields["Y"]), fields)
        if "y" in fields:
            year = int(fields["y"])
            return _day_in(year + (2000 if year < 70 else 1900), fields)
        latest = self._limit.year
        # For 29 February: thirteen years hold two leap years, also around 2100.
        days = (_day_in(year, fields) for year in range(latest, latest - 13, -1))
        return next((day for day in days if day and day + time <= self._limit), None)


def _day_in(year: int, fields: Mapping[str, bytes]) -> datetime | None:
    try:
        if "j" in fields:  # the first day of the year is 000
            found = datetime(year, 1, 1) + timedelta(int(fields["j"]))
        else:
            month = _MONTH_NUMBERS[fields["b"]] if "b" in fields else int(fields["m"])
            found = datetime(year, month, int(fields.get("d") or fields["e"]))
    except (ValueError, OverflowError):
        return None
    return found if found.year == year else None


def _time_of_day(fields: Mapping[str, bytes]) -> timedelta:
    hour = int(fields.get("k") or fields.get("H") or fields["I"])
    if half := fields.get("p") or fields.get("P"):
        hour = hour % 12 + 12 * half.endswith(b"PM")
    minutes, seconds = int(fields["M"]), int(fields.get("S", b"0"))
    return timedelta(hours=hour, minutes=minutes, seconds=seconds)


def zone_of(text: bytes) -> tuple[int | None, str]:
    """A zone's offset in minutes and its ISO 8601 text; (None, "") if the word is ambiguous."""
    zone = text.decode().strip()
    if zone in ("Z", "UTC", "GMT"):
        return 0, "Z"
    if zone[:1] not in ("+", "-"):
        return None, ""
    hours, minutes = zone[1:3], zone[3:].removeprefix(":") or "00"
    offset = int(hours) * 60 + int(minutes)
    if zone[0] == "-" and offset:
        return -offset, f"-{hours}:{minutes}"
    return offset, f"+{hours}:{minutes}"
