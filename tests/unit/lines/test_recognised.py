# SPDX-License-Identifier: Apache-2.0
"""Time and severity of a line, as both renderers recognise them."""

import json
import time

import pytest

from oslogserve.lines.grammar.severities import NAMES
from tests import corpus
from tests.reference.anchor import anchor_of
from tests.reference.head import PLAIN_REACH, REACH
from tests.renderers import EXAMPLES, recogniser

T = b"2013-09-27 18:07:11.860"


@pytest.fixture
def recognised(seen_in):
    def recognised(line):
        seen = seen_in(line)
        return seen.time, NAMES[seen.rank] if seen.rank else b""

    return recognised


def class_of(severity):
    return b" class=" + severity[:1] if severity else b""


# The corpus.


@pytest.mark.parametrize("name", corpus.families())
def test_severity_and_time_of_every_line_of_the_corpus(recognised, name):
    wrong = []
    for each in corpus.family(name):
        time, severity = recognised(each.line)
        found, wanted = (severity.decode() or "NONE", time), (each.severity, each.time)
        if found != wanted:
            wrong.append(f"{each.where}: {found} instead of {wanted} in {each.line!r}")
    assert not wrong, "\n" + "\n".join(wrong)


def test_the_examples_of_heads_in_each_view(rendered):
    wrong = []
    for line, (when, severity) in EXAMPLES.items():
        element = rendered([line])
        as_expected = (
            element.startswith(b"<li%b id=L1" % class_of(severity)),
            when == b"" or b" name=%b>" % anchor_of(when) in element,
            (b" id=L1 name=" in element) == bool(when),
            json.loads(rendered([line], "jsonl"))["severity"] == (severity or b"NONE").decode(),
        )
        if not all(as_expected):
            wrong.append((line, element))
    assert wrong == []


def test_a_head_read_before_decides_nothing_about_one_that_differs():
    native, pure = recogniser("native"), recogniser("pure")
    wrong = []
    for each in corpus.everything()[::7]:
        if not each.time or not each.line.startswith(each.time):
            continue
        for at in range(len(each.time), min(len(each.line), len(each.time) + 48)):
            native.seen_in(each.line)  # is remembered
            others = [each.line[:at] + one + each.line[at + 1 :] for one in (b" ", b":", b"x", b"")]
            for line in (*others, each.line[:at]):
                # The native one finds the program only where something depends on it.
                if native.seen_in(line)[:4] != pure.seen_in(line)[:4]:
                    wrong.append((each.where, line))
    assert wrong == []


def test_a_carriage_return_at_the_end_hides_nothing(recognised):
    assert {line: recognised(line + b"\r") for line in EXAMPLES} == EXAMPLES


def test_the_place_of_a_time_is_that_in_the_stored_line(seen_in):
    for line, (when, _) in EXAMPLES.items():
        one = seen_in(line)
        assert line[one.start : one.end] == when


# Heads.


@pytest.mark.parametrize("lead", [b"", b" 1234", b" host unit[12]:", b" host unit:", b" | h |"])
@pytest.mark.parametrize(
    "when", [T, T.replace(b".", b","), b"2024-03-04T05:06:07.123456Z", b"Mar  8 12:20:42.377230"]
)
def test_every_severity_behind_every_lead_and_time(recognised, when, lead):
    for severity in NAMES[1:]:
        line = when + lead + b" " + severity + b" nova [-] x"
        assert recognised(line) == (when, severity), line


def test_content_begins_anew_only_so_often(recognised):
    severities = [recognised((T + b" | ") * depth + b"ERROR: x")[1] for depth in range(1, 9)]
    assert severities == sorted(severities, reverse=True)
    assert (severities[0], severities[-1]) == (b"ERROR", b"")


def test_a_plain_head_has_so_many_bytes(recognised):
    lead = T + b" [" + b"x" * (PLAIN_REACH - len(T) - 4) + b"]"
    assert recognised(lead[:-20] + b"] ERROR x")[1] == b"ERROR"
    assert recognised(lead + b" ERROR x")[1] == b""


# Members.


# Exceptions.


# Colours.


COLOURED = b"<\x1b[2m2024-03-04T05:06:07Z\x1b[0m \x1b[31mERROR\x1b[0m x"


@pytest.mark.parametrize(
    ("line", "element"),
    [
        (
            COLOURED[1:],
            (
                b" class=E id=L1 name=_2024-03-04T05_06_07Z>"
                b'<span class="dim">2024-03-04T05:06:07Z</span> <span class="fg1">ERROR</span> x\n'
            ),
        ),
        (
            b"2024-03-04 \x1b[1m05:06:07 ERROR x",
            (
                b" class=E id=L1 name=_2024-03-04_05_06_07>"
                b'2024-03-04 <span class="bold">05:06:07 ERROR x</span>\n'
            ),
        ),
        (b"\x1b[31;1mERROR\x1b[0m: x", b' class=E id=L1><span class="bold fg1">ERROR</span>: x\n'),
        (b"\x1b[31;ERROR: x", b" id=L1>RROR: x\n"),  # another sequence, which ends in E
        (
            COLOURED,
            (
                b" class=E id=L1 name=_2024-03-04T05_06_07Z>&lt;"
                b'<span class="dim">2024-03-04T05:06:07Z</span> '
                b'<span class="fg1">ERROR</span> x\n'
            ),
        ),
    ],
)
def test_colour_hides_nothing(rendered, line, element):
    assert rendered([line + b"\n"]) == b"<li" + element


@pytest.mark.parametrize(
    ("line", "place"),
    [
        (COLOURED[1:], b"2024-03-04T05:06:07Z"),
        (b"2024-03-04 \x1b[1m05:06:07 ERROR x", b"2024-03-04 \x1b[1m05:06:07"),
    ],
)
def test_the_place_of_a_time_holds_the_colours_within(seen_in, line, place):
    one = seen_in(line)
    assert (line[one.start : one.end], NAMES[one.rank]) == (place, b"ERROR")


def test_what_stands_before_a_time_is_escaped(rendered):
    line = b'{"a": "<b>&", "time": "2024-03-04T05:06:07Z"}'
    assert b' name=_2024-03-04T05_06_07Z>{"a": "&lt;b&gt;&amp;", "time"' in rendered([line])


def test_a_line_known_to_be_no_error_ends_the_one_above(rendered):
    log = b"FAILED x\n  y\nok: [h]\n  z\n"
    assert rendered([log], "text", level="ERROR") == b"FAILED x\n  y\n"
    assert rendered([log]).endswith(b"<li id=L3>ok: [h]\n<li id=L4>  z\n")


# Bounds.


@pytest.mark.parametrize(("size", "severity"), [(REACH - 1, b"ERROR"), (REACH + 2, b"")])
@pytest.mark.parametrize("filler", [b"x", b"<"])
def test_a_line_is_looked_at_so_far_however_it_is_cut(rendered, size, severity, filler):
    begin, end = b'{"a":"', b'","level":"error"}'
    line = begin + filler * (size - len(begin + end) + 1) + end
    for at in (1, 100, size - 3, size, size + 1):
        element = rendered([line[:at], line[at:] + b" more"], longest=REACH)
        assert element.startswith(b"<li%b id=L1" % class_of(severity))


@pytest.mark.parametrize(
    "unit",
    [*(b"1", b" ", b"a", b"a.", b": ", b"[", b'"', b"a=b ", b"=", b"#", T + b" ", b" ERROR"),
     *(b'"a":1,', b'\\"', b"{", b'{"', b'"a":', b'"a":[', b"a=", b'a="\\" ', b"Error", b"\x1b[ ")],
)  # fmt: skip
def test_hostile_lines_take_no_time(seen_in, unit):
    begins = {line[: len(line) // 2] for line in list(EXAMPLES)[::7]} | {b"", b'{"a": '}
    lines = [(begin + unit * (REACH // len(unit)))[:REACH] for begin in begins]
    seen_in(lines[0])  # what it needs is compiled when it is first needed
    started = time.process_time()
    for line in lines:
        seen_in(line)
    assert time.process_time() - started < 0.01 * len(lines)


# Programs.


@pytest.mark.parametrize(
    ("line", "program"),
    [
        (b"2013-09-27 18:22:11.248 2790 TRACE nova.compute [-] x", b"nova.compute"),
        (b"Mar 28 12:20:43 host nova[1]: ERROR \x1b[1mnova.api\x1b[0m [-] x", b"nova.api"),
        (b"[ERROR] x", b"x"),
        (b"2013-09-27 18:22:11.248 ERROR", b""),
        (b"2013-09-27 18:22:11.248 x", b""),
        (b"ERROR " + b"p" * 100, b"p" * 64),
    ],
)
def test_the_program_is_named_behind_the_level(seen_in, line, program):
    assert seen_in(line).program == program
