# SPDX-License-Identifier: Apache-2.0
"""Inheritance: the severity that a line has from those above it.

A line that shows a time begins a record, and those without a time behind it belong to it. Elsewhere
a line without a severity goes on with the one above only if its shape says so. A line that shows a
time and no severity has none.
"""

import functools
import re
from typing import NamedTuple, Protocol

from oslogserve.lines.severities import RANKS

#: Beginnings of continuation lines: indentation; frames and causes of tracebacks, and the last line
#: of an exception; a compiler's context; closing brackets.
CONTINUATION = (
    rb"[ \t]|at [\w.$<>]+\(|Caused by: |\.\.\. \d+ more|During handling of the above|The above exception"
    rb"|(?:[\w$]+\.)+[A-Z][\w$]*(?::|{end})|\d+ +\||[|^~]|-->|In file included from |[})\]]+[,;]?{end}"
)


@functools.cache
def _shape() -> re.Pattern[bytes]:
    return re.compile(CONTINUATION.replace(b"{end}", rb"\Z"))


def continues(text: bytes) -> bool:
    """True if a line continues the one above by its shape."""
    return _shape().match(text) is not None


class _Recognised(Protocol):
    @property
    def severity(self) -> bytes: ...
    @property
    def time(self) -> bytes: ...
    @property
    def program(self) -> bytes: ...
    @property
    def continues(self) -> bool: ...


class _Error(NamedTuple):
    """An error whose traceback may follow."""

    rank: int
    time: bytes
    program: bytes


class Inheritance:
    """What the next line of a log may inherit."""

    def __init__(self) -> None:
        self._rank = 0
        self._record: int | None = None  # of the last line with a time; None before the first
        self._error: _Error | None = None

    def rank_of(self, seen: _Recognised) -> int:
        """The rank by which filters see the next line."""
        if seen.severity:
            self._rank = self._rank_of_severity(seen)
        elif seen.time:
            self._rank, self._error = 0, None
        elif not seen.continues:
            self._rank = self._record or 0
            if self._record is None:
                self._error = None
        if seen.time:
            self._record = self._rank
        return self._rank

    def _rank_of_severity(self, seen: _Recognised) -> int:
        """The severity's rank, or the error's for lines at TRACE directly behind an error and of its
        program or time: older OpenStack services print tracebacks that way."""
        rank, error = RANKS[seen.severity.decode()], self._error
        if rank == RANKS["TRACE"] and error:
            is_of_error = (seen.time and seen.time == error.time) or (
                seen.program and seen.program == error.program
            )
            if is_of_error:
                return error.rank
        is_error = rank >= RANKS["ERROR"]
        self._error = _Error(rank, seen.time, seen.program) if is_error else None
        return rank
