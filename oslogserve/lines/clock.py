# SPDX-License-Identifier: Apache-2.0
"""What the text of a recognised time says: an instant, its ISO 8601 text, what a query asks for.

A log's lines are compared by their own clock: most name no zone, and a reader copies what stands
there. Where the query names a zone they are compared as instants, and a line without one is in UTC.

What is no date, seconds since boot or a bare time of day, is counted from another origin and never
compared with a date.
"""

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal, NamedTuple

Origin = Literal["epoch", "midnight", "boot"]

_SECOND = 10**6
_MINUTE = 60 * _SECOND
_DAY = 24 * 60 * _MINUTE
_HALF_DAY = 12 * 60 * 60
_EPOCH = date(1970, 1, 1).toordinal()
#: A day before the end of the year 9999: what was written later has that year too.
_LATEST = (date(9999, 12, 31).toordinal() - _EPOCH) * 86_400 - 1


class Instant(NamedTuple):
    """micros: microseconds of the line's own clock, its zone not applied, since `origin`.

    offset: of its zone, in minutes east of UTC; None where the line names none.
    """

    micros: int
    offset: int | None = None
    origin: Origin = "epoch"

    def on_clock_of(self, offset: int | None) -> int | None:
        """To be compared with a Span of this offset; None for what is no date.

        Without a zone the query means the line's own clock. A line without one is in UTC.
        """
        if self.origin != "epoch":
            return None
        if offset is None:
            return self.micros
        return self.micros + (offset - (self.offset or 0)) * _MINUTE


# A form gives six groups: day, hour, minute, second, fraction, and what stands behind: the zone,
# the year, or the half of the day.

_MONTHS = {
    name: number
    for number, name in enumerate(b"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)
}
_MONTH = rb"(?:%b)" % b"|".join(_MONTHS)
_WEEKDAY = rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) "
_SECONDS = rb":([0-5]\d):([0-5]\d|60)(?:[.,](\d{1,9}))?"
_CLOCK = rb"([01 ]\d|2[0-3])" + _SECONDS
_HOURS = rb"(?:[01]\d|2[0-3])(?::?[0-5]\d)?"
#: CET and its like are taken for no zone: they mean different ones in different places.
_ZONE = rb"( ?(?:Z|UTC|GMT|[+-]" + _HOURS + rb")| [A-Z]{3,5})?"
_NO_ZONE = rb"()"

#: Year, month and day, None for what is not shown. Without a month the day is that of the year, and
#: the first is 0.
_Shown = tuple[int | None, int | None, int]


def _century(year: int) -> int:
    return year + (2000 if year < 70 else 1900)


_Shows = Callable[[bytes, bytes], _Shown]
_Fits = Callable[[bytes], re.Match[bytes] | None]

#: Pattern, and what its day and what stands behind show. No text fits two of them.
_FORMS: tuple[tuple[bytes, _Shows], ...] = (
    (  # 2024-03-04T05:06:07.123Z, 2024/03/04 05:06:07, Mon 2024-03-04 05:06:07 UTC
        rb"(?:" + _WEEKDAY + rb")?(\d{4}-\d\d-\d\d|\d{4}/\d\d/\d\d)[T ]" + _CLOCK + _ZONE,
        lambda day, _: (int(day[:4]), int(day[5:7]), int(day[8:])),
    ),
    (  # Mar  4 05:06:07
        rb"(" + _MONTH + rb" [ \d]\d) " + _CLOCK + _NO_ZONE,
        lambda day, _: (None, _MONTHS[day[:3]], int(day[4:])),
    ),
    (  # 04/Mar/2024:05:06:07 +0000, 04/Mar/2024 05:06:07
        rb"(\d\d/" + _MONTH + rb"/\d{4})[: ]" + _CLOCK + _ZONE,
        lambda day, _: (int(day[7:]), _MONTHS[day[3:6]], int(day[:2])),
    ),
    (  # 0304 05:06:07.123456
        rb"(\d{4}) " + _CLOCK + _NO_ZONE,
        lambda day, _: (None, int(day[:2]), int(day[2:])),
    ),
    (  # 20240304 05:06:07.123456
        rb"(\d{8}) " + _CLOCK + _NO_ZONE,
        lambda day, _: (int(day[:4]), int(day[4:6]), int(day[6:])),
    ),
    (  # Mon Mar  4 05:06:07 2024
        _WEEKDAY + rb"(" + _MONTH + rb" [ \d]\d) " + _CLOCK + rb" (\d{4})",
        lambda day, year: (int(year), _MONTHS[day[:3]], int(day[4:])),
    ),
    (  # 240304  5:06:07
        rb"(\d{6}) " + _CLOCK + _NO_ZONE,
        lambda day, _: (_century(int(day[:2])), int(day[2:4]), int(day[4:])),
    ),
    (  # 4-Mar-2024::05:06:07, 04-Mar-2024 05:06:07.123
        rb"(\d{1,2}-" + _MONTH + rb"-\d{4})(?:::| )" + _CLOCK + _NO_ZONE,
        lambda day, _: (int(day[-4:]), _MONTHS[day[-8:-5]], int(day[:-9])),
    ),
    (  # Mar 04, 2024 5:06:07 AM
        rb"(" + _MONTH + rb" \d{1,2}, \d{4}) (0?[1-9]|1[0-2])" + _SECONDS + rb" ([AP]M)",
        lambda day, _: (int(day[-4:]), _MONTHS[day[:3]], int(day[4:-6])),
    ),
    (  # 063/050607
        rb"(\d{3})/([01]\d|2[0-3])([0-5]\d)([0-5]\d|60)()()",
        lambda day, _: (None, None, int(day)),
    ),
)
_COMPILED = [(re.compile(pattern).fullmatch, shown) for pattern, shown in _FORMS]
#: Seconds, milliseconds, microseconds, nanoseconds, by their digits.
_SINCE_EPOCH = re.compile(rb"(\d{10})(?:\.(\d{1,9})|(\d{3}|\d{6}|\d{9}))?")
_SINCE_BOOT = re.compile(rb"(\d{1,9})\.(\d{1,9})")
_SINCE_MIDNIGHT = re.compile(rb"([01]\d|2[0-3])" + _SECONDS)


class _Stamp(NamedTuple):
    """A date taken apart. fraction: its digits as written. second: of the day."""

    day: int
    second: int
    fraction: bytes
    zone: bytes

    @property
    def micros(self) -> int:
        return self.day * _DAY + self.second * _SECOND + _micros(self.fraction)


class Clock:
    """The times of one log. written: when it was last written to, in seconds since 1970.

    A stamp without a year is of the latest one that puts it no more than a day after that: its
    clock may be ahead by a zone.
    """

    #: Days that are remembered: lines of several programs take turns, and most are of the same day.
    MOST = 64

    def __init__(self, written: int) -> None:
        self._limit = (min(max(written, 0), _LATEST) + 86_400) * _SECOND
        self._days: dict[tuple[bytes, bytes], list[int]] = {}
        #: What the last text of such a length fitted is tried first.
        self._by_length: dict[int, tuple[_Fits, _Shows]] = {}

    def read(self, text: bytes) -> Instant | None:
        """None where it is not a time, such as one of 31 February."""
        stamp = self._stamp(text)
        if stamp is None:
            return _undated(text)
        return Instant(stamp.micros, _zone(stamp.zone)[0])

    def iso(self, text: bytes) -> str | None:
        """With the digits of the fraction as written; what is no date as it is."""
        stamp = self._stamp(text)
        if stamp is None:
            return text.decode() if _undated(text) else None
        day = date.fromordinal(stamp.day + _EPOCH).isoformat()
        minutes, second = divmod(stamp.second, 60)
        fraction = f".{stamp.fraction.decode()}" if stamp.fraction else ""
        zone = _zone(stamp.zone)[1]
        return f"{day}T{minutes // 60:02}:{minutes % 60:02}:{second:02}{fraction}{zone}"

    def _stamp(self, text: bytes) -> _Stamp | None:
        fits, shown = self._by_length.get(len(text), _COMPILED[0])
        if found := fits(text):
            return self._dated(shown, found.groups(b""))
        for form in _COMPILED:
            if found := form[0](text):
                self._by_length[len(text)] = form
                return self._dated(form[1], found.groups(b""))
        if found := _SINCE_EPOCH.fullmatch(text):
            seconds, *fraction = found.groups(b"")
            return _Stamp(*divmod(int(seconds), 86_400), b"".join(fraction), b"Z")
        return None

    def _dated(self, shown: _Shows, groups: Sequence[bytes]) -> _Stamp | None:
        day, hours, minutes, seconds, fraction, behind = groups
        days = self._days.get((day, behind))
        if days is None:
            if len(self._days) == self.MOST:
                self._days.clear()
            days = self._days[day, behind] = self._days_of(*shown(day, behind))
        if not days:
            return None
        second, fraction = _second_of_day(hours, minutes, seconds, fraction)
        if behind in (b"AM", b"PM"):
            second = second % _HALF_DAY + _HALF_DAY * (behind == b"PM")
        stamp = _Stamp(days[0], second, fraction, behind)
        if len(days) > 1 and stamp.micros > self._limit:
            return stamp._replace(day=days[1])
        return stamp

    def _days_of(self, year: int | None, month: int | None, day: int) -> list[int]:
        """Days since 1970. Without a year those of the latest two; which one, the hour decides."""
        if year is not None:
            found = _day_of(year, month, day)
            return [] if found is None else [found]
        today = self._limit // _DAY
        latest = date.fromordinal(today + _EPOCH).year
        # So many years hold two leap years, those around 2100 too.
        years = range(latest, latest - 13, -1)
        days = [_day_of(year, month, day) for year in years]
        return [found for found in days if found is not None and found <= today][:2]


def _day_of(year: int, month: int | None, day: int) -> int | None:
    try:
        first = date(year, 1 if month is None else month, 1)
        found = first + timedelta(day) if month is None else first.replace(day=day)
    except (ValueError, OverflowError):
        return None
    return found.toordinal() - _EPOCH if found.year == year else None


def _second_of_day(
    hours: bytes, minutes: bytes, seconds: bytes, fraction: bytes
) -> tuple[int, bytes]:
    """And its fraction. A leap second is the end of the one before: few programs know of 61."""
    if seconds == b"60":
        seconds, fraction = b"59", b"999999"
    return (int(hours) * 60 + int(minutes)) * 60 + int(seconds), fraction


def _micros(fraction: bytes) -> int:
    return int(fraction[:6].ljust(6, b"0"))


@lru_cache(maxsize=64)
def _zone(behind: bytes) -> tuple[int | None, str]:
    """Its offset in minutes, and how ISO 8601 writes it."""
    zone = behind.decode().strip()
    if zone in ("Z", "UTC", "GMT"):
        return 0, "Z"
    if zone[:1] not in ("+", "-"):
        return None, ""
    hours, minutes = zone[1:3], zone[3:].removeprefix(":") or "00"
    offset = int(hours) * 60 + int(minutes)
    if zone[0] == "-" and offset:
        return -offset, f"-{hours}:{minutes}"
    return offset, f"+{hours}:{minutes}"


def _undated(text: bytes) -> Instant | None:
    if found := _SINCE_MIDNIGHT.fullmatch(text):
        second, fraction = _second_of_day(*found.groups(b""))
        return Instant(second * _SECOND + _micros(fraction), None, "midnight")
    if found := _SINCE_BOOT.fullmatch(text):
        return Instant(int(found[1]) * _SECOND + _micros(found[2]), None, "boot")
    return None


class Span(NamedTuple):
    """What a query's time stands for: its first and its last microsecond.

    Since it: `on_clock_of(offset) >= first`; until it: `<= last`. offset: of its zone, in minutes.
    """

    first: int
    last: int
    offset: int | None = None


_WHOLE = "0000-00-00T00:00:00.000000"
_SHAPE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,]\d{6,9}", re.ASCII)
#: The plus of a zone is a space in a URL that does not escape it.
_ZONED = re.compile(
    r"(\d{4}-\d\d-\d\d[T ]\d[\d:.,]*)"
    rf"(?: ?(?:Z|UTC|GMT|[+-]{_HOURS.decode()})| {_HOURS.decode()})",
    re.ASCII,
)


def span(text: str) -> Span:
    """All times whose ISO 8601 text begins with this one. A zone may stand behind a time.

    Raises ValueError with what is to be given instead.
    """
    zoned = _ZONED.fullmatch(text)
    asked = zoned[1] if zoned else text
    if not asked or not _SHAPE.fullmatch(asked + _WHOLE[len(asked) :]):
        raise _wrong("this is neither" if asked else "this is empty")
    year = _fitting("year", asked[:4], 1, 9999)
    month = _fitting("month", asked[5:7], 1, 12)
    day = _fitting("day", asked[8:10], 1, _days_in(year[1], month[1]), f" in {asked[:7]}")
    hour = _fitting("hour", asked[11:13], 0, 23)
    minute = _fitting("minute", asked[14:16], 0, 59)
    seconds, digits = asked[17:19], asked[20:26]
    if seconds in ("6", "60"):  # as in a line
        seconds, digits = "59", "999999"
    second = _fitting("second", seconds, 0, 59)
    fraction = _fitting("fraction", digits, 0, 999_999)
    ends = zip(year, month, day, hour, minute, second, fraction, strict=True)
    first, last = (_micros_of(*end) for end in ends)
    zone = text[len(asked) :].strip()
    if zone[:1].isdigit():
        zone = f"+{zone}"
    return Span(first, last, _zone(zone.encode())[0])


def _wrong(why: str) -> ValueError:
    return ValueError(
        f"a date and time of ISO 8601, with or without a zone, or its beginning ({why})"
    )


def _fitting(name: str, given: str, low: int, high: int, where: str = "") -> tuple[int, int]:
    """The lowest and the highest number from low to high that begins with these digits."""
    width = len(str(high))
    lowest = max(low, int(given.ljust(width, "0")))
    highest = min(high, int(given.ljust(width, "9")))
    if lowest > highest:
        begins = "" if len(given) == width else "that begins with "
        raise _wrong(f"there is no {name} {begins}{given}{where}")
    return lowest, highest


def _days_in(year: int, month: int) -> int:
    return 31 if month == 12 else (date(year, month + 1, 1) - timedelta(1)).day


def _micros_of(
    year: int, month: int, day: int, hour: int, minute: int, second: int, fraction: int
) -> int:
    days = date(year, month, day).toordinal() - _EPOCH
    return days * _DAY + (hour * 60 + minute) * _MINUTE + second * _SECOND + fraction
