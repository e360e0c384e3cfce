# SPDX-License-Identifier: Apache-2.0
"""Which lines are shown where no more than a level is asked for. Over blocks of whole lines."""

from collections.abc import Iterable, Iterator

from oslogserve.lines.formats import RANK, SEVERITIES
from oslogserve.lines.recognise import BUILT_IN, Formats

#: (number of its first line in the whole log, lines). Successive runs may touch.
Run = tuple[int, bytes]


def numbered(blocks: Iterable[bytes]) -> Iterator[Run]:
    """Every line. A block that goes on with a line keeps that line's number."""
    number = 1
    for block in blocks:
        yield number, block
        number += block.count(b"\n")


def at_least(level: str, blocks: Iterable[bytes], formats: Formats = BUILT_IN) -> Iterator[Run]:
    """The lines of severity `level` and above.

    A line without a severity of its own belongs to the last line that had one: a traceback
    stays with its error.
    """
    floor = SEVERITIES.index(level)
    keeping = not floor  # as if a line of the lowest severity stood before the first
    inside_line = False
    for number, block in numbered(blocks):
        if inside_line:
            end = block.find(b"\n") + 1 or len(block)
            if keeping:
                yield number, block[:end]
            inside_line = not block.endswith(b"\n", 0, end)
            number += not inside_line
            block = block[end:]
        if not block:
            continue
        inside_line = not block.endswith(b"\n")
        lines = block.split(b"\n")
        severities = formats.severities_in(block + b"\n" if inside_line else block)
        first = 0
        for index, severity in enumerate(severities):
            if not severity or (RANK[severity] >= floor) == keeping:
                continue
            if keeping and index > first:  # else the block begins with a line left out
                yield number + first, b"\n".join(lines[first:index]) + b"\n"
            first = index
            keeping = not keeping
        if keeping:
            yield number + first, b"\n".join(lines[first:])
