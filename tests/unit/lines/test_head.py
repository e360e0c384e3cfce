# SPDX-License-Identifier: Apache-2.0
import time

import pytest

from oslogserve.lines.grammar.severities import NAMES, SEVERITIES
from oslogserve.lines.pure.head import PLAIN_REACH, REACH, read_head
from tests.renderers import EXAMPLES, recogniser

T = b"2013-09-27 18:07:11.860"


@pytest.fixture(params=["pure", "native"])
def recognised(request):
    def recognised(line):
        seen = recogniser(request.param).seen_in(line)
        return seen.time, seen.severity

    return recognised


@pytest.mark.parametrize("lead", [b"", b" 1234", b" host unit[12]:", b" host unit:", b" | h |"])
@pytest.mark.parametrize(
    "when", [T, T.replace(b".", b","), b"2024-03-04T05:06:07.123456Z", b"Mar  8 12:20:42.377230"]
)
def test_every_severity_behind_every_lead_and_time(recognised, when, lead):
    for severity in NAMES[1:]:
        line = when + lead + b" " + severity + b" nova [-] x"
        assert recognised(line) == (when, severity), line


@pytest.mark.parametrize(
    "level",
    [
        b"[ERROR] x",
        b"[error] x",
        b"[ ERROR ] x",
        b"[E] x",
        b"ERROR x",
        b"ERROR: x",
        b"error: x",
        b"ERROR| x",
        b"Error: x",
        b"ERROR\tx",
        b"ERROR",
        b"ERROR! x",
        b"ERROR:x",
        b"ERR x",
        b"ERROR[0012] x",
        b"error[E0308]: x",
        b"error TS2304: x",
        b"Error #8: x",
        b"E/Tag( 12): x",
        b"app.ERROR: x",
        b"<3>x",
        b"==> ERROR: x",
        b"** ERROR: x",
        b"##[error]x",
        b"::error file=a::x",
        b'{"level": "error"}',
        b"level=error msg=x",
        b"prog: error: x",
        b"prog: [error] x",
        b"[task] ERROR x",
        b"web_1  | ERROR x",
        b"2> ERROR x",
        b"a.c:1:2: error: x",
        b"a.c(1,2): error X1: x",
        b'"a.c", line 4: error: x',
        b"PHP Error: x",
    ],
)
def test_where_a_level_may_stand(recognised, level):
    assert recognised(level) == (b"", b"ERROR")
    if not level.startswith((b"<", b"==>", b"**", b"2>")):
        assert recognised(T + b" " + level) == (T, b"ERROR")


@pytest.mark.parametrize(
    "fields",
    [
        b"error",
        b"Error -",
        b"12 ERROR",
        b"0x1f ERROR",
        b"[main] ERROR",
        b"[id=1] [x] error:",
        b"(thread) ERROR",
        b"- name - ERROR -",
        b"a.b.c ERROR",
        b"user@db ERROR",
        b"{f.py:12} ERROR",
        b"host prog 71 ERROR",
        b"root         ERROR   ",
        b"host user.err",
        b"| a:b | ERROR |",
        b"E",
        b"h prog[12]: [x] error:",
        b"a,error,b",
        b"util.py[ERROR]:",
        b"12 34 E",
        b"thread=1 [ERROR]",
    ],
)
def test_fields_that_stand_between_a_time_and_its_level(recognised, fields):
    assert recognised(T + b" " + fields + b" x") == (T, b"ERROR")


@pytest.mark.parametrize(
    ("line", "when"),
    [
        (b"", b""),
        (T + b" ERRORED x", T),
        (T + b" XERROR x", T),
        (T + b" ERROR_2 x", T),
        (T + b" NONE x", T),
        (T + b" found ERROR in x", T),
        (T + b" ERROR = 1", T),
        (T + b" + ERROR x", T),
        (T + b" Error handling begins", T),
        (b"2013-09-27 18:07:11ERROR x", b""),
        (b"12:34:56:78:9a:bc ERROR", b""),
        (b"ERROR = 1", b""),
        (b"ERROR 0", b""),
        (b"errors: 0", b""),
        (b"debug: true", b""),
        (b"error: 0", b""),
        (b"--error x", b""),
        (b"/var/log/error.log: 3 lines", b""),
        (b"the ERROR was", b""),
        (b"| ERROR | 3 |", b""),
        (b"# ERROR: x", b""),
        (b"- ERROR: x", b""),
        (b"audit: type=1400", b""),
        (b"level: ERROR", b""),
        (b"<error>", b""),
        (b"[errors] x", b""),
        (b'{"a": {"level": "error"}}', b""),
        (b'say "ERROR: x"', b""),
        (b"a.b.Name: x", b""),
        (b"see https://error.example/error: x", b""),
        (b"echo ERROR: x", b""),
    ],
)
def test_what_only_looks_like_it_has_no_severity(recognised, line, when):
    assert recognised(line) == (when, b"")


@pytest.mark.parametrize(
    "line",
    [
        T + b" INFO error: x",
        T + b" 12 INFO ERROR x",
        b"Mar 28 12:20:43 host app: INFO a: error: x",
        b"[INFO] ERROR x",
        b"INFO: error: x",
        b'{"level": "info", "severity": "error"}',
        b'level=info msg="level=error"',
        b"2024-03-04T05:06:07Z [info] x ... FAILED",
    ],
)
def test_the_first_severity_of_a_line_is_its_own(recognised, line):
    assert recognised(line)[1] == b"INFO"


def test_the_contents_stands_before_a_priority(recognised):
    assert recognised(b"<11>Mar  4 05:06:07 h a[1]: WARNING x") == (b"Mar  4 05:06:07", b"WARNING")
    assert recognised(b"<11>Mar  4 05:06:07 h a[1]: x") == (b"Mar  4 05:06:07", b"ERROR")


def test_content_begins_anew_only_so_often(recognised):
    severities = [recognised((T + b" | ") * depth + b"ERROR: x")[1] for depth in range(1, 9)]
    assert severities == sorted(severities, reverse=True)
    assert (severities[0], severities[-1]) == (b"ERROR", b"")


def test_a_plain_head_has_so_many_bytes(recognised):
    lead = T + b" [" + b"x" * (PLAIN_REACH - len(T) - 4) + b"]"
    assert recognised(lead[:-20] + b"] ERROR x")[1] == b"ERROR"
    assert recognised(lead + b" ERROR x")[1] == b""


@pytest.mark.parametrize(
    "unit",
    [
        b"1",
        b" ",
        b"a",
        b"a.",
        b": ",
        b"[",
        b'"',
        b"a=b ",
        b"=",
        b"#",
        T + b" ",
        b" ERROR",
        b'"a":1,',
        b'\\"',
    ],
)
def test_hostile_lines_take_no_time(unit):
    begins = {line[: len(line) // 2] for line in EXAMPLES} | {b""}
    lines = [(begin + unit * (REACH // len(unit)))[:REACH] for begin in begins]
    for line in lines:
        read_head(line)  # what it needs is compiled when it is first needed
    started = time.process_time()
    for line in lines:
        read_head(line)
    assert time.process_time() - started < 0.005 * len(lines)


def test_ranks_are_those_of_the_severities():
    assert [read_head(name.encode() + b": x").rank for name in SEVERITIES[1:]] == [*range(1, 8)]
