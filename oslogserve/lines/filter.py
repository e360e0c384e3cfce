# SPDX-License-Identifier: Apache-2.0
"""Which lines are shown where no more than a level is asked for. Over blocks of whole lines."""

from collections.abc import Iterable, Iterator, Sequence

from oslogserve.lines.formats import SEVERITIES
from oslogserve.lines.recognise import BUILT_IN, Formats
from oslogserve.lines.selection import Tally

#: (numbers of its lines in the whole log, lines). Where a run's last line has no end, the first line of
#: the next one is more of it.
Run = tuple[Sequence[int], bytes]


def numbered(blocks: Iterable[bytes], tally: Tally | None = None) -> Iterator[Run]:
    """Every line. A block that goes on with a line keeps that line's number. tally: is told the
    lines."""
    number = 1
    for block in blocks:
        ends = _ends_in(block)
        numbers = range(number, number + ends + (not block.endswith(b"\n")))
        if tally:
            tally.lines = numbers[-1]
        yield numbers, block
        number += ends


def _ends_in(block: bytes) -> int:
    """What count() says too, a byte at a time; this leaps from one to the next."""
    return len(block) - len(block.replace(b"\n", b""))


def at_least(
    level: str,
    blocks: Iterable[bytes],
    formats: Formats = BUILT_IN,
    tally: Tally | None = None,
) -> Iterator[Run]:
    """The lines of severity `level` and above, as many at once as a block has.

    A line without a severity of its own belongs to the last line that had one: a traceback
    stays with its error. tally: see numbered().
    """
    floor = SEVERITIES.index(level)
    wanted = frozenset(name.encode() for name in SEVERITIES[floor:])
    keeping = not floor  # as if a line of the lowest severity stood before the first
    inside_line = False
    for numbers, block in numbered(blocks, tally):
        if inside_line:
            end = block.find(b"\n") + 1 or len(block)
            if keeping:
                yield numbers[:1], block[:end]
            inside_line = not block.endswith(b"\n", 0, end)
            numbers, block = numbers[1:], block[end:]
        if not block:
            continue
        inside_line = not block.endswith(b"\n")
        kept = []
        for index, severity in enumerate(
            formats.severities_in(block + b"\n" if inside_line else block)
        ):
            if severity:
                keeping = severity in wanted
            if keeping:
                kept.append(index)
        if len(kept) == len(numbers):
            yield numbers, block
        elif kept:
            lines = block.split(b"\n")
            end_of_last = b"" if inside_line and keeping else b"\n"
            text = b"\n".join([lines[index] for index in kept]) + end_of_last
            yield [numbers[index] for index in kept], text
