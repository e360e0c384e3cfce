# SPDX-License-Identifier: Apache-2.0
"""What a page says of all lines, and how it leads to those it has no room for."""

import re
from html import unescape
from urllib.parse import parse_qsl

import pytest

from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import PageLimits
from oslogserve.pages.log import LogView
from oslogserve.query import Query
from tests.kit.open_logs import open_log

STAMP = b"2013-09-27 18:22:%02d.%03d 1 %b x [-] %d\n"
RENDERER = Renderer()
SIZE = len(STAMP % (0, 0, b"DEBUG", 100))


def log(lines, errors=()):
    return b"".join(
        STAMP % (number // 1000 % 60, number % 1000, level(number, errors), 100 + number % 900)
        for number in range(1, lines + 1)
    )


def level(number, errors):
    return b"ERROR" if number in errors else b"DEBUG"


@pytest.fixture
def page():
    def page(content, parameters="", lines=None, elements=10**6):
        query = Query(b"a.txt", False).with_parameters(parse_qsl(parameters))
        room = None if lines is None else PageLimits(lines * SIZE, elements)
        log = open_log(content, modified=1.4e9)
        view = LogView(query, log, RENDERER, room)
        return b"".join(view.render("html", log.text())).decode()

    return page


def ids(page):
    return [int(number) for number in re.findall(r"<li[^>]* id=L(\d+)>", page)]


def addresses(page):
    """Of the links to parts, by their texts."""
    notices = re.findall(r'<p class="notice parts".*', page)
    found = re.findall(r'<a href="([^"]*)"[^>]*>([^<]*)</a>', "".join(notices))
    return {text: unescape(address) for address, text in found}


def counted(page):
    rows = re.findall(
        r'<a class="(\w+)" href="([^"]*)" data-severity="\1" data-count="(\d+)"'
        r' data-first="(\d+)">',
        page,
    )
    return {name: (unescape(to), int(count), int(first)) for name, to, count, first in rows}


def test_a_page_counts_its_lines_by_severity(page):
    shown = page(b"head\n" + log(9, errors={3, 7}))

    assert counted(shown) == {
        "ERROR": ("?level=ERROR", 2, 4),
        "DEBUG": ("?level=DEBUG", 7, 2),
        "NONE": ("?", 1, 1),
    }
    assert '<footer id="counts" data-lines="10" aria-label=' in shown
    assert '<a href="#L4">first error at line 4</a>' in shown
    assert "parts" not in shown


@pytest.mark.parametrize(
    ("line", "is_dated"),
    [
        (b"2013-09-27 18:22:11 x", True),
        (
            b"travis_time:end:1:start=1490232720661057441,finish=1490232723385781094,duration=2",
            True,
        ),
        (b"18:22:11 x", False),
        (b" Built:  Tue Sep 26 22:41:20 2017", False),
    ],
)
def test_a_page_tells_if_its_log_has_dates(page, line, is_dated):
    assert ("data-undated" not in page(line + b"\nx\n")) == is_dated
    assert ("data-undated" not in page(line + b"\n12:00:00 x\ny\n", "lines=3-&q=y")) == is_dated
    assert "data-undated" not in page(line + b"\nx\n", "lines=1-1")


def test_a_page_without_errors_leads_to_none(page):
    assert "error" not in page(log(9)).partition('<footer id="counts"')[2]


def test_a_filter_counts_what_it_leaves_and_stays_in_the_links(page):
    shown = page(log(9, errors={3, 7}), "q=103&level=DEBUG&source=disk&show=L2")

    assert counted(shown) == {"ERROR": ("?q=103&source=disk&level=ERROR", 1, 3)}


def test_a_window_is_counted_alone_and_leads_on(page):
    shown = page(log(9, errors={3, 7}), "lines=4-8", lines=2)

    assert ids(shown) == [4, 5, 6, 7, 8]
    assert counted(shown)["ERROR"] == ("?lines=4-8&level=ERROR", 1, 7)
    assert (
        'This page begins with line 4: <a href="?lines=1-3" rel="prev">lines 1 to 3</a>.' in shown
    )
    assert addresses(shown) == {"lines 1 to 3": "?lines=1-3", "the next part": "?lines=9-"}


@pytest.mark.parametrize("parameters", ["limit=3", "tail=3"])
def test_what_was_not_looked_at_is_not_counted(page, parameters):
    shown = page(log(9), parameters, lines=1)

    assert len(ids(shown)) == 3
    assert "counts" not in shown


def test_a_log_that_fits_is_shown_whole(page):
    assert ids(page(log(9), lines=9)) == list(range(1, 10))
    assert "notice" not in page(log(9), lines=9)


def test_a_larger_log_is_cut_counted_and_leads_to_the_rest(page):
    shown = page(log(1000, errors={3, 700}), lines=100)

    assert ids(shown) == list(range(1, 101))
    assert "This page ends before line 101 of 1,000: " in shown
    assert addresses(shown) == {
        "the next part": "?lines=101-",
        "the last 10,000 lines": "?tail=10000",
        "all errors": "?level=ERROR",
    }
    assert counted(shown)["ERROR"] == ("?level=ERROR", 2, 3)
    assert 'data-next="101"' in shown


@pytest.mark.parametrize(
    ("parameters", "ways"),
    [
        ("", ["?level=ERROR", "?tail=10000"]),
        ("level=INFO&q=1", ["?q=1&level=ERROR", "?level=INFO&q=1&tail=10000"]),
        ("level=ERROR", ["?level=ERROR&tail=10000"]),
        ("tail=5", []),
        ("lines=1-50", []),
    ],
)
def test_a_larger_log_says_so_before_its_lines(page, parameters, ways):
    above, _, _ = page(log(1000), parameters, lines=100).partition('<div id="log"')
    found = re.findall(r'<p class="notice">This log is large.*', above)

    assert [unescape(way) for way in re.findall('href="([^"]*)"', "".join(found))] == ways
    assert len(found) == bool(ways)


def test_a_larger_log_leads_to_its_first_error(page):
    shown = page(log(1000, errors={700}), lines=100)
    address = addresses(shown)["first error at line 700"]

    assert address == "?lines=500-#L700"
    assert 700 in ids(page(log(1000, errors={700}), address[1:].partition("#")[0], lines=300))


@pytest.mark.parametrize("level", ["", "level=ERROR"])
def test_parts_reach_every_line(page, level):
    content = log(1000, errors=range(1, 1000, 2))
    reached, parameters = [], level
    while parameters is not None:
        shown = page(content, parameters, lines=300)
        reached += ids(shown)
        parameters = addresses(shown).get("the next part", "").removeprefix("?") or None

    assert reached == list(range(1, 1000, 2) if level else range(1, 1001))


def test_a_page_ends_where_it_has_too_many_elements(page):
    """A line of this log and its number are two."""
    content = log(300)
    for parameters in ("", "context=0"):
        assert ids(page(content, parameters, lines=200, elements=20)) == list(range(1, 11))
        assert ids(page(content, parameters, lines=200, elements=21)) == list(range(1, 12))
    many = b"\x1b[1ma\x1b[0m http://a req-0f3d2c1a-1111-2222-3333-444455556666\n" * 9
    assert ids(page(many, lines=200, elements=13)) == [1, 2, 3]


def test_a_line_to_be_shown_opens_the_part_around_it(page):
    shown = page(log(1000), "show=L900", lines=250)

    assert ids(shown) == list(range(700, 950))
    assert "<li class=D id=L900>" in shown
    assert addresses(shown)["lines 1 to 699"] == "?lines=1-699"


MOMENTS = [
    "_2013-09-27_18_22_00_900",
    "_2013-09-27T18_22_00_900Z",
    "_2013-09-27_18_22_00_900+02_00",
]


@pytest.mark.parametrize("show", ["L900", *MOMENTS])
def test_so_does_a_line_of_a_filter_that_leaves_more_than_a_page(page, show):
    shown = page(log(1000, errors=range(1, 800)), f"show={show}&not=nowhere", lines=250)
    assert 900 in ids(shown)
    assert 1 not in ids(shown)


def test_so_does_a_line_that_the_filter_hides(page):
    shown = page(log(1000, errors=range(1, 800)), "show=L900&level=ERROR", lines=250)

    assert ids(shown)[-1] == 900
    assert '<li class="D shown" id=L900>' in shown


@pytest.mark.parametrize("window", ["lines=1-20", "lines=3-", "until=2013-09-27T18:22", "limit=9"])
def test_but_not_where_a_window_is_asked_for(page, window):
    first = 3 if window == "lines=3-" else 1
    assert ids(page(log(1000), f"show=L900&{window}", lines=250))[0] == first


def test_it_does_where_the_page_may_have_too_many_elements(page):
    shown = page(log(1000), "show=L900", lines=1000, elements=500)
    assert ids(shown)[:1] == [700]
    assert 900 in ids(shown)


def test_of_a_filter_all_hits_are_shown_though_the_log_may_have_too_many_elements(page):
    shown = page(log(1000, errors=[1]), "show=L900&level=ERROR", lines=1000, elements=500)
    assert ids(shown) == [1, 900]


@pytest.mark.parametrize(
    ("parameters", "address"),
    [
        ("", "?level=ERROR&tail=50"),
        ("not=nowhere&level=INFO&lines=2-", "?not=nowhere&level=ERROR&tail=50"),
        ("level=ERROR", "?level=ERROR&tail=50"),
    ],
)
def test_behind_the_lines_is_a_link_to_the_last_errors(page, parameters, address):
    shown = page(log(100, errors=range(3, 90)), parameters)
    assert address in [unescape(one) for one in re.findall(r'href="([^"]*)">last errors<', shown)]
