# SPDX-License-Identifier: Apache-2.0
"""Lines as elements, by the pure renderer."""

import re

import pytest

from oslogserve.lines.grammar.severities import RANKS
from oslogserve.lines.grammar.times import Clock
from oslogserve.lines.pure.escape import escaped
from oslogserve.lines.pure.html import Elements
from oslogserve.lines.pure.recognise import Recogniser, Seen
from oslogserve.lines.pure.select import Gap, Line, Selector
from oslogserve.lines.pure.split import RestOfLine, split
from oslogserve.lines.search import Search
from oslogserve.lines.selection import Selection, Tally, Wanted
from tests.renderers import bare

T = b"2013-09-27 18:22:11.248"
A = b"_2013-09-27_18_22_11_248"
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
    b"<li id=L1>starting &lt;b&gt;up&lt;/b&gt;\n"
    b'<li class=I id=L2 name=%(a)b>%(t)b 2790 INFO nova [-] a "b" &amp; c\n'
    b"<li class=E id=L3>%(t)b 2790 ERROR nova [-] x\n"
    b"<li class=e id=L4>Traceback\n"
    b"<li class=e id=L5>\n"
    b"<li id=L6>%(t)b | bare\n"
    b"<li id=L7>last\n"
) % {b"a": A, b"t": T}
REQUEST = b"req-0f3d2c1a-1111-2222-3333-444455556666"


def cut(data, size):
    return [data[at : at + size] for at in range(0, len(data), size)]


def html(log, size=10**6, longest=10**6, level=None, link=b"?", searches=()):
    selector = Selector(
        Wanted("html", Selection(level=level)), Recogniser(), Clock(0), Tally(), longest
    )
    shown = selector.shown(split(cut(log, size), longest))
    return bare(b"".join(Elements(link, searches, longest).rendered(shown, Tally())))


def line(number, text, start=0, end=0, own=b"", severity=b"", role=b""):
    seen = Seen(start, end, own, text[start:end])
    return Line(number, text, seen, RANKS[(severity or own or b"NONE").decode()], role)


def elements(*shown, link=b"?", searches=(), longest=100):
    return bare(b"".join(Elements(link, searches, longest).rendered(shown, Tally())))


def test_the_same_elements_come_however_the_log_is_cut():
    for size in range(1, len(LOG) + 1):
        assert html(LOG, size) == HTML


def test_the_same_elements_come_of_a_large_block():
    log = b"\n".join([LOG] * 3000 + [b"x" * 300_000, LOG])
    assert html(log) == html(log, 4096)


def test_an_ended_last_line_looks_the_same():
    assert html(LOG + b"\n") == HTML


def test_ids_are_the_numbers_in_the_whole_log_whatever_the_filter():
    for size in range(1, len(LOG) + 1):
        made = html(LOG, size, level="ERROR")
        assert re.findall(rb" id=L(\d+)", made) == [b"3", b"4", b"5"]


@pytest.mark.parametrize("size", [1, 3, 17, 50])
@pytest.mark.parametrize("end", [b"", b"\n", b"\nc\n"])
def test_an_over_long_line_is_one_element(size, end):
    log = b"a\n" + T + b" ERROR <" + b"x" * 200 + b">" + end
    assert html(log, size, longest=60) == html(log)
    assert html(log).count(b"<li") == len(log.splitlines())


@pytest.mark.parametrize("level", ["INFO", "ERROR"])
def test_a_filtered_over_long_line_is_one_element(level):
    log = b"a\n" + T + b" ERROR " + b"x" * 200 + b"\n" + T + b" INFO " + b"y" * 200 + b"\nz"
    whole = html(log, level=level)
    for size in range(1, 80):
        assert html(log, size, longest=60, level=level) == whole


def test_content_is_always_escaped():
    attack = b'<script>alert("1")</script>&\n'
    for log in (attack, T + b" " + attack, T + b" host <b>[1]: ERROR " + attack):
        assert b"<script" not in html(log)
        assert re.sub(rb"<li[^<>]*>", b"", html(log)) == escaped(log)


def test_escaping():
    assert escaped(b'<a href="x">&amp;\'\xff') == b'&lt;a href="x"&gt;&amp;amp;\'\xff'


@pytest.mark.parametrize("host", [b"&" * 200, b"a&amp" * 40])
def test_escaping_makes_no_difference_to_what_is_recognised(host):
    log = b"first\nMar 28 12:20:43 " + host + b" app[1]: ERROR x\n"
    assert html(log, level="ERROR").count(b"\n<li class=E id=L2 name=") == 1


def test_no_lines_are_no_elements():
    assert html(b"") == b""


def test_a_request_id_is_a_link_to_its_lines():
    made = html(b"a <" + REQUEST + b" b> " + REQUEST + b"\n", link=b"?source=disk&amp;")
    link = b'<a href="?source=disk&amp;q=%b">%b</a>' % (REQUEST, REQUEST)
    assert made == b"<li id=L1>a &lt;%b b&gt; %b\n" % (link, link)


def test_a_colour_ends_with_its_line():
    assert html(b"\x1b[31ma\nb\n") == (b'<li id=L1><span class="fg1">a</span>\n<li id=L2>b\n')


def test_a_time_may_be_coloured_and_what_follows_goes_on_in_its_colour():
    before = b"x \x1b[32m"
    text = before + T + b"\x1b[1m z"
    assert elements(line(1, text, len(before), len(before + T))) == (
        b'<li id=L1 name=%b>x <span class="fg2">%b</span><span class="bold fg2"> z</span>\n'
    ) % (A, T)


@pytest.mark.parametrize(
    ("role", "own", "severity", "attribute"),
    [
        (b"", b"", b"", b""),
        (b"", b"NONE", b"NONE", b""),
        (b"", b"", b"NONE", b""),
        (b"", b"INFO", b"INFO", b" class=I"),
        (b"", b"", b"INFO", b" class=i"),
        (b"context", b"", b"", b" class=context"),
        (b"shown", b"", b"INFO", b' class="i shown"'),
    ],
)
def test_classes_say_the_severity_and_why_a_line_is_there(role, own, severity, attribute):
    made = elements(line(7, b"x\n", own=own, severity=severity, role=role))
    assert made == b"<li%b id=L7>x\n" % attribute


def test_a_gap_links_to_what_is_between():
    made = elements(Gap(1, 1), line(2, b"x\n"), Gap(3, 12), line(13, b"y"), link=b"?a=b&amp;")
    assert made == (
        b'<li class=gap><a href="?a=b&amp;lines=1-1">1 line</a>\n'
        b"<li id=L2>x\n"
        b'<li class=gap><a href="?a=b&amp;lines=3-12">10 lines</a>\n'
        b"<li id=L13>y\n"
    )


def test_more_of_a_line_is_within_its_element():
    made = elements(
        line(1, b"x"),
        RestOfLine(b"<y"),
        RestOfLine(b">"),
        RestOfLine(b"\n"),
        line(2, b"z\n"),
        Gap(3, 4),
    )
    assert made.startswith(b"<li id=L1>x&lt;y&gt;\n<li id=L2>z\n<li class=gap>")


@pytest.mark.parametrize(
    ("searched", "marked"),
    [
        (("b",), b"a<mark>b</mark>&amp;c <mark>B</mark>"),
        (("B",), b"ab&amp;c <mark>B</mark>"),
        (("a", "b"), b"<mark>ab</mark>&amp;c <mark>B</mark>"),
        (("ab&", "b&c"), b"<mark>ab&amp;c</mark> B"),
        (("z",), b"ab&amp;c B"),
    ],
)
def test_matches_are_marked_and_touching_ones_are_one(searched, marked):
    made = elements(line(1, b"ab&c B\n"), searches=tuple(map(Search.of_text, searched)))
    assert made == b"<li id=L1>%b\n" % marked


@pytest.mark.parametrize("pattern", ["a*", "$|^", r"\b", "(?:)"])
def test_an_empty_match_is_no_mark(pattern):
    made = elements(line(1, b"xyz\n"), searches=(Search.of_pattern(pattern),))
    assert made == b"<li id=L1>xyz\n"


@pytest.mark.parametrize(
    ("pattern", "marked"),
    [
        (r"a\x1b", b'<mark>a</mark><span class="fg1">bc</span>d'),
        (r"a\x1b\[", b'<mark>a</mark><span class="fg1">bc</span>d'),
        (r"31mb", b'a<span class="fg1"><mark>b</mark>c</span>d'),
        (r"a.*d", b'<mark>a</mark><span class="fg1"><mark>bc</mark></span><mark>d</mark>'),
        (r"\x1b\[31m", b'a<span class="fg1">bc</span>d'),
    ],
)
def test_a_match_across_a_colour_is_marked_around_it(pattern, marked):
    """One that ends within a sequence brings nothing of it back."""
    made = elements(line(1, b"a\x1b[31mbc\x1b[0md"), searches=(Search.of_pattern(pattern),))
    assert made == b"<li id=L1>%b\n" % marked


def test_the_first_of_lines_that_share_a_time_has_its_name():
    lines = [T + b" a", b"between", T + b" b", b"x " + T, T[:-1] + b"9 c", T + b" d"]
    made = elements(*(line(n, one, 0, len(T) * (T[:4] in one[:4])) for n, one in enumerate(lines)))
    other = A[:-1] + b"9"
    assert re.findall(rb"id=L(\d)(?: name=([^>]*))?>", made) == [
        *((b"0", A), (b"1", b""), (b"2", b""), (b"3", b""), (b"4", other), (b"5", A))
    ]


@pytest.mark.parametrize("link", [b"?", b""])
def test_elements_are_counted_without_their_ends(link):
    tally = Tally()
    shown = [Gap(1, 2), line(3, b"\x1b[1mx\x1b[0m </a>< http://a " + REQUEST), line(4, b"")]
    page = b"".join(Elements(link, (Search.of_text("x"),), 100).rendered(shown, tally))
    started = len(re.findall(rb"<\w", page)) - page.count(b"<ol")
    assert tally.elements == started == (10 if link else 8)


def test_what_was_written_over_is_there_and_not_shown():
    assert html(b"\x1b[32m10%\r<20%\r100%\r\n") == (
        b'<li id=L1><s><span class="fg2">10%</span>&#13;<span class="fg2">&lt;20%</span>&#13;</s>'
        b'<span class="fg2">100%\r</span>\n'
    )
    assert html(b'a <b> "c"\rxy\n') == (
        b'<li id=L1><s>a &lt;b&gt; "c"&#13;</s>xy<i data-left="&lt;b&gt; &quot;c&quot;"></i>\n'
    )


def test_the_mark_of_a_section_is_not_shown():
    assert html(b"##[group]Run make\n##[endgroup]\n") == (
        b"<li id=L1><s>##[group]</s>Run make\n<li id=L2><s>##[endgroup]</s>\n"
    )
