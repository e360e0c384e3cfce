# SPDX-License-Identifier: Apache-2.0
"""A log in figures: how many lines of each severity, and when."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from oslogserve.lines.select import Line, Shown
from oslogserve.lines.severities import NAMES, SEVERITIES
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


class Summary:
    """Of the lines that a selection leaves."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._severities: dict[bytes, list[int]] = {}
        self._first_time = b""
        self._last_time = b""
        self._width = 0
        self._buckets: dict[int, dict[bytes, int]] = {}
        self._first_lines: dict[int, int] = {}  # of the buckets
        self._now: int | None = None  # of the last line that had a time

    def of(self, shown: Iterable[Shown]) -> dict[str, Any]:
        for one in shown:
            if isinstance(one, Line):
                self._add(one)
        return self._told()

    def _add(self, line: Line) -> None:
        severity = line.own or NAMES[0]
        found = self._severities.get(severity)
        if found is None:
            found = self._severities[severity] = [0, line.number]
        found[0] += 1
        if line.end:
            self._add_time(line.time)
        if self._now is not None:
            index = self._now // WIDTHS[self._width]
            bucket = self._buckets.get(index)
            if bucket is None:
                bucket = self._buckets[index] = {}
                self._first_lines[index] = line.number
                while max(self._buckets) - min(self._buckets) >= MOST_BUCKETS:
                    self._widen()
                bucket = self._buckets[self._now // WIDTHS[self._width]]
            bucket[severity] = bucket.get(severity, 0) + 1

    def _add_time(self, text: bytes) -> None:
        instant = self._clock.read(text)
        if instant is None:
            return
        self._last_time = text
        self._first_time = self._first_time or text
        if instant.origin == "epoch":
            self._now = instant.micros

    def _widen(self) -> None:
        ratio = WIDTHS[self._width + 1] // WIDTHS[self._width]
        self._width += 1
        merged: dict[int, dict[bytes, int]] = {}
        first_lines: dict[int, int] = {}
        for index, bucket in self._buckets.items():
            into = merged.setdefault(index // ratio, {})
            first = self._first_lines[index]
            first_lines[index // ratio] = min(first, first_lines.get(index // ratio, first))
            for severity, count in bucket.items():
                into[severity] = into.get(severity, 0) + count
        self._buckets = merged
        self._first_lines = first_lines

    def _told(self) -> dict[str, Any]:
        width = WIDTHS[self._width]
        return {
            "first_time": self._clock.iso(self._first_time),
            "last_time": self._clock.iso(self._last_time),
            "severities": {
                name: {"count": found[0], "first_line": found[1]}
                for name in SEVERITIES
                if (found := self._severities.get(name.encode()))
            },
            "histogram": {
                "seconds": width // _SECOND or width / _SECOND,
                "buckets": [
                    {
                        "time": _iso(index * width),
                        "first_line": self._first_lines[index],
                        "severities": _named(self._buckets[index]),
                    }
                    for index in sorted(self._buckets)
                ],
            },
        }


def _iso(micros: int) -> str:
    seconds, fraction = divmod(max(micros, _EARLIEST), _SECOND)
    text = (_EPOCH + timedelta(seconds=seconds)).isoformat()
    return f"{text}.{fraction // 10_000:02}" if fraction else text


def _named(counts: dict[bytes, int]) -> dict[str, int]:
    return {name: counts[name.encode()] for name in SEVERITIES if name.encode() in counts}
