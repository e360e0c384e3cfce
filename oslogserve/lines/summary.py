# SPDX-License-Identifier: Apache-2.0
"""The summary of a log: its lines by severity and time, and its errors."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypedDict

from oslogserve.lines.fingerprints import fingerprints
from oslogserve.native import LIMITS, SEVERITIES

_EPOCH = datetime(1970, 1, 1)
_SECOND = 10**6
#: Bytes of a chapter's name.
LONGEST_NAME = LIMITS["chapters.LONGEST_NAME"]
#: Bytes of an error's text.
LONGEST_ERROR = LIMITS["summary.LONGEST_ERROR"]
#: Lines of another failure than the cause whose text is kept.
MOST_TOLD = 4
#: Members of the JSON that are as in Totals, but for `new`.
_KEPT = (
    "first_time",
    "last_time",
    "errors",
    "cause",
    "failed",
    "verdict",
    "passed",
    "more_chapters",
)
_EARLIEST = round((datetime.min - _EPOCH).total_seconds()) * _SECOND


class Bucket(TypedDict):
    """The lines of one bar of the histogram."""

    #: Where its time range begins, in microseconds since 1970.
    start: int
    #: The number of its first line.
    first_line: int
    #: Lines by rank.
    severities: list[int]


class ErrorLine(TypedDict):
    """A line at ERROR or above."""

    line: int
    #: In ISO 8601, of this line or the last one above with a time; None for none.
    time: str | None
    #: Without escape sequences; at most LONGEST_ERROR bytes.
    text: str
    #: True if the log that lines are compared with has no like of it; None if they are not compared.
    new: bool | None


class CauseLine(TypedDict):
    """The lines that tell why a log failed, or its end."""

    line: int
    #: The number of the last one.
    last: int
    #: In ISO 8601, the last time of the summary's lines up to this one; None for none.
    time: str | None
    #: What a terminal shows of the first line; at most LONGEST_ERROR bytes.
    text: str
    #: Why it was chosen: "severity", "failed step", "test" or "end".
    why: str
    #: The first line of the step that failed, if that shows nothing and the cause is of an earlier one.
    silent_step: int | None
    #: The contents of its first lines, without those that only stand between them.
    told: list[str]
    #: As of an ErrorLine, of the first line.
    new: bool | None


class Chapter(TypedDict):
    """A chapter of a log, see doc/clients.rst."""

    name: str
    #: The numbers of its lines.
    first: int
    last: int
    #: In ISO 8601, of its first line.
    begin: str | None
    #: The same in microseconds since 1970, if its mark says so.
    begin_micros: int | None
    #: Microseconds that it took.
    micros: int | None
    outcome: str | None


class Totals(TypedDict):
    """A summary before it becomes JSON, as the native core makes it."""

    #: In ISO 8601; None for none.
    first_time: str | None
    last_time: str | None
    #: Count of lines and number of the first one, by rank.
    severities: dict[int, tuple[int, int]]
    #: The same of new lines; None if they were not compared with another log's.
    new: dict[int, tuple[int, int]] | None
    #: Microseconds in a bucket.
    width: int
    #: In order.
    buckets: list[Bucket]
    #: In order: the first MOST_ERRORS and the last.
    errors: list[ErrorLine]
    #: None for a log that says that it passed, or without lines.
    cause: CauseLine | None
    #: The first failures beside the cause: failed tests, or what a log that has not failed survived.
    other_failures: list[CauseLine]
    #: True if the lines say that the log, a step or a test failed.
    failed: bool
    #: True if a verdict says so, such as that of a runner or a recap.
    verdict: bool
    #: True if its last words say that all went well.
    passed: bool
    #: In the order of their first lines.
    chapters: list[Chapter]
    #: How many more there were.
    more_chapters: int


def as_json(totals: Totals) -> bytes:
    """The summary as a JSON object, with severities by name and times in ISO 8601."""
    width = totals["width"]
    histogram = {
        "seconds": width // _SECOND or width / _SECOND,
        "buckets": [_named(bucket) for bucket in totals["buckets"]],
    }
    kept = {name: value for name, value in totals.items() if name in _KEPT}
    chapters = [_dated(chapter) for chapter in totals["chapters"]]
    members = {
        **kept,
        "errors": [_without_none(error) for error in totals["errors"]],
        "chapters": chapters,
        "severities": _by_name(totals["severities"]),
        "histogram": histogram,
    }
    if cause := totals["cause"]:
        members["cause"] = _without_none(cause) | {"fingerprints": _fingerprints(cause, chapters)}
    if others := totals["other_failures"]:
        members["other_failures"] = [
            {
                "line": one["line"],
                "text": one["text"],
                "told": one["told"][:MOST_TOLD],
                "fingerprints": _fingerprints(one, chapters),
            }
            for one in others
        ]
    if totals["new"] is not None:
        members["new"] = _by_name(totals["new"])
    return json.dumps(members).encode()


def compact(summary: dict[str, Any]) -> dict[str, Any]:
    """The summary without its histogram, and with two chapters: the innermost around its cause, and the step
    that failed. Each may be None."""
    cause = summary["cause"]
    chapter = innermost(summary["chapters"], cause["line"]) if cause else None
    kept = {name: one for name, one in summary.items() if name not in ("chapters", "histogram")}
    return kept | {"chapter": chapter, "step": step_of(summary)}


def step_of(summary: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The innermost chapter around the cause that begins above it; None for none. summary: may be compact.

    The chapter of a failed test begins with the cause.
    """
    if summary["cause"] is None:
        return None
    line = summary["cause"]["line"]
    chapters = summary["chapters"] if "chapters" in summary else [summary["step"]]
    around = (one for one in reversed(chapters) if one and one["first"] < line <= one["last"])
    return next(around, None)


def _without_none(line: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a line. Those that not every line has are left out if they are None."""
    left_out = [name for name in ("new", "silent_step") if line.get(name) is None]
    return {name: value for name, value in line.items() if name not in left_out}


def _fingerprints(cause: CauseLine, chapters: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    step = innermost(chapters, cause["line"])
    return fingerprints(cause, step["name"] if step else None)


def innermost(chapters: Sequence[Mapping[str, Any]], line: int) -> Mapping[str, Any] | None:
    """The innermost chapter around a line; None for none."""
    around = (one for one in reversed(chapters) if one["first"] <= line <= one["last"])
    return next(around, None)


def _by_name(counts: dict[int, tuple[int, int]]) -> dict[str, Any]:
    return {
        SEVERITIES[rank]: {"count": lines, "first_line": first}
        for rank, (lines, first) in sorted(counts.items())
    }


def _dated(chapter: Chapter) -> dict[str, Any]:
    begin, micros = chapter["begin_micros"], chapter["micros"]
    return {
        "name": chapter["name"],
        "first": chapter["first"],
        "last": chapter["last"],
        "begin": chapter["begin"] if begin is None else _iso(begin - begin % 10_000) + "Z",
        "duration": None if micros is None else micros / _SECOND,
        "outcome": chapter["outcome"],
    }


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
