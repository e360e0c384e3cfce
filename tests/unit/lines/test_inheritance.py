# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from oslogserve.native import SEVERITIES

T, T2 = b"2013-09-27 18:07:11.860", b"2013-09-27 18:07:12.000"


@pytest.fixture
def ranks(rendered):
    """The severities of lines as filters see them: the highest at which each is shown."""

    def ranks(*lines):
        found = dict.fromkeys(range(1, len(lines) + 1))
        for level in SEVERITIES:
            rows = rendered([b"\n".join(lines) + b"\n"], "jsonl", level=level).splitlines()
            found.update((json.loads(row)["line"], level) for row in rows)
        return list(found.values())

    return ranks


def test_a_line_without_a_time_belongs_to_the_record_above(ranks):
    assert ranks(T + b" ERROR x", b"y", b"", b"z", T + b" INFO x", b"y") == [
        *["ERROR"] * 4,
        *["INFO"] * 2,
    ]


def test_a_line_with_a_time_and_no_severity_has_none(ranks):
    assert ranks(T + b" ERROR x", T + b" y", b"z", b"  z") == ["ERROR", *["NONE"] * 3]


@pytest.mark.parametrize(
    "mark",
    [
        b"section_end:1560896353:build\r\x1b[0K",
        b"travis_time:end:0a1b:start=1490232720661057441,finish=1490232723385781094,duration=2\r\x1b[0K",
    ],
)
def test_the_time_of_a_section_begins_no_record(ranks, mark):
    assert ranks(mark + b"ERROR: x", b"  goes on", b"y") == ["ERROR", "ERROR", "NONE"]


def test_elsewhere_a_line_goes_on_only_by_its_shape(ranks):
    assert ranks(b"ERROR: x", b"y", b"  z") == ["ERROR", "NONE", "NONE"]
    assert ranks(b"ERROR: x", b"  y", b"\ty", b"}", b"") == [*["ERROR"] * 4, "NONE"]


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        *((line, "ERROR") for line in (b"\tat a.B.c(D.java:1)", b"at a.B.c(D.java:1)")),
        *((line, "ERROR") for line in (b"... 12 more", b"12 | x = 1", b"| x", b"^~~~", b"]),")),
        *((line, "ERROR") for line in (b"a.b.Name: x", b"a.b.Name", b"--> a.rs:1:2", b"}")),
        (b"During handling of the above exception, another exception occurred:", "ERROR"),
        *((line, "NONE") for line in (b"", b"x", b"x = 1", b"12 x", b"name: x", b"a.b.c: x")),
    ],
)
def test_shapes_of_lines_that_go_on(ranks, line, severity):
    assert ranks(b"ERROR: x", line, b"") == ["ERROR", severity, "NONE"]


@pytest.mark.parametrize(
    "line",
    [
        b"   Compiling log v0.4.17 (/home/x/log)",
        b"    Finished dev [unoptimized + debuginfo] target(s) in 0.52s",
        b"\x1b[1m\x1b[32m    Building\x1b[0m [====>    ] 3/9: log",
        b"  Downloading https://files.pythonhosted.org/a.whl",
    ],
)
def test_the_next_step_of_a_build_does_not_go_on(ranks, line):
    assert ranks(b"warning: unused manifest key: x", b"  x", line, b"") == [
        *["WARNING"] * 2,
        *["NONE"] * 2,
    ]


@pytest.mark.parametrize(
    "line", [b"  Missing key", b"    Expected 5", b"  Compiling", b"  Checked x"]
)
def test_other_indented_words_go_on(ranks, line):
    assert ranks(b"ERROR: x", line) == ["ERROR", "ERROR"]


def test_within_a_record_other_lines_go_back_to_its_severity(ranks):
    lines = T + b" INFO x", b"ERROR: y", b"  z", b"z"
    assert ranks(*lines) == ["INFO", "ERROR", "ERROR", "INFO"]


def test_trace_lines_directly_behind_an_error_belong_to_it(ranks):
    error = T + b" 1 ERROR nova.api [-] x"
    same_program = T2 + b" 1 TRACE nova.api   File x"
    same_time = T + b" 1 TRACE nova.other y"
    other = T2 + b" 1 TRACE nova.other y"
    assert ranks(error, same_program, same_time, b"z") == ["ERROR"] * 4
    assert ranks(error, other, same_program) == ["ERROR", "TRACE", "TRACE"]
    assert ranks(error, T + b" 1 INFO x", same_program) == ["ERROR", "INFO", "TRACE"]
    assert ranks(same_program) == ["TRACE"]


def test_a_traceback_at_trace_shows_its_own_severity(rendered):
    log = T + b" 1 ERROR a x\n" + T + b" 1 TRACE a y\n" + T2 + b" 1 TRACE b z\n"
    assert rendered([log], "text", level="ERROR") == log[: log.index(T2)]
    assert rendered([log], "jsonl", level="ERROR").count(b'"severity": "TRACE"') == 1
    assert b"class=T" in rendered([log], level="ERROR")
