# SPDX-License-Identifier: Apache-2.0
"""The plan of an excerpt: the lines of a log that are read for it, by the log's summary."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from oslogserve import native
from oslogserve.lines.summary import ErrorLine, Summary

#: Lines that are read: so many, and one more for so many bytes of the excerpt.
LEAST_LINES, BYTES_OF_LINE = 600, 40
#: Lines that are read around an error elsewhere, and bytes of the excerpt for each such error behind the first.
ABOVE_ERROR, BELOW_ERROR, BYTES_OF_ERROR = 2, 10, 2000


class Range(NamedTuple):
    """Numbers of lines."""

    first: int
    last: int


def planned(summary: Summary, lines: int, size: int) -> list[Range]:
    """The lines that are read, in order; no range touches another.

    lines: of the log. size: bytes of the excerpt.
    """
    most = LEAST_LINES + size // BYTES_OF_LINE
    if lines <= most:
        return [Range(1, lines)] if lines else []
    wanted = [*_of_cause(summary, most), Range(lines - most // 5, lines)]
    # The others are known by the summary: to read them takes long.
    read = islice(_elsewhere(summary.errors, wanted), max(1, size // BYTES_OF_ERROR - 1))
    wanted += [Range(error.line - ABOVE_ERROR, error.line + BELOW_ERROR) for error in read]
    return _merged(wanted, lines)


def _of_cause(summary: Summary, most: int) -> Iterator[Range]:
    """Yields the lines around the cause, and those where its chapter begins and ends."""
    cause = summary.cause
    if cause is None:
        return
    first, last = cause.line, cause.last
    yield Range(first - most // 10, min(last, first + most // 4))
    yield Range(last - most // 10, last + most // 4)
    if step := summary.step:
        yield Range(step.first, step.first + 1)
        yield Range(step.last - most // 5, step.last + 5)


def _elsewhere(errors: Sequence[ErrorLine], ranges: Sequence[Range]) -> Iterator[ErrorLine]:
    """Yields the first error of each kind, but those of these ranges."""
    kinds = set()
    for error in errors:
        kind = native.kind_of(error.text.encode("utf-8", "replace"))
        if kind not in kinds:
            kinds.add(kind)
            if not any(one.first <= error.line <= one.last for one in ranges):
                yield error


def _merged(ranges: Iterable[Range], lines: int) -> list[Range]:
    """The same lines in order, as far as a log of so many has them."""
    merged: list[Range] = []
    for one in sorted(ranges):
        first, last = max(1, one.first), min(one.last, lines)
        if merged and first <= merged[-1].last + 1:
            merged[-1] = Range(merged[-1].first, max(last, merged[-1].last))
        elif first <= last:
            merged.append(Range(first, last))
    return merged
