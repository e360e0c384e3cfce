# SPDX-License-Identifier: Apache-2.0
"""Random queries: parameters as a client gives them, and what they mean."""

import re
from calendar import monthrange
from datetime import datetime, timedelta
from typing import NamedTuple
from urllib.parse import urlencode

from tests.oracle.logs import SEVERITIES, START, Missing, missing_time

_EPOCH = datetime(1970, 1, 1)
TEXTS = (
    "needle",
    "nova",
    "Nova",
    "x y",
    "<b>",
    "&amp;",
    "é",
    "request",
    "7",
    "red",
    "zebra",
    "absent",
)
PATTERNS = (
    "need.*two",
    r"^[\w:.-]+ \w+",
    r"(one|two)\r?$",
    r"\d\d:\d\d:0[0-3]",
    r"(?i)NOVA",
    r"\bb-7\b",
    "x|é",
)
FORMATS = ("html", "text", "jsonl", "summary")
_ZONES = {"": None, "Z": 0, "+02:00": 120, "-0330": -210}


class Moment(NamedTuple):
    """The first and the last microsecond of a time in a query; its zone's minutes east of UTC."""

    first: int
    last: int
    offset: int | None


class Query(NamedTuple):
    """A query and its meaning."""

    format: str
    first: int = 1
    last: int | None = None
    since: Moment | None = None
    until: Moment | None = None
    level: str | None = None
    searches: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    context: int = 0
    after: int = 0
    limit: int | None = None
    tail: int | None = None
    #: Numbers of lines, and fragments of times.
    show: tuple[tuple[int, int] | str | Missing, ...] = ()
    #: Of a folder.
    order: str | None = None
    logs: tuple[str, ...] = ()
    #: Parameters, by which a server is asked.
    parameters: tuple[tuple[str, str], ...] = ()

    @property
    def text(self):
        return urlencode(self.parameters)

    @property
    def by_time(self):
        return self.order == "time" or (self.order is None and bool(self.since or self.until))


def _moment(chance):
    """A time near those of the logs, or its beginning, in ISO 8601."""
    moment = START + timedelta(seconds=chance.choice((-1, 0, 1, 3, 10, 30, 100, 1000)))
    size = chance.choice((4, 7, 10, 13, 16, 19, 19, 19))
    text = moment.strftime("%Y-%m-%dT%H:%M:%S")[:size]
    if size == 19 and chance.random() < 0.3:
        text += chance.choice((".2", ".500", ".123456"))
    zone = chance.choice((*_ZONES, "", "")) if size >= 13 else ""
    return text + zone, _range_of(text, _ZONES[zone])


def _range_of(text, offset):
    numbers = [int(one) for one in re.findall(r"\d+", text[:19])]
    fraction = text[20:]
    lowest, highest = [1, 1, 1, 0, 0, 0], [1, 12, 31, 23, 59, 59]
    first = numbers + lowest[len(numbers) :]
    last = numbers + highest[len(numbers) :]
    if len(numbers) < 3:
        last[2] = monthrange(last[0], last[1])[1]
    micros = [int(fraction.ljust(6, digit)) for digit in "09"]
    begin, end = (
        (datetime(*fields) - _EPOCH) // timedelta(microseconds=1) for fields in (first, last)
    )
    return Moment(begin + micros[0], end + micros[1], offset)


class _Drawing:
    """Draws the parameters of one query."""

    def __init__(self, chance):
        self.chance = chance
        self.fields = {}
        self.parameters = []

    def add(self, name, value, **fields):
        self.parameters.append((name, str(value)))
        self.fields |= fields

    def often(self, probability):
        return self.chance.random() < probability

    def draw_choice_of_lines(self):
        """Parameters that logs and folders take."""
        chance = self.chance
        for name in ("since", "until"):
            if self.often(0.12):
                text, moment = _moment(chance)
                self.add(name, text, **{name: moment})
        if self.often(0.3):
            level = chance.choice(SEVERITIES)
            self.add("level", chance.choice((level, level.lower())), level=level)
        for name, field, values in (
            ("q", "searches", TEXTS),
            ("re", "patterns", PATTERNS),
            ("not", "without", TEXTS),
        ):
            if self.often(0.25):
                chosen = chance.sample(values, chance.choice((1, 1, 1, 2)))
                for value in chosen:
                    self.add(name, value)
                self.fields[field] = tuple(chosen)
        if self.often(0.35):
            context = chance.choice((0, 1, 2, 3, 5, 20))
            self.add("context", context, context=context)
        if self.often(0.3):
            limit = chance.choice((1, 2, 3, 7, 20, 50, 100))
            self.add("limit", limit, limit=limit)
        if self.often(0.15):
            tail = chance.choice((1, 2, 5, 30, 100))
            self.add("tail", tail, tail=tail)
        if self.often(0.1):
            after = chance.choice((1, 3, 10, 50))
            self.add("after", after, after=after)

    def draw_place_in_log(self, lines):
        """Parameters that only logs take."""
        chance = self.chance
        if self.often(0.2):
            first = chance.randrange(1, len(lines) + 3)
            last = first + chance.choice((0, 1, 10, 60, 500))
            text, first, last = chance.choice(
                (
                    (f"{first}-{last}", first, last),
                    (f"{first}-", first, None),
                    (f"-{last}", 1, last),
                )
            )
            self.add("lines", text, first=first, last=last)
        shown = []
        while self.often(0.15) and len(shown) < 3:
            shown.append(_fragment(chance, lines, of_time=not any(map(_is_of_time, shown))))
            self.add("show", _written(shown[-1]))
        self.fields["show"] = tuple(shown)

    def query(self):
        return Query(parameters=tuple(self.parameters), **self.fields)


def _is_of_time(fragment):
    return isinstance(fragment, str | Missing)


def _fragment(chance, lines, of_time):
    """The fragment of a line's number, or of a time."""
    if of_time and chance.random() < 0.15 and (missing := missing_time(chance, lines)):
        return missing
    times = [line.time.fragment for line in lines if line.time]
    if of_time and times and chance.random() < 0.3:
        return chance.choice(times)
    first = chance.randrange(1, len(lines) + 3)
    return first, first + chance.choice((0, 0, 1, 4))


def _written(fragment):
    if isinstance(fragment, str):
        return fragment
    if isinstance(fragment, Missing):
        return fragment.fragment
    first, last = fragment
    return f"L{first}" if first == last else f"L{first}-L{last}"


def of_log(chance, lines):
    """A query of a log."""
    drawing = _Drawing(chance)
    form = chance.choice(FORMATS)
    drawing.add("format", form, format=form)
    if drawing.often(0.95):
        drawing.draw_choice_of_lines()
        drawing.draw_place_in_log(lines)
    return drawing.query()


def of_folder(chance, names):
    """A query of all logs of a folder."""
    drawing = _Drawing(chance)
    form = chance.choice(FORMATS)
    drawing.add("format", form, format=form)
    drawing.draw_choice_of_lines()
    if drawing.often(0.6) or form in ("html", "text"):
        order = chance.choice(("log", "time"))
        drawing.add("order", order, order=order)
    if drawing.often(0.3):
        pattern = chance.choice((*names, "*.txt", "*.gz", "*.zst", "logs/*", "[ab]*", "none"))
        drawing.add("logs", pattern, logs=(pattern,))
    return drawing.query()
