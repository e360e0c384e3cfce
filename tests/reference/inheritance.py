# SPDX-License-Identifier: Apache-2.0
"""Inheritance: the severity that a line takes from the lines above it.

A line with a time begins a record, and the lines without a time after it belong to that record. In a
log without times, a line inherits only if its shape continues the line above. A line with a time and
without a severity has none.
"""

from oslogserve.lines.grammar.severities import RANKS
from tests.reference.recognise import Seen


class Inheritance:
    """The severity that the next line of a log may inherit."""

    def __init__(self) -> None:
        self._rank = 0
        self._record: int | None = None  # its rank; None before the first time
        self._error: Seen | None = None  # the line whose traceback may follow

    def rank_of(self, seen: Seen) -> int:
        """The rank of the next line for filters."""
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
        """The rank of a line with a severity.

        Older OpenStack services print tracebacks at TRACE. Such lines get the rank of the error
        directly above, if its program or time is the same.
        """
        rank, error = seen.rank, self._error
        if rank == RANKS["TRACE"] and error:
            is_of_error = (seen.time and seen.time == error.time) or (
                seen.program and seen.program == error.program
            )
            if is_of_error:
                return error.rank
        self._error = seen if rank >= RANKS["ERROR"] else None
        return rank
