# SPDX-License-Identifier: Apache-2.0
"""Time and severity of a line."""

import json
import time

import pytest

from oslogserve.native import SEVERITIES
from tests import corpus
from tests.kit.renderers import EXAMPLES, anchor_of, seen_in

T = b"2013-09-27 18:07:11.860"


#: Bytes of a line that are read; of a head that is no JSON; see doc/severities.rst.
REACH, PLAIN_REACH = 4096, 512


def class_of(severity):
    return b" class=" + severity[:1] if severity else b""


# The corpus.


@pytest.mark.parametrize("name", corpus.families())
def test_severity_and_time_of_every_line_of_the_corpus(name):
    wrong = []
    for each in corpus.family(name):
        anchor, severity = seen_in(each.line)
        found, wanted = (severity.decode() or "NONE", anchor), (each.severity, anchor_of(each.time))
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


def test_a_carriage_return_at_the_end_hides_nothing():
    for line, (when, severity) in EXAMPLES.items():
        assert seen_in(line + b"\r") == (anchor_of(when), severity), line


# Heads.


@pytest.mark.parametrize("lead", [b"", b" 1234", b" host unit[12]:", b" host unit:", b" | h |"])
@pytest.mark.parametrize(
    "when", [T, T.replace(b".", b","), b"2024-03-04T05:06:07.123456Z", b"Mar  8 12:20:42.377230"]
)
def test_every_severity_behind_every_lead_and_time(when, lead):
    for severity in map(str.encode, SEVERITIES[1:]):
        line = when + lead + b" " + severity + b" nova [-] x"
        assert seen_in(line) == (anchor_of(when), severity), line


def test_content_begins_anew_only_so_often():
    severities = [seen_in((T + b" | ") * depth + b"ERROR: x")[1] for depth in range(1, 9)]
    assert severities == sorted(severities, reverse=True)
    assert (severities[0], severities[-1]) == (b"ERROR", b"")


def test_a_plain_head_has_so_many_bytes():
    lead = T + b" [" + b"x" * (PLAIN_REACH - len(T) - 4) + b"]"
    assert seen_in(lead[:-20] + b"] ERROR x")[1] == b"ERROR"
    assert seen_in(lead + b" ERROR x")[1] == b""


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
def test_hostile_lines_take_no_time(unit):
    begins = {line[: len(line) // 2] for line in list(EXAMPLES)[::7]} | {b"", b'{"a": '}
    lines = [(begin + unit * (REACH // len(unit)))[:REACH] for begin in begins]
    seen_in(lines[0])  # what it needs is compiled when it is first needed
    started = time.process_time()
    for line in lines:
        seen_in(line)
    assert time.process_time() - started < 0.01 * len(lines)


# Short lines that are read again.


def test_a_short_line_is_read_again_as_the_first_time(rendered):
    begin = b"2024-03-04 05:06:07 WARNING x"
    other = (b"x", b"x" * 64, b"x" * 65, b"    at f(x)", b"a.c:1: error: no", b"ERROR x")
    lines = (begin, b"}", b"  }", b"}\0", b"}\0\0", b"", *other)
    block = b"\n".join(lines) + b"\n"

    def severities(log):
        return [json.loads(line)["severity"] for line in rendered([log], "jsonl").splitlines()]

    alone = severities(block)
    assert len(set(alone)) > 1
    assert severities(block * 3) == alone * 3
