# SPDX-License-Identifier: Apache-2.0
"""The pure and the native renderer behind one signature, for what runs over both or compares them."""

import functools
import importlib
import importlib.util
from collections.abc import Iterable, Iterator

from oslogserve.lines import render
from oslogserve.lines.blocks import LONGEST_LINE, whole_lines
from oslogserve.lines.filter import at_least, first_lines, numbered
from oslogserve.lines.formats import LEADS, SEVERITIES, TIMES

VIEWS = ("html", "text")
LEVELS = (None, *SEVERITIES)
NATIVE_IS_THERE = importlib.util.find_spec("oslogserve_speedups") is not None
#: No row of the table looks at more of a line; a native Formats says how much it is.
REACH = 562


def pure(
    pieces: Iterable[bytes],
    view: str,
    level: str | None = None,
    limit: int | None = None,
    longest: int = LONGEST_LINE,
) -> Iterator[bytes]:
    blocks = whole_lines(pieces, longest)
    runs = numbered(blocks) if level is None else at_least(level, blocks)
    if limit is not None:
        runs = first_lines(limit, runs)
    return {"html": render.html, "text": render.text}[view](runs)


def native(
    pieces: Iterable[bytes],
    view: str,
    level: str | None = None,
    limit: int | None = None,
    longest: int = LONGEST_LINE,
) -> Iterator[bytes]:
    speedups = importlib.import_module("oslogserve_speedups")
    renderer = speedups.Renderer(native_formats(), view, level, limit, longest)
    for piece in pieces:
        yield renderer.feed(piece)
        if renderer.done:
            break
    yield renderer.finish()


@functools.cache
def native_formats():
    return importlib.import_module("oslogserve_speedups").Formats(
        [row.pattern for row in TIMES],
        [row.pattern for row in LEADS],
        [name.encode() for name in SEVERITIES],
    )


def cut(log: bytes, at: Iterable[int]) -> list[bytes]:
    """The log in pieces that end at these offsets."""
    ends = sorted(at)
    return [log[a:b] for a, b in zip([0, *ends], [*ends, len(log)], strict=True)]
