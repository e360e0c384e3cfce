# SPDX-License-Identifier: Apache-2.0
import re

import pytest

from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import Wanted
from tests.kit.renderers import anchor_of, seen_in

RENDERER = Renderer(
    [
        ("x", r"@(?P<time>[^@]*)@ (?P<severity>\w+)?", {b"BAD": "ERROR", b"FINE": "NONE"}),
        ("y", r"(?i)oops-(?P<severity>[a-z]+)", {}),
        ("z", r"at (?P<time>\d+)", {}),
    ]
)


@pytest.mark.parametrize(
    ("line", "when", "severity"),
    [
        (b"@12@ bad x", b"12", b"ERROR"),
        (b"@12@ fine x", b"12", b""),
        (b"@12@ ugly x", b"12", b""),
        (b"@12@ ", b"12", b""),
        (b"@@ bad", b"", b"ERROR"),
        (b'@<a href="x">@ bad', b"", b"ERROR"),
        (b"\x1b[1m@12@ bad", b"12", b"ERROR"),
        (b"OOPS-warn: x", b"", b"WARNING"),
        (b"at 12 ... FAILED", b"12", b"ERROR"),
        (b" @12@ bad", b"", b""),
        (b"@12@ fine ERROR: x", b"12", b""),
        (b"2024-03-04 05:06:07 ERROR x", b"2024-03-04 05:06:07", b"ERROR"),
    ],
)
def test_what_an_operators_format_shows_comes_first(line, when, severity):
    assert seen_in(line, RENDERER) == (anchor_of(when), severity)


def test_a_word_for_no_severity_leaves_that_of_the_head():
    renderer = Renderer([("x", r".*(?P<severity>fine)", {b"FINE": "NONE"})])
    assert seen_in(b"ERROR: fine", renderer).severity == b"ERROR"


def test_the_first_format_that_matches_decides():
    formats = [
        ("long", r"a(?P<time>\d+)b (?P<severity>\w+) end", {}),
        ("time", r"a(?P<time>\d)", {}),
        ("severity", r"(?P<severity>a\d+)", {b"A12": "ERROR"}),
        ("other", r"(?P<severity>x\w*)", {b"XY": "ERROR"}),
    ]
    lines = {
        b"a12b error end": (b"12", b"ERROR"),
        b"a12b error": (b"1", b""),
        b"a12": (b"1", b""),
        b"xy": (b"", b"ERROR"),
        b"yx": (b"", b""),
    }
    for order in (formats, formats[:2] + formats[:1:-1]):
        renderer = Renderer(order)
        for line, (when, severity) in lines.items():
            assert seen_in(line, renderer) == (anchor_of(when), severity)
    assert seen_in(b"a12b error end", Renderer(formats[::-1])) == (anchor_of(b""), b"ERROR")


@pytest.mark.parametrize("end", [r"$", r"\b", r"(?m:$)", r"\z"])
def test_a_format_may_end_at_a_boundary(end):
    renderer = Renderer([("x", r"at (?P<time>\d+)" + end, {})])
    assert seen_in(b"at 12", renderer).anchor == anchor_of(b"12")
    assert seen_in(b"at 12\r\n", renderer).anchor == anchor_of(b"12")
    assert seen_in(b"at 12x", renderer).anchor == anchor_of(b"")


@pytest.mark.parametrize("byte", range(256))
def test_an_anchor_needs_no_escaping(byte):
    line = b"@a%bz@ bad" % bytes([byte])
    page = b"".join(RENDERER([line], Wanted("html")))
    for anchor in re.findall(rb"name=(\S*?)>#", page):
        assert anchor in (anchor_of(b"a%bz" % bytes([byte])), b"_az")
        assert re.fullmatch(rb"[0-9A-Za-z+/_-]+", anchor)


@pytest.mark.parametrize(
    "pattern", ["(?P<time>", "(?P<time>a)(?=b)", "(?P<time>a)\\1", "(?u:\\b)(?P<time>a)"]
)
def test_what_is_not_of_linear_cost_is_refused(pattern):
    with pytest.raises(ValueError, match=r"format x: it takes a regular expression"):
        Renderer([("x", pattern, {})])


def test_hostile_lines_take_no_time():
    renderer = Renderer([("x", r"(?:a*)*(?:a|a)*b(?P<time>c)", {})])
    assert seen_in(b"a" * 100_000, renderer).anchor == b""
