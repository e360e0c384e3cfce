# SPDX-License-Identifier: Apache-2.0
"""The link of a page to lines that may be written after its own."""

import re
import time
from html import unescape
from urllib.parse import parse_qsl

import pytest

from oslogserve.errors import Incomplete
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import PageLimits
from oslogserve.pages.log import LogView
from oslogserve.query import Query
from tests.kit.open_logs import open_log

RENDERER = Renderer()
LINES = b"one\ntwo\nthree\n"


def newer(log=LINES, query="", may_grow=True, error=None, size=10**6):
    """The number of the last complete line, and the address of the link; None if there is none."""
    query = Query(b"a.txt", False).with_parameters(parse_qsl(query))
    opened = open_log(log, error=error, modified=time.time() if may_grow else 1.4e9)
    view = LogView(query, opened, RENDERER, PageLimits(size, 500))
    page = b"".join(view.render("html", opened.text())).decode()
    limits = f'data-elements="500" data-size="{size}"'
    link = rf'<div class="newer" data-last="(\d+)" data-bytes="\d+" {limits}><a href="([^"]*)">newer lines<'
    found = re.search(link, page)
    assert ("follow." in page) == bool(found)
    return found and (int(found[1]), unescape(found[2]))


@pytest.mark.parametrize(
    ("log", "query", "expected"),
    [
        (LINES, "", (3, "?after=3")),
        (LINES + b"not fini", "", (3, "?after=3")),
        (b"not fini", "", (0, "?")),
        (b"", "", (0, "?")),
        (LINES, "level=ERROR&q=x&wrap=no", (3, "?level=ERROR&q=x&wrap=no&after=3")),
        (LINES, "lines=2-&after=2", (3, "?lines=2-&after=3")),
        (LINES, "tail=1&source=disk", (3, "?source=disk&after=3")),
        (LINES, "level=ERROR&show=L2", (3, "?level=ERROR&after=3")),
    ],
)
def test_it_keeps_the_filter_and_begins_after_the_last_complete_line(log, query, expected):
    assert newer(log, query) == expected


@pytest.mark.parametrize("query", ["lines=1-3", "until=2026", "limit=3", "limit=1"])
def test_a_page_with_an_end_has_none(query):
    assert newer(query=query) is None


def test_a_log_that_is_settled_or_incomplete_and_a_page_that_is_full_have_none():
    assert newer(may_grow=False) is None
    assert newer(error=Incomplete("failed", "it broke")) is None
    assert newer(LINES * 100, size=200) is None
