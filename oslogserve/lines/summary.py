# SPDX-License-Identifier: Apache-2.0
"""Summary of a log: how many lines of each severity, and when."""

import json
from collections import deque
from collections.abc import Iterable
from datetime import datetime, timedelta
from operator import add
from typing import Any, TypedDict

from oslogserve.lines.ansi import without_sequences
from oslogserve.lines.select import Line, Shown
from oslogserve.lines.selection import Counts, count
from oslogserve.lines.severities import SEVERITIES
from oslogserve.lines.times import Clock

MOST_BUCKETS = 200
#: Errors that a summary holds of a log's beginning, and of its end; and bytes of the text of each.
MOST_ERRORS = 64
LONGEST_ERROR = 300
#: Bytes of a line that escape sequences are taken out of for that.
_LOOKED_AT = 1024
_ERROR = SEVERITIES.index("ERROR")
_EPOCH = datetime(1970, 1, 1)
_SECOND = 10**6
_EARLIEST = round((datetime.min - _EPOCH).total_seconds()) * _SECOND
_MINUTE = 60 * _SECOND
_DAY = 1440 * _MINUTE
#: Microseconds of a bucket. Each is a multiple of the one before, so that buckets merge whole.
# fmt: off
WIDTHS = (
    _SECOND // 100, _SECOND // 10, _SECOND, 5 * _SECOND, 10 * _SECOND, 30 * _SECOND,
    _MINUTE, 5 * _MINUTE, 10 * _MINUTE, 30 * _MINUTE, 60 * _MINUTE, 360 * _MINUTE,
    _DAY, 7 * _DAY, 28 * _DAY, 364 * _DAY, 3640 * _DAY, 36400 * _DAY,
)
# fmt: on


class Bucket(TypedDict):
    """The lines of a time range."""

    #: Microseconds since 1970.
    start: int
    #: A line's number.
    first_line: int
    #: How many, by rank.
    severities: list[int]


class Error(TypedDict):
    """A line at ERROR or above."""

    line: int
    #: In ISO 8601, as far as a line says it: of this one, or of the last above that has one.
    time: str | None
    #: Without escape sequences, at most LONGEST_ERROR bytes.
    text: str


class Totals(TypedDict):
    """Counts of a log's lines, as either renderer makes them."""

    #: In ISO 8601, as far as the line says it.
    first_time: str | None
    last_time: str | None
    #: By rank: how many lines, and the number of the first.
    severities: dict[int, tuple[int, int]]
    #: Microseconds of a bucket.
    width: int
    #: In order.
    buckets: list[Bucket]
    #: In order: the first MOST_ERRORS and the last.
    errors: list[Error]


def as_json(totals: Totals) -> bytes:
    """The summary as an object of JSON, with names for ranks and texts for times."""
    width = totals["width"]
    severities = {
        SEVERITIES[rank]: {"count": lines, "first_line": first}
        for rank, (lines, first) in sorted(totals["severities"].items())
    }
    histogram = {
        "seconds": width // _SECOND or width / _SECOND,
        "buckets": [_named(bucket) for bucket in totals["buckets"]],
    }
    kept = {name: totals[name] for name in ("first_time", "last_time", "errors")}
    return json.dumps({**kept, "severities": severities, "histogram": histogram}).encode()


def _named(bucket: Bucket) -> dict[str, Any]:
    counts = zip(SEVERITIES, bucket["severities"], strict=True)
    severities = {name: lines for name, lines in counts if lines}
    time = _iso(bucket["start"])
    return {"time": time, "first_line": bucket["first_line"], "severities": severities}


def _iso(micros: int) -> str:
    """The time at which a bucket begins, without a zone."""
    seconds, fraction = divmod(max(micros, _EARLIEST), _SECOND)
    text = (_EPOCH + timedelta(seconds=seconds)).isoformat()
    return f"{text}.{fraction // 10_000:02}" if fraction else text


class Summary:
    """Adds up the lines that a selection leaves."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._severities: Counts = {}
        self._first_time = b""
        self._last_time = b""
        self._width = 0  # its place in WIDTHS
        self._buckets: dict[int, Bucket] = {}  # by their start
        self._now: int | None = None  # of the last line that had a time
        self._first_errors: list[Error] = []
        self._last_errors: deque[Error] = deque(maxlen=MOST_ERRORS)

    def of(self, shown: Iterable[Shown]) -> Totals:
        """Counts of the lines shown."""
        for one in shown:
            if isinstance(one, Line):
                self._add(one)
        return Totals(
            first_time=self._clock.iso(self._first_time),
            last_time=self._clock.iso(self._last_time),
            severities=self._severities,
            width=WIDTHS[self._width],
            buckets=[self._buckets[start] for start in sorted(self._buckets)],
            errors=[*self._first_errors, *self._last_errors],
        )

    def _add(self, line: Line) -> None:
        count(self._severities, line.own_rank, line.number)
        instant = self._clock.read(line.seen.time) if line.seen.time else None
        if instant:
            self._last_time = line.seen.time
            self._first_time = self._first_time or self._last_time
            self._now = instant.micros if instant.origin == "epoch" else self._now
        if line.own_rank >= _ERROR:
            self._add_error(line)
        if self._now is not None:
            severities = [0] * len(SEVERITIES)
            severities[line.own_rank] = 1
            self._merge(Bucket(start=self._now, first_line=line.number, severities=severities))
            while max(self._buckets) - min(self._buckets) >= MOST_BUCKETS * WIDTHS[self._width]:
                self._widen()

    def _add_error(self, line: Line) -> None:
        content = line.text[:_LOOKED_AT].removesuffix(b"\n").removesuffix(b"\r")
        text = without_sequences(content)[:LONGEST_ERROR].decode("utf-8", "replace")
        error = Error(line=line.number, time=self._clock.iso(self._last_time), text=text)
        if len(self._first_errors) < MOST_ERRORS:
            self._first_errors.append(error)
        else:
            self._last_errors.append(error)

    def _merge(self, lines: Bucket) -> None:
        """Adds these lines to the bucket of their start."""
        start = lines["start"] - lines["start"] % WIDTHS[self._width]
        merged = self._buckets.get(start)
        if merged is None:
            self._buckets[start] = Bucket(**{**lines, "start": start})
            return
        merged["first_line"] = min(merged["first_line"], lines["first_line"])
        merged["severities"] = [*map(add, merged["severities"], lines["severities"])]

    def _widen(self) -> None:
        self._width += 1
        buckets, self._buckets = self._buckets, {}
        for bucket in buckets.values():
            self._merge(bucket)
