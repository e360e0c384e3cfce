# SPDX-License-Identifier: Apache-2.0
"""A log in figures: how many lines of each severity, and when."""

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from operator import add
from typing import Any, TypedDict

from oslogserve.lines.select import Line, Shown
from oslogserve.lines.severities import NAMES, RANKS, SEVERITIES
from oslogserve.lines.times import Clock

MOST_BUCKETS = 200
_EPOCH = datetime(1970, 1, 1)
_SECOND = 10**6
_EARLIEST = round((datetime.min - _EPOCH).total_seconds()) * _SECOND
_DAY = 86_400 * _SECOND
#: Microseconds. Each is a multiple of the one before, so that buckets merge whole.
WIDTHS = (
    *(_SECOND // 100, _SECOND // 10, _SECOND, 5 * _SECOND, 10 * _SECOND, 30 * _SECOND),
    *(60 * _SECOND, 300 * _SECOND, 600 * _SECOND, 1800 * _SECOND, 3600 * _SECOND),
    *(6 * 3600 * _SECOND, _DAY, 7 * _DAY, 28 * _DAY, 364 * _DAY, 3640 * _DAY, 36400 * _DAY),
)


class Bucket(TypedDict):
    """The lines of a time range."""

    #: Microseconds since 1970.
    start: int
    #: A line's number.
    first_line: int
    #: How many, by rank.
    severities: list[int]


class Totals(TypedDict):
    """What a log's lines come to, as either renderer counts them."""

    #: In ISO 8601, as far as the line says it.
    first_time: str | None
    last_time: str | None
    #: By rank: how many lines, and the number of the first.
    severities: dict[int, tuple[int, int]]
    #: Microseconds of a bucket.
    width: int
    #: In order.
    buckets: list[Bucket]


def as_json(totals: Totals) -> bytes:
    """The summary as an object of JSON."""
    return json.dumps(as_object(totals)).encode()


def as_object(totals: Totals) -> dict[str, Any]:
    """The summary with names for ranks and texts for times."""
    width = totals["width"]
    return {
        "first_time": totals["first_time"],
        "last_time": totals["last_time"],
        "severities": {
            SEVERITIES[rank]: {"count": count, "first_line": first}
            for rank, (count, first) in sorted(totals["severities"].items())
        },
        "histogram": {
            "seconds": width // _SECOND or width / _SECOND,
            "buckets": [
                {
                    "time": _iso(bucket["start"]),
                    "first_line": bucket["first_line"],
                    "severities": {
                        name: count
                        for name, count in zip(SEVERITIES, bucket["severities"], strict=True)
                        if count
                    },
                }
                for bucket in totals["buckets"]
            ],
        },
    }


class Summary:
    """Adds up the lines that a selection leaves."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._severities: dict[int, tuple[int, int]] = {}
        self._first_time = b""
        self._last_time = b""
        self._width = 0
        self._buckets: dict[int, Bucket] = {}  # by their start, in widths
        self._now: int | None = None  # of the last line that had a time

    def of(self, shown: Iterable[Shown]) -> dict[str, Any]:
        """The summary of lines, as JSON has it."""
        for one in shown:
            if isinstance(one, Line):
                self._add(one)
        width = WIDTHS[self._width]
        return as_object(
            Totals(
                first_time=self._clock.iso(self._first_time),
                last_time=self._clock.iso(self._last_time),
                severities=self._severities,
                width=width,
                buckets=[
                    Bucket(**{**self._buckets[start], "start": start * width})
                    for start in sorted(self._buckets)
                ],
            )
        )

    def _add(self, line: Line) -> None:
        rank = RANKS[(line.own or NAMES[0]).decode()]
        count, first = self._severities.get(rank, (0, line.number))
        self._severities[rank] = (count + 1, first)
        if line.end:
            self._add_time(line.time)
        if self._now is not None:
            start = self._now // WIDTHS[self._width]
            is_new = start not in self._buckets
            self._bucket(start, line.number)["severities"][rank] += 1
            while is_new and max(self._buckets) - min(self._buckets) >= MOST_BUCKETS:
                self._widen()

    def _add_time(self, text: bytes) -> None:
        instant = self._clock.read(text)
        if instant is None:
            return
        self._last_time = text
        self._first_time = self._first_time or text
        if instant.origin == "epoch":
            self._now = instant.micros

    def _bucket(self, start: int, first_line: int) -> Bucket:
        """The bucket that begins at so many widths; first_line: one of its lines."""
        bucket = self._buckets.setdefault(
            start, Bucket(start=start, first_line=first_line, severities=[0] * len(SEVERITIES))
        )
        bucket["first_line"] = min(bucket["first_line"], first_line)
        return bucket

    def _widen(self) -> None:
        ratio = WIDTHS[self._width + 1] // WIDTHS[self._width]
        self._width += 1
        buckets, self._buckets = self._buckets, {}
        for start, bucket in buckets.items():
            merged = self._bucket(start // ratio, bucket["first_line"])["severities"]
            merged[:] = map(add, merged, bucket["severities"])


def _iso(micros: int) -> str:
    """The time at which a bucket begins, without a zone."""
    seconds, fraction = divmod(max(micros, _EARLIEST), _SECOND)
    text = (_EPOCH + timedelta(seconds=seconds)).isoformat()
    return f"{text}.{fraction // 10_000:02}" if fraction else text
