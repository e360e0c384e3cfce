# SPDX-License-Identifier: Apache-2.0
"""What is recognised in lines, as both renderers show it."""

import pytest

from oslogserve.lines.pure.anchor import anchor_of
from oslogserve.lines.pure.head import REACH
from oslogserve.lines.selection import Selection, Wanted
from tests.renderers import (
    EXAMPLES,
    bare,
    cut,
    native,
    pure,
    the_native_core,
)

RENDERERS = {"pure": pure, "native": native}
T = b"2013-09-27 18:22:11.248"


@pytest.fixture(params=RENDERERS, scope="module")
def rendered(request):
    if request.param == "native":
        the_native_core()

    def rendered(pieces, view="html", level=None, longest=1024 * 1024):
        wanted = Wanted(view, Selection(level=level), 1.4e9)
        return bare(b"".join(RENDERERS[request.param](pieces, wanted, None, longest)))

    return rendered


def class_of(severity):
    return b" class=" + severity[:1] if severity not in (b"", b"NONE") else b""


def test_the_examples_of_heads(rendered):
    wrong = []
    for line, (when, severity) in EXAMPLES.items():
        element = rendered([line], "html")
        as_expected = (
            element.startswith(b"<li%b id=L1" % class_of(severity)),
            when == b"" or b" name=%b>" % anchor_of(when) in element,
            (b" id=L1 name=" in element) == bool(when),
        )
        if not all(as_expected):
            wrong.append((line, element))
    assert wrong == []


@pytest.mark.parametrize(("size", "severity"), [(REACH - 1, b"ERROR"), (REACH + 2, b"NONE")])
@pytest.mark.parametrize("filler", [b"x", b"<"])
def test_a_line_is_looked_at_so_far_however_it_is_cut(rendered, size, severity, filler):
    begin, end = b'{"a":"', b'","level":"error"}'
    line = begin + filler * (size - len(begin + end) + 1) + end
    for at in (1, 100, size - 3, size, size + 1):
        element = rendered([line[:at], line[at:] + b" more"], "html", None, REACH)
        assert element.startswith(b"<li%b id=L1" % class_of(severity))


@pytest.mark.parametrize("end", [b"", b"\r"])
def test_an_end_counts_where_the_line_ends(rendered, end):
    line = b"x" * 100 + b" ... FAILED"
    assert b"<li class=E " in rendered([line + end], "html")
    assert b"<li id=" in rendered([line + b"." + end], "html")


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
    assert rendered([line + b"\n"], "html") == b"<li" + element


def test_what_stands_before_a_time_is_escaped(rendered):
    line = b'{"a": "<b>&", "time": "2024-03-04T05:06:07Z"}'
    assert b' name=_2024-03-04T05_06_07Z>{"a": "&lt;b&gt;&amp;", "time"' in rendered([line], "html")


def test_a_line_known_to_be_no_error_ends_the_one_above(rendered):
    log = b"FAILED x\n  y\nok: [h]\n  z\n"
    assert rendered([log], "text", "ERROR") == b"FAILED x\n  y\n"
    assert rendered([log], "html").endswith(b"<li id=L3>ok: [h]\n<li id=L4>  z\n")


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        (T + b" ERROR unit: DEBUG x", b"ERROR"),
        (T + b" x unit: DEBUG x", b"DEBUG"),
        (T + b" 12 INFO: ERROR x", b"INFO"),
    ],
)
def test_the_first_level_counts(rendered, line, severity):
    assert rendered([line], "html").startswith(b"<li%b id=L1" % class_of(severity))


@pytest.mark.parametrize("longest", [REACH, REACH + 1000])
@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n" + T + b" INFO y\n"])
@pytest.mark.parametrize("level", [None, "ERROR", "CRITICAL"])
@pytest.mark.parametrize("view", ["html", "text"])
def test_an_over_long_line_is_the_same_in_parts(rendered, view, level, end, longest):
    log = b"a\n" + T + b" ERROR <" + b"x" * 9000 + b">" + end
    whole = rendered([log], view, level)
    for size in (7, 100, REACH, 8999):
        assert rendered(cut(log, range(size, len(log), size)), view, level, longest) == whole
