# SPDX-License-Identifier: Apache-2.0
"""The HTML of a line: links, colours, marks, and what a terminal would not show."""

import json
import re
import time

import pytest

from oslogserve.lines.selection import Selection, Wanted
from oslogserve.search import literal, rewritten

#: Bytes of a head, lines of a block, bytes of a link's address behind its scheme, and links of a line.
REACH, _BLOCK, LONGEST_URL, MOST_URLS = 4096, 256, 2048, 16

ID = b"req-0f3d2c1a-1111-2222-3333-444455556666"
TO_ID = b'<a href="?q=%b">%b</a>' % (ID, ID)
T = b"2013-09-27 18:22:11.248"


@pytest.fixture
def html(renderer):
    def html(log, **asked):
        return b"".join(renderer([log], Wanted("html", Selection(**asked))))

    return html


@pytest.fixture
def inner(html):
    """What is within the element of the only line, without its number."""

    def inner(log, *patterns):
        page = html(log, searches=tuple(map(rewritten, patterns)))
        [line] = re.findall(rb"<a href=#L1>#</a>(.*)\n</ol>$", page, re.DOTALL)
        return line

    return inner


def to(url):
    return b'<a href="%b">%b</a>' % (url, url)


# Elements.


def test_a_line_begins_with_a_link_to_itself(html):
    assert html(b"a\nb") == (
        b"<ol class=b><li id=L1><a href=#L1>#</a>a\n<li id=L2><a href=#L2>#</a>b\n</ol>"
    )


@pytest.mark.parametrize("lines", [1, _BLOCK - 1, _BLOCK, _BLOCK + 1, 2 * _BLOCK, 3 * _BLOCK + 7])
def test_a_block_has_so_many_of_the_lines_shown(html, lines):
    for asked in ({"first": 5}, {"first": 5, "last": 4 + lines, "context": 0}):
        log = b"a\n" * (4 + lines)
        blocks = html(log, **asked).split(b"</ol>")
        assert [block.count(b"<li id=") for block in blocks[:-1]] == [
            min(_BLOCK, lines - start) for start in range(0, lines, _BLOCK)
        ]
        assert blocks[-1] == b""
        assert all(block.startswith(b"<ol class=b>") for block in blocks[:-1])


def test_gaps_stand_in_blocks_and_are_no_lines_of_them(html):
    log = b"no\n" + b"yes\n" * _BLOCK + b"no\n" + b"yes\n"
    page = html(log, searches=(literal("yes"),), context=0)

    first, second, end = page.split(b"</ol>")
    assert first.startswith(b'<ol class=b><li class=gap><a href="?lines=1-1">1 line</a>\n<li')
    assert first.endswith(b'lines=%d-%d">1 line</a>\n' % (_BLOCK + 2, _BLOCK + 2))
    assert second.startswith(b"<ol class=b><li id=L%d>" % (_BLOCK + 3))
    assert end == b""


def test_the_lines_of_a_gap_have_separators(html):
    log = b"no\n" * 12_345 + b"yes\n" + b"no\n" * 1000 + b"yes\n" + b"no\n" * 999
    page = html(log, searches=(literal("yes"),), context=0)
    found = re.findall(rb'gap><a href="\?lines=([\d-]+)">(.*?)</a>', page)
    assert found == [
        (b"1-12345", b"12,345 lines"),
        (b"12347-13346", b"1,000 lines"),
        (b"13348-14346", b"999 lines"),
    ]


def test_the_first_of_lines_that_share_a_time_has_its_name(html):
    lines = [T + b" a", b"between", T + b" b", T[:-1] + b"9 c", T + b" d"]
    assert re.findall(rb"#L(\d) name=([^>]*)>", html(b"\n".join(lines))) == [
        *((b"1", b"_2013-09-27_18_22_11_248"), (b"4", b"_2013-09-27_18_22_11_249")),
        (b"5", b"_2013-09-27_18_22_11_248"),
    ]


@pytest.mark.parametrize("link", [b"?", b""])
def test_elements_are_counted_without_their_ends(renderer, link):
    log = b"a\nb\n\x1b[1mx\x1b[0m </a>< http://a " + ID + b"\n##[group]x\n"
    wanted = Wanted("html", Selection(searches=(literal("x"),), context=0), link=link)
    rendering = renderer([log], wanted)
    page = b"".join(rendering)
    started = len(re.findall(rb"<\w", page)) - page.count(b"<ol")
    assert rendering.tally.elements == started == (12 if link else 10)


# Links.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"http://a", to(b"http://a")),
        (b"xhttps://a.b:80/c%20d?e=f#g", b"x" + to(b"https://a.b:80/c%20d?e=f#g")),
        (b"http://a?b=1&c", to(b"http://a?b=1&amp;c")),
        (b"http://[::1]/ http://b", to(b"http://[::1]/") + b" " + to(b"http://b")),
        (b"<http://a>", b"&lt;" + to(b"http://a") + b"&gt;"),
        (b"\"http://a\" 'http://b'", b'"' + to(b"http://a") + b"\" '" + to(b"http://b") + b"'"),
        (b"(see http://a/b).", b"(see " + to(b"http://a/b") + b")."),
        (b"http://a/x.,;:!?)]}", to(b"http://a/x") + b".,;:!?)]}"),
        (b'{"a":"http://a\\n"}', b'{"a":"' + to(b"http://a") + b'\\n"}'),
        (b"http://a\0b", to(b"http://a") + b"\0b"),
        (b"http://a\xc3\xa9", to(b"http://a") + b"\xc3\xa9"),
        (b"http://a/" + ID, to(b"http://a/" + ID)),
        (b"http://a " + ID, to(b"http://a") + b" " + TO_ID),
        (ID + b" http://a", TO_ID + b" " + to(b"http://a")),
        (ID + ID, TO_ID + TO_ID),
        # A list, and what stands around an address.
        (b"http://a,http://b;https://c", to(b"http://a") + b"," + to(b"http://b") + b";" + to(b"https://c")),
        (b"http://a|http://b", to(b"http://a") + b"|" + to(b"http://b")),
        (b"http://a,b;c=d,httpd", to(b"http://a,b;c=d,httpd")),
        (b"http://a/http://b?u=http://c", to(b"http://a/http://b?u=http://c")),
        (b"[http://a](http://a/b)[c]", b"[" + to(b"http://a") + b"](" + to(b"http://a/b") + b")[c]"),
        (b"(http://a/b_(c)),d", b"(" + to(b"http://a/b_(c)") + b"),d"),
        (b"[http://[::1]],", b"[" + to(b"http://[::1]") + b"],"),
        (b"http://a/$(b)s/(c", to(b"http://a/$(b)s/(c")),
        (b"&quot;http://a&quot;&#39;http://b?c=1&d&#39;",
         b"&amp;quot;" + to(b"http://a") + b"&amp;quot;&amp;#39;" + to(b"http://b?c=1&amp;d") + b"&amp;#39;"),
    ],
)  # fmt: skip
def test_addresses_and_request_ids_are_links(inner, text, expected):
    assert inner(text) == expected


@pytest.mark.parametrize(
    "text",
    [b"http://", b"https://.", b"http:///a", b"http:/a", b"ftp://a", b"javascript://a", b"HTTP://A",
     b"http://:80", b"https:", b"http", b"httphttp:", b"//a", b"req-0f3d2c1a-1111",
     ID[:-1], ID[:-15], ID.upper(), ID[1:], ID.replace(b"-4", b"_4")],
)  # fmt: skip
def test_what_only_looks_like_one_is_none(inner, text):
    assert inner(text) == text


def test_an_address_that_is_too_long_is_none(inner):
    longest = b"http://" + b"a" * LONGEST_URL
    assert inner(longest) == to(longest)
    assert inner(longest + b"a http://b") == longest + b"a " + to(b"http://b")
    assert inner(longest + b",http://b") == longest + b"," + to(b"http://b")
    assert inner(longest[:-1] + b")a") == to(longest[:-1]) + b")a"


def test_more_addresses_of_a_line_are_text_and_its_request_ids_links(inner):
    addresses = [b"http://a/%d" % number for number in range(MOST_URLS + 2)]
    shown = inner(b" ".join([*addresses, ID]))

    assert shown.count(b'<a href="http') == MOST_URLS
    assert shown.endswith(b" %b %b" % (addresses[-1], TO_ID))


def test_an_address_may_hold_marks_and_end_at_a_colour(inner):
    assert inner(b"http://a/b", "a/b") == b'<a href="http://a/b">http://<mark>a/b</mark></a>'
    coloured = inner(b"\x1b[1mhttp://a\x1b[0m/b")
    assert coloured == b'<a href="http://a"><span class="bold">http://a</span></a>/b'


def test_a_line_of_nothing_but_addresses_takes_linear_time(inner):
    """The bytes of one address would else be looked at once for each that begins in it."""
    assert b"<a" not in inner(b"http://" * 150_000)


def test_quotes_between_tags_stay_as_they_are(inner):
    assert inner(b"\"'&<>") == b"\"'&amp;&lt;&gt;"


def test_a_link_of_a_terminal_is_one(inner):
    for end in (b"\x07", b"\x1b\\"):
        begun = b"\x1b]8;id=1:x=y;http://a?b&c%bhere" % end
        link = b'<a href="http://a?b&amp;c">here</a>'
        assert inner(b"see %b\x1b]8;;%b, %b" % (begun, end, ID)) == b"see %b, %b" % (link, TO_ID)
        assert inner(begun) == link


def test_a_link_of_a_terminal_goes_on_around_colours_marks_and_other_addresses(inner):
    link = b"\x1b]8;;http://a\x07"
    coloured = b"\x1b[1mb\x1b[0mc http://d " + ID
    shown = b'<span class="bold">b</span><mark>c http</mark>://d ' + ID
    assert (
        inner(link + coloured + link + b"\x1b[2m" + link, "c http")
        == b'<a href="http://a">%b</a>' % shown
    )
    written_over = inner(link + b"1\r2")
    assert written_over == b'<s><a href="http://a">1</a>&#13;</s><a href="http://a">2</a>'


@pytest.mark.parametrize(
    "address",
    [b"javascript:alert(1)", b"file:///a", b"http://", b'http://a" onclick="b', b"http://a b",
     b"http://a\xc3\xa9", b"HTTP://A", b"mailto:a@b", b"data:text/html,<b>",
     b"http://" + b"a" * (LONGEST_URL + 1)],
)  # fmt: skip
def test_a_link_of_a_terminal_to_anything_but_a_url_is_its_text(inner, address):
    assert inner(b"\x1b]8;;%b\x07here\x1b]8;;\x07 http://b" % address) == b"here " + to(b"http://b")


def test_more_links_of_terminals_in_a_line_are_text(inner):
    links = [b"\x1b]8;;http://a/%d\x07%d" % (number, number) for number in range(MOST_URLS + 2)]
    shown = inner(b"".join(links))
    assert shown.count(b'<a href="http') == MOST_URLS
    assert shown.endswith(b"</a>%d%d" % (MOST_URLS, MOST_URLS + 1))


# Marks.


@pytest.mark.parametrize(
    ("text", "patterns", "marked"),
    [
        (b"ab&c B", ("(?i)b",), b"a<mark>b</mark>&amp;c <mark>B</mark>"),
        (b"ab&c B", ("a", "b"), b"<mark>ab</mark>&amp;c B"),
        (b"ab&c B", ("ab&", "b&c"), b"<mark>ab&amp;c</mark> B"),
        *((b"xyz", (pattern,), b"xyz") for pattern in ("a*", "$|^", r"\b", "(?:)")),
        (b"aa a", (r"\ba",), b"<mark>a</mark>a <mark>a</mark>"),
        (b"aa", ("^a",), b"<mark>a</mark>a"),
        (b"baab", ("a*",), b"b<mark>aa</mark>b"),
        (b"ab ab", ("(a)(b)",), b"<mark>ab</mark> <mark>ab</mark>"),
        # One that ends within a sequence brings nothing of it back.
        (b"a\x1b[31mbc\x1b[0md", (r"a\x1b",), b'<mark>a</mark><span class="fg1">bc</span>d'),
        (b"a\x1b[31mbc\x1b[0md", ("31mb",), b'a<span class="fg1"><mark>b</mark>c</span>d'),
        (b"a\x1b[31mbc\x1b[0md", (r"\x1b\[31m",), b'a<span class="fg1">bc</span>d'),
        (
            b"a\x1b[31mbc\x1b[0md",
            ("a.*d",),
            b'<mark>a</mark><span class="fg1"><mark>bc</mark></span><mark>d</mark>',
        ),
    ],
)
def test_matches_are_marked_around_colours_and_touching_ones_are_one(inner, text, patterns, marked):
    assert inner(text, *patterns) == marked


# What a terminal does not show.


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (b"\r", b"\r"),
        (b"\r\r", b"\r\r"),
        (b"10%\r20%\r\r", b"<s>10%&#13;</s>20%\r\r"),
        (b"longer\rxy", b"<s>longer&#13;</s>xy"),
        (b'a <b> "c"\rxy', b'<s>a &lt;b&gt; "c"&#13;</s>xy'),
        (
            b"\x1b[32m10%\r<20%\r100%\r",
            (
                b'<s><span class="fg2">10%</span>&#13;<span class="fg2">&lt;20%</span>&#13;</s>'
                b'<span class="fg2">100%\r</span>'
            ),
        ),
        (b"section_end:1:x\r\x1b[0KTitle", b"<s>section_end:1:x&#13;</s>Title"),
        (b"##[group]Run make", b"<s>##[group]</s>Run make"),
        (b"##[endgroup]", b"<s>##[endgroup]</s>"),
        (b"\xef\xbb\xbf##[group]x\r", b"\xef\xbb\xbf<s>##[group]</s>x\r"),
        (b"Z ##[group]", b"Z ##[group]"),
        (b"a ##[group]", b"a ##[group]"),
        (b"0" * 40 + b"Z ##[group]", b"0" * 40 + b"Z <s>##[group]</s>"),
        (b"0" * 41 + b"Z ##[group]", b"0" * 41 + b"Z ##[group]"),
    ],
)
def test_what_was_written_over_is_there_and_not_shown(inner, text, shown):
    assert inner(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # Backspace. What is left of the text is shown again, as a copy that is not copied.
        (b"hello\b\b\b\b\bgoodbye", b"<s>hello\b\b\b\b\b</s>goodbye"),
        (b"hello my\b\bXY", b"hello <s>my\b\b</s>XY"),
        (b"friend\b\b\b\b\b\b<!", b"<s>friend\b\b\b\b\b\b</s>&lt;!<i>iend</i>"),
        (b"- \b\b\\ \b\b| done", b"<s>- \b\b\\ \b\b</s>| done"),
        (
            b"he\x1b[32m\x1b[33m\bllo",
            b'h<s>e<span class="fg3">\b</span></s><span class="fg3">llo</span>',
        ),
        (b"N\bNA\bA", b"<s>N\b</s>N<s>A\b</s>A"),
        (b"at\b\b\b\b1\xc3\xa9\b2", b"<s>at\b\b\b\b</s>1<s>\xc3\xa9\b</s>2"),
        (b"cached\b\b\b", b"cached<s>\b\b\b</s>"),
        # Columns.
        (b"\x1b[2K\x1b[1Gyarn\r", b"yarn\r"),
        (b"50%\x1b[G100%", b"<s>50%</s>100%"),
        (b"abc\x1b[2Gx", b"a<s>bc</s>x<i>c</i>"),
        (b"abc\x1b[`x\x1b[3Gy", b"<s>abc</s>x<i>b</i>y"),
        (b"a\x1b[3Cb", b"a   b"),
        (b"abc\x1b[2Dx", b"a<s>bc</s>x<i>c</i>"),
        (b"abc\x1b[99Dx\x1b[K", b"<s>abc</s>x"),
        (b"ab\x1b7cd\x1b8x\x1b[sy\x1b[uz", b"ab<s>cd</s>x<s>y</s>z"),
        (b"a\tb\bc", b"a\t<s>b\b</s>c"),
        (b"a\tb\x1b[2Gc", b"a<s>\tb</s>c<i>\tb</i>"),
        # A return. What is left of the text behind it is not shown, but what a move passes over is.
        (b"abcdef\rx\x1b[4Gyz", b"<s>abcdef&#13;</s>x  yz"),
        (b" * Stopping x   \r\x1b[20G[ OK ]\r", b" * Stopping x   <s>&#13;</s>   [ OK ]\r"),
        # Erased.
        (b"abc\x1b[2D\x1b[K", b"a<s>bc</s>"),
        (b"abc\x1b[2D\x1b[0Jx", b"a<s>bc</s>x"),
        (b"abc\x1b[1Kd", b"<s>abc</s>   d"),
        (b"abc\x1b[2D\x1b[1K", b"<s>ab</s>  c"),
        (b"abc\x1b[2Kd", b"<s>abc</s>   d"),
        (b"ab\x1b[1K\rx\x1b[3Gc", b"<s>ab&#13;</s>x c"),
        # Another line: it cannot be reached.
        (b"\x1b[1A\x1b[1K\x1b[K\r7: Pulling\r\x1b[1B\r", b"<s>&#13;</s>7: Pulling<s>&#13;</s>\r"),
        (b"\x1b[?25l\x1b[80D\x1b[1A\x1b[0K  [x]", b"  [x]"),
        (b"foo\x1b[A\x1b[2K\rbar", b"foo<s>&#13;</s> bar"),
        # Rows within the line: docker's, and apt's bar.
        (
            b"a: 1%\r\x1b[B\rb: 1%\x1b[A\ra: 2%\x1b[B\rb: 2%",
            b"<s>a: 1%&#13;&#13;b: 1%&#13;</s>a: 2%<s>&#13;</s> b: 2%",
        ),
        (b"Unpacking\x1b7\x1b[40;0fProgress: 5%\x1b8 x", b"Unpacking Progress: 5% x"),
        (b"\x1b[2;1Hb\x1b[1;3Ha\x1b[2d\x1b[GB", b"<s>b</s>  a B"),
        # Nothing moves.
        (b"a\x1b[31m\x1b[Kb\x1b[m\x1b[K", b'a<span class="fg1">b</span>'),
        (b"ab\x1b[?2Kc\x1b[1 Kd\x1b[A", b"abcd"),
    ],
)
def test_a_line_is_shown_as_a_terminal_shows_it(inner, text, shown):
    assert inner(text) == shown


def test_what_is_not_shown_is_found(inner):
    assert inner(b"50%\b\b\b100%", "50%") == b"<s><mark>50%</mark>\b\b\b</s>100%"


def test_a_cursor_goes_no_further_behind_a_line_than_a_terminal_is_wide(inner):
    assert inner(b"x\x1b[%dGy" % 10**40) == b"x%by" % (b" " * 255)
    assert inner(b"x" * 300 + b"\x1b[9999Cy") == b"x" * 300 + b"y"
    assert inner(b"x" * 300 + b"\x1b[G\x1b[K\x1b[300Gy") == b"<s>%b</s>%by" % (
        b"x" * 300,
        b" " * 256,
    )


def test_so_many_pieces_of_a_line_are_told_from_what_was_overwritten(inner):
    shown = inner(b"ab\b" * 1500 + b"c")
    assert (shown.count(b"<s>"), shown.endswith(b"<s>b\b</s>" + b"ab\b" * 476 + b"c")) == (
        1024,
        True,
    )


@pytest.mark.parametrize("begin", [b"", b"x" * 500_000])
@pytest.mark.parametrize(
    "unit",
    [b"\b", b"a\b", b"ab\b", b"\x1b[1G", b"x\x1b[1K", b"\x1b[2Kx", b"\x1b[A", b"x\x1b[A", b"\t", b"x\t\b",
     b"\x1b_\b", b"\x1b_x\x1b\\\b", b"\x1bP", b"\x1b[999Cx", b"\x1b[G\x1b[K\x1b[999Gx", b"x\r", b"\rx\x1b[400000G\x1b[1K", b"\x1b[D", b"\x1b7x\x1b8"],
)  # fmt: skip
def test_a_long_line_of_moves_takes_linear_time(inner, begin, unit):
    """A quadratic one would take minutes."""
    started = time.process_time()
    shown = inner(begin + unit * ((1_000_000 - len(begin)) // len(unit)))
    assert time.process_time() - started < 2
    assert len(shown) < 3_500_000


# Colours.


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (b"plain", b"plain"),
        (b"\x1b[31mred\x1b[0m", b"red"),
        (b"\x1b[mx", b"x"),
        (b"a\x1b[2Kb\x1b[1;1Hc\x1b[?25ld", b"abcd"),
        (b"\x1b[0 qx", b"x"),
        (b"\x1b[4@x\x1b[1~y", b"xy"),
        (b"\x1b[" + b"1" * 64 + b"mx", b"x"),
        (b"\x1b[" + b"1" * 65 + b"mx", b"\x1b[" + b"1" * 65 + b"mx"),
        (b"\x1b[31", b"\x1b[31"),
        (b"\x1b[3\x1b[1mx", b"\x1b[3x"),
        (b"\x1b\x1b[1mx\x1b(B", b"\x1bx"),
        (b"\x1b]0;title\x07x\x1b]0;\xc3\xa4\x1b\\y", b"xy"),
        (b"\x1b]1339;url='http://a';content='b'\x07x", b"x"),
        (b"\x1b_bk;t=1560896352000\x07$ make\x1b_\x1b\\x", b"$ makex"),
        (b"\x1b[8mha:////4DsC=\x1b[0m[Pipeline] sh\x1b[8mhi\x1b[0m", b"[Pipeline] shhi"),
        (b"^[[31mred^[[0m^[[K", b"red"),
        (b"^[[A^[[2^[[31;^[31m^", b"^[[A^[[2^[[31;^[31m^"),
        (b"a\x1bP1;2|b\x1b\\c\x1b^d\x1b\\e", b"ace"),
        (b"a\x1bPb\x07c\x1b^d\x07e", b"a\x1bPb\x07c\x1b^d\x07e"),
        (b"\x1b_a\x1b[1mb\x07", b"\x1b_ab\x07"),
        (b"\x1b_a\nb\x07\x1bPa", b"\x1b_a\nb\x07\x1bPa"),
        (b"\x1b_%b\x07x" % (b"a" * 4096), b"x"),
        (b"\x1b_%b\x07x" % (b"a" * 4097), b"\x1b_%b\x07x" % (b"a" * 4097)),
        (b"a\x1b]8;;b\x07c\x1b]8;;\x1b\\d", b"acd"),
        (b"\x1b]8;;\xff%b\x07x" % (b" " * 2082), b"x"),
        (b"\x1b]8;;%b\x07x" % (b"a" * 2084), b"x"),
        (b"\x1b]8;%b;\x07x" % (b"a" * 257), b"x"),
        (b"\x1b]8;;http://a", b"\x1b]8;;http://a"),
        (b"\x1b]8;;a\x1b[1mb", b"\x1b]8;;ab"),
        (b"\x1b]8;;a\nb\x07c", b"\x1b]8;;a\nb\x07c"),
        (b"\x1b]8;a\x07b\x1b]8;;\x1b", b"b\x1b]8;;\x1b"),
        (b"\x1b[3\xff1mx", b"\x1b[3\xff1mx"),
        (b"\x1b[3\n1m", b"\x1b[3\n1m"),
    ],
)
def test_sequences_are_taken_out_and_what_only_begins_like_one_is_text(rendered, text, plain):
    rows = rendered([text], "jsonl").splitlines()
    shown = [json.loads(row)["text"] for row in rows]
    assert shown == plain.decode("utf-8", "replace").split("\n")


@pytest.mark.parametrize(
    ("codes", "classes"),
    [
        *((codes, b"") for codes in (b"", b"0", b"77", b"1;2;22", b"3;23", b"4;24", b"31;39")),
        *((codes, b"") for codes in (b"41;49", b"7;27", b"31;", b"38;5;256", b"31;38", b"31;38;5")),
        *((codes, b"") for codes in (b"38;2;1;2", b"38;7;31", b"5;8;21;53;99", b"9;29")),
        (b"1", b"bold"),
        (b"2", b"dim"),
        (b"3;4", b"italic underline"),
        (b"9", b"strike"),
        (b"4;9", b"underline strike"),
        (b"7", b"inverse"),
        (b"2;7", b"dim inverse"),
        (b"7;32", b"bg2"),
        (b"7;41", b"fg1 bg7"),
        (b"97;7;41", b"fg1 bg15"),
        (b"7;0;31", b"fg1"),
        (b"31", b"fg1"),
        (b"97", b"fg15"),
        (b"42", b"bg2"),
        (b"100", b"bg8"),
        (b"01;31", b"bold fg1"),
        (b"1;0;4", b"underline"),
        (b"1;31;42;32", b"bold fg2 bg2"),
        (b"38;5;9", b"fg9"),
        (b"48;5;9;1", b"bold bg9"),
        (b"38:5:208", b"fg9"),
        (b"38:5:214", b"fg11"),
        (b"38;5;16", b"fg0"),
        (b"38;5;231", b"fg15"),
        (b"38;5;232", b"fg0"),
        (b"38;5;255", b"fg15"),
        (b"38;2;255;0;0", b"fg9"),
        (b"38;2;100;0;0", b"fg1"),
        # Of red, green and blue, those count that have more than half of the largest; bright above half.
        (b"38;2;171;86;0", b"fg9"),
        (b"38;2;128;0;0", b"fg1"),
        (b"38;2;171;0;0", b"fg9"),
        (b"48;2;255;255;999;4", b"underline bg15"),
        (b"?25;31", b"fg1"),
        (b"99999;1", b"bold"),
        (b"1;<>", b"bold"),
    ],
)
def test_a_style_is_a_list_of_classes(inner, codes, classes):
    shown = b'<span class="%b">x</span>' % classes if classes else b"x"
    assert inner(b"\x1b[%bmx" % codes) == shown


@pytest.mark.parametrize("sequence", [b"\x1b[1m", b"\x1b[%bm" % (b"1;" * 31), b"\x1b]8;;b\x07"])
def test_a_sequence_may_stand_across_the_end_of_a_head(inner, sequence):
    for before in range(REACH - len(sequence), REACH + 1):
        assert sequence not in inner(b"x" * before + sequence + b"y")


def test_colours_and_links_end_with_their_line(rendered):
    assert rendered([b"\x1b[31ma\nb\n"]) == b'<li id=L1><span class="fg1">a</span>\n<li id=L2>b\n'
    assert (
        rendered([b"\x1b]8;;http://a\x07a\nb\n"])
        == b'<li id=L1><a href="http://a">a</a>\n<li id=L2>b\n'
    )
