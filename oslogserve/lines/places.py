# SPDX-License-Identifier: Apache-2.0
"""Places of a log, as a reader names them: a line to go to, or one around whose time all logs are wanted.

A line is named by its number, a time, an anchor of os-loganalyze, or as the cause.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import UNTIMED_LINES, Selection, Wanted
from oslogserve.lines.time_range import TimeRange, time_range
from oslogserve.logs.open_log import OpenLog

#: Lines before the moment that are searched for one with a time.
_MOST_BEFORE = 1000
#: A line number that no log has.
_NO_LINE = 10**12
#: A time with a year, or syslog's without. A zone after it is ignored: it is the log's own.
_TIME_IN_ANCHOR = re.compile(
    rb"_(\d{4}-\d\d-\d\d|[A-Z][a-z]{2}_[_\d]\d)[_T](\d\d)_(\d\d)_(\d\d)(?:_(\d{1,6}))?(_[AP]M)?"
)


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
    log: OpenLog, renderer: Renderer, anchor: bytes, moment: TimeRange
) -> tuple[int, int] | None:
    """The line nearest to `moment`, which `anchor` names, and microseconds by which it is later; None if no line has a time.

    Compares the first line that is not before `moment` with the last one above it that has a time. If a
    clock was set back, a line with that very time may follow further below.
    """

    def with_times(selection: Selection) -> Iterator[tuple[int, int]]:
        for line in _lines(log, renderer, selection):
            with suppress(ValueError):  # a time of day alone
                if line["time"]:
                    yield line["line"], time_range(line["time"]).first - moment.first

    later = next(with_times(Selection(since=moment, limit=1)), None)
    if later and later[1]:
        for line in _lines(log, renderer, Selection(first=_NO_LINE, show=(anchor,))):
            return line["line"], 0
    if later and (later[0] == 1 or later[1] == 0):
        return later
    before = Selection(last=later[0] - 1 if later else None, tail=_MOST_BEFORE)
    candidates = [*with_times(before)][-1:]
    if later:
        candidates.append(later)
    return min(candidates, key=lambda line: abs(line[1]), default=None)


def _lines(log: OpenLog, renderer: Renderer, selection: Selection) -> Iterator[dict[str, Any]]:
    """Yields lines of the log, which is read once more for that, as in a view jsonl."""
    wanted = Wanted("jsonl", selection, renderer.written(log))
    return renderer(log.text(), wanted, log.blocks).objects()


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


class Goto(NamedTuple):
    """The value of the parameter `goto`: a place in a log, as a reader names it. One of the fields is set."""

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


def goto(text: str) -> Goto:
    """Parses what a reader typed. Raises ValueError that says what is expected."""
    text = text.strip()
    if text.lower() == "cause":
        return Goto(is_cause=True)
    if found := _NUMBERS.fullmatch(text):
        first, last = (int(digits.replace(",", "")) for digits in found.groups(found[1]))
        if first <= last < 10**12:
            return Goto(f"L{first}" + (f"-L{last}" if last > first else ""))
    if found := _ANCHOR.fullmatch(text):
        return Goto(found[1])
    try:
        if found := _TIME_OF_DAY.fullmatch(text):
            time = f"{found[1]:0>2}{found[2]}"
            time_range(f"2000-01-01T{time}")
            return Goto(time_of_day=time)
        # Like an anchor, it is on the log's clock.
        return Goto(moment=time_range(text)._replace(offset=None))
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


def target(goto: Goto, log: OpenLog, renderer: Renderer) -> tuple[str, str] | None:
    """The fragment of the line at or nearest to a place, and the value of `show` that brings it in.

    None if no line has a date and time, or the log has no cause.
    """
    if goto.is_cause:
        wanted = Wanted("summary", written=renderer.written(log))
        cause = renderer(log.text(), wanted, log.blocks).summary().cause
        return (f"L{cause.line}", cause_lines(cause.line, cause.last)) if cause else None
    if goto.fragment.startswith("L"):
        return goto.fragment.partition("-")[0], goto.fragment
    moments = list(_moments(goto, log, renderer))
    if not moments:
        return (goto.fragment, goto.fragment) if goto.fragment else None
    for moment in moments:
        for line in _lines(log, renderer, Selection(since=moment, until=moment, limit=1)):
            return f"L{line['line']}", f"L{line['line']}"
    found: list[tuple[int, int, str]] = []
    for moment in moments:
        at = datetime(1970, 1, 1) + timedelta(microseconds=moment.first)
        anchor = f"_{at:%Y-%m-%d_%H_%M_%S_%f}"
        if near := nearest(log, renderer, anchor.encode(), moment):
            found.append((*near, anchor))
    if not found:
        return None
    number, _, anchor = min(found, key=lambda one: abs(one[1]))
    return f"L{number}", anchor  # the anchor lets the page say how far away the line is


def cause_lines(first: int, last: int) -> str:
    """The value of `show` that brings in the lines of a cause: at most MOST_OF_CAUSE."""
    last = min(last, first + MOST_OF_CAUSE - 1)
    return f"L{first}" + (f"-L{last}" if last > first else "")


def time_of(line: int, log: OpenLog, renderer: Renderer) -> TimeRange | None:
    """The time of a line: of the last one up to it that shows a date; None for none."""
    for most in _MOST_ABOVE:
        found = None
        for above in _lines(log, renderer, Selection(last=line, tail=most)):
            with suppress(ValueError):  # a time of day alone
                found = time_range(above["time"] or "")
        if found or line <= most:
            return found
    return None


def _moments(goto: Goto, log: OpenLog, renderer: Renderer) -> Iterator[TimeRange]:
    """Yields the moments that a place may mean. A time of day is of the log's first day, or of the next."""
    if goto.moment:
        yield goto.moment
    elif goto.fragment:
        moment = moment_of(goto.fragment.encode(), renderer, renderer.written(log))
        if moment:
            yield moment
    else:
        for line in _lines(log, renderer, Selection(last=UNTIMED_LINES)):
            with suppress(ValueError):
                begin = datetime.fromisoformat((line["time"] or "")[:10])
                for day in (begin, begin + timedelta(days=1)):
                    yield time_range(f"{day:%Y-%m-%d}T{goto.time_of_day}")
                return
