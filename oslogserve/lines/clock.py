# SPDX-License-Identifier: Apache-2.0
"""The clock of a log: the instants that its times mean.

Lines are compared by the log's clock: most times name no zone, and a reader copies the time that a
line shows. Seconds since boot and a bare time of day are never compared with a date.
"""

import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Literal, NamedTuple

from oslogserve.lines.grammar.times import MONTHS, READABLE, pattern_of

Origin = Literal["epoch", "midnight", "boot"]

_READERS = [
    re.compile(f"(?! ){pattern_of(layout, named=True)}".encode()).fullmatch for layout in READABLE
]
_MONTH_NUMBERS = {name.encode(): number for number, name in enumerate(MONTHS.split("|"), 1)}
_SECOND = 10**6
_MINUTE = 60 * _SECOND
_DAY = 24 * 60 * _MINUTE
_EPOCH = date(1970, 1, 1).toordinal()
#: A day before the end of the year 9999: what was written later has that year too.
_LATEST = (date(9999, 12, 31).toordinal() - _EPOCH) * 86_400 - 1


class Instant(NamedTuple):
    """A point on a log's clock.

    micros: microseconds since `origin`, the zone not applied. offset: the zone's minutes east of
    UTC; None where the line names none.
    """

    micros: int
    offset: int | None = None
    origin: Origin = "epoch"

    def on_clock_of(self, offset: int | None) -> int | None:
        """Microseconds to compare with a TimeRange of this offset; None without a date.

        A query without a zone means the log's clock. A line without one is in UTC.
        """
        if self.origin != "epoch":
            return None
        if offset is None:
            return self.micros
        return self.micros + (offset - (self.offset or 0)) * _MINUTE


class _Stamp(NamedTuple):
    """A time's fields. day: since 1970. second: of the day. fraction: its digits as written."""

    day: int
    second: int
    fraction: bytes
    zone: bytes
    origin: Origin = "epoch"

    @property
    def micros(self) -> int:
        fraction = int(self.fraction[:6].ljust(6, b"0"))
        return self.day * _DAY + self.second * _SECOND + fraction


class Clock:
    """The reader of one log's times. written: when it was last written to, in seconds since 1970.

    A time without a year gets the latest one that puts it no more than a day after that: the log's
    clock may be ahead by a zone.
    """

    def __init__(self, written: int) -> None:
        self._limit = (min(max(written, 0), _LATEST) + 86_400) * _SECOND

    def read(self, text: bytes) -> Instant | None:
        """The instant that a time's text says; None if there is none, as for 31 February."""
        stamp = self._stamp(text)
        return stamp and Instant(stamp.micros, zone_of(stamp.zone)[0], stamp.origin)

    def iso(self, text: bytes) -> str | None:
        """The time in ISO 8601, its fraction as written; without a date, its text as it is."""
        stamp = self._stamp(text)
        if stamp is None or stamp.origin != "epoch":
            return text.decode() if stamp else None
        day = date.fromordinal(stamp.day + _EPOCH).isoformat()
        minutes, second = divmod(stamp.second, 60)
        fraction = f".{stamp.fraction.decode()}" if stamp.fraction else ""
        zone = zone_of(stamp.zone)[1]
        return f"{day}T{minutes // 60:02}:{minutes % 60:02}:{second:02}{fraction}{zone}"

    def _stamp(self, text: bytes) -> _Stamp | None:
        found = next((found for reader in _READERS if (found := reader(text))), None)
        return self._stamp_of(found.groupdict()) if found else None

    def _stamp_of(self, fields: Mapping[str, bytes]) -> _Stamp | None:
        fraction = fields["L"] if "L" in fields else fields.get("f", b"")[1:]
        if "s" in fields:
            return _Stamp(*divmod(int(fields["s"]), 86_400), fraction, b"Z")
        if "E" in fields:
            digits = fields["E"][:-4].replace(b".", b"").ljust(10, b"0")
            return _Stamp(*divmod(int(digits[:10]), 86_400), digits[10:19], b"Z")
        if "u" in fields:
            seconds, _, fraction = fields["u"].partition(b".")
            return _Stamp(0, int(seconds), fraction, b"", "boot")
        second, fraction = _second_of_day(fields, fraction)
        if fields.keys().isdisjoint(("d", "e", "j", "x")):
            return _Stamp(0, second, fraction, b"", "midnight")
        stamp = _Stamp(0, second, fraction, fields.get("z", b""))
        stamps = (stamp._replace(day=day) for day in self._days_of(fields))
        return next((one for one in stamps if _year_of(fields) or one.micros <= self._limit), None)

    def _days_of(self, fields: Mapping[str, bytes]) -> list[int]:
        """Days since 1970 that a time may mean, the latest first; empty if there is no such day."""
        if "x" in fields:
            return []
        year = _year_of(fields)
        latest = date.fromordinal(self._limit // _DAY + _EPOCH).year
        # Thirteen years hold two leap years, those around 2100 too.
        years = range(latest, latest - 13, -1) if year is None else (year,)
        return [day for one in years if (day := _day_of(one, fields)) is not None]


def _year_of(fields: Mapping[str, bytes]) -> int | None:
    if "Y" in fields:
        return int(fields["Y"])
    if "y" in fields:
        year = int(fields["y"])
        return year + (2000 if year < 70 else 1900)
    return None


def _day_of(year: int, fields: Mapping[str, bytes]) -> int | None:
    try:
        if "j" in fields:  # the first day of the year is 000
            found = date(year, 1, 1) + timedelta(int(fields["j"]))
        else:
            month = _MONTH_NUMBERS[fields["b"]] if "b" in fields else int(fields["m"])
            found = date(year, month, int(fields.get("d") or fields["e"]))
    except (ValueError, OverflowError):
        return None
    return found.toordinal() - _EPOCH if found.year == year else None


def _second_of_day(fields: Mapping[str, bytes], fraction: bytes) -> tuple[int, bytes]:
    """A time's second of the day and fraction. A leap second is the end of the one before."""
    hour = int(fields.get("k") or fields.get("H") or fields["I"])
    if half := fields.get("p") or fields.get("P"):
        hour = hour % 12 + 12 * half.endswith(b"PM")
    second = int(fields.get("S", b"0"))
    if second == 60:
        second, fraction = 59, b"999999"
    return (hour * 60 + int(fields["M"])) * 60 + second, fraction


def zone_of(text: bytes) -> tuple[int | None, str]:
    """A zone's offset in minutes and its text in ISO 8601; (None, "") if the word is ambiguous."""
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
