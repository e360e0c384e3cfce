# SPDX-License-Identifier: Apache-2.0
"""The lines of a log that a query selects, computed line by line as the manual says it."""

import re
from typing import NamedTuple

from tests.oracle.logs import SEVERITIES, Line, Missing


class Placed(NamedTuple):
    """A line and what it has from those above it."""

    number: int
    line: Line
    #: Its own severity, or that of a line above.
    severity: str
    #: The last time with a date at or above it, on the log's clock, and its zone; None above the first.
    micros: int | None
    offset: int | None

    @property
    def utc(self):
        """Microseconds since 1970 in UTC; None above the first time."""
        return None if self.micros is None else self.micros - (self.offset or 0) * 60 * 10**6


class Selected(NamedTuple):
    """What a query selects of a log."""

    lines: list[Placed]
    #: Numbers of lines that the filter matches.
    hits: set[int]
    #: Numbers of those lines that are there whatever the other parameters say.
    shown: set[int]
    #: Lines that a limit left out.
    left: list[Placed]


def placed(lines):
    """The lines with what they have from above."""
    severity = record = "NONE"
    micros = offset = None
    for number, line in enumerate(lines, 1):
        if line.is_of_error:
            pass
        elif line.severity != "NONE":
            severity = line.severity
        elif line.time:
            severity = "NONE"
        elif not line.continues:
            severity = record
        if line.time:
            record = severity
            if line.time.micros is not None:
                micros, offset = line.time.micros, line.time.offset
        yield Placed(number, line, severity, micros, offset)


def _on_clock_of(line, moment):
    """The line's time, to compare with the query's."""
    if line.micros is None or moment.offset is None:
        return line.micros
    return line.utc + moment.offset * 60 * 10**6


def _is_in_window(line, query):
    if not query.first <= line.number <= (query.last or line.number):
        return False
    if query.since:
        time = _on_clock_of(line, query.since)
        if time is None or time < query.since.first:
            return False
    if query.until:
        time = _on_clock_of(line, query.until)
        if time is not None and time > query.until.last:
            return False
    return True


def _holds(content, text):
    if text != text.lower():
        return text.encode() in content
    # "é" has no upper case in these logs.
    return text.encode() in content.lower()


def _fits(line, query):
    content = line.line.content
    return (
        SEVERITIES.index(line.severity) >= SEVERITIES.index(query.level or "NONE")
        and all(_holds(content, text) for text in query.searches)
        and all(re.search(one.encode(), content) for one in query.patterns)
        and not any(_holds(content, text) for text in query.without)
    )


def _is_shown(line, query):
    for fragment in query.show:
        if isinstance(fragment, Missing):
            continue
        if isinstance(fragment, str):
            if line.line.time and line.line.time.fragment == fragment:
                return True
        elif fragment[0] <= line.number <= fragment[1]:
            return True
    return False


def _nearest(lines, query):
    """The number of the line nearest to the first moment that a page shows, if no line has that time."""
    moments = [one for one in query.show if isinstance(one, Missing)]
    timed = [line for line in lines if line.line.time and line.line.time.micros is not None]
    if query.format != "html" or not moments or not timed:
        return set()
    micros = moments[0].micros
    return {min(timed, key=lambda line: abs(line.micros - micros)).number}


def filtered(lines, query):
    """Hits, and lines in their context; and the numbers of the hits."""
    window = [line for line in lines if _is_in_window(line, query)]
    hits = {line.number for line in window if _fits(line, query)}
    reach = range(-query.context, query.context + 1)
    near = {number + step for number in hits for step in reach} if query.context else hits
    return [line for line in window if line.number in near], hits


def select(lines, query):
    """The lines of a log that the query selects. lines: all of it, placed."""
    kept, hits = filtered(lines, query)
    kept = [line for line in kept if line.number > query.after]
    if query.tail is not None:
        kept = kept[-query.tail :]
    most = len(kept) if query.limit is None else query.limit
    kept, left = kept[:most], kept[most:]
    shown = {line.number for line in lines if _is_shown(line, query)} | _nearest(lines, query)
    shown = {number for number in shown if number > query.after}
    numbers = {line.number for line in kept} | shown
    selected = [line for line in lines if line.number in numbers]
    return Selected(selected, {n for n in hits if n > query.after}, shown, left)
