# SPDX-License-Identifier: Apache-2.0
"""Logs in every view, compressed for who takes it: through the application."""

import gc
import gzip
import os
import random
import re
import time

import pytest
import webob

from oslogserve import assembly
from oslogserve.http.request import SETTLED_AFTER
from oslogserve.logs import open_log
from oslogserve.logs.open_log import OpenLog
from oslogserve.metrics import size_class
from tests.kit.open_logs import FakeLog, FakeSource

from .asking import (
    GZIP,
    HTML,
    Asking,
    descriptors,
    headers_of,
    is_unpacked_by_a_browser,
    plain,
)

_random = random.Random(4)


def lines(count):
    for _ in range(count):
        yield b"2013-09-27 18:07:11.860 1 INFO a <b> req-%032x\n" % _random.getrandbits(128)
    yield b"2013-09-27 18:07:12.860 1 ERROR c\n"


#: Less than a chunk and more, also when they are compressed.
SMALL, BIG = b"".join(lines(100)), b"".join(lines(4000))
TINY = b"one line\n"
LOGS = {"tiny": TINY, "small": SMALL, "big": BIG}
NOTICE = b"this log is incomplete here"
FACTS = {"Log-Lines", "Log-Matched", "Log-Sent", "Log-Complete", "Log-Read-To-End", "Link"}
ASKED = [
    *(f"{view}{more}" for view in ("html", "text") for more in ("", "&level=ERROR", "&limit=2")),
    *("text&q=req-0&context=1&tail=50", "jsonl&q=req-0&limit=5", "summary&level=ERROR", "summary"),
]
URLS = [
    f"/{name}.txt{ending}?format={asked}"
    for name in LOGS
    for ending in ("", ".gz")
    for asked in ASKED
]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("logs")
    for name, log in LOGS.items():
        (root / f"{name}.txt").write_bytes(log)
        (root / f"{name}.txt.gz").write_bytes(gzip.compress(log))
    return root


@pytest.fixture(scope="module")
def ask(root):
    return Asking(root)


@pytest.mark.parametrize("url", URLS)
def test_gzipped_it_is_the_same(ask, url):
    packed, as_it_is = ask(url, **GZIP), ask(url)
    assert "Content-Encoding" not in as_it_is.headers
    assert plain(packed) == as_it_is.body
    assert packed.headers["Vary"] == as_it_is.headers["Vary"] == "Accept, Accept-Encoding"
    assert packed.headers["ETag"] != as_it_is.headers["ETag"]
    assert packed.content_type == as_it_is.content_type
    for answer in (packed, as_it_is):
        assert answer.headers.get("Content-Length", str(len(answer.body))) == str(len(answer.body))


@pytest.mark.parametrize("url", URLS)
def test_unchanged_is_304_for_each_encoding(ask, url):
    plain, packed = (ask(url, **accepted).headers["ETag"] for accepted in ({}, GZIP))
    assert packed == f"W/{plain}"
    for accepted, mine, other in (({}, plain, packed), (GZIP, packed, plain)):
        unchanged = ask(url, If_None_Match=mine, **accepted)
        assert (unchanged.status_int, unchanged.body) == (304, b"")
        assert unchanged.headers["ETag"] == mine
        assert unchanged.headers["Vary"] == "Accept, Accept-Encoding"
        assert "Content-Encoding" not in unchanged.headers
        assert ask(url, If_None_Match=other, **accepted).status_int == 304  # the same log


@pytest.mark.parametrize(
    "url", [*URLS, *(f"/{name}.txt{end}" for name in LOGS for end in ("", ".gz"))]
)
@pytest.mark.parametrize("accepted", [{}, GZIP, GZIP | HTML])
def test_head_says_nothing_that_get_does_not(ask, url, accepted):
    head, whole = ask(url, "HEAD", **accepted), ask(url, **accepted)
    assert head.body == b""
    told, all_told = headers_of(head), headers_of(whole)
    # HEAD may know the length of what GET streams, so that a last line may tell what is missing.
    length = told.pop("Content-Length", None)
    assert length in (None, str(len(whole.body)))
    # A length, whether it is worth compressing and what was found may be known only when the log
    # was read.
    is_unread = any(f"format={view}" in url for view in ("text", "jsonl", "summary"))
    left_out = {"Content-Length", "Content-Encoding" if is_unread else "", *FACTS}
    assert told.items() <= all_told.items()
    assert all_told.keys() - told.keys() <= left_out


@pytest.mark.parametrize("name", LOGS)
def test_text_as_stored_is_sent_byte_for_byte(root, name):
    ask = Asking(root)
    stored = (root / f"{name}.txt.gz").read_bytes()
    for _ in range(2):
        for url in (f"/{name}.txt.gz", f"/{name}.txt.gz?format=text"):
            answer = ask(url, **GZIP)
            assert answer.body == stored
            assert answer.headers["Content-Encoding"] == "gzip"
            assert answer.headers["Content-Length"] == str(len(stored))
            assert answer.content_type == "text/plain"


def members(log):
    return gzip.compress(log[:100]) + gzip.compress(log[100:])


BROKEN = {
    "two members": (members, False),
    "zeros behind": (lambda log: gzip.compress(log) + b"\0" * 512, False),
    "cut short": (lambda log: gzip.compress(log)[:-9], True),
    "wrong checksum": (lambda log: gzip.compress(log)[:-5] + b"\0" * 5, True),
    "garbage behind": (lambda log: gzip.compress(log) + b"garbage", True),
}


@pytest.mark.parametrize(
    ("log", "view"),
    [(SMALL, "html"), (SMALL, "text"), (SMALL, "jsonl"), (BIG, "text")],
    ids=["small-html", "small-text", "small-jsonl", "big-text"],
)
@pytest.mark.parametrize("name", BROKEN)
def test_a_gzip_that_no_browser_can_read_is_compressed_anew(tmp_path, name, log, view):
    store, is_incomplete = BROKEN[name]
    stored = store(log)
    (tmp_path / "a.txt.gz").write_bytes(stored)
    ask = Asking(tmp_path)
    for _ in range(2):
        packed = ask(f"/a.txt?format={view}", **GZIP)
        assert packed.body != stored
        assert is_unpacked_by_a_browser(packed.body, plain(packed))
        assert plain(packed) == ask(f"/a.txt?format={view}").body
        notice = b'"complete": false' if view == "jsonl" else NOTICE
        assert (notice in plain(packed)[-1000:]) is is_incomplete
        if view == "text" and not is_incomplete:
            assert plain(packed) == log
        if view == "text":
            assert plain(packed).startswith(log[: len(log) - 100])


def test_too_much_to_read_ahead_goes_as_stored_after_it_was_read_once(root, monkeypatch):
    monkeypatch.setattr(open_log, "MOST_LOOKED_THROUGH", 1000)
    ask = Asking(root)
    stored = (root / "big.txt.gz").read_bytes()
    assert len(stored) > 65536
    first = ask("/big.txt.gz?format=text", **GZIP)
    assert first.body != stored
    assert plain(first) == BIG
    assert ask("/big.txt.gz?format=text", **GZIP).body == stored


def test_what_changed_is_looked_at_again(tmp_path):
    file = tmp_path / "a.txt.gz"
    file.write_bytes(gzip.compress(BIG))
    ask = Asking(tmp_path)
    before = ask("/a.txt?format=text", **GZIP)
    file.write_bytes(members(BIG))
    after = ask("/a.txt?format=text", **GZIP)
    assert is_unpacked_by_a_browser(after.body, BIG)
    assert after.headers["ETag"] != before.headers["ETag"]


def test_a_log_that_cannot_be_read_ahead_is_answered_all_the_same(tmp_path, monkeypatch):
    """It was replaced between the two looks."""
    file = tmp_path / "a.txt.gz"
    file.write_bytes(gzip.compress(BIG))
    ask = Asking(tmp_path)
    is_one_member = OpenLog.is_one_member

    def replaced(log):
        file.unlink()
        return is_one_member(log)

    monkeypatch.setattr(OpenLog, "is_one_member", replaced)
    before = descriptors()
    answer = ask("/a.txt?format=text", **GZIP)
    assert answer.status_int == 200
    assert plain(answer) == BIG
    assert descriptors() <= before


def test_a_log_that_is_completed_meanwhile_is_not_taken_for_whole(tmp_path, monkeypatch):
    """It would be sent as long as it was when it was opened."""
    file = tmp_path / "a.txt.gz"
    stored = gzip.compress(BIG)
    file.write_bytes(stored[:-9])
    ask = Asking(tmp_path)
    again = OpenLog._again

    def completed(log):
        for n, chunk in enumerate(again(log)):
            if not n:
                file.write_bytes(stored)
            yield chunk

    monkeypatch.setattr(OpenLog, "_again", completed)
    answer = ask("/a.txt?format=text", **GZIP)
    assert answer.body != stored[:-9]
    assert is_unpacked_by_a_browser(answer.body, plain(answer))


def test_compression_can_be_off(root):
    ask = Asking(root, serve_gzip_level="off")
    for url in ("/big.txt", "/big.txt.gz", "/small.txt?format=html", "/", "/metrics"):
        answer = ask(url, **GZIP)
        assert "Content-Encoding" not in answer.headers
        if url != "/metrics":
            assert answer.headers["ETag" if "." in url else "Vary"]
            assert answer.body == ask(url).body
    assert ask("/big.txt.gz", **GZIP).body == BIG
    assert ask("/big.txt", **GZIP).headers["ETag"] == ask("/big.txt").headers["ETag"]


@pytest.mark.parametrize("url", ["/", "/metrics", "/none", "/healthz"])
def test_what_is_no_log(ask, url):
    packed, as_it_is = ask(url, **GZIP | HTML), ask(url, **HTML)
    is_packed = url in ("/", "/metrics")
    assert ("Content-Encoding" in packed.headers) is is_packed
    if url != "/metrics":  # which goes on counting
        assert plain(packed) == as_it_is.body


def test_assets_are_compressed_with_their_length(ask):
    page = ask("/small.txt?format=html").text
    for asset in re.findall(r'(?:href|src)="(/_oslogserve/[^"]+)"', page):
        packed, as_it_is = ask(asset, **GZIP), ask(asset)
        assert plain(packed) == as_it_is.body
        assert packed.headers["Vary"] == "Accept-Encoding"
        assert int(packed.headers["Content-Length"]) == len(packed.body)
        assert ask(asset, "HEAD", **GZIP).headers == packed.headers


def test_what_goes_out_compressed_is_counted_as_sent(root):
    ask = Asking(root)
    answer = ask("/big.txt?format=html", **GZIP)
    assert ask.counted("sent_bytes_total")['view="html"'] == len(answer.body)
    assert ask.counted("source_read_bytes_sum") == {'source="disk"': len(BIG)}


@pytest.mark.parametrize("name", LOGS)
def test_plain_text_goes_out_from_its_file_and_is_counted(root, name):
    ask = Asking(root)
    answer = ask(f"/{name}.txt?format=text")
    assert answer.body == LOGS[name]
    assert answer.headers["Content-Length"] == str(len(answer.body))
    assert ask.counted("sent_bytes_total")['view="text"'] == len(answer.body)
    assert ask.counted("source_read_bytes_sum") == {'source="disk"': len(answer.body)}
    ended = ask.counted("response_seconds_count")
    size = size_class(len(answer.body))
    assert ended[f'ending="complete",size="{size}",source="disk",view="text"'] == 1


@pytest.mark.parametrize("accepted", [{}, GZIP])
def test_nothing_stays_open(root, accepted):
    ask = Asking(root)
    gc.collect()  # the databases of other tests' servers
    before = descriptors()
    for url in URLS:
        for method in ("GET", "HEAD"):
            ask(url, method, **accepted)
    assert descriptors() <= before
    assert ask.counted("requests_in_progress") == {"": 1.0}


@pytest.mark.parametrize("view", ["raw", "text", "html", "jsonl", "summary"])
@pytest.mark.parametrize("accepted", [{}, GZIP], ids=["plain", "gzip"])
@pytest.mark.parametrize("name", ["small.txt", "small.txt.gz"])
def test_a_304_has_the_etag_of_the_200(ask, name, view, accepted):
    """A weak one would keep a client from joining ranges of the stored bytes."""
    url = f"/{name}?format={view}"
    tag = ask(url, **accepted).headers["ETag"]
    answer = ask(url, If_None_Match=tag, **accepted)
    assert (answer.status_int, answer.headers["ETag"]) == (304, tag)
    assert tag.startswith("W/") == (bool(accepted) and view != "raw")


def test_a_log_without_a_version_that_changes_at_the_same_size_is_sent_again(monkeypatch):
    """Of a store that sends no strong ETag; also where another log is compared with it."""
    sent = [b"2013-09-27 18:07:11.860 1 INFO a\n", b"2013-09-27 18:07:11.860 1 INFO b\n"]
    for url in ("/a.txt?format=text", "/b.txt?format=text&against=a.txt"):
        tags = []
        for number, content in enumerate(sent):
            a = FakeLog("store", [content], modified=10.0 + number, version="")
            b = FakeLog("store", sent[:1], modified=10.0)
            source = FakeSource("store", {b"a.txt": a, b"b.txt": b})
            monkeypatch.setattr(assembly, "sources_of", lambda *_, source=source: [source])
            tags.append(Asking("/nowhere")(url).headers["ETag"])
        assert len(set(tags)) == 2


def test_two_mounts_have_no_page_under_one_etag(ask):
    tags = []
    for mount in ("", "/htmlify"):
        request = webob.Request.blank("/small.txt", environ={"SCRIPT_NAME": mount}, headers=HTML)
        tags.append(request.get_response(ask.app).headers["ETag"])
    assert len(set(tags)) == 2


def test_the_page_of_a_log_links_to_newer_lines_until_the_log_is_settled(tmp_path):
    file = tmp_path / "a.txt"
    file.write_bytes(TINY)
    ask = Asking(tmp_path)
    os.utime(file, (time.time() - SETTLED_AFTER + 60,) * 2)
    growing = ask("/a.txt", **HTML)
    assert b"newer lines" in growing.body
    known = {"If_None_Match": growing.headers["ETag"]}
    assert ask("/a.txt", **HTML, **known).status_int == 304
    clock = time.time() + 120
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "time", lambda: clock)
        settled = ask("/a.txt", **HTML, **known)
    assert settled.status_int == 200
    assert b"newer lines" not in settled.body


def test_newer_lines_are_not_read_until_there_are_some(tmp_path):
    file = tmp_path / "a.txt"
    file.write_bytes(TINY)
    ask = Asking(tmp_path)
    nothing = ask("/a.txt?after=1", **HTML)
    assert b"This log has no newer lines yet." in nothing.body
    known = {"If_None_Match": nothing.headers["ETag"]}
    assert ask("/a.txt?after=1", **HTML, **known).status_int == 304
    with file.open("ab") as growing:
        growing.write(b"two\n")
    assert b"<li id=L2>" in ask("/a.txt?after=1", **HTML, **known).body


@pytest.mark.parametrize("view", ["html", "brief", "markdown"])
def test_a_log_of_carriage_returns_alone_says_so(tmp_path, view):
    (tmp_path / "mac.txt").write_bytes(b"one\rERROR: two\rthree\r")
    (tmp_path / "progress.txt").write_bytes(b"\r10 %\r20 %\r\ndone\n")
    (tmp_path / "windows.txt").write_bytes(b"one\r\n")
    ask = Asking(tmp_path)
    says = {
        name: b"no line feeds" in ask(f"/{name}.txt?format={view}").body
        for name in ("mac", "progress", "windows")
    }
    assert says == {"mac": True, "progress": False, "windows": False}
