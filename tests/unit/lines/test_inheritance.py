# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.lines.grammar.severities import SEVERITIES
from oslogserve.lines.pure.inheritance import Inheritance
from oslogserve.lines.pure.recognise import Recogniser
from oslogserve.lines.selection import Selection, Wanted
from tests.renderers import EACH

T, T2 = b"2013-09-27 18:07:11.860", b"2013-09-27 18:07:12.000"


def ranks(*lines):
    inheritance, recogniser = Inheritance(), Recogniser()
    return [SEVERITIES[inheritance.rank_of(recogniser.seen_in(line))] for line in lines]


def test_a_line_without_a_time_belongs_to_the_record_above():
    assert ranks(T + b" ERROR x", b"y", b"", b"z", T + b" INFO x", b"y") == [
        *["ERROR"] * 4,
        *["INFO"] * 2,
    ]


def test_a_line_with_a_time_and_no_severity_has_none():
    assert ranks(T + b" ERROR x", T + b" y", b"z", b"  z") == ["ERROR", *["NONE"] * 3]


def test_elsewhere_a_line_goes_on_only_by_its_shape():
    assert ranks(b"ERROR: x", b"y", b"  z") == ["ERROR", "NONE", "NONE"]
    assert ranks(b"ERROR: x", b"  y", b"\ty", b"}", b"") == [*["ERROR"] * 4, "NONE"]


def test_within_a_record_other_lines_go_back_to_its_severity():
    lines = T + b" INFO x", b"ERROR: y", b"  z", b"z"
    assert ranks(*lines) == ["INFO", "ERROR", "ERROR", "INFO"]


def test_trace_lines_directly_behind_an_error_belong_to_it():
    error = T + b" 1 ERROR nova.api [-] x"
    same_program = T2 + b" 1 TRACE nova.api   File x"
    same_time = T + b" 1 TRACE nova.other y"
    other = T2 + b" 1 TRACE nova.other y"
    assert ranks(error, same_program, same_time, b"z") == ["ERROR"] * 4
    assert ranks(error, other, same_program) == ["ERROR", "TRACE", "TRACE"]
    assert ranks(error, T + b" 1 INFO x", same_program) == ["ERROR", "INFO", "TRACE"]
    assert ranks(same_program) == ["TRACE"]


@pytest.mark.parametrize("render", EACH)
def test_a_traceback_at_trace_stays_with_its_error_in_filters_and_shows_its_own_severity(render):
    log = T + b" 1 ERROR a x\n" + T + b" 1 TRACE a y\n" + T2 + b" 1 TRACE b z\n"

    def rendered(view):
        return b"".join(render([log], Wanted(view, Selection(level="ERROR"), 1.4e9)))

    assert rendered("text") == log[: log.index(T2)]
    assert rendered("jsonl").count(b'"severity": "TRACE"') == 1
    assert b"class=T" in rendered("html")
