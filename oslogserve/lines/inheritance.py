# SPDX-License-Identifier: Apache-2.0
"""What a line belongs to: the severity that it has from those above it.

A line that shows a time begins a record, and those without a time behind it belong to it. Elsewhere
a line without a severity goes on with the one above only if its shape says so. A line that shows a
time and no severity has none.
"""

import functools
import re
from typing import NamedTuple, Protocol

from oslogserve.lines.severities import RANKS

#: What goes on with the line above: indentation; frames and causes of tracebacks, and the last line
#: of an exception; a compiler's context; the end of what was opened.
CONTINUATION = (
    rb"[ \t]|at [\w.$<>]+\(|Caused by: |\.\.\. \d+ more|During handling of the above|The above exception"
    rb"|(?:[\w$]+\.)+[A-Z][\w$]*(?::|{end})|\d+ +\||[|^~]|-->|In file included from |[})\]]+[,;]?{end}"
)


@functools.cache
def _shape() -> re.Pattern[bytes]:
    return re.compile(CONTINUATION.replace(b"{end}", rb"\Z"))


def continues(text: bytes) -> bool:
    """Whether a line goes on with the one above by its shape."""
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
    """The state of a log behind a line."""

    def __init__(self) -> None:
        self._rank = 0
        self._record: int | None = None  # of the last line with a time; None before the first
        self._error: _Error | None = None

    def rank_of(self, seen: _Recognised) -> int:
        """The rank that filters go by, of the next line."""
        if seen.severity:
            self._rank = self._rank_of_own(seen)
        elif seen.time:
            self._rank, self._error = 0, None
        elif not seen.continues:
            self._rank = self._record or 0
            if self._record is None:
                self._error = None
        if seen.time:
            self._record = self._rank
        return self._rank

    def _rank_of_own(self, seen: _Recognised) -> int:
        """Lines at TRACE directly behind an error, of its program or its time, belong to it: older
        services of OpenStack print tracebacks so."""
        own, error = RANKS[seen.severity.decode()], self._error
        if own == RANKS["TRACE"] and error:
            is_of_error = (seen.time and seen.time == error.time) or (
                seen.program and seen.program == error.program
            )
            if is_of_error:
                return error.rank
        is_error = own >= RANKS["ERROR"]
        self._error = _Error(own, seen.time, seen.program) if is_error else None
        return own
