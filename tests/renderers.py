# SPDX-License-Identifier: Apache-2.0
"""The pure and the native renderer behind one signature, for what runs over both or compares them."""

import functools
import importlib
import importlib.util
import os
from collections.abc import Iterable

import pytest

from oslogserve.lines import renderer
from oslogserve.lines.formats import LEADS, SEVERITIES, TIMES

VIEWS = ("html", "text")
LEVELS = (None, *SEVERITIES)
NATIVE_IS_THERE = importlib.util.find_spec("oslogserve_speedups") is not None
#: No row of the table looks at more of a line; a native Formats says how much it is.
REACH = 562


pure = renderer.PURE
native = renderer.NATIVE


def the_native_core():
    """Fails or skips a test where it is not there."""
    if NATIVE_IS_THERE:
        return
    if os.environ.get("CI") and os.environ.get("OSLOGSERVE_RENDERER") != "pure":
        pytest.fail("oslogserve-speedups is not installed, and OSLOGSERVE_RENDERER is not pure")
    pytest.skip("oslogserve-speedups is not installed")


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
