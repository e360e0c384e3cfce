# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from oslogserve.lines.grammar.severities import RANKS
from oslogserve.lines.grammar.times import Clock
from oslogserve.lines.pure.jsonl import objects
from oslogserve.lines.pure.recognise import Seen
from oslogserve.lines.pure.select import Gap, Line
from oslogserve.lines.pure.split import RestOfLine

T = b"2013-09-27 18:22:11,248"
WRITTEN = 1_400_000_000  # May 2014


def line(number, text, time=b"", own=b"", severity=b"", role=b""):
    start = text.find(time) if time else 0
    seen = Seen(start, start + len(time), own, time)
    return Line(number, text, seen, RANKS[(severity or own or b"NONE").decode()], role)


def made(*shown, longest=1000):
    return b"".join(objects(shown, Clock(WRITTEN), longest))


def told(*shown, longest=1000):
    return [json.loads(row) for row in made(*shown, longest=longest).splitlines()]


def test_an_object_a_line_to_the_byte():
    text = T + b' 1 ERROR "a" \\ <b> \xc3\xa9\n'
    assert made(line(17, text, T, b"ERROR"), line(18, b"y")) == (
        b'{"line": 17, "time": "2013-09-27T18:22:11.248", "severity": "ERROR", '
        b'"text": "2013-09-27 18:22:11,248 1 ERROR \\"a\\" \\\\ <b> \xc3\xa9"}\n'
        b'{"line": 18, "time": null, "severity": "NONE", "text": "y"}\n'
    )


def test_the_severity_is_the_lines_own():
    assert told(line(1, b"x\n", severity=b"ERROR"))[0]["severity"] == "NONE"


@pytest.mark.parametrize(
    ("time", "iso"),
    [
        (b"2013-09-27T18:22:11Z", "2013-09-27T18:22:11Z"),
        (b"Mar  8 12:20:42", "2014-03-08T12:20:42"),
        (b"Jun  8 12:20:42.377230", "2013-06-08T12:20:42.377230"),
        (b"2013-02-31 18:22:11", None),
        (b"12345.678", "12345.678"),
    ],
)
def test_a_time_is_iso_8601_as_exact_as_it_was_written(time, iso):
    assert told(line(1, time + b" x\n", time))[0]["time"] == iso


def test_gaps_and_roles_are_not_told():
    rows = told(
        Gap(1, 2), line(3, b"x\n", role=b"context"), Gap(4, 5), line(6, b"y", role=b"shown")
    )
    assert [row["line"] for row in rows] == [3, 6]
    assert all(set(row) == {"line", "time", "severity", "text"} for row in rows)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (b"\x1b[1;31mred\x1b[0m \x1b[K\n", "red "),
        (b"a\r\n", "a"),
        (b"a\r", "a"),
        (b"1%\r2%\r\r\n", "1%\r2%\r"),
        (b"\0\t\x08\x0c\x1f\x7f\n", "\0\t\x08\x0c\x1f\x7f"),
        (b"\xff\xc3\xe2\x82x\xed\xa0\x80\n", "\ufffd\ufffd\ufffdx\ufffd\ufffd\ufffd"),
        ("\u2028\u2029\x85\U0001f600\n".encode(), "\u2028\u2029\x85\U0001f600"),
        (b"\n", ""),
        (b"\x1b[31m\r\n", ""),
    ],
)
def test_any_bytes_become_a_string(text, shown):
    assert told(line(1, text))[0]["text"] == shown
    # No reader takes what is within an object for a line's end, but for those of Unicode.
    assert made(line(1, text)).count(b"\n") == 1


def test_a_text_that_is_too_long_is_cut_and_says_so():
    for shown in (
        [line(1, b"abcd\n")],
        [line(1, b"abcd"), RestOfLine(b"\n")],
        [line(1, b"abc"), RestOfLine(b"d"), RestOfLine(b"e\n")],
    ):
        assert told(*shown, line(2, b"x\n"), longest=3) == [
            {"line": 1, "time": None, "severity": "NONE", "text": "abc", "cut": True},
            {"line": 2, "time": None, "severity": "NONE", "text": "x"},
        ]
    for shown in ([line(1, b"abc\n")], [line(1, b"abc"), RestOfLine(b"\n")], [line(1, b"abc")]):
        assert "cut" not in told(*shown, longest=3)[0]


def test_no_lines_are_no_objects():
    assert made() == b""
