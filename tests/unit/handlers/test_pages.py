# SPDX-License-Identifier: Apache-2.0
"""Where the page of a log ends that is larger than a page, however it is stored."""

import gzip
import html
import re

import pytest

from oslogserve.lines.selection import LINE_BYTES
from tests.unit.handlers.asking import HTML, Asking

LINES = 4500
LOG = b"".join(
    b"2013-09-27 18:22:11.248 1 INFO x [-] line %d\n" % number for number in range(LINES)
)
SIZE = 20_000


@pytest.fixture
def ask(tmp_path):
    (tmp_path / "a.txt").write_bytes(LOG)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(LOG))
    return lambda **options: Asking(tmp_path, **options)


@pytest.mark.parametrize("name", ["a.txt", "b.txt.gz"])
def test_a_page_ends_where_it_is_configured_to(ask, name):
    asked = ask(serve_page_size=str(SIZE))
    whole = asked(f"/{name}?lines=1-{LINES}", **HTML).body
    shown = asked(f"/{name}", **HTML).body

    assert whole.count(b" id=L") == LINES
    assert len(shown) < len(whole) / 5
    assert b"of 4,500" in shown
    assert ask(serve_page_elements="4500")(f"/{name}", **HTML).body.count(b" id=L") == 2250


@pytest.mark.parametrize("name", ["a.txt", "b.txt.gz"])
def test_a_line_behind_it_opens_the_part_around(ask, name):
    shown = ask(serve_page_size=str(SIZE))(f"/{name}?show=L4000", **HTML).body

    assert b"<li class=I id=L3800>" in shown
    assert b"<li class=I id=L4000>" in shown
    assert b" id=L3799>" not in shown


@pytest.mark.parametrize("begin", ["since=2013-09-27T18:50", "lines=3001-", "after=3000"])
def test_a_page_begins_where_the_query_says_whatever_line_is_to_be_shown(ask, tmp_path, begin):
    (tmp_path / "timed.txt").write_bytes(
        b"".join(b"2013-09-27 18:%02d:%02d.248 INFO x\n" % divmod(n, 60) for n in range(3600))
    )
    shown = ask(serve_page_size=str(SIZE))(f"/timed.txt?{begin}&show=L3500", **HTML).body
    assert re.search(rb" id=L(\d+)", shown)[1] == b"3001"


def test_another_end_is_another_version_of_the_page_alone(ask):
    tags = {
        (size, view): ask(serve_page_size=size)(f"/b.txt.gz?format={view}").headers["ETag"]
        for size in ("20000", "30000")
        for view in ("html", "jsonl")
    }
    assert tags["20000", "html"] != tags["30000", "html"]
    assert tags["20000", "jsonl"] == tags["30000", "jsonl"]


@pytest.mark.parametrize("view", ["text", "jsonl", "summary"])
def test_bots_get_all_of_it(ask, view):
    answers = {
        ask(serve_page_size=size)(f"/a.txt?format={view}").body for size in ("4096", "67108864")
    }
    assert len(answers) == 1


@pytest.mark.parametrize("lines", ["", "?lines=1-1", "?tail=1"])
@pytest.mark.parametrize("packed", [False, True])
def test_no_page_is_as_long_as_its_only_line(ask, tmp_path, packed, lines):
    line = b"x" * (3 * LINE_BYTES)
    name = "long.txt.gz" if packed else "long.txt"
    (tmp_path / name).write_bytes(gzip.compress(line) if packed else line)
    asked = ask()
    page = asked(f"/{name}{lines}", **HTML).body
    assert line[:LINE_BYTES] in page
    assert len(page) < LINE_BYTES + 20_000
    assert b"a page shows 4 MiB of a line, and line 1 has more" in page
    assert asked(f"/{name}?format=text").body == line


@pytest.mark.parametrize("name", ["a.txt", "b.txt.gz"])
def test_a_field_at_fault_keeps_the_log_and_no_cache_keeps_the_page(ask, name):
    asked = ask()
    url = f"/{name}?re=(x&q=line+17"
    page = asked(url, **HTML)
    assert page.status == "400 Bad Request"
    assert page.headers["Cache-Control"] == "no-store"
    assert "ETag" not in page.headers
    assert page.headers["Vary"] == "Accept, Accept-Encoding"
    assert page.body.count(b" id=L") == 111
    assert b"an opening parenthesis is never closed" in page.body
    whole = asked(f"/{name}?q=line+17", **HTML)
    again = asked(url, If_None_Match=whole.headers["ETag"], **HTML)
    assert (again.status, again.body) == (page.status, page.body)
    assert asked(url, method="HEAD", **HTML).status == page.status
    assert asked(url).status == page.status
    assert asked(url).text.count("\n") == 1


def test_a_file_that_is_no_log_has_no_field_at_fault(tmp_path, ask):
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    page = ask()("/image.png?re=(x", **HTML)
    assert page.status == "400 Bad Request"
    assert b"<h1>400 Bad Request</h1>" in page.body
    assert b"an opening parenthesis is never closed" in page.body


#: Links that leave the logs of a source, or stay on the page.
_OTHER_LINK = re.compile("#|data:|/_oslogserve/|https://")


@pytest.mark.parametrize(
    "address",
    [
        *("/job/?source=disk", "/job/?source=disk&sort=time", "/job/?source=disk&level=ERROR"),
        *("/job/?source=disk&format=overview", "/job/?source=disk&order=time&limit=1"),
        *("/job/a.txt?source=disk", "/job/a.txt?source=disk&level=ERROR&context=1"),
        *("/job/a.txt?source=disk&limit=1", "/job/a.txt?source=disk&since=2013&tail=1"),
        "/job/a.txt?source=disk&format=chapters",
    ],
)
def test_each_link_of_a_page_keeps_the_source(tmp_path, address):
    (tmp_path / "job").mkdir()
    log = b"2013-09-27 18:22:11.248 2790 ERROR nova [req-%b a] x\n2013-09-27 18:22:12.248 2790 INFO b\n"
    text = (
        log % b"0f3d2c1a-1111-2222-3333-444455556666" * 6 + b"TASK [a] ***\nfatal: [n]: FAILED!\n"
    )
    for name in "ab":
        (tmp_path / f"job/{name}.txt").write_bytes(text)
    page = Asking(tmp_path)(address, **HTML).text
    links = [html.unescape(one) for one in re.findall(r'<a [^>]*?href="?([^"\s>]+)', page)]
    ours = [link for link in links if not _OTHER_LINK.match(link)]
    assert len(ours) > 2
    assert [link for link in ours if "source=disk" not in link] == []
