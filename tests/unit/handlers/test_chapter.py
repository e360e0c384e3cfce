# SPDX-License-Identifier: Apache-2.0
"""The lines of a chapter, by its name."""

import gzip
import json
import re
from urllib.parse import quote

import pytest

from oslogserve.lines.summary import LONGEST_NAME
from tests.unit.handlers.asking import HTML, Asking, headers_of

#: Two tasks named "test"; the second one failed.
LOG = b"""TASK [install] ***
one
ok: [node]
TASK [test] ***
two
ok: [node]
TASK [test] ***
three <b>
fatal: [node]: FAILED! => {}
TASK [clean] ***
four
"""
LINES = LOG.splitlines(keepends=True)


@pytest.fixture
def ask(tmp_path):
    (tmp_path / "a.txt").write_bytes(LOG)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(LOG))
    (tmp_path / "broken.txt.gz").write_bytes(gzip.compress(LOG)[:-9])
    (tmp_path / "many.txt").write_bytes(b"".join(b"TASK [%d] ***\n" % n for n in range(700)))
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    return Asking(tmp_path)


def shown(page):
    return [int(number) for number in re.findall(r"<li[^>]* id=L(\d+)>", page.text)]


@pytest.mark.parametrize("name", ["a.txt", "b.txt.gz"])
@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("chapter=install", 1, 3),
        ("chapter=test", 7, 9),
        ("chapter=clean", 10, 11),
        ("chapter=test&lines=8-", 8, 9),
        ("chapter=test&lines=-8", 7, 8),
        ("chapter=clean&lines=11-99", 11, 11),
        ("chapter=test&tail=1", 9, 9),
    ],
)
def test_a_chapter_is_a_filter_of_every_view(ask, name, query, first, last):
    numbers = [*range(first, last + 1)]
    text = ask(f"/{name}?{query}&format=text")
    assert text.body == b"".join(LINES[first - 1 : last])
    assert shown(ask(f"/{name}?{query}", **HTML)) == numbers
    *lines, end = map(json.loads, ask(f"/{name}?{query}&format=jsonl").text.splitlines())
    assert [line["line"] for line in lines] == numbers
    assert (end["matched"], end["next"]) == (3 if "tail" in query else len(numbers), None)


def test_a_chapter_outside_of_the_lines_has_none(ask):
    assert ask("/a.txt?chapter=test&lines=1-3&format=text").body == b""
    page = ask("/a.txt?chapter=test&lines=1-3", **HTML)
    assert "No line of this log fits these filters." in page.text


def test_a_summary_is_of_the_chapter(ask):
    summary = ask("/a.txt?chapter=test&format=summary").json
    assert summary["matched"] == 3
    [chapter] = summary["chapters"]
    assert (chapter["first"], chapter["last"], chapter["outcome"]) == (7, 9, "failed")


def test_a_summary_has_durations_as_numbers_and_for_people(tmp_path):
    marks = b"2026-03-04 18:%02d:00.0 | TASK [%s] ***\n"
    failed = b"2026-03-04 18:12:00.0 | fatal: [node]: FAILED! => {}\n"
    (tmp_path / "a.txt").write_bytes(marks % (0, b"a") + marks % (2, b"b") + failed)
    summary = Asking(tmp_path)("/a.txt?format=summary").json
    took = [(chapter["duration"], chapter["took"]) for chapter in summary["chapters"]]
    assert took == [(120, "2 min"), (None, None)]
    assert summary["step"] == summary["chapters"][1]


def test_a_limit_goes_on_within_the_chapter(ask):
    *_, end = ask("/a.txt?chapter=test&format=jsonl&limit=2").text.splitlines()
    assert json.loads(end)["next"] == "/a.txt?format=jsonl&limit=2&lines=9-9"


def test_the_page_links_to_the_lines_around_and_names_the_filter(ask):
    page = ask("/a.txt?chapter=test&wrap=no", **HTML).text
    assert '<a href="?wrap=no&amp;lines=1-6" rel="prev">lines 1 to 6</a>' in page
    assert '<a href="?wrap=no&amp;lines=10-" rel="next">the next part</a>' in page
    assert '<a class="chip" href="?wrap=no"' in page
    assert "chapter \N{LEFT DOUBLE QUOTATION MARK}test\N{RIGHT DOUBLE QUOTATION MARK}</a>" in page
    assert 'name="chapter" value="test"' in page
    assert 'href="?chapter=test&amp;wrap=no&amp;level=ERROR"' in page
    assert "newer lines" not in page


@pytest.mark.parametrize("name", ["no", "TEST", "<b>", "x" * LONGEST_NAME])
def test_a_name_that_the_log_does_not_have_is_told_at_its_field(ask, name):
    page = ask(f"/a.txt?chapter={quote(name)}&level=ERROR", **HTML)
    assert page.status == "400 Bad Request"
    assert page.headers["Cache-Control"] == "no-store"
    assert shown(page) == [9]
    sentence = "No chapter of this log has that name."
    assert f'<strong class="fault" id="fault-chapter-1">{sentence}</strong>' in page.text
    assert "chapter=" not in page.text
    text = ask(f"/a.txt?chapter={quote(name)}")
    assert (text.status, text.text) == ("400 Bad Request", sentence + "\n")


def test_more_chapters_than_a_summary_lists_are_told(ask):
    told = "No chapter of the 500 that this log's summary lists has that name."
    assert told in ask("/many.txt?chapter=600").text


def test_a_log_that_breaks_off_is_searched_as_far_as_it_goes(ask):
    assert ask("/broken.txt.gz?chapter=install&format=text").body.startswith(LINES[0])
    assert "has that name, as far as it could be read: " in ask("/broken.txt.gz?chapter=no").text


def test_a_head_and_a_condition_have_the_answers_of_a_get(ask):
    for query in ("chapter=test", "chapter=no"):
        head, get = (ask(f"/a.txt?{query}", method, **HTML) for method in ("HEAD", "GET"))
        assert (head.status, headers_of(head)) == (get.status, headers_of(get))
    tags = [ask(f"/a.txt?chapter={name}").headers["ETag"] for name in ("test", "clean")]
    assert tags[0] != tags[1]
    assert ask("/a.txt?chapter=test", If_None_Match=tags[0]).status == "304 Not Modified"
    assert ask("/a.txt?chapter=test", If_None_Match=tags[1]).status == "200 OK"


def test_a_file_that_is_no_log_is_sent_as_without_the_filter(ask):
    assert ask("/image.png?chapter=a").headers["Content-Type"] == "image/png"
    assert ask("/a.txt?chapter=no&format=raw").body == LOG


def test_a_folder_has_no_chapters(ask):
    assert "chapter is for logs" in ask("/?chapter=a").text
    assert ask("/a.txt?chapter=", **HTML).status == "200 OK"
