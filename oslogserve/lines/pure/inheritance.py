# SPDX-License-Identifier: Apache-2.0
"""Inheritance: the severity that a line has from those above it.

A line that shows a time begins a record, and those without a time behind it belong to it. Elsewhere
a line without a severity goes on with the one above only if its shape says so. A line that shows a
time and no severity has none.
"""

from oslogserve.lines.grammar.severities import RANKS
from oslogserve.lines.pure.recognise import Seen


class Inheritance:
    """Time and severity that a log's next line may inherit."""

    def __init__(self) -> None:
        self._rank = 0
        self._record: int | None = None  # of the last line with a time; None before the first
        self._error: Seen | None = None  # the line whose traceback may follow

    def rank_of(self, seen: Seen) -> int:
        """The rank by which filters see the next line."""
        if seen.rank:
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

    def _rank_of_severity(self, seen: Seen) -> int:
        """The severity's rank, or the error's for lines at TRACE directly behind an error and of its
        program or time: older OpenStack services print tracebacks that way."""
        rank, error = seen.rank, self._error
        if rank == RANKS["TRACE"] and error:
            is_of_error = (seen.time and seen.time == error.time) or (
                seen.program and seen.program == error.program
            )
            if is_of_error:
                return error.rank
        self._error = seen if rank >= RANKS["ERROR"] else None
        return rank
