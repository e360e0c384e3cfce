# SPDX-License-Identifier: Apache-2.0
"""Merges rows of several logs by their times.

The order is (time, log, number). A row's time is the latest one of its line and all lines above, so
lines of a log never change places, even if its clock was set back. Lines above a log's first time
take that time. Logs without times come last.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from oslogserve import native
from oslogserve.lines.selection import Rows

#: Bytes of merged rows that are passed on at once.
MOST_MERGED = 256 * 1024
#: Results of the native core's run() that are not the number of a log.
FULL, OVER = -1, -2
#: Logs whose next rows are read ahead. Those of all logs at once would take twice the memory.
LOGS_AHEAD = 8


class Log(Protocol):
    """A log that is merged."""

    def next_rows(self) -> native.MergedRows | None:
        """The next rows; None at the log's end."""

    def start(self) -> None:
        """Starts to read the next rows, which are needed soon."""

    @property
    def is_ready(self) -> bool:
        """True if the next rows were read."""


def merge(logs: Sequence[Log]) -> Iterator[Rows]:
    """The rows of all logs in order, without their times.

    Waits only for logs whose next row could come next.
    """
    core = native.Merge(len(logs))
    needed: Iterable[int] = range(len(logs))
    while True:
        for log in needed:
            rows = logs[log].next_rows()
            if rows is not None:
                core.feed(log, rows)
        for log in core.ending_first(LOGS_AHEAD) if needed else ():
            logs[log].start()
        log = core.run(MOST_MERGED)
        if log < 0 or not logs[log].is_ready:  # others need not wait with it
            text, ends = core.take()
            if text:
                yield Rows(text, memoryview(ends).cast("q"), [])
        if log == OVER:
            return
        needed = () if log == FULL else (log,)
