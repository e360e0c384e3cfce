# SPDX-License-Identifier: Apache-2.0
"""Stored bytes as they are: through the application."""

import gzip
import os
import random

import pytest
import webob

from oslogserve.errors import Incomplete
from tests.kit.packing import frame

from .asking import GZIP, HTML, Asking, descriptors, headers_of, plain

PAGE = b"<!DOCTYPE html><title>report</title>\n" + b"<p>a line\n" * 500
SVG = b'<svg xmlns="http://www.w3.org/2000/svg">' + b"<path/>" * 500 + b"</svg>"
PICTURE = b"\x89PNG\r\n\x1a\n" + random.Random(5).randbytes(200_000)
LOG = b"2013-09-27 18:07:11.860 1 INFO a\n" * 9000
FILES = {
    "report.html": PAGE,
    "report.html.gz": gzip.compress(PAGE),
    "cut.html.gz": gzip.compress(PAGE)[:-20],
    "chart.svg": SVG,
    "chart.svg.gz": gzip.compress(SVG),
    "picture.png": PICTURE,
    "all.tar.gz": gzip.compress(b"report.html" + b"\0" * 89 + PICTURE),
    "report.html.zst": frame(PAGE),
    "chart.svg.zst": frame(SVG),
    "all.tar.zst": frame(b"report.html" + b"\0" * 89 + PICTURE),
    "log.txt": LOG,
    "log.txt.gz": gzip.compress(LOG),
}


def write(folder):
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
        os.utime(folder / name, (1e9, 1e9))


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory):
    root = tmp_path_factory.mktemp("stored")
    write(root)
    return Asking(root)


@pytest.fixture
def root(tmp_path):
    write(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("accepted", [{}, GZIP, GZIP | HTML], ids=["identity", "gzip", "browser"])
def test_raw_is_never_encoded(unchanged, name, accepted):
    answer = unchanged(f"/{name}?format=raw", **accepted)
    assert answer.body == FILES[name]
    assert "Content-Encoding" not in answer.headers
    assert answer.headers["Content-Length"] == str(len(FILES[name]))
    assert answer.headers["Accept-Ranges"] == "bytes"
    assert answer.headers["Vary"] == "Accept, Accept-Encoding"
    assert answer.headers["ETag"] == unchanged(f"/{name}?format=raw").headers["ETag"]
    head = unchanged(f"/{name}?format=raw", "HEAD", **accepted)
    assert (head.body, headers_of(head)) == (b"", headers_of(answer))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(("first", "end"), [(0, 1), (5, 20), (40, None)])
def test_raw_has_ranges_of_the_stored_bytes(root, name, first, end):
    ask = Asking(root)
    asked = f"bytes={first}-{'' if end is None else end - 1}"
    answer = ask(f"/{name}?format=raw", Range=asked, **GZIP)
    assert (answer.status_int, answer.body) == (206, FILES[name][first:end])
    assert "Content-Encoding" not in answer.headers
    assert answer.headers["Content-Length"] == str(len(answer.body))
    assert ask.counted("sent_bytes_total")['view="raw"'] == len(answer.body)


@pytest.mark.parametrize(("name", "content"), [("report.html", PAGE), ("chart.svg", SVG)])
@pytest.mark.parametrize("accepted", [HTML, GZIP, GZIP | HTML])
@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_packed_pages_and_pictures_are_unpacked_and_packed_for_who_takes_it(
    unchanged, name, content, suffix, accepted
):
    answer = unchanged(f"/{name}{suffix}", **accepted)
    assert plain(answer) == content
    assert ("Content-Encoding" in answer.headers) is (accepted is not HTML)
    assert "Accept-Ranges" not in answer.headers
    assert answer.content_type == ("text/html" if name == "report.html" else "image/svg+xml")
    assert answer.headers["Content-Security-Policy"].startswith("sandbox")
    head = unchanged(f"/{name}{suffix}", "HEAD", **accepted)
    assert (head.body, headers_of(head)) == (b"", headers_of(answer))


@pytest.mark.parametrize(
    "name", ["report.html", "chart.svg", "picture.png", "all.tar.gz", "all.tar.zst"]
)
def test_what_is_stored_as_it_is_shown_is_sent_so(unchanged, name):
    answer = unchanged(f"/{name}", **GZIP | HTML)
    assert answer.body == FILES[name]
    assert "Content-Encoding" not in answer.headers
    assert answer.headers["Accept-Ranges"] == "bytes"
    assert unchanged(f"/{name}", Range="bytes=3-9", **GZIP).body == FILES[name][3:10]


def test_a_packed_page_that_is_cut_short_says_so_and_a_picture_gets_no_text(tmp_path):
    for name, content in (("page.html", PAGE), ("picture.png", PICTURE)):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(content)[:-20])
    ask = Asking(tmp_path)
    assert ask("/page.html").body.endswith(
        b"[oslogserve: this log is incomplete here: the compressed data ends early]\n"
    )
    with pytest.raises(Incomplete):
        ask("/picture.png")


@pytest.mark.parametrize("url", ["/log.txt?format=raw", "/log.txt?format=text", "/picture.png"])
def test_a_file_that_is_cut_short_while_it_is_sent_breaks_the_answer(root, url):
    ask = Asking(root)
    path, _, query = url.partition("?")
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": path, "QUERY_STRING": query}
    before = descriptors()
    body = ask.app(environ, lambda status, headers: None)
    os.truncate(root / path[1:], 1000)
    with pytest.raises(Incomplete, match="cut short"):
        list(body)
    body.close()
    assert descriptors() <= before
    assert ask.counted("incomplete_logs_total") == {'reason="truncated",source="disk"': 1.0}
    assert any('ending="failed"' in labels for labels in ask.counted("response_seconds_count"))


def test_a_reader_that_leaves_is_counted_and_the_file_closed(root):
    ask = Asking(root)
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/log.txt", "QUERY_STRING": "format=raw"}
    before = descriptors()
    body = ask.app(environ, lambda status, headers: None)
    assert next(iter(body)) == LOG[:65536]
    body.close()
    assert descriptors() <= before
    ended = ask.counted("response_seconds_count")
    assert ended['ending="aborted",size="1MiB",source="disk",view="raw"'] == 1


def test_an_answer_that_the_server_refuses_is_aborted_and_its_file_closed(root):
    ask = Asking(root)
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/log.txt", "QUERY_STRING": "format=raw"}
    before = descriptors()

    def refuse(status, headers):
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011 - the very one
        ask.app(environ, refuse)
    assert descriptors() <= before
    ended = ask.counted("response_seconds_count")
    assert ended['ending="aborted",size="1MiB",source="disk",view="raw"'] == 1
    assert "source" not in ask.counted("sent_bytes_total")


@pytest.mark.parametrize("query", ["format=raw", "format=text"])
@pytest.mark.parametrize("asked", [{}, {"Range": "bytes=1000-"}], ids=["whole", "range"])
def test_no_more_bytes_are_sent_than_were_announced_of_a_log_that_grows(tmp_path, query, asked):
    path = tmp_path / "a.txt"
    log = b"a line like any other\n" * 20_000
    path.write_bytes(log)
    request = webob.Request.blank(f"/a.txt?{query}", headers=asked)
    headers = {}
    pieces = Asking(tmp_path).app(request.environ, lambda _, told: headers.update(told))
    with path.open("ab") as file:
        file.write(b"a later line\n" * 20_000)
    body = b"".join(pieces)
    pieces.close()
    assert body == log[1000 * bool(asked) :]
    assert headers["Content-Length"] == str(len(body))
