# SPDX-License-Identifier: Apache-2.0
"""Rows of several logs, merged by their times.

Rows come in the order of (time, log, number), where a row's time is the latest of its line and all
lines above: no line comes before one that stands above it in its log, even where a clock was set
back. What stands above a log's first time comes with it, and logs without times come last.
"""

import heapq
from array import array
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

from oslogserve.lines.rows import NO_TIME, UNTIMED, Rows
from oslogserve.native import CORE

#: Bytes of merged rows that are passed on at once.
MOST_MERGED = 64 * 1024
#: What the native core says in place of a log.
FULL, OVER = -1, -2
#: Bytes of rows above a log's first time that are held until that is known; with more the log counts as
#: one without times.
MOST_HELD = 256 * 1024


def joined(several: Iterable[Rows], most_bytes: int, most_pieces: int) -> Iterator[Rows]:
    """The same rows in larger pieces, each of them of as many bytes or made of as many pieces."""
    held: list[Rows] = []
    size = 0
    for rows in several:
        held.append(rows)
        size += len(rows.text)
        if size >= most_bytes or len(held) >= most_pieces:
            yield _as_one(held)
            held, size = [], 0
    if held:
        yield _as_one(held)


def _as_one(several: Sequence[Rows]) -> Rows:
    filled = [rows for rows in several if rows.ends]
    if len(filled) <= 1:
        rows = filled[0] if filled else several[-1]
        return rows._replace(reached=several[-1].reached)
    ends: list[int] = []
    start = 0
    for rows in filled:
        ends += [start + end for end in rows.ends]
        start += len(rows.text)
    times = [time for rows in filled for time in rows.times]
    return Rows(b"".join(rows.text for rows in filled), ends, times, several[-1].reached)


def placed(several: Iterable[Rows]) -> Iterator[Rows]:
    """The same rows; those above the log's first time have that of the first row behind them, and
    all of a log without any time there are UNTIMED."""
    held: list[Rows] = []
    size = 0
    rest = iter(several)
    first = UNTIMED
    for rows in rest:
        held.append(rows)
        timed = (number for number, time in enumerate(rows.times) if time != NO_TIME)
        above = next(timed, len(rows.times))
        size += rows.ends[above - 1] if above else 0
        if size > MOST_HELD:
            break
        if above < len(rows.times):
            first = rows.times[above]
            break
        if rows.reached != NO_TIME and not size:  # nothing is held back for it
            held.clear()
            yield rows
    for rows in held:
        yield _not_before(first, rows)
    yield from rest if first != UNTIMED else (_not_before(first, rows) for rows in rest)


def _not_before(first: int, rows: Rows) -> Rows:
    times = [max(first, time) for time in rows.times]
    return rows._replace(times=times, reached=max(first, rows.reached))


def merge(logs: Sequence[Iterator[Rows]]) -> Iterator[Rows]:
    """The rows of all logs, without their times."""
    return _pure(logs) if CORE is None else _native(logs)


def _pure(logs: Sequence[Iterator[Rows]]) -> Iterator[Rows]:
    """The definition."""
    several = [_timed(log, rows) for log, rows in enumerate(logs)]
    for _, _, text in heapq.merge(*several, key=itemgetter(0, 1)):
        yield Rows(text, [len(text)], [])


def _timed(log: int, several: Iterator[Rows]) -> Iterator[tuple[int, int, bytes]]:
    """(time, log, row)"""
    for rows in several:
        start = 0
        for end, time in zip(rows.ends, rows.times, strict=True):
            yield time, log, rows.text[start:end]
            start = end


def _native(logs: Sequence[Iterator[Rows]]) -> Iterator[Rows]:
    """The same in the native core, which waits for a log only where its next row may be the next."""
    core = CORE.Merge(len(logs))
    needed: Iterable[int] = range(len(logs))
    while True:
        for log in needed:
            rows = next(logs[log], None)
            if rows is not None:
                ends, times = (array("q", numbers).tobytes() for numbers in (rows.ends, rows.times))
                core.feed(log, rows.text, ends, times, rows.reached)
        log = core.run(MOST_MERGED)
        text, ends = core.take()
        if text:
            yield Rows(text, memoryview(ends).cast("q"), [])
        if log == OVER:
            return
        needed = () if log == FULL else (log,)
