# SPDX-License-Identifier: Apache-2.0
"""Lines as elements: their numbers, their blocks and the links in them, from both renderers."""

import re

import pytest

from oslogserve.lines.pure.html import _BLOCK
from oslogserve.lines.pure.links import LONGEST_URL, MOST_URLS
from oslogserve.lines.search import Search
from oslogserve.lines.selection import Selection, Wanted
from tests import renderers

ID = b"req-0f3d2c1a-1111-2222-3333-444455556666"
TO_ID = b'<a href="?q=%b">%b</a>' % (ID, ID)


@pytest.fixture(params=renderers.EACH)
def html(request):
    def html(log, **asked):
        return b"".join(request.param([log], Wanted("html", Selection(**asked))))

    return html


def inner(page):
    """Of its only line, without the number."""
    [line] = re.findall(rb"<a href=#L1>#</a>(.*)\n</ol>$", page, re.DOTALL)
    return line


def to(url):
    return b'<a href="%b">%b</a>' % (url, url)


def test_a_line_begins_with_a_link_to_itself(html):
    assert html(b"a\nb") == (
        b"<ol class=b><li id=L1><a href=#L1>#</a>a\n<li id=L2><a href=#L2>#</a>b\n</ol>"
    )


def test_a_line_keeps_its_number_where_others_are_left_out(html):
    assert html(b"a\n" * 3, first=3) == b"<ol class=b><li id=L3><a href=#L3>#</a>a\n</ol>"


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
    page = html(log, searches=(Search.of_text("yes"),), context=0)

    first, second, end = page.split(b"</ol>")
    assert first.startswith(b'<ol class=b><li class=gap><a href="?lines=1-1">1 line</a>\n<li')
    assert first.endswith(b'lines=%d-%d">1 line</a>\n' % (_BLOCK + 2, _BLOCK + 2))
    assert second.startswith(b"<ol class=b><li id=L%d>" % (_BLOCK + 3))
    assert end == b""


def test_no_line_no_block(html):
    assert html(b"") == html(b"a\n", first=2) == b""


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
    ],
)  # fmt: skip
def test_addresses_and_request_ids_are_links(html, text, expected):
    assert inner(html(text)) == expected


@pytest.mark.parametrize(
    "text",
    [b"http://", b"https://.", b"http:///a", b"http:/a", b"ftp://a", b"javascript://a", b"HTTP://A",
     b"http://:80", b"https:", b"http", b"httphttp:", b"//a", b"req-0f3d2c1a-1111"],
)  # fmt: skip
def test_what_only_looks_like_one_is_none(html, text):
    assert inner(html(text)) == text


def test_an_address_that_is_too_long_is_none(html):
    longest = b"http://" + b"a" * LONGEST_URL
    assert inner(html(longest)) == to(longest)
    assert inner(html(longest + b"a http://b")) == longest + b"a " + to(b"http://b")


def test_more_addresses_of_a_line_are_text_and_its_request_ids_links(html):
    addresses = [b"http://a/%d" % number for number in range(MOST_URLS + 2)]
    shown = inner(html(b" ".join([*addresses, ID])))

    assert shown.count(b'<a href="http') == MOST_URLS
    assert shown.endswith(b" %b %b" % (addresses[-1], TO_ID))


def test_an_address_may_hold_marks_and_end_at_a_colour(html):
    marked = html(b"http://a/b", searches=(Search.of_text("a/b"),))
    assert inner(marked) == b'<a href="http://a/b">http://<mark>a/b</mark></a>'
    coloured = inner(html(b"\x1b[1mhttp://a\x1b[0m/b"))
    assert coloured == b'<a href="http://a"><span class="bold">http://a</span></a>/b'


def test_a_line_of_nothing_but_addresses_takes_linear_time(html):
    """The bytes of one address would else be looked at once for each that begins in it."""
    shown = inner(html(b"http://" * 150_000))
    assert b"<a" not in shown


def test_quotes_between_tags_stay_as_they_are(html):
    assert inner(html(b"\"'&<>")) == b"\"'&amp;&lt;&gt;"
