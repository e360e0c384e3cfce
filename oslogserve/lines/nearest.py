# SPDX-License-Identifier: Apache-2.0
"""Finds the line of a log that is nearest to a moment."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import Selection, Wanted
from oslogserve.lines.time_range import TimeRange, time_range

#: Lines before the moment that are searched for one with a time.
_MOST_BEFORE = 1000
#: A line number that no log has.
_NO_LINE = 10**12
#: A time with a year, or syslog's without. A zone after it is ignored: it is the log's own.
_ANCHOR = re.compile(
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
    found = _ANCHOR.match(anchor)
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
