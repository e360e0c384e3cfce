# SPDX-License-Identifier: Apache-2.0
"""Lines as each view shows them, computed from what was generated."""

import re
from datetime import datetime, timedelta
from urllib.parse import quote

from tests.kit.answers import Row
from tests.oracle.logs import SEVERITIES

_COLOUR = re.compile(rb"\x1b\[[0-9;]*m")
_EPOCH = datetime(1970, 1, 1)
_ERRORS = SEVERITIES[SEVERITIES.index("ERROR") :]


def read_text(content):
    """What is to be read of a line."""
    return _COLOUR.sub(b"", content.removesuffix(b"\r")).decode("utf-8", "replace")


def json_of(placed):
    """The object of JSON lines."""
    line = placed.line
    return {
        "line": placed.number,
        "time": line.time.iso if line.time else None,
        "severity": line.severity,
        "text": read_text(line.content),
    }


def classes_of(placed, role=""):
    own, inherited = placed.line.severity[0], placed.severity[0].lower()
    letter = inherited if own == "N" else own
    return " ".join(filter(None, (letter.removeprefix("n"), role)))


def html_of(placed, role):
    """A row of a page, without the fragment of its time."""
    number = placed.number
    return Row(number, classes_of(placed, role), read_text(placed.line.content), f"#L{number}", "")


def html_of_folder(log, placed, is_hit):
    number = placed.number
    href = f"{quote(log.name, safe='/@+,')}#L{number}"
    role = "" if is_hit else "context"
    return Row(number, classes_of(placed, role), read_text(placed.line.content), href, "")


def text_of_folder(log, placed):
    return f"{log.shown}:{placed.number}:".encode() + placed.line.content + b"\n"


def _error_of(found, times):
    text = _COLOUR.sub(b"", found.line.content.removesuffix(b"\r"))[:300]
    return {
        "line": found.number,
        "time": times[found.number],
        "text": text.decode("utf-8", "replace"),
    }


def summary_of(lines, selected):
    """Members of a summary that do not depend on how its buckets are chosen. lines: all of the log."""
    times, latest = {}, None
    for one in lines:
        latest = one.line.time.iso if one.line.time else latest
        times[one.number] = latest
    severities = {}
    for one in selected:
        entry = severities.setdefault(one.line.severity, {"count": 0, "first_line": one.number})
        entry["count"] += 1
    shown = [one.line.time.iso for one in selected if one.line.time] or [None]
    errors = [one for one in selected if one.line.severity in _ERRORS]
    return {
        "first_time": shown[0],
        "last_time": shown[-1],
        "severities": severities,
        "first_error": _error_of(errors[0], times) if errors else None,
        "last_error": _error_of(errors[-1], times) if errors else None,
    }


def buckets_of(selected, seconds):
    """The buckets of a histogram whose buckets are so wide."""
    width = round(seconds * 10**6)
    buckets = {}
    for one in selected:
        if one.micros is not None:
            start = _EPOCH + timedelta(microseconds=one.micros - one.micros % width)
            bucket = buckets.setdefault(start, {"first_line": one.number, "severities": {}})
            counts = bucket["severities"]
            counts[one.line.severity] = counts.get(one.line.severity, 0) + 1
            bucket["first_line"] = min(bucket["first_line"], one.number)
    return dict(sorted(buckets.items()))
