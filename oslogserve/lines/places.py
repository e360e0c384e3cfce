# SPDX-License-Identifier: Apache-2.0
"""Places of a log, as a reader names them: a line to go to, or one around whose time all logs are wanted.

A line is named by its number, a time, an anchor of os-loganalyze, or as the cause.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import UNTIMED_LINES, Selection, Wanted
from oslogserve.lines.time_range import TimeRange, time_range

#: Lines before the moment that are searched for one with a time.
_MOST_BEFORE = 1000
#: A line number that no log has.
_NO_LINE = 10**12
#: A time with a year, or syslog's without. A zone after it is ignored: it is the log's own.
_TIME_IN_ANCHOR = re.compile(
    rb"_(\d{4}-\d\d-\d\d|[A-Z][a-z]{2}_[_\d]\d)[_T](\d\d)_(\d\d)_(\d\d)(?:_(\d{1,6}))?(_[AP]M)?"
)

Read = Callable[[], Iterable[bytes]]


class Nearest(NamedTuple):
    """The line nearest to a moment. micros: microseconds by which it is later."""

    number: int
    micros: int


def moment_of(anchor: bytes, renderer: Renderer, written: int) -> TimeRange | None:
    """The time that an anchor such as `_2013-09-27_18_22_11_248` names; None if it has no day.

    written: when the log was last written, in seconds since 1970. It decides the year.
    """
    found = _TIME_IN_ANCHOR.match(anchor)
    if found is None:
        return None
    day, *time, fraction, half = found.groups(b"")
    text = b"%b %b:%b:%b" % (day.replace(b"_", b" "), *time)
    text += (b"." + fraction if fraction else b"") + half.replace(b"_", b" ")
    iso = renderer.iso(text, written)
    try:
        return time_range(iso) if iso else None
    except ValueError:
        return None


def nearest(
    read: Read, renderer: Renderer, anchor: bytes, moment: TimeRange, written: float | None
) -> Nearest | None:
    """The line nearest to `moment`, which `anchor` names; None if no line has a time.

    Compares the first line that is not before `moment` with the last one above it that has a time. If a
    clock was set back, a line with that very time may follow further below.
    read: returns the log's text from its beginning; called at most three times. written: see Wanted.
    """

    def with_times(selection: Selection) -> Iterator[Nearest]:
        for line in renderer(read(), Wanted("jsonl", selection, written)).objects():
            with suppress(ValueError):  # a time of day alone
                if line["time"]:
                    yield Nearest(line["line"], time_range(line["time"]).first - moment.first)

    later = next(with_times(Selection(since=moment, limit=1)), None)
    if later and later.micros:
        named = Selection(first=_NO_LINE, show=(anchor,))
        for line in renderer(read(), Wanted("jsonl", named, written)).objects():
            return Nearest(line["line"], 0)
    if later and (later.number == 1 or later.micros == 0):
        return later
    before = Selection(last=later.number - 1 if later else None, tail=_MOST_BEFORE)
    candidates = [*with_times(before)][-1:]
    if later:
        candidates.append(later)
    return min(candidates, key=lambda line: abs(line.micros), default=None)


#: A number such as 1200, 12,345 or L1200, or two.
_NUMBERS = re.compile(r"#?L?([1-9][0-9,]{0,14})(?:-L?([1-9][0-9,]{0,14}))?")
_ANCHOR = re.compile(r"#?(_[0-9A-Za-z_+/-]{1,64})")
#: A line's number, perhaps after a log's name.
_MOMENT = re.compile(r"(?:(.{1,1000}):)?L?([1-9][0-9]{0,11})", re.DOTALL)
#: Lines up to a moment's that are searched for a date and time. Where none of the first number shows
#: one, as in a long command's output, the second number is.
_MOST_ABOVE = (1000, 30_000)
#: Lines of a cause that an address names.
MOST_OF_CAUSE = 40
_TIME_OF_DAY = re.compile(r"(\d{1,2})(:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)")


class Place(NamedTuple):
    """A place in a log, as a reader names it. One of the fields is set."""

    #: A fragment: of a line's number, or an anchor.
    fragment: str = ""
    #: A date and time, on the log's clock.
    moment: TimeRange | None = None
    #: A time of day, as in ISO 8601.
    time_of_day: str = ""
    #: True for the cause of the log's failure.
    is_cause: bool = False


class Moment(NamedTuple):
    """A line, by its number, in a log of a folder."""

    #: The log's name, relative to the folder; b"" if the URL is the log's own.
    log: bytes
    line: int

    @property
    def value(self) -> bytes:
        """The value of the parameter `moment`."""
        return b"%b:%d" % (self.log, self.line)


class Target(NamedTuple):
    """The line to go to, and the value of `show` that brings it in."""

    fragment: str
    show: str


def place(text: str) -> Place:
    """Parses what a reader typed. Raises ValueError that says what is expected."""
    text = text.strip()
    if text.lower() == "cause":
        return Place(is_cause=True)
    if found := _NUMBERS.fullmatch(text):
        first, last = (int(digits.replace(",", "")) for digits in found.groups(found[1]))
        if first <= last < 10**12:
            return Place(f"L{first}" + (f"-L{last}" if last > first else ""))
    if found := _ANCHOR.fullmatch(text):
        return Place(found[1])
    try:
        if found := _TIME_OF_DAY.fullmatch(text):
            time = f"{found[1]:0>2}{found[2]}"
            time_range(f"2000-01-01T{time}")
            return Place(time_of_day=time)
        # Like an anchor, it is on the log's clock.
        return Place(moment=time_range(text)._replace(offset=None))
    except ValueError:
        raise ValueError(
            "a line's number, a time with or without a date, an anchor, or cause"
        ) from None


def moment(text: str) -> Moment:
    """Parses a value of the parameter `moment`. Raises ValueError that says what is expected."""
    found = _MOMENT.fullmatch(text)
    if found is None:
        raise ValueError("a line's number; for a folder, a log's name, a colon and the number")
    return Moment((found[1] or "").encode("utf-8", "surrogateescape"), int(found[2]))


def target(place: Place, read: Read, renderer: Renderer, written: float | None) -> Target | None:
    """The line at or nearest to a place. See nearest().

    None if no line has a date and time, or the log has no cause.
    """
    if place.is_cause:
        summary, _ = renderer.summary(read(), Wanted("summary", written=written))
        cause = summary["cause"]
        return Target(f"L{cause['line']}", cause_lines(cause)) if cause else None
    if place.fragment.startswith("L"):
        return Target(place.fragment.partition("-")[0], place.fragment)
    moments = list(_moments(place, read, renderer, written))
    if not moments:
        return Target(place.fragment, place.fragment) if place.fragment else None
    for moment in moments:
        within = Selection(since=moment, until=moment, limit=1)
        for line in renderer(read(), Wanted("jsonl", within, written)).objects():
            return Target(f"L{line['line']}", f"L{line['line']}")
    found: list[tuple[Nearest, str]] = []
    for moment in moments:
        at = datetime(1970, 1, 1) + timedelta(microseconds=moment.first)
        anchor = f"_{at:%Y-%m-%d_%H_%M_%S_%f}"
        if near := nearest(read, renderer, anchor.encode(), moment, written):
            found.append((near, anchor))
    # The anchor lets the page say how far away the line is.
    found.sort(key=lambda one: abs(one[0].micros))
    return next((Target(f"L{near.number}", anchor) for near, anchor in found), None)


def cause_lines(cause: dict[str, Any]) -> str:
    """The value of `show` that brings in a summary's cause: at most MOST_OF_CAUSE lines."""
    first, last = cause["line"], min(cause["last"], cause["line"] + MOST_OF_CAUSE - 1)
    return f"L{first}" + (f"-L{last}" if last > first else "")


def time_of(line: int, read: Read, renderer: Renderer, written: float | None) -> TimeRange | None:
    """The time of a line: of the last one up to it that shows a date; None for none.

    read: returns the log's text from its beginning. written: see Wanted.
    """
    for most in _MOST_ABOVE:
        above = Selection(last=line, tail=most)
        found = None
        for one in renderer(read(), Wanted("jsonl", above, written)).objects():
            with suppress(ValueError):  # a time of day alone
                found = time_range(one["time"] or "")
        if found or line <= most:
            return found
    return None


def _moments(
    place: Place, read: Read, renderer: Renderer, written: float | None
) -> Iterator[TimeRange]:
    """Yields the moments that a place may mean. A time of day is of the log's first day, or of the next."""
    if place.moment:
        yield place.moment
    elif place.fragment:
        written_at = Wanted("jsonl", written=written).last_written()
        moment = moment_of(place.fragment.encode(), renderer, written_at)
        if moment:
            yield moment
    elif begin := _begin(read, renderer, written):
        for day in (begin, begin + timedelta(days=1)):
            yield time_range(f"{day:%Y-%m-%d}T{place.time_of_day}")


def _begin(read: Read, renderer: Renderer, written: float | None) -> datetime | None:
    """The day of the log's first line with a date."""
    head = Wanted("jsonl", Selection(last=UNTIMED_LINES), written)
    for line in renderer(read(), head).objects():
        try:
            return datetime.fromisoformat((line["time"] or "")[:10])
        except ValueError:
            continue
    return None
