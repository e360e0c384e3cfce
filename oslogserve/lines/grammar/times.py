# SPDX-License-Identifier: Apache-2.0
"""Times: the layouts in which logs write them, finding one in a line, reading one.

A layout is written as for strptime, in one list for both renderers; a new one is one more string.
Lines are compared by the log's clock: most times name no zone, and a reader copies what stands
there. Seconds since boot and a bare time of day are never compared with a date.
"""

import functools
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import date, timedelta
from typing import Literal, NamedTuple

Origin = Literal["epoch", "midnight", "boot"]
Match = Callable[..., re.Match[bytes] | None]

#: Dates that a time of day stands behind.
_DATES = (
    "%Y-%m-%dT",
    "%Y-%m-%d ",
    "%Y-%m-%d_",
    "%Y/%m/%d ",
    "%Y/%m/%d-",
    "%Y.%m.%d ",
    "%Y:%m:%d-",
    "%Y%m%d ",
    "%Y%m%d-",
    "%b %e ",
    "%b %e %Y ",
    "%b %e, %Y ",
    "%Y %b %e ",
    "%b-%d-%y ",
    "%a %Y-%m-%d ",
    "%a %b %e ",
    "%a, %e %b %Y ",
    "%m-%d|",
    "%m-%d ",
    "%d %b ",
    "%e %b %Y ",
    "%d.%m.%Y ",
    "%d %m %Y ",
    "%d/%b/%Y:",
    "%d/%b/%Y ",
    "%e-%b-%Y ",
    "%e-%b-%Y::",
    "%x/%Y ",
    "%x/%Y, ",
    "%x/%Y - ",
    "%y/%m/%d ",
    "%x/%y ",
    "%y%m%d ",
)
#: Found wherever a time may stand. The first that fits counts.
LAYOUTS = (
    "%Y-%m-%d-%k.%M.%S%f",
    "%Y%m%d-%k:%M:%S:%L",
    "%Y-%m-%d\t%k:%M:%S:%L",
    "%Y%m%dT%H%M%S%f%z",
    "%a %b %e %k:%M:%S%f %Y",
    "%a %b %e %k:%M:%S %Z %Y",
    "%y%m%d %H%M%S",
    "%m%d/%H%M%S%f",
    "%Y/%m/%d %I:%M%p",
    "%I:%M:%S%p",
    "%I:%M%p",
    *(date + "%k:%M:%S%f%P%z" for date in _DATES),
    # Seldom, and no beginning of the ones above.
    "%Y-%m-%d %k:%M",
    "%Y-%m-%dT%k:%M%z",
    "%d-%b-%Y %k:%M",
    "%d-%b %k:%M",
    "%H:%M:%S:%L",
    "%H:%M:%S%f%z",
)
#: Layouts found only in a place of that name.
PLACED_LAYOUTS = {
    "klog": ("%m%d %k:%M:%S%f", "%Y%m%d %k:%M:%S%f"),
    "epoch": ("%E", "%s%f", "%s%L", "%s%L%L", "%s%L%L%L"),
    "boot": ("%u",),
    "day_of_year": ("%j/%H%M%S",),
}

_MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_MONTH_NUMBERS = {name.encode(): number for number, name in enumerate(_MONTHS.split("|"), 1)}
#: Some of these words mean several zones: only those of UTC are read, see zone_of().
_ZONE_WORDS = "UTC|GMT|WES?T|BST|IST|CES?T|EES?T|MSK|JST|KST|AE[SD]T|[ECMP][SD]T"
_OFFSET = r"(?:[01]\d|2[0-3])(?::?[0-5]\d)?"
#: The pattern of each directive. Other than in strptime, %f has its point and may be absent; %z may
#: be absent; %p has the space before it, if there is one, and %P is the same or absent; %k is an hour
#: of one or two digits; %L is three digits; %u is seconds since boot; %E is %s as a float; %x is a
#: month and a day in an unknown order.
DIRECTIVES = {
    "Y": r"\d{4}",
    "y": r"\d\d",
    "m": r"(?:0[1-9]|1[0-2])",
    "b": f"(?:{_MONTHS})",
    "a": "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)",
    "d": r"(?:0[1-9]|[12]\d|3[01])",
    "e": r"(?:[ 0-3]\d|\d)",
    "j": r"\d{3}",
    "x": r"\d\d/\d\d",
    "k": r"(?:[01]\d|2[0-3]| ?\d)",
    "H": r"(?:[01]\d|2[0-3])",
    "I": r"(?:0?[1-9]|1[0-2])",
    "M": r"[0-5]\d",
    "S": r"(?:[0-5]\d|60)",
    "p": r" ?[AP]M",
    "P": r"(?: ?[AP]M)?",
    "f": r"(?:[.,]\d{1,9})?",
    "L": r"\d{3}",
    "z": rf"(?:Z|[+-]{_OFFSET}| (?:{_ZONE_WORDS}|[+-]{_OFFSET}))?",
    "Z": r"[A-Z]{3,5}",
    "s": r"\d{10}",
    "E": r"\d\.\d{1,18}e\+09",
    "u": r"\d{1,9}\.\d{1,9}",
}
#: No time ends within a word or a longer clock: what stands behind one, a guard as in `tokens`.
GUARD = r"(?=[^\w:]|:[^\d]|:?{end})"


def pattern_of(layout: str, named: bool = False) -> str:
    """The layout as a regular expression; named: its directives are groups, %f and %L together."""
    seen = ""

    def directive(found: re.Match[str]) -> str:
        nonlocal seen
        letter = found[1]
        pattern = DIRECTIVES[letter]
        if not named or letter in seen:
            return pattern
        seen += letter
        return f"(?P<{letter}>{pattern})"

    layout = layout.replace("%L%L%L", "%9").replace("%L%L", "%6") if named else layout
    layout = re.sub(r"([.|])", r"\\\1", layout)
    layout = layout.replace("%9", r"(?P<L>\d{9})").replace("%6", r"(?P<L>\d{6})")
    return re.sub(r"%(\w)", directive, layout)


@functools.cache
def scanner(layouts: Iterable[str]) -> Match:
    """The function that finds a time of these layouts at a place in a line."""
    each = "|".join(pattern_of(layout) for layout in layouts)
    guard = GUARD.replace("{end}", r"\Z")
    return re.compile(f"(?! )(?:{each}){guard}".encode()).match


def scan(text: bytes, at: int, limit: int = sys.maxsize) -> re.Match[bytes] | None:
    """The time at `at`, as the match's span; None for none. limit: where it must end."""
    return scanner(LAYOUTS)(text, at, limit)


def scan_placed(place: str) -> Match:
    """The function that finds a time of PLACED_LAYOUTS, as `scan` does."""
    return scanner(PLACED_LAYOUTS[place])


#: All layouts, by which a time's text is read.
READABLE = (*LAYOUTS, *(one for several in PLACED_LAYOUTS.values() for one in several))


@functools.cache
def _readers() -> list[Match]:
    return [re.compile(pattern_of(layout, named=True).encode()).fullmatch for layout in READABLE]


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
        for reader in () if text.startswith(b" ") else _readers():
            if found := reader(text):
                return self._stamp_of({k: v for k, v in found.groupdict().items() if v is not None})
        return None

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
