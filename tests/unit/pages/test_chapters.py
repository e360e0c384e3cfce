# SPDX-License-Identifier: Apache-2.0
"""The page of a log's chapters."""

import re

import pytest
from msgspec.structs import replace

from oslogserve.lines.summary import Chapter
from oslogserve.pages.chapters import chapters_page
from oslogserve.query import Query
from tests.kit.renderers import summary_with
from tests.unit.handlers.asking import GZIP, HTML, Asking, plain


def chapter(name, first, last, outcome=None, duration=None):
    return Chapter(name, first, last, None, duration, outcome)


CHAPTERS = [
    chapter("all <b>", 1, 90),
    chapter("install", 2, 50, "passed", 3.25),
    chapter("inner", 10, 10),
    chapter("test\x1b", 51, 90, "failed", 0.0),
    chapter("after", 91, 99),
]


def page_of(chapters, more=0, notices=(), **asked):
    query = Query(path=b"job/a.txt", is_folder=False, mount="/m")._replace(**asked)
    summary = replace(summary_with(), chapters=chapters, more_chapters=more)
    return chapters_page(query, summary, notices).decode()


def test_chapters_are_in_those_that_contain_them_and_link_to_their_lines():
    page = page_of(CHAPTERS)
    links = re.findall(r'<a href="(\?lines=\S+)">(.*?)</a>', page)
    assert links == [
        ("?lines=1-90", "all &lt;b&gt;"),
        ("?lines=2-50", "install"),
        ("?lines=10-10", "inner"),
        ("?lines=51-90", r"test\x1b"),
        ("?lines=91-99", "after"),
    ]
    depths = [page[: page.index(f">{name}</a>")] for _, name in links]
    assert [text.count("<ol>") - text.count("</ol>") for text in depths] == [1, 2, 3, 2, 1]
    assert page.count("<ol>") == page.count("</ol>") == 3


def test_a_failed_chapter_is_marked_by_a_word():
    page = page_of(CHAPTERS)
    assert "<p>5 chapters, 1 failed</p>" in page
    assert re.findall(r'<li class="failed">.*>(.*)</a>\n<b>failed</b>', page) == [r"test\x1b"]
    assert re.findall("<span>(.*)</span>", page) == [
        *("90 lines", "49 lines, 3.3 s", "1 line", "40 lines, 0 s", "9 lines"),
    ]


def test_links_keep_the_source():
    page = page_of(CHAPTERS[:1], source="swift")
    assert 'href="?source=swift&amp;lines=1-90"' in page
    assert '<a href="?source=swift">log</a>' in page


def test_what_is_not_listed_and_what_is_missing_is_told():
    page = page_of([], 0, ["it breaks off"])
    assert "<p>0 chapters</p>" in page
    assert "it breaks off" in page
    assert "<p>507 chapters</p>" in page_of(CHAPTERS[:1] * 500, 7)
    assert "<p>7 more are not listed.</p>" in page_of(CHAPTERS[:1] * 500, 7)


@pytest.fixture
def ask(tmp_path):
    (tmp_path / "a.txt").write_text("TASK [install] ***\nok: [n]\n")
    return Asking(tmp_path)


def test_the_page_of_a_log_links_to_its_chapters(ask):
    assert 'href="?source=all&amp;format=chapters"' in ask("/a.txt?level=ERROR", **HTML).text
    page = ask("/a.txt?format=chapters", **HTML)
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "script-src" in page.headers["Content-Security-Policy"]
    assert '<a href="?lines=1-2">install</a>' in page.text
    assert plain(ask("/a.txt?format=chapters", **GZIP)) == page.body
    again = ask("/a.txt?format=chapters", If_None_Match=page.headers["ETag"])
    assert again.status == "304 Not Modified"
    assert page.headers["ETag"] != ask("/a.txt", **HTML).headers["ETag"]


def test_a_folder_has_no_chapters(ask):
    for query in ("format=chapters", "format=chapters&level=ERROR"):
        assert "format=chapters is for logs" in ask(f"/?{query}", **HTML).text
