# SPDX-License-Identifier: Apache-2.0
import time

import pytest

from oslogserve.lines.formats import LEADS, LINE, SEVERITIES, SEVERITY, TIMES, anchor_of

EXAMPLES = [
    pytest.param(line, *expected, id=line.decode()[:60])
    for row in TIMES + LEADS
    for line, expected in row.examples.items()
]
T = b"2013-09-27 18:07:11.860"


def recognised(line):
    [(when, severity)] = LINE.findall(line + b"\n")
    assert line.startswith(when)
    assert SEVERITY.findall(line + b"\n") == [severity]
    return when, severity


@pytest.mark.parametrize("row", TIMES + LEADS, ids=lambda row: row.name)
def test_every_row_has_examples(row):
    assert row.examples


@pytest.mark.parametrize(("line", "when", "severity"), EXAMPLES)
def test_the_examples_of_the_table(line, when, severity):
    assert recognised(line) == (when, severity)


@pytest.mark.parametrize("severity", SEVERITIES[1:])
@pytest.mark.parametrize("lead", [b"", b" 1234", b" host unit[12]:", b" host unit:"])
@pytest.mark.parametrize(
    "when", [T, T.replace(b".", b","), b"2024-03-04T05:06:07.123456Z", b"Mar  8 12:20:42.377230"]
)
def test_every_severity_behind_every_lead_and_time(when, lead, severity):
    line = when + lead + b" " + severity.encode() + b" nova [-] x"
    assert recognised(line) == (when, severity.encode())


@pytest.mark.parametrize(
    ("line", "when"),
    [
        (b"", b""),
        (b" " + T + b" ERROR x", b""),
        (b"x" + T + b" ERROR x", b""),
        (b"<b>" + T + b" ERROR x", b""),
        (T + b" error x", T),
        (T + b" ERRORED x", T),
        (T + b" XERROR x", T),
        (T + b" ERROR_2 x", T),
        (T + b"ERROR x", b"2013-09-27 18:07:11"),
        (T + b"9" * 6 + b" ERROR x", b"2013-09-27 18:07:11"),
        (T + b"  ERROR x", T),
        (T + b" NONE x", T),
        (T + b" 12 34 ERROR x", T),
        (T + b" 12345678901 ERROR x", T),
        (b"2013-09-27 18:07:11ERROR x", b""),
        (b"2013-09-27 18:07 ERROR x", b""),
        (b"2013-9-27 18:07:11 ERROR x", b""),
        (b"2013-09-27 18:07:11.1234567 ERROR x", b"2013-09-27 18:07:11"),
        (b"ERROR x", b""),
        (b"Foo 28 12:20:43 host unit: ERROR x", b""),
        (b"Mar 28 12:20:43 host unit ERROR x", b"Mar 28 12:20:43"),
        (b"Mar 28 12:20:43 host unit[x]: ERROR x", b"Mar 28 12:20:43"),
        (b"Mar 28 12:20:43 host a: b: ERROR x", b"Mar 28 12:20:43"),
    ],
)
def test_what_only_looks_like_it_has_no_severity(line, when):
    assert recognised(line) == (when, b"")


def test_a_severity_may_end_the_line():
    assert recognised(T + b" ERROR") == (T, b"ERROR")
    assert recognised(T + b" ERROR: x") == (T, b"ERROR")
    assert recognised(T + b" ERROR\r") == (T, b"ERROR")


@pytest.mark.parametrize(("line", "when", "severity"), EXAMPLES)
def test_a_time_needs_no_escaping(line, when, severity):
    assert not set(when) & set(b'&<>"')


def test_a_severity_is_the_one_that_the_first_lead_finds():
    assert recognised(T + b" ERROR unit: DEBUG x") == (T, b"ERROR")
    assert recognised(T + b" ERRORS unit: DEBUG x") == (T, b"DEBUG")


def test_one_match_a_line():
    block = b"\n\nno time\n" + T + b" INFO x\n\r\n\x00\xff\n" + T + b"\n"
    assert len(LINE.findall(block)) == len(SEVERITY.findall(block)) == block.count(b"\n")
    assert "".join(severity.decode() for severity in SEVERITY.findall(block)) == "INFO"


@pytest.mark.parametrize(
    "unit",
    [
        b"1",
        b" ",
        b"a",
        b"a ",
        b": ",
        b"[1]",
        T,
        T + b" ",
        b"Mar 28 12:20:43 ",
        b" ERROR",
        b"\0",
        b"\xff",
    ],
)
@pytest.mark.parametrize("begin", [b"", T, b"Mar 28 12:20:43 host ", b"Mar 28 12:20:43 "])
@pytest.mark.parametrize("pattern", [LINE, SEVERITY], ids=["LINE", "SEVERITY"])
def test_hostile_lines_take_no_time(pattern, begin, unit):
    line = begin + unit * (1024 * 1024 // len(unit)) + b"\n"
    started = time.process_time()
    assert len(pattern.findall(line)) == 1
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize(
    ("when", "anchor"),
    [
        (b"2013-09-27 18:22:11.248", b"_2013_09_27_18_22_11_248"),
        (b"2013-09-27 18:22:11,248", b"_2013_09_27_18_22_11_248"),
        (b"2013-09-27T18:22:11Z", b"_2013_09_27_18_22_11Z"),
        (b"Mar  8 12:20:42", b"_Mar__8_12_20_42"),
    ],
)
def test_anchors_are_those_of_the_ancestor(when, anchor):
    assert anchor_of(when) == anchor
