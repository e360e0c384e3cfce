# SPDX-License-Identifier: Apache-2.0
import re
import time

import pytest

from oslogserve.lines.anchor import anchor_of
from oslogserve.lines.beginning import may_match
from oslogserve.lines.formats import ENDINGS, HEAD, SEVERITIES, TABLE, TIMES, Row
from oslogserve.lines.recognise import _FIRST_OF_TIME, BUILT_IN, Formats
from tests.renderers import EXAMPLES

ROWS = (*TABLE, *ENDINGS)
T = b"2013-09-27 18:07:11.860"


def recognised(line, formats=BUILT_IN):
    [(start, end, severity)] = formats.seen_in(line + b"\n")
    assert formats.severities_in(line + b"\n") == [severity]
    return line[start:end], severity


def test_every_row_has_examples():
    assert [row.name for row in ROWS if not row.examples] == []


def test_a_row_that_may_give_a_severity_shows_it():
    may = [row for row in ROWS if row.severity or b"evel}" in getattr(row, "pattern", b"")]
    shown = [row for row in may if any(severity for _, severity in row.examples.values())]
    assert [row.name for row in may] == [row.name for row in shown]


def test_names_are_told_apart():
    names = [row.name for row in ROWS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("end", [b"", b"\r"])
def test_the_examples_of_the_table(end):
    assert {line: recognised(line + end) for line in EXAMPLES} == EXAMPLES


@pytest.mark.parametrize("lead", [b"", b" 1234", b" host unit[12]:", b" host unit:", b" | h |"])
@pytest.mark.parametrize(
    "when", [T, T.replace(b".", b","), b"2024-03-04T05:06:07.123456Z", b"Mar  8 12:20:42.377230"]
)
def test_every_severity_behind_every_lead_and_time(when, lead):
    for severity in (severity.encode() for severity in SEVERITIES[1:]):
        line = when + lead + b" " + severity + b" nova [-] x"
        assert recognised(line) == (when, severity), line


@pytest.mark.parametrize(
    "when",
    [
        T,
        b"2024-03-04T05:06:07",
        b"2024-03-04T05:06:07.1",
        b"2024-03-04T05:06:07.123456789+05:30",
        b"2024-03-04T05:06:07-0800",
        b"2024-03-04 05:06:07 +0000",
        b"2024-03-04 05:06:07.123 UTC",
        b"2024/03/04 05:06:07.123456",
        b"Mon Mar  4 05:06:07 2024",
        b"Mar 04, 2024 5:06:07 AM",
        b"05:06:07,123",
    ],
)
def test_the_forms_of_a_time(when):
    assert recognised(when + b" ERROR x") == (when, b"ERROR")
    assert recognised(b"[" + when + b"] ERROR x") == (when, b"ERROR")
    assert recognised(when) == (when, b"")


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
        (T + b"9" * 7 + b" ERROR x", b"2013-09-27 18:07:11"),
        (T + b" NONE x", T),
        (T + b" 12 34 ERROR x", T),
        (T + b" 12345678901 ERROR x", T),
        (b"2013-09-27 18:07:11ERROR x", b""),
        (b"2013-09-27 18:07 ERROR x", b""),
        (b"2013-9-27 18:07:11 ERROR x", b""),
        (b"Foo 28 12:20:43 host unit: ERROR x", b""),
        (b"Mar 28 12:20:43 host unit ERROR x", b"Mar 28 12:20:43"),
        (b"Mar 28 12:20:43 host unit[x]: ERROR x", b"Mar 28 12:20:43"),
        (b"Mar 28 12:20:43 host a: b: ERROR x", b"Mar 28 12:20:43"),
        (b"12:34:56:78:9a:bc ERROR", b""),
        (b"see https://error.example/error: x", b""),
        (b"/var/log/error.log: 3 lines", b""),
        (b"ok=1 errors=0 failed=0", b""),
        (b"0 errors", b""),
        (b"Errors: 0", b""),
        (b"ERROR_COUNT=0", b""),
        (b"--error-exit", b""),
        (b"+ grep ERROR x", b""),
        (b"level: error_page", b""),
        (b"no error: x", b""),
        (b'{"a": {"level": "error"}}', b""),
        (b'{"a": "\\"level\\":\\"error\\""}', b""),
    ],
)
def test_what_only_looks_like_it_has_no_severity(line, when):
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
def test_the_first_severity_of_a_line_is_its_own(line):
    assert recognised(line)[1] == b"INFO"


def test_a_severity_may_end_the_line():
    assert recognised(T + b" ERROR") == (T, b"ERROR")
    assert recognised(T + b" ERROR: x") == (T, b"ERROR")
    assert recognised(T + b" ERROR\r") == (T, b"ERROR")


def test_a_time_needs_no_escaping():
    assert [when for when, _ in EXAMPLES.values() if set(when) & set(b'&<>"')] == []


def test_a_severity_is_the_one_that_the_first_row_finds():
    assert recognised(T + b" ERROR unit: DEBUG x") == (T, b"ERROR")
    assert recognised(T + b" ERRORS unit: DEBUG x") == (T, b"DEBUG")


def test_a_line_within_a_line_within_a_line_goes_only_so_deep():
    def severity_in(depth):
        return recognised((T + b" | h | ") * depth + b"ERROR: x")

    assert [severity_in(depth)[1] for depth in range(1, 6)] == [b"ERROR"] * 3 + [b""] * 2


def test_a_line_is_recognised_whatever_stands_beside_it():
    lines = [
        one for line in EXAMPLES for one in (line, line + b"\r", b"\x1b[1m" + line + b"\x1b[m")
    ]
    block = b"".join(line + b"\n" for line in lines)
    by_themselves = [BUILT_IN.seen_in(line + b"\n")[0] for line in lines]
    assert BUILT_IN.seen_in(block) == by_themselves
    assert BUILT_IN.severities_in(block) == [severity for *_, severity in by_themselves]


def test_one_answer_a_line():
    block = b"\n\nno time\n" + T + b" INFO x\n\r\n\x00\xff\n" + T + b"\n"
    severities = BUILT_IN.severities_in(block)
    assert [severity for _, _, severity in BUILT_IN.seen_in(block)] == severities
    assert severities == [b"", b"", b"", b"INFO", b"", b"", b""]
    assert BUILT_IN.seen_in(b"") == []


def test_no_more_than_the_head_is_looked_at():
    def line_of(size):
        return b'{"a":"' + b"x" * (size - len(b'{"a":"","level":50}')) + b'","level":50}'

    assert recognised(line_of(HEAD))[1] == b"ERROR"
    assert recognised(line_of(HEAD + 1))[1] == b""


@pytest.mark.parametrize(
    "unit", [b"1", b" ", b"a", b"a.", b": ", b"[", b'"', b"a=b ", T + b" ", b" ERROR", b'"a":1,']
)
def test_hostile_lines_take_no_time(unit):
    begins = {line[: len(line) // 2] for line in EXAMPLES} | {b""}
    block = b"".join(begin + unit * (HEAD // len(unit)) + b"\n" for begin in begins)
    BUILT_IN.seen_in(block)  # what it needs is compiled when it is first needed
    started = time.process_time()
    BUILT_IN.seen_in(block)
    assert time.process_time() - started < 0.005 * len(begins)


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        (rb"{time} {content} x", "x: something stands behind"),
        (rb"{LEVEL} {level}", "x: it has more than one severity"),
    ],
)
def test_a_row_at_fault_is_told_by_its_name(pattern, told):
    with pytest.raises(ValueError, match=told):
        Formats([Row("x", pattern, {})])


def test_the_rows_are_those_that_are_given():
    formats = Formats([Row("x", rb"{time} oh no", {}, severity="ERROR")])
    assert recognised(T + b" oh no", formats) == (T, b"ERROR")
    assert recognised(T + b" ERROR x", formats) == (T, b"")


def test_every_time_is_used():
    assert all(any(b"{%b}" % name.encode() in row.pattern for row in TABLE) for name in TIMES)


@pytest.mark.parametrize(
    ("when", "anchor"),
    [
        (b"2013-09-27 18:22:11.248", b"_2013-09-27_18_22_11_248"),
        (b"2013-09-27 18:22:11,248", b"_2013-09-27_18_22_11_248"),
        (b"2013-09-27T18:22:11Z", b"_2013-09-27T18_22_11Z"),
        (b"Mar  8 12:20:42", b"_Mar__8_12_20_42"),
    ],
)
def test_anchors_are_those_of_the_ancestor(when, anchor):
    assert anchor_of(when) == anchor


def test_no_time_begins_otherwise_than_is_looked_for_first():
    for first in (bytes([byte]) for byte in range(256)):
        if may_match(TIMES["time"], (first,)):
            assert re.match(_FIRST_OF_TIME, first)
