# SPDX-License-Identifier: Apache-2.0
"""The rows of a job's page, below the names of their logs."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from oslogserve.compression import SUFFIXES
from oslogserve.jobs.lines import Slice
from oslogserve.templates import rendered

#: Rows are sent once they have so many bytes, or after so many seconds.
GATHERED = 256 * 1024
GATHERED_FOR = 0.05
#: Colours of logs in the style sheet.
COLOURS = 8
#: Endings that most logs have.
_ENDINGS = (*SUFFIXES, ".txt", ".log")


def rows(
    slices: Iterable[Slice],
    logs: Sequence[tuple[str, str]],
    by_time: bool,
    moments: list[int],
) -> Iterator[bytes]:
    """The rows as a list for each run of rows of one log, below the log's name.

    logs: the address and the name of each. by_time: true if they are merged. moments: gets a number if
    the line of the moment is among them.
    """
    names = [name for _, name in logs]
    shown = short_names(names) if by_time else names
    heads: dict[int, bytes] = {}
    current = None
    for one in slices:
        if one.first <= one.rows.named < one.end:
            moments.append(one.rows.named)
        for log, text in one.runs():
            if log not in heads:
                colour = len(heads) % COLOURS if by_time else None
                values = {"address": logs[log][0], "name": shown[log], "colour": colour}
                heads[log] = rendered("rows.html", **values)
            if log != current:
                yield b"</ol>\n" if current is not None else b""
                yield heads[log]
                current = log
            yield text
    if current is not None:
        yield b"</ol>\n"


def gathered(texts: Iterable[bytes]) -> Iterator[bytes]:
    """Joins the texts, since each piece is sent and compressed by itself."""
    held: list[bytes] = []
    size = 0
    since = time.monotonic()
    for one in texts:
        held.append(one)
        size += len(one)
        if size >= GATHERED or time.monotonic() - since > GATHERED_FOR:
            yield b"".join(held)
            held, size, since = [], 0, time.monotonic()
    if held:
        yield b"".join(held)


def short_names(names: Sequence[str]) -> list[str]:
    """The shortest name of each log that no other one has.

    That is its last segments, without the usual endings if it is unique without them.
    """
    of_each = []
    for name in names:
        stem = name
        for ending in _ENDINGS:
            stem = stem.removesuffix(ending)
        if not stem or stem.endswith("/"):
            stem = name
        segments = [one.split("/") for one in (stem, name)]
        # The last segment, the last two, and so on.
        of_each.append(["/".join(all_[at:]) for all_ in segments for at in range(len(all_))[::-1]])
    counts = Counter(short for several in of_each for short in set(several))
    return [
        next((short for short in several if counts[short] == 1), name)
        for name, several in zip(names, of_each, strict=True)
    ]
