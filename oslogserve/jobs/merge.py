# SPDX-License-Identifier: Apache-2.0
"""Merges rows of several logs by their times.

The order is (time, log, number). A row's time is the latest one of its line and all lines above, so
lines of a log never change places, even if its clock was set back. Lines above a log's first time
take that time. Logs without times come last.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence

from oslogserve import native
from oslogserve.lines.selection import NO_TIME, UNTIMED, Rows

#: Bytes of merged rows that are passed on at once.
MOST_MERGED = 256 * 1024
#: Results of the native core's run() that are not the number of a log.
FULL, OVER = -1, -2
#: Bytes of rows that are held until the log's first time is known. A log with more counts as one
#: without times.
MOST_HELD = 256 * 1024


def bundled(several: Iterable[Rows], most_bytes: int, most_pieces: int) -> Iterator[list[Rows]]:
    """The same rows in lists, each of about `most_bytes` bytes or `most_pieces` pieces of the log."""
    held: list[Rows] = []
    size = pieces = 0
    for rows in several:
        if held and not held[-1].ends:
            held.pop()
        held.append(rows)
        size += len(rows.text)
        pieces += 1
        if size >= most_bytes or pieces >= most_pieces:
            yield held
            held, size, pieces = [], 0, 0
    if held:
        yield held


def placed(several: Iterable[Rows], most_held: int = MOST_HELD) -> Iterator[Rows]:
    """The same rows. Those above the log's first time get that time.

    They get UNTIMED if more than `most_held` bytes, or the whole log, show no time.
    """
    held: list[Rows] = []
    size = 0
    rest = iter(several)
    first = UNTIMED
    for rows in rest:
        if rows.ends or rows.reached != NO_TIME:
            held.append(rows)
        timed = (number for number, time in enumerate(rows.times) if time != NO_TIME)
        above = next(timed, len(rows.times))
        size += rows.ends[above - 1] if above else 0
        if size > most_held:
            break
        if rows.reached != NO_TIME:
            first = rows.reached
            break
    while held:
        yield _not_before(first, held.pop(0))
    for rows in rest:
        yield _not_before(first, rows)


def _not_before(first: int, rows: Rows) -> Rows:
    if rows.reached >= first and (not rows.times or rows.times[0] >= first):
        return rows
    times = array("q", (max(first, time) for time in rows.times))
    return rows._replace(times=times, reached=max(first, rows.reached))


def merge(logs: Sequence[Iterator[Sequence[Rows]]]) -> Iterator[Rows]:
    """The rows of all logs in order, without their times. Each log yields lists of its rows.

    Waits only for logs whose next row could come next.
    """
    core = native.Merge(len(logs))
    needed: Iterable[int] = range(len(logs))
    while True:
        for log in needed:
            bundle = next(logs[log], None)
            if bundle is not None:
                core.feed(log, [rows for rows in bundle if rows.ends], bundle[-1].reached)
        log = core.run(MOST_MERGED)
        text, ends = core.take()
        if text:
            yield Rows(text, memoryview(ends).cast("q"), [])
        if log == OVER:
            return
        needed = () if log == FULL else (log,)
