# SPDX-License-Identifier: Apache-2.0
"""Ranges of a log's text, however it is stored: through the application and its handler."""

import gzip
import os
import zlib
from contextlib import ExitStack

import pytest
import webob

from oslogserve.compression import plain_name
from oslogserve.errors import Incomplete, RangeUnsatisfiable, Unavailable
from oslogserve.handlers.log import LogHandler
from oslogserve.http.request import Request
from oslogserve.jobs.compare import PassedLogs
from oslogserve.lines.renderer import Renderer
from oslogserve.logs import open_log
from oslogserve.logs.budget import Workload
from oslogserve.logs.open_log import Logs
from oslogserve.query import Query
from tests.kit.open_logs import FakeLog
from tests.kit.packing import frame, frames

from .asking import GZIP, Asking, descriptors, plain
from .test_log import BIG, NOTICE, SMALL, members

STORED = {
    "plain.txt": lambda log: log,
    "packed.txt.gz": gzip.compress,
    "members.txt.gz": members,
    "padded.txt.gz": lambda log: gzip.compress(log) + b"\0" * 512,
    "frame.txt.zst": frame,
    "frames.txt.zst": lambda log: frames(log, -(-len(log) // 5)),
}
LOGS = {"small": SMALL, "big": BIG}
WORKLOAD = Workload(60, 2**30, threads=8)
TEXTS = [f"/{size}/{plain_name(name)}" for size in LOGS for name in STORED]
#: (asked, first byte, byte behind the last) of a log of so many bytes.
SPANS = [
    ("0-0", lambda size: (0, 1)),
    ("0-", lambda size: (0, size)),
    ("100-", lambda size: (100, size)),
    ("4999-5002", lambda size: (4999, 5003)),
    ("-1", lambda size: (size - 1, size)),
    ("-300", lambda size: (size - 300, size)),
    ("-99999999", lambda size: (0, size)),
    ("7000-99999999", lambda size: (7000, size)),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("parts")
    for size, log in LOGS.items():
        (root / size).mkdir()
        for name, store in STORED.items():
            (root / size / name).write_bytes(store(log))
    return root


@pytest.fixture(scope="module")
def ask(root):
    return Asking(root)


def log_of(url):
    return LOGS[url.split("/")[1]]


@pytest.mark.parametrize("accepted", [{}, GZIP], ids=["identity", "gzip"])
@pytest.mark.parametrize(("asked", "span"), SPANS, ids=[asked for asked, _ in SPANS])
@pytest.mark.parametrize("url", TEXTS)
def test_a_part_is_of_the_text_whatever_is_stored(ask, url, asked, span, accepted):
    log = log_of(url)
    first, end = span(len(log))
    answer = ask(url, Range=f"bytes={asked}", **accepted)
    assert (answer.status_int, answer.body) == (206, log[first:end])
    assert answer.headers["Content-Range"] == f"bytes {first}-{end - 1}/{len(log)}"
    assert answer.headers["Content-Length"] == str(end - first)
    assert "Content-Encoding" not in answer.headers
    assert answer.headers["Accept-Ranges"] == "bytes"
    assert answer.headers["Vary"] == "Accept, Accept-Encoding"
    assert answer.content_type == "text/plain"
    assert answer.headers["ETag"] == ask(url).headers["ETag"]


@pytest.mark.parametrize("url", TEXTS)
@pytest.mark.parametrize(
    "headers",
    [
        {"Range": "bytes=0-1,5-6"},
        {"Range": "lines=0-1"},
        {"Range": "bytes=9-3"},
        {"Range": "bytes=-"},
        {"Range": "bytes=0-1", "If_Range": '"another"'},
        {"Range": "bytes=0-1", "If_Range": "Mon, 01 Jan 2001 00:00:00 GMT"},
    ],
)
def test_other_ranges_are_answered_by_the_whole_without_counting(ask, monkeypatch, url, headers):
    monkeypatch.setattr(open_log.OpenLog, "counted_size", None)
    answer = ask(url, **headers)
    assert (answer.status_int, answer.body) == (200, log_of(url))
    assert "Content-Range" not in answer.headers


@pytest.mark.parametrize("url", TEXTS)
@pytest.mark.parametrize("asked", ["bytes={size}-", "bytes=99999999-", "bytes=-0"])
def test_a_part_beyond_the_end_is_told_with_the_length(ask, url, asked):
    size = len(log_of(url))
    answer = ask(url, Range=asked.format(size=size))
    assert answer.status_int == 416
    assert answer.headers["Content-Range"] == f"bytes */{size}"


@pytest.mark.parametrize(
    ("name", "stored"), [("a.txt", b""), ("a.txt.gz", gzip.compress(b"", mtime=0))]
)
def test_an_empty_log_has_no_part(tmp_path, name, stored):
    (tmp_path / name).write_bytes(stored)
    ask = Asking(tmp_path)
    for asked in ("0-", "-5"):
        answer = ask("/a.txt", Range=f"bytes={asked}")
        assert (answer.status_int, answer.headers["Content-Range"]) == (416, "bytes */0")
    assert ask("/a.txt").status_int == 200


@pytest.mark.parametrize("more", ["level=ERROR", "limit=3"])
@pytest.mark.parametrize("url", TEXTS)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_filtered_text_has_no_parts(ask, url, more, method):
    answer = ask(f"{url}?format=text&{more}", method, Range="bytes=0-9")
    assert answer.status_int == 200
    assert answer.headers["Accept-Ranges"] == "none"
    assert "Content-Range" not in answer.headers


@pytest.mark.parametrize("url", TEXTS)
def test_head_says_that_there_are_parts_and_the_length_where_that_is_known(root, url):
    ask = Asking(root)
    size = str(len(log_of(url)))
    before = ask(url, "HEAD", Range="bytes=5-")
    assert (before.status_int, before.headers["Accept-Ranges"]) == (200, "bytes")
    is_known = url.startswith("/small") or "plain" in url
    assert before.headers.get("Content-Length") == (size if is_known else None)
    assert ask(url, Range="bytes=-1").status_int == 206
    after = ask(url, "HEAD")
    assert after.headers["Content-Length"] == size
    assert after.headers["ETag"] == before.headers["ETag"] == ask(url).headers["ETag"]
    packed = ask(url, "HEAD", **GZIP)
    assert packed.headers["Accept-Ranges"] == "bytes"
    assert packed.headers.get("Content-Length") != size or url.startswith("/small/plain")


@pytest.mark.parametrize("view", ["text", "html"])
def test_a_log_that_was_read_to_its_end_is_not_counted_once_more(root, monkeypatch, view):
    ask = Asking(root)
    ask(f"/big/packed.txt?format={view}")
    monkeypatch.setattr(open_log, "MOST_COUNTED", 0)
    assert ask("/big/packed.txt", Range="bytes=-9").body == BIG[-9:]
    assert ask("/big/packed.txt?format=text", "HEAD").headers["Content-Length"] == str(len(BIG))


def test_a_log_that_grew_is_counted_anew(tmp_path):
    file = tmp_path / "a.txt.gz"
    file.write_bytes(gzip.compress(BIG))
    ask = Asking(tmp_path)
    before = ask("/a.txt", Range="bytes=0-")
    file.write_bytes(gzip.compress(BIG) + gzip.compress(b"more\n"))
    assert ask("/a.txt", Range=f"bytes={len(BIG)}-").body == b"more\n"
    stale = ask("/a.txt", Range=f"bytes={len(BIG)}-", If_Range=before.headers["ETag"])
    assert (stale.status_int, stale.body) == (200, BIG + b"more\n")


@pytest.mark.parametrize("library", ["fast", "zlib"])
@pytest.mark.parametrize("log", [SMALL, BIG], ids=["small", "big"])
@pytest.mark.parametrize("cut", [-1, -9, -200])
def test_an_incomplete_log_is_sent_whole_with_its_notice(tmp_path, monkeypatch, library, log, cut):
    if library == "zlib":
        monkeypatch.setattr("oslogserve.http.answer.fast", zlib)
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(log)[:cut])
    ask = Asking(tmp_path)
    whole = ask("/a.txt")
    before = descriptors()
    for asked in ("0-", "10-20", "-5", "99999999-"):
        answer = ask("/a.txt", Range=f"bytes={asked}")
        assert (answer.status_int, answer.body) == (200, whole.body)
        assert NOTICE in answer.body[-400:]
    assert NOTICE in plain(ask("/a.txt", Range="bytes=5-", **GZIP))[-400:]
    assert descriptors() <= before


def test_a_damaged_log_is_sent_whole_with_all_that_can_be_had(tmp_path):
    stored = bytearray(gzip.compress(BIG))
    stored[len(stored) // 2] ^= 0xFF
    (tmp_path / "a.txt.gz").write_bytes(stored)
    ask = Asking(tmp_path)
    answer = ask("/a.txt", Range="bytes=10-")
    assert (answer.status_int, answer.body) == (200, ask("/a.txt").body)
    assert BIG.startswith(answer.body[:10_000])


@pytest.mark.parametrize("accepted", [{}, GZIP], ids=["identity", "gzip"])
def test_a_log_too_long_to_count_is_sent_whole(root, monkeypatch, accepted):
    monkeypatch.setattr(open_log, "MOST_COUNTED", 100_000)
    ask = Asking(root)
    answer = ask("/big/packed.txt", Range="bytes=10-", **accepted)
    assert (answer.status_int, plain(answer)) == (200, BIG)
    if not accepted:  # it was read to its end just now
        assert ask("/big/packed.txt", Range="bytes=-10").body == BIG[-10:]


def test_a_part_is_counted_as_sent_and_nothing_stays_open(root):
    ask = Asking(root)
    before = descriptors()
    ask("/big/packed.txt", Range="bytes=100-299")
    ask("/big/packed.txt", Range="bytes=-100")
    assert ask("/big/packed.txt", Range="bytes=99999999-").status_int == 416
    assert descriptors() <= before
    assert ask.counted("sent_bytes_total")['view="text"'] == 300
    ended = ask.counted("response_seconds_count")
    assert ended['ending="complete",size="1MiB",source="disk",view="text"'] == 2


def test_a_file_that_is_cut_after_it_was_counted_breaks_the_answer(tmp_path):
    file = tmp_path / "a.txt.gz"
    file.write_bytes(gzip.compress(5 * BIG))
    ask = Asking(tmp_path)
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/a.txt", "HTTP_RANGE": "bytes=0-"}
    body = ask.app(environ | {"QUERY_STRING": ""}, lambda status, headers: None)
    os.truncate(file, file.stat().st_size - 1000)
    with pytest.raises(Incomplete):
        b"".join(body)
    body.close()
    assert ask.counted("incomplete_logs_total") == {'reason="truncated",source="disk"': 1.0}


# A source that is far away


class Remote:
    """Versions of one log in turn, one for each time that it is opened; the last stays."""

    name = "swift"

    def __init__(self, *logs):
        self.logs = list(logs)
        self.opened = []
        self.deadlines = 1

    def waiting_anew(self):
        self.deadlines += 1
        return self

    def open(self, path, options):
        log = self.logs.pop(0) if len(self.logs) > 1 else self.logs[0]
        self.opened.append(log)
        return log


class Breaks(FakeLog):
    def __iter__(self):
        yield from self.chunks[:2]
        raise Incomplete("timeout", "Swift stopped answering")


class BreaksAtOnce(FakeLog):
    """Its first chunk comes, which has no byte of the text."""

    def __iter__(self):
        yield self.chunks[0][:10]
        raise Incomplete("timeout", "Swift stopped answering")


def chunks(log):
    stored = gzip.compress(log)
    return [stored[n : n + 4096] for n in range(0, len(stored), 4096)]


def new_handler():
    logs, renderer = Logs(()), Renderer()
    passed = PassedLogs(logs, renderer)
    return LogHandler(logs, renderer, passed, WORKLOAD, None, "", 0)


def handled(source, asked, handler=None, **environ):
    handler = handler or new_handler()
    request = webob.Request.blank("/x.txt", range=f"bytes={asked}")
    query = Query(path=b"x.txt", is_folder=False)
    with ExitStack() as opened:
        answer = handler(Request(request.environ | environ, 1), query, [source], opened)
        return answer, b"".join(answer.pieces)


def test_it_is_read_twice_the_first_time_and_then_once():
    source = Remote(FakeLog("swift", chunks(BIG)))
    handler = new_handler()
    for opened in (2, 3):
        answer, body = handled(source, "5-9", handler)
        assert (answer.status, body) == ("206 Partial Content", BIG[5:10])
        assert len(source.opened) == opened
    assert source.deadlines == 2, "the counting took the time of the first"
    assert source.logs[0].closed >= 3


def test_a_source_that_fails_while_it_is_counted_is_asked_for_the_whole():
    source = Remote(Breaks("swift", chunks(BIG)), FakeLog("swift", chunks(BIG)))
    answer, body = handled(source, "5-9")
    assert (answer.status, body) == ("200 OK", BIG)


def test_a_source_that_goes_on_failing_is_told_in_the_whole():
    answer, body = handled(Remote(Breaks("swift", chunks(BIG))), "5-9")
    assert answer.status == "200 OK"
    assert NOTICE in body[-200:]
    assert [error.reason for error in answer.missing] == ["timeout"]


def test_a_log_that_changed_after_it_was_counted_can_be_asked_for_again():
    changed = FakeLog("swift", chunks(BIG), version="2")
    source = Remote(FakeLog("swift", chunks(BIG)), changed)
    with pytest.raises(Unavailable, match="changed"):
        handled(source, "5-9")
    assert all(log.closed for log in source.opened)


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        *((chunks(BIG), asked) for asked in ("5-9", f"{len(BIG) // 2}-", "-7")),
        ([BIG], "5-9"),  # its checksum does not match
    ],
    ids=["begin", "half", "end", "plain"],
)
def test_a_source_that_fails_before_the_first_byte_of_a_part_is_unavailable(stored, asked):
    source, handler = Remote(FakeLog("swift", stored)), new_handler()
    assert handled(source, asked, handler)[0].status == "206 Partial Content"
    source.logs = [BreaksAtOnce("swift", stored)]
    with pytest.raises(Unavailable, match="Swift stopped answering") as told:
        handled(source, asked, handler)
    assert ("Retry-After", "10") in told.value.headers
    assert all(log.closed for log in source.opened)


def test_a_packed_log_of_unknown_size_has_parts_and_a_plain_one_has_none():
    packed = FakeLog("swift", chunks(BIG), size=None)
    as_it_is = FakeLog("swift", [BIG[:9000], BIG[9000:]], size=None)
    answer, body = handled(Remote(packed), "-7")
    assert (answer.status, body) == ("206 Partial Content", BIG[-7:])
    answer, body = handled(Remote(as_it_is), "-7")
    assert (answer.status, body) == ("200 OK", BIG)


def test_a_part_beyond_the_end_closes_what_was_opened():
    source = Remote(FakeLog("swift", chunks(BIG)), FakeLog("swift", chunks(BIG)))
    with pytest.raises(RangeUnsatisfiable):
        handled(source, f"{len(BIG)}-")
    assert all(log.closed for log in source.opened)
