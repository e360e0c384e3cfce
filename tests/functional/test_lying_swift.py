# SPDX-License-Identifier: Apache-2.0
"""A Swift, or what stands before it, whose answers are not what was asked for."""

import gzip
import hashlib
import json

import pytest

from oslogserve.errors import Incomplete
from oslogserve.sources import resuming
from tests.servers.lying_swift import ACCOUNT, CONTAINER, LyingSwift, reply
from tests.unit.handlers.asking import Asking

LOG = b"2013-09-27 18:22:11.248 1 INFO nova.compute [-] A line like any other\n" * 4000
SIZE = len(LOG)
MD5 = hashlib.md5(LOG).hexdigest()
HALF = SIZE // 2
OTHER = LOG.replace(b"INFO", b"LIES")


@pytest.fixture
def swift(monkeypatch):
    monkeypatch.setattr(resuming, "PAUSE", 0.0)
    with LyingSwift() as swift:
        yield swift


@pytest.fixture
def server(swift):
    return Asking("", **{f"swift_{key}": value for key, value in swift.settings().items()})


def put(swift, *answers, name="a.txt", method="GET"):
    swift.answers[method, f"{CONTAINER}/{name}"] = list(answers)


def received(server, url, **headers):
    """What came of an answer, and whether it broke off or says that it is incomplete."""
    path, _, query = url.partition("?")
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": path, "QUERY_STRING": query} | headers
    body = server.app(environ, lambda status, headers: None)
    came = []
    is_broken = False
    try:
        came.extend(body)
    except Incomplete:
        is_broken = True
    finally:
        body.close()
    end = b"".join(came[-2:])
    is_told = b"this log is incomplete here" in end or b'"complete": false' in end
    return b"".join(came), is_broken or is_told


#: It breaks off in the middle.
BROKEN = reply("200 OK", LOG[:HALF], Content_Length=SIZE, ETag=MD5)


def rest(body, first=HALF, last=SIZE - 1, status="206 Partial Content", **headers):
    return reply(
        status, body, Content_Range=f"bytes {first}-{last}/{SIZE}", **{"ETag": MD5, **headers}
    )


def chunked(body):
    return b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


@pytest.mark.parametrize("url", ["/a.txt?format=raw", "/a.txt?format=text", "/a.txt?format=jsonl"])
@pytest.mark.parametrize(
    "answer",
    [
        rest(OTHER[HALF:] + b"more\n"),
        rest(OTHER[HALF - 50 :]),
        rest(OTHER[HALF:] + b"more\n", last=SIZE + 4),
        rest(OTHER[HALF:], first=HALF - 1, last=SIZE - 2),
        rest(OTHER[HALF:-1], last=SIZE - 2),
        rest(OTHER[HALF:], status="200 OK"),
        rest(chunked(OTHER[HALF:] + b"more\n"), Content_Length=None, Transfer_Encoding="chunked"),
    ],
    ids=["longer", "from-before", "another-end", "another-place", "shorter", "200", "chunked"],
)
def test_a_resume_that_is_answered_with_another_range_is_never_passed_on(
    swift, server, url, answer
):
    put(swift, BROKEN, answer)
    came, is_broken = received(server, url)
    assert is_broken
    assert b"LIES" not in came


@pytest.mark.parametrize("url", ["/a.txt?format=raw", "/a.txt?format=text"])
def test_a_log_that_goes_on_behind_its_length_does_not_escape_its_checksum(swift, server, url):
    """A body without a length of its own, whose header has one."""
    body = chunked(OTHER + b"more\n")
    put(swift, reply("200 OK", body, Content_Length=SIZE, Transfer_Encoding="chunked", ETag=MD5))
    assert received(server, url)[1]


def test_a_resume_that_fits_goes_on(swift, server):
    put(swift, BROKEN, rest(LOG[HALF:]))
    assert received(server, "/a.txt?format=raw") == (LOG, False)
    assert swift.asked[-1].headers["range"] == f"bytes={HALF}-{SIZE - 1}"


# Redirects


@pytest.mark.parametrize("status", ["301", "302", "303", "307", "308"])
def test_no_token_goes_to_where_swift_redirects(swift, server, status):
    with LyingSwift() as other:
        put(other, reply("200 OK", b"of another\n"))
        for method, path in [("GET", "/a.txt"), ("HEAD", "/a.txt"), ("GET", "")]:
            address = f"{other.url}{CONTAINER}{path}"
            swift.answers[method, CONTAINER + path] = [reply(f"{status} Moved", Location=address)]
        for url, method in [("/a.txt", "GET"), ("/a.txt?format=jsonl", "HEAD"), ("/", "GET")]:
            assert server(url, method).status_int == 503
        assert other.asked == []


@pytest.mark.parametrize("status", ["302", "307", "308"])
def test_no_password_goes_to_where_the_identity_service_redirects(swift, server, status):
    with LyingSwift() as other:
        put(swift, reply("200 OK", LOG))
        address = f"{other.url}/auth/v1.0"
        swift.answers["GET", "/auth/v1.0"] = [reply(f"{status} Moved", Location=address)]
        other.answers.clear()
        assert server("/a.txt").status_int == 503
        assert other.asked == []


# Listings


def row(name, **fields):
    times = "2013-09-27T18:22:11.248000"
    return {
        "name": name,
        "bytes": 7,
        "last_modified": times,
        "content_type": "text/plain",
        **fields,
    }


def page(rows):
    return reply("200 OK", json.dumps(rows).encode(), Content_Type="application/json")


FIRST_PAGE = page([row("d/a.txt"), row("d/b.txt"), {"subdir": "d/c/"}])


@pytest.mark.parametrize(
    "second", [reply("404 Not Found"), FIRST_PAGE], ids=["missing", "first-once-more"]
)
def test_a_listing_without_its_second_page_is_never_complete(swift, server, second):
    swift.answers["GET", CONTAINER] = [FIRST_PAGE, second]
    swift.answers["HEAD", ACCOUNT] = [reply("204 No Content")]
    listed = server("/d/?format=json").json
    assert [entry["name"] for entry in listed["entries"]] == ["a.txt", "b.txt", "c/"]
    assert listed["complete"] is False
    assert "swift" in listed["reason"]


MALFORMED = {
    "no object": 7,
    "no name": {"bytes": 7},
    "name is no text": row(7),
    "name of another folder": row("e/z.txt"),
    "lone surrogate": row("d/\ud800"),
    "no size": {**row("d/z.txt"), "bytes": None},
    "negative size": row("d/z.txt", bytes=-5),
    "size is a fraction": row("d/z.txt", bytes=1.5),
    "size is a truth": row("d/z.txt", bytes=True),
    "no time": row("d/z.txt", last_modified=None),
    "time is none": row("d/z.txt", last_modified="yesterday"),
    "no type": row("d/z.txt", bytes=0, content_type=None),
    "folder is no text": {"subdir": 7},
    "folder of another folder": {"subdir": "e/z/"},
    "folder without a slash": {"subdir": "d/z"},
}


@pytest.mark.parametrize("malformed", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_row_of_a_listing_is_told_and_no_error_of_ours(swift, server, malformed):
    swift.answers["HEAD", ACCOUNT] = [reply("204 No Content")]
    swift.answers["GET", CONTAINER] = [page([row("d/a.txt"), malformed])]
    assert server("/d/?format=json").status_int == 503
    swift.answers["GET", CONTAINER] = [FIRST_PAGE, page([row("d/y.txt"), malformed])]
    listed = server("/d/?format=json").json
    assert [entry["name"] for entry in listed["entries"]] == ["a.txt", "b.txt", "c/"]
    assert listed["complete"] is False


@pytest.mark.parametrize(
    "body", [b"{}", b"7", b"[[]]", b'"abc"', b"[" * 100_000, b"\xff", b'{"a": 1}']
)
def test_a_listing_that_is_none_is_503(swift, server, body):
    swift.answers["GET", CONTAINER] = [reply("200 OK", body, Content_Type="application/json")]
    assert server("/d/?format=json").status_int == 503
    assert server("/d").status_int == 503


# Bodies and lengths


@pytest.mark.parametrize("view", ["html", "text", "raw", "jsonl"])
@pytest.mark.parametrize(
    "answer",
    [
        reply("204 No Content", Content_Length=SIZE, ETag=MD5),
        reply("200 OK", Content_Length=SIZE, ETag=MD5),
        reply(
            "200 OK",
            b"0\r\n\r\n",
            Content_Length=SIZE,
            Transfer_Encoding="chunked",
            ETag=MD5,
        ),
    ],
    ids=["204", "closed", "empty-chunk"],
)
def test_an_answer_without_the_body_that_it_announces_is_503_and_not_500(
    swift, server, answer, view
):
    put(swift, answer)
    answer = server(f"/a.txt?format={view}")
    assert (answer.status_int, "Retry-After" in answer.headers) == (503, True)


@pytest.mark.parametrize("length", ["-5", "+5", "0x5", "", "\u0665", "9" * 5000, "1_0"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_no_length_that_is_none_goes_out(swift, server, length, method):
    headers = {"Content_Length": length, "ETag": MD5}
    put(swift, reply("200 OK", LOG[:5] if method == "GET" else b"", **headers), method=method)
    assert server("/a.txt?format=jsonl", method).status_int == 503
    assert server("/a.txt?format=text", method).status_int == 503


@pytest.mark.parametrize("when", ["yesterday", "Fri, 31 Dec 99999 00:00:00 GMT", ""])
def test_a_log_of_no_time_is_503(swift, server, when):
    put(swift, reply("200 OK", LOG, ETag=MD5, Last_Modified=when))
    assert server("/a.txt").status_int == 503


# Byte ranges

#: Its blocks are stored, not deflated: an altered byte is a byte of the log.
PACKED = gzip.compress(LOG, 0)


def packed(stored):
    return reply("200 OK", stored, ETag=hashlib.md5(PACKED).hexdigest())


@pytest.mark.parametrize("altered", [100, SIZE // 2])
def test_a_byte_altered_after_a_log_was_counted_is_never_in_a_range_without_a_word(
    swift, server, altered
):
    name = "/a.txt?format=text"
    put(swift, packed(PACKED), name="a.txt.gz")
    wanted = f"bytes={altered - 50}-{altered + 49}"
    assert server(name, Range=wanted).body == LOG[altered - 50 : altered + 50]
    place = PACKED.index(LOG[:100]) + altered
    stored = PACKED[:place] + bytes([PACKED[place] ^ 1]) + PACKED[place + 1 :]
    put(swift, packed(stored), name="a.txt.gz")
    assert received(server, name, HTTP_RANGE=wanted) == (b"", True)


def test_a_range_of_what_was_counted_is_sent_once_more(swift, server):
    put(swift, packed(PACKED), name="a.txt.gz")
    for wanted in ("bytes=0-99", "bytes=-100", f"bytes=0-{SIZE - 1}", "bytes=70000-200000"):
        for _ in range(2):
            came, is_broken = received(server, "/a.txt?format=text", HTTP_RANGE=wanted)
            first, last = wanted.removeprefix("bytes=").split("-")
            end = int(last) + 1 if first else None
            assert came == LOG[int(first or -100) : end]
            assert not is_broken
