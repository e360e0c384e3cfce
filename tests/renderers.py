# SPDX-License-Identifier: Apache-2.0
"""The pure and the native renderer behind one signature, for what runs over both or compares them."""

import functools
import importlib
import importlib.util
import json
import os
import re
from collections.abc import Iterable

import pytest

from oslogserve.lines import renderer
from oslogserve.lines.formats import ENDINGS, HEAD, SEVERITIES, TABLE
from oslogserve.lines.pieces import for_native
from oslogserve.lines.selection import Tally, Wanted

VIEWS = ("html", "text", "jsonl", "summary")
LEVELS = (None, *SEVERITIES)
NATIVE_IS_THERE = importlib.util.find_spec("oslogserve_speedups") is not None
#: A renderer holds no less of a line back.
REACH = HEAD
#: Line -> (time, severity)
EXAMPLES = {line: expected for row in (*TABLE, *ENDINGS) for line, expected in row.examples.items()}


_ALIKE = re.compile(rb"<ol class=b>|</ol>|(?<= id=L)(\d+)><a href=#L\1(?: name=([^>]*))?>#</a>")


pure = renderer.PURE
native = renderer.NATIVE
#: For what is to hold of both.
EACH = [
    pytest.param(pure, id="pure"),
    pytest.param(
        native,
        id="native",
        marks=pytest.mark.skipif(not NATIVE_IS_THERE, reason="no native core"),
    ),
]


def the_native_core():
    """Fails or skips a test where it is not there."""
    if NATIVE_IS_THERE:
        return
    if os.environ.get("CI") and os.environ.get("OSLOGSERVE_RENDERER") != "pure":
        pytest.fail("oslogserve-speedups is not installed, and OSLOGSERVE_RENDERER is not pure")
    pytest.skip("oslogserve-speedups is not installed")


def bare(html: bytes) -> bytes:
    """A page's lines without their blocks and the links on their numbers, which are all alike: only
    the name of a time stays, in the line's element."""
    return _ALIKE.sub(_without_link, html)


def _without_link(found: re.Match[bytes]) -> bytes:
    number, name = found.groups()
    if number is None:
        return b""
    return number + (b" name=" + name if name else b"") + b">"


def answered(render, pieces: Iterable[bytes], wanted: Wanted, *options) -> tuple[object, Tally]:
    """All that a renderer makes of a log, and what came of it."""
    tally = Tally()
    made = b"".join(render(pieces, wanted, tally, *options))
    return json.loads(made) if wanted.view == "summary" else made, tally


def speedups():
    return importlib.import_module("oslogserve_speedups")


@functools.cache
def native_formats():
    return speedups().Formats(for_native())


def cut(log: bytes, at: Iterable[int]) -> list[bytes]:
    """The log in pieces that end at these offsets."""
    ends = sorted(at)
    return [log[a:b] for a, b in zip([0, *ends], [*ends, len(log)], strict=True)]
