# SPDX-License-Identifier: Apache-2.0
"""The redirect to a line that a reader names."""

import gzip
from urllib.parse import urlencode

import pytest

from tests.unit.handlers.asking import HTML, Asking

LOG = b"""begins
2026-03-04 23:59:58.100 INFO one
2026-03-04 23:59:59.200 INFO two
2026-03-05 00:00:01.300 INFO three
2026-03-05 18:25:11.248 INFO four
2026-03-05 18:25:40.000 INFO five
"""


@pytest.fixture
def ask(tmp_path):
    (tmp_path / "a.txt").write_bytes(LOG)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(LOG))
    (tmp_path / "untimed.txt").write_bytes(b"one\ntwo\n18:25:11 three\n")
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    return Asking(tmp_path)


@pytest.mark.parametrize(
    ("log", "place"),
    [
        (b"+ make\nerror: no rule\nmake: *** [all] Error 2\n", "?show=L2#L2"),
        (b"a\n" + b"error: no rule\n" * 99 + b"make: *** [all] Error 2\n", "?show=L2-L41#L2"),
    ],
)
def test_the_cause_of_a_log_is_a_place(ask, tmp_path, log, place):
    (tmp_path / "failed.txt").write_bytes(log)
    assert ask("/failed.txt?goto=cause", **HTML).headers["Location"] == place
    assert 'goto=cause"' in ask("/failed.txt", **HTML).text


def test_a_log_that_passed_has_no_cause(ask, tmp_path):
    (tmp_path / "passed.txt").write_bytes(b"+ make\nFinished: SUCCESS\n")
    answer = ask("/passed.txt?goto=cause", **HTML)
    assert answer.status_int == 400
    assert "This log says that it passed, or has no lines." in answer.text


@pytest.mark.parametrize("name", ["a.txt", "b.txt.gz"])
@pytest.mark.parametrize(
    ("typed", "show", "fragment"),
    [
        ("3", "L3", "L3"),
        (" #L12,345 ", "L12345", "L12345"),
        ("2-4", "L2-L4", "L2"),
        ("L2-L4", "L2-L4", "L2"),
        ("23:59", "L2", "L2"),
        ("23:59:59.2", "L3", "L3"),
        ("0:00", "L4", "L4"),
        ("18:25", "L5", "L5"),
        ("18:25:11,248", "L5", "L5"),
        ("18:25:12", "_2026-03-05_18_25_12_000000", "L5"),
        ("23:00", "_2026-03-04_23_00_00_000000", "L2"),
        ("2026-03-05", "L4", "L4"),
        ("2026-03-05 18", "L5", "L5"),
        ("2026-03-05T18:25:39Z", "_2026-03-05_18_25_39_000000", "L6"),
        ("2027", "L2027", "L2027"),
        ("2027-01", "_2027-01-01_00_00_00_000000", "L6"),
        ("_2026-03-05_18_25_11_248", "L5", "L5"),
        ("#_2026-03-05_18_25_11_300", "_2026-03-05_18_25_11_300000", "L5"),
        ("_18_25_11", "_18_25_11", "_18_25_11"),
    ],
)
def test_a_place_redirects_to_its_line(ask, name, typed, show, fragment):
    answer = ask(f"/{name}?" + urlencode({"goto": typed}), **HTML)
    assert answer.status == "302 Found"
    assert answer.headers["Location"] == f"?show={show}#{fragment}"
    assert answer.headers["Cache-Control"] == "no-store"


def test_the_redirect_keeps_the_filters_but_no_window(ask):
    given = "level=INFO&q=t&lines=2-3&tail=1&limit=1&after=1&show=L9&wrap=no&source=disk"
    answer = ask(f"/a.txt?{given}&goto=5", **HTML)
    kept = "level=INFO&q=t&wrap=no&source=disk"
    assert answer.headers["Location"] == f"?{kept}&show=L5#L5"


def test_a_client_with_the_page_is_redirected_too(ask):
    tag = ask("/a.txt", **HTML).headers["ETag"]
    assert ask("/a.txt?goto=5", If_None_Match=tag, **HTML).status == "302 Found"


def test_a_log_without_dates_has_no_times_to_go_to(ask):
    page = ask("/untimed.txt?goto=18:25", **HTML)
    assert page.status == "400 Bad Request"
    assert "No line of this log has a date and a time: use a number." in page.text
    assert ask("/untimed.txt?goto=2", **HTML).headers["Location"] == "?show=L2#L2"


def test_a_place_that_is_not_understood_keeps_the_log(ask):
    page = ask("/a.txt?goto=noon&q=t", **HTML)
    assert page.status == "400 Bad Request"
    assert page.text.count(" id=L") == 2
    assert "goto takes a line&#39;s number, a time with or without a date" in page.text


def test_a_folder_has_no_lines_to_go_to(ask):
    assert "goto is for logs" in ask("/?goto=5").text


def test_an_empty_field_goes_nowhere(ask):
    assert ask("/a.txt?goto=", **HTML).status == "200 OK"
