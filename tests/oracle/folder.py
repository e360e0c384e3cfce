# SPDX-License-Identifier: Apache-2.0
"""The lines of all logs of a folder that a query selects."""

from fnmatch import fnmatchcase
from math import inf
from typing import NamedTuple

from tests.oracle.logs import Log
from tests.oracle.selection import Placed, filtered


class Row(NamedTuple):
    """A line of a log of the folder."""

    log: Log
    line: Placed


def chosen(logs, query):
    """The logs that fit the patterns, in the order of their names."""
    return [log for log in sorted(logs, key=lambda log: log.name) if is_chosen(log.shown, query)]


def is_chosen(name, query):
    names = name, name.rpartition("/")[2]
    return not query.logs or any(fnmatchcase(name, one) for name in names for one in query.logs)


def _timed(number, log, lines, kept):
    """(time, log, number) and row: no line is before one above it."""
    first = next((line.utc for line in lines if line.utc is not None), inf)
    times, latest = {}, first
    for line in lines:
        latest = max(latest, first if line.utc is None else line.utc)
        times[line.number] = latest
    return [((times[line.number], number, line.number), Row(log, line)) for line in kept]


def rows(logs, query):
    """The rows that the query's filter keeps, in their order; and how many lines it matches.

    logs: those that were chosen, with their lines placed.
    """
    found, matched = [], 0
    for number, (log, lines) in enumerate(logs):
        kept, hits = filtered(lines, query)
        matched += len(hits)
        found += _timed(number, log, lines, kept)
    if query.by_time:
        found.sort(key=lambda one: one[0])
    return [row for _, row in found], matched


def limited(several, query):
    """The rows of one answer, and those that its limit leaves to the next ones."""
    kept = several if query.tail is None else several[-query.tail :]
    kept = kept[query.after :]
    most = len(kept) if query.limit is None else query.limit
    return kept[:most], kept[most:]
