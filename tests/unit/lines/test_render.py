# SPDX-License-Identifier: Apache-2.0
import re

import pytest

from oslogserve.lines import render
from oslogserve.lines.blocks import whole_lines
from oslogserve.lines.filter import at_least, numbered

T = b"2013-09-27 18:22:11.248"
A = b"_2013_09_27_18_22_11_248"
LOG = (
    b"starting <b>up</b>\n"
    + T
    + b' 2790 INFO nova [-] a "b" & c\n'
    + T
    + b" 2790 ERROR nova [-] x\nTraceback\n\n"
    + T
    + b" | bare\nlast"
)
HTML = (
    b'<span id="L1" class="NONE">starting &lt;b&gt;up&lt;/b&gt;\n</span>'
    b'<span id="L2" class="INFO"><a name="%(a)b" href="#%(a)b">%(t)b</a>'
    b" 2790 INFO nova [-] a &quot;b&quot; &amp; c\n</span>"
    b'<span id="L3" class="ERROR"><a name="%(a)b" href="#%(a)b">%(t)b</a>'
    b" 2790 ERROR nova [-] x\n</span>"
    b'<span id="L4" class="ERROR more">Traceback\n</span>'
    b'<span id="L5" class="ERROR more">\n</span>'
    b'<span id="L6" class="ERROR more"><a name="%(a)b" href="#%(a)b">%(t)b</a> | bare\n</span>'
    b'<span id="L7" class="ERROR more">last\n</span>'
) % {b"a": A, b"t": T}


def cut(data, size):
    return [data[at : at + size] for at in range(0, len(data), size)]


def html(log, size=10**6, longest=10**6):
    return b"".join(render.html(numbered(whole_lines(cut(log, size), longest))))


@pytest.mark.parametrize("size", range(1, len(LOG) + 1))
def test_the_same_elements_come_however_the_log_is_cut(size):
    assert html(LOG, size) == HTML


def test_an_ended_last_line_looks_the_same():
    assert html(LOG + b"\n") == HTML


def test_ids_are_the_numbers_in_the_whole_log_whatever_the_filter():
    for size in range(1, len(LOG) + 1):
        runs = at_least("ERROR", whole_lines(cut(LOG, size)))
        assert re.findall(rb'id="L(\d+)"', b"".join(render.html(runs))) == [
            b"3",
            b"4",
            b"5",
            b"6",
            b"7",
        ]


@pytest.mark.parametrize("size", [1, 3, 17, 50])
@pytest.mark.parametrize("end", [b"", b"\n", b"\nc\n"])
def test_an_over_long_line_is_one_element(size, end):
    log = b"a\n" + T + b" ERROR <" + b"x" * 200 + b">" + end
    assert html(log, size, longest=60) == html(log)
    assert html(log).count(b"<span") == html(log).count(b"</span>") == len(log.splitlines())


@pytest.mark.parametrize("level", ["INFO", "ERROR"])
def test_a_filtered_over_long_line_is_one_element(level):
    log = b"a\n" + T + b" ERROR " + b"x" * 200 + b"\n" + T + b" INFO " + b"y" * 200 + b"\nz"
    whole = b"".join(render.html(at_least(level, [log])))
    for size in range(1, 80):
        runs = at_least(level, whole_lines(cut(log, size), longest=60))
        assert b"".join(render.html(runs)) == whole


def test_content_is_always_escaped():
    attack = b'<script>alert("1")</script>&\n'
    for log in (attack, T + b" " + attack, T + b" host <b>[1]: ERROR " + attack):
        assert b"<script" not in html(log)
        assert re.sub(rb"</?(span|a)[^<>]*>", b"", html(log)) == render.escaped(log)


def test_escaping():
    assert render.escaped(b'<a href="x">&amp;\'\xff') == (
        b"&lt;a href=&quot;x&quot;&gt;&amp;amp;'\xff"
    )


@pytest.mark.parametrize("host", [b"<" * 60, b"&" * 255, b'"&lt;"' * 40])
def test_escaping_makes_no_difference_to_what_is_recognised(host):
    line = b"Mar 28 12:20:43 " + host + b" app[1]: ERROR x\n"
    (run,) = at_least("ERROR", [b"first\n" + line])
    assert run == (2, line)
    assert b'<span id="L2" class="ERROR"><a name=' in b"".join(render.html([run]))


def test_no_lines_are_no_elements():
    assert html(b"") == b""


def test_text_is_byte_for_byte():
    log = LOG + b"\r\n\x00\xff\n"
    assert b"".join(render.text(numbered([log]))) == log
