# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.lines.formats import TABLE, OwnRow
from oslogserve.lines.pieces import for_native
from oslogserve.lines.recognise import Formats
from tests.renderers import speedups, the_native_core

ROWS = [
    OwnRow("x", rb"@(?P<time>[^@]*)@ (?P<severity>\w+)?", {b"BAD": "ERROR", b"FINE": "NONE"}),
    OwnRow("y", rb"(?i)oops-(?P<severity>[a-z]+)", {}),
    OwnRow("z", rb"at (?P<time>\d+)", {}),
]


@pytest.fixture(params=["pure", "native"], scope="module")
def formats(request):
    """Own rows, before the table's first alone: the native core takes its time for all of them."""
    if request.param == "native":
        the_native_core()

    def formats(own, table=TABLE[:1]):
        if request.param == "pure":
            return Formats(table, own=own)
        return speedups().Formats(for_native(table, own=own))

    return formats


@pytest.fixture(scope="module")
def recognising(formats):
    return formats(ROWS, TABLE)


@pytest.mark.parametrize(
    ("line", "when", "severity"),
    [
        (b"@12@ bad x", b"12", b"ERROR"),
        (b"@12@ fine x", b"12", b"NONE"),
        (b"@12@ ugly x", b"12", b""),
        (b"@12@ ", b"12", b""),
        (b"@@ bad", b"", b"ERROR"),
        (b'@<a href="x">@ bad', b"", b"ERROR"),
        (b"\x1b[1m@12@ bad", b"12", b"ERROR"),
        (b"OOPS-warn: x", b"", b"WARNING"),
        (b"at 12 ... FAILED", b"12", b"ERROR"),
        (b" @12@ bad", b"", b""),
        (b"2024-03-04 05:06:07 ERROR x", b"2024-03-04 05:06:07", b"ERROR"),
    ],
)
def test_what_an_operators_row_shows_comes_first(recognising, line, when, severity):
    [(start, end, found)] = recognising.seen_in(line + b"\n")
    assert (line[start:end], found) == (when, severity)


@pytest.mark.parametrize("pattern", [b"(?P<time>", b"(?P<time>a)(?=b)", b"(?P<time>a)\\1"])
def test_what_is_not_of_linear_cost_is_refused(formats, pattern):
    with pytest.raises(ValueError, match=r"x: .|parse error"):
        formats([OwnRow("x", pattern, {})])


def test_hostile_lines_take_no_time(formats):
    own = formats([OwnRow("x", rb"(?:a*)*(?:a|a)*b(?P<time>c)", {})])
    assert own.seen_in(b"a" * 100_000 + b"\n") == [(0, 0, b"")]
