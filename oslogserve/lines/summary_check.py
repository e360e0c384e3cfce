# SPDX-License-Identifier: Apache-2.0
"""Checks a summary that may come from anywhere, so that all who use summaries can trust its shape."""

import re
from typing import Any, NamedTuple

from oslogserve.bounded_json import parsed
from oslogserve.lines import fingerprints
from oslogserve.lines.grammar.severities import SEVERITIES

#: Members of a list: errors, chapters and bars are fewer.
_MOST_MEMBERS = 5000
#: Strings and signs of a document.
_MOST_TOKENS = 1_000_000
#: Characters of a text: an error's line and a chapter's name are shorter.
_LONGEST_TEXT = 4096
#: Seconds between any two times that are not nonsense.
_LONGEST = 10.0**12
#: The characters of a time in ISO 8601, and of a time of day.
_TIME = re.compile(r"[0-9T:.,Z+-]{1,40}", re.ASCII)
_FINGERPRINT = re.compile(f"[0-9a-f]{{{fingerprints.SIZE}}}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WHYS = ("severity", "failed step", "test", "end")


def check_summary(document: bytes, lines: int) -> None:
    """Raises ValueError if it is no summary of so many lines without a comparison, see `lines.summary`."""
    summary = parsed(document, _MOST_TOKENS)
    if not _is_like(summary, _shape_of(lines)):
        raise ValueError("it has no summary")
    ranges = [*summary["chapters"], *_as_ranges(summary["cause"])]
    if any(one["first"] > one["last"] for one in ranges):
        raise ValueError("a range of its summary has no lines")


def _as_ranges(cause: dict[str, Any] | None) -> list[dict[str, Any]]:
    return [{"first": cause["line"], "last": cause["last"]}] if cause else []


def _shape_of(lines: int) -> dict[str, Any]:
    """The shape of each member of a summary, see _is_like()."""
    number, count = range(1, lines + 1), range(lines + 1)
    of_line = {"line": number, "time": _is_time, "text": _is_text}
    chapter = {
        "name": _is_text,
        "first": number,
        "last": number,
        "begin": _is_time,
        "duration": _is_duration,
        "outcome": _is_text_or_none,
    }
    counts = {name: {"count": count, "first_line": number} for name in SEVERITIES}
    bars = dict.fromkeys(SEVERITIES, count)
    bar = {"time": _is_time, "first_line": number, "severities": _Some(bars)}
    prints = _Some(dict.fromkeys(("exact", "failure"), _is_fingerprint))
    told = {"text": _is_text, "told": [_is_text], "fingerprints": prints}
    cause = {
        **of_line,
        **told,
        "last": number,
        "why": _WHYS.__contains__,
        "silent_step": _Optional(number),
    }
    return {
        "first_time": _is_time,
        "last_time": _is_time,
        "errors": [of_line],
        "cause": _OrNone(cause),
        "other_failures": _Optional([{"line": number, **told}]),
        "failed": _is_bool,
        "verdict": _is_bool,
        "passed": _is_bool,
        "more_chapters": count,
        "chapters": [chapter],
        "severities": _Some(counts),
        "histogram": {"seconds": _is_duration, "buckets": [bar]},
    }


class _Optional(NamedTuple):
    """A member that an object may lack."""

    shape: Any


class _Some(dict[str, Any]):
    """Some of these members."""


class _OrNone(dict[str, Any]):
    """All of these members, or no object."""


def _is_like(value: Any, shape: Any) -> bool:
    """True if a value of JSON has a shape: an object's members, a list of one shape, a range of whole
    numbers, or what a function is true of."""
    if isinstance(shape, _Optional):
        return _is_like(value, shape.shape)
    if isinstance(shape, list):
        is_list = isinstance(value, list) and len(value) <= _MOST_MEMBERS
        return is_list and all(_is_like(one, shape[0]) for one in value)
    if isinstance(shape, range):
        return type(value) is int and value in shape
    if not isinstance(shape, dict):
        return bool(shape(value))
    if value is None and isinstance(shape, _OrNone):
        return True
    if not isinstance(value, dict):
        return False
    is_known = value.keys() <= shape.keys()
    lacking = (shape[name] for name in shape.keys() - value.keys())
    is_all = isinstance(shape, _Some) or all(isinstance(one, _Optional) for one in lacking)
    return is_known and is_all and all(_is_like(one, shape[name]) for name, one in value.items())


def _is_text(value: object) -> bool:
    # Not half of a surrogate pair, which no answer could hold.
    return isinstance(value, str) and len(value) <= _LONGEST_TEXT and not _SURROGATE.search(value)


def _is_text_or_none(value: object) -> bool:
    return value is None or _is_text(value)


def _is_time(value: object) -> bool:
    return value is None or (isinstance(value, str) and _TIME.fullmatch(value) is not None)


def _is_fingerprint(value: object) -> bool:
    return isinstance(value, str) and _FINGERPRINT.fullmatch(value) is not None


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _is_duration(value: object) -> bool:
    """True for None, or a number of seconds."""
    if value is None:
        return True
    return isinstance(value, int | float) and 0 <= value < _LONGEST
