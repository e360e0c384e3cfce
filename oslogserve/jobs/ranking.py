# SPDX-License-Identifier: Apache-2.0
"""The order in which a job's logs are worth reading: the one that has the cause first.

The cause of a failure is most often an error that the job shows once, shortly before it failed. What
a service prints on every other run is printed often, and at any time. So an error counts by how few
like it the job has, and by how shortly before the failure it comes.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from oslogserve.lines.time_range import time_range

#: Names of the job's own log: it says that the job failed, and seldom why.
CONSOLES = re.compile(r"(?:^|/)(?:job-output|console)[^/]*$")
#: What differs between two errors of a kind.
_VARIABLE = re.compile(r"[0-9a-f]*\d[0-9a-f-]*|(?<=')[^']*(?=')", re.IGNORECASE)
#: Microseconds before the failure after which an error counts half.
_HALF = 120 * 10**6
#: Factors of an error that the site calls noise, that comes after the failure, that has no time, and
#: what the job's own log says.
_NOISE, _LATER, _UNTIMED, _CONSOLE = 0.01, 0.3, 0.2, 0.3


class Ranked(NamedTuple):
    """A log's rank: the higher, the earlier it is worth reading."""

    score: float
    #: Of `errors` the one that counts most; None where there is none.
    error: dict[str, Any] | None


def ranked(
    logs: Sequence[tuple[str, dict[str, Any]]], noise: Iterable[re.Pattern[str]] = ()
) -> list[Ranked]:
    """The rank of each log. logs: names, and summaries with `errors` and `last_time`."""
    kinds = Counter(_kind(error) for _, summary in logs for error in summary["errors"])
    failure = _failure(logs)
    noise = list(noise)

    def score(name: str, error: dict[str, Any]) -> float:
        value = _nearness(_micros(error["time"]), failure) / kinds[_kind(error)]
        if any(pattern.search(error["text"]) for pattern in noise):
            value *= _NOISE
        return value * _CONSOLE if CONSOLES.search(name) else value

    found = []
    for name, summary in logs:
        scores = [(score(name, error), error) for error in summary["errors"]]
        # Of a traceback, whose lines are at one time, the first line says what it is of.
        best = max(scores, key=lambda one: one[0], default=None)
        found.append(Ranked(*best) if best else Ranked(0.0, None))
    return found


def _kind(error: dict[str, Any]) -> str:
    return _VARIABLE.sub("#", error["text"])


def _failure(logs: Sequence[tuple[str, dict[str, Any]]]) -> int | None:
    """When the job failed, in microseconds since 1970: the last error of its own log, or the last time
    of all."""
    errors = [
        error["time"] for name, found in logs if CONSOLES.search(name) for error in found["errors"]
    ]
    times = errors[-1:] or [found["last_time"] for _, found in logs]
    return max(filter(None, map(_micros, times)), default=None)


def _nearness(time: int | None, failure: int | None) -> float:
    """1 right before the failure, less the earlier it is."""
    if time is None or failure is None:
        return _UNTIMED
    before = failure - time
    return _LATER if before < 0 else _HALF / (_HALF + before)


def _micros(time: str | None) -> int | None:
    with suppress(ValueError):  # a time of day alone
        if time:
            return time_range(time).first_in_utc
    return None
