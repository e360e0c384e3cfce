# SPDX-License-Identifier: Apache-2.0
"""A folder's index.html: shown as it is, or replaced by a listing because zuul-jobs generated it."""

import gzip

import pytest

from tests.unit.handlers.asking import HTML, Asking

#: As zuul-jobs' Indexer writes it.
GENERATED = b"""\
<html><head><title>Index of zuul-logs/job</title></head><body>
<h1>Index of zuul-logs/job</h1>
<table><tr><th></th><th>Name</th><th>Last Modified</th><th>Size</th></tr><tr><td><img alt="[ ]" \
title="text/plain" src="data:image/png;base64,aaaa"></img></td><td><a href="job-output.txt">\
job-output.txt</a></td><td>Thu Jan  1 00:00:00 1970</td><td style="text-align: right">1.0K</td></tr>
</table></body></html>
"""
OF_ROOT = GENERATED.replace(b"Index of zuul-logs/job", b"Index of ")
WRITTEN = [
    b"<!doctype html><title>Coverage report</title>",
    b"<html><head><title>Index of docs</title></head><body>\n<h1>Welcome</h1>\n",
    GENERATED.replace(b"<h1>Index of zuul-logs/job", b"<h1>Index of another"),
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "job").mkdir()
    (tmp_path / "job/job-output.txt").write_bytes(b"a line\n")
    return tmp_path / "job"


def is_listing(answer):
    return b'id="overview"' in answer.body and b'href="./job-output.txt"' in answer.body


@pytest.mark.parametrize("index", [GENERATED, OF_ROOT], ids=["of a folder", "of the top"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_listing_replaces_an_index_that_zuul_generated_and_links_to_it(folder, index, pack):
    (folder / "index.html").write_bytes(pack(index))
    ask = Asking(folder.parent)
    page = ask("/job/", **HTML)
    assert is_listing(page)
    assert b'href="./index.html"' in page.body
    assert ask("/job/").body.startswith(b"index.html\t")
    assert ask("/job/index.html", **HTML).body == index


@pytest.mark.parametrize("index", WRITTEN)
def test_any_other_index_is_shown_as_it_is(folder, index):
    (folder / "index.html").write_bytes(index)
    ask = Asking(folder.parent)
    assert ask("/job/", **HTML).body == index
    tag = ask("/job/", **HTML).headers["ETag"]
    assert ask("/job/", If_None_Match=tag, **HTML).status_int == 304


@pytest.mark.parametrize(
    "query", ["sort=name", "sort=time", "format=html&sort=time", "source=disk"]
)
def test_it_is_shown_in_whatever_order_a_listing_is_asked_for(folder, query):
    (folder / "index.html").write_bytes(WRITTEN[0])
    answer = Asking(folder.parent)(f"/job/?{query}", **HTML)
    assert (answer.status_int, answer.body) == (200, WRITTEN[0])


@pytest.mark.parametrize(
    "options", [{"serve_replace_generated_index": "no"}, {"serve_listing": "no"}]
)
def test_a_generated_index_is_shown_where_no_listing_may_replace_it(folder, options):
    (folder / "index.html").write_bytes(GENERATED)
    assert Asking(folder.parent, **options)("/job/", **HTML).body == GENERATED


def test_only_the_beginning_of_an_index_is_looked_at(folder):
    (folder / "index.html").write_bytes(b"<!-- -->" * 100_000 + GENERATED)
    assert b"Last Modified" in Asking(folder.parent)("/job/", **HTML).body


def test_an_empty_index_is_as_good_as_none(folder):
    (folder / "index.html").write_bytes(b"")
    assert is_listing(Asking(folder.parent)("/job/", **HTML))
