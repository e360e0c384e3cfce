# SPDX-License-Identifier: Apache-2.0
"""Finds time and severity in the members of a JSON object or in logfmt pairs."""

import json
import re
from contextlib import suppress
from typing import NamedTuple

from tests.reference.grammar import BUNYAN, KEYS, LETTERS, NUMBERED, SYSLOG, WORDS
from tests.reference.sequences import without_sequences
from tests.reference.tables import AUDIT, SCAN_PLACED, scan

#: Of systemd's journal.
_PRIORITY_KEY = b"PRIORITY"


class Found(NamedTuple):
    """Time and severity of a line, by offsets in it.

    start, end: the time; equal for none. rank: the severity's; None for none. default: that of a text without one.
    """

    start: int = 0
    end: int = 0
    rank: int | None = None
    default: int | None = None


_STRING = rb'"(?:[^"\\]|\\.)*"'
_NAME = re.compile(rb'[ \t,}\]]*"((?:[^"\\]|\\.)*)"[ \t]*:[ \t]*').match
_SCALAR = re.compile(_STRING + rb'|[^\s"{}\[\],]+').match
_OPEN = re.compile(rb"[\[{ \t]*\{").match
#: The tokens that decide where an object ends.
_INSIDE = re.compile(_STRING + rb"|[{}\[\]\"]").finditer
_NUMBER = re.compile(rb"[1-9]|1[0-9]|2[0-4]").fullmatch
_AUDIT = AUDIT.match
_LAST_WORD = re.compile(rb"(?<![a-z])[a-z]+\Z|[A-Z][a-z]+\Z").search
#: Digits of a time since 1970 by its unit.
_DIGITS = {
    unit: digits
    for digits, units in {
        10: b"s sec secs second seconds",
        13: b"ms msec milli millis milliseconds",
        16: b"us usec micro micros microseconds",
        19: b"ns nsec nano nanos nanoseconds",
    }.items()
    for unit in units.split()
}
_PAIR = re.compile(rb'([\w.@/-]+)=("(?:[^"\\]|\\.)*"|[^\s"]*)(?:[ \t]+|\Z)').match


def of_json(text: bytes, at: int) -> Found | None:
    """Time and severity in the JSON object at `at`; None for neither. Ignores nested objects."""
    start = end = 0
    rank = default = None
    is_in_level = False
    at += 1
    while (rank is None or start == end) and (found := _NAME(text, at)):
        name, at = found[1], found.end()
        is_level = name in KEYS["level"]
        may_hold = is_level or name in KEYS["wrapper"] or _may_name_time(name)
        if may_hold and (inner := _OPEN(text, at)):
            at, is_in_level = inner.end(), is_level
            continue
        value = _SCALAR(text, at)
        if value is None:
            at = _behind_nested(text, at)
            continue
        if rank is None:
            key = b"level" if is_in_level and name == b"name" else name
            found_rank = _rank(key, value[0].strip(b'"'))
            if name == _PRIORITY_KEY:
                default = found_rank
            else:
                rank = found_rank
        if start == end and _may_name_time(name):
            start, end = _time(text, name, at, value.end())
        at = value.end()
    says_nothing = start == end and rank is None and default is None
    return None if says_nothing else Found(start, end, rank, default)


def quoted(text: bytes, at: int) -> tuple[int, int, bytes]:
    """Where the object at `at` has a string that holds the text of a line, and that line; empty for none."""
    at += 1
    while found := _NAME(text, at):
        at = found.end()
        value = _SCALAR(text, at)
        if text.startswith(b'"', at) and found[1] in KEYS["text"]:
            end = value.end() if value else len(text)
            return at, end, _first_line(text[at:end])
        at = value.end() if value else _behind_nested(text, at)
    return 0, 0, b""


def _first_line(string: bytes) -> bytes:
    """The first line that is not blank of a JSON string, without escapes."""
    plain = string[1 : max(len(string), 2) - 1]
    if b"\\" not in plain:
        return plain
    with suppress(ValueError):
        plain = json.loads(string.decode()).encode()
    lines = (line for line in plain.split(b"\n") if line.strip(b" \t\r\f"))
    return without_sequences(next(lines, b"").rstrip(b" \t\r\f"))


def _behind_nested(text: bytes, at: int) -> int:
    """The end of the array or object at `at`; the text's end if it is not closed."""
    depth = 0
    for found in _INSIDE(text, at):
        if found[0] == b'"':
            break  # a string without an end
        depth += (found[0] in b"{[") - (found[0] in b"}]")
        if depth <= 0:
            return found.end()
    return len(text)


def of_pairs(text: bytes, at: int) -> Found | None:
    """Time and severity in the logfmt pairs (`key=value`) at `at`; None for neither."""
    start = end = 0
    rank = None
    while (rank is None or start == end) and (found := _PAIR(text, at)):
        name, value = found[1], found[2]
        is_prose = name == _PRIORITY_KEY and found.end(2) < len(text)
        if rank is None and name not in KEYS["setting"] and not is_prose:
            rank = _rank(name, value.strip(b'"'))
        if start == end and _may_name_time(name):
            start, end = _time(text, name, found.start(2), found.end(2))
        elif start == end and (audit := _AUDIT(text, found.start(2))):
            start, end = audit.span(1)
        at = found.end()
    return Found(start, end, rank) if start != end or rank is not None else None


def _rank(name: bytes, value: bytes) -> int | None:
    if name in KEYS["level"]:
        word = value.strip(b" \t\n\f\r").upper()
        return WORDS.get(word, BUNYAN.get(value, LETTERS.get(value)))
    if name == _PRIORITY_KEY and len(value) == 1 and b"0" <= value <= b"7":
        return SYSLOG[int(value)]
    if name in KEYS["number"] and _NUMBER(value):
        return NUMBERED[(int(value) - 1) // 4]
    return None


def _in_unit(name: bytes) -> tuple[bytes, int]:
    """The name without the unit at its end, and the digits of a time in this unit since 1970; 0 for no unit."""
    word = _LAST_WORD(name)
    digits = _DIGITS.get(word[0].lower(), 0) if word else 0
    return (name[: word.start()].removesuffix(b"_"), digits) if word and digits else (name, 0)


def _may_name_time(name: bytes) -> bool:
    return name in KEYS["time"] or _in_unit(name)[0] in KEYS["time"]


def _time(text: bytes, name: bytes, at: int, limit: int) -> tuple[int, int]:
    at += text[at : at + 1] == b'"'
    digits = re.compile(rb"[0-9]*").match(text, at)
    if name not in KEYS["time"] and digits and len(digits[0]) != _in_unit(name)[1]:
        return 0, 0
    found = SCAN_PLACED["members"](text, at) or scan(text, at, limit)
    return found.span() if found else (0, 0)
