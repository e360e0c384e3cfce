# SPDX-License-Identifier: Apache-2.0
"""A Swift, or what stands before it, whose answers are not what was asked for."""

import base64
import gzip
import hashlib
import json

import pytest

from oslogserve.errors import Incomplete
from oslogserve.sources import resuming
from tests.servers.lying_swift import ACCOUNT, CONTAINER, TOKEN, LyingSwift, reply
from tests.unit.handlers.asking import Asking, is_unpacked_by_a_browser

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


def token_from_keystone(url):
    endpoint = {"interface": "public", "region": "R", "region_id": "R", "id": "e", "url": url}
    return {
        "expires_at": "2099-01-01T00:00:00.000000Z",
        "issued_at": "2026-01-01T00:00:00.000000Z",
        "user": {"id": "u", "name": "u", "domain": {"id": "d", "name": "d"}},
        "catalog": [{"type": "object-store", "id": "s", "name": "s", "endpoints": [endpoint]}],
    }


@pytest.fixture
def with_keystone(swift):
    """The status of a log, by the token that Keystone's answer describes."""
    put(swift, reply("200 OK", LOG, ETag=MD5))
    keystone = {"auth_version": "3", "auth_url": f"{swift.url}/v3", "project_name": "p"}
    options = swift.settings() | keystone

    def status(body):
        answer = json.dumps(body).encode()
        headers = {"X_Subject_Token": TOKEN, "Content_Type": "application/json"}
        swift.answers["POST", "/v3/auth/tokens"] = [reply("201 Created", answer, **headers)]
        server = Asking("", **{f"swift_{key}": value for key, value in options.items()})
        return server("/a.txt?format=text").status_int

    return status


def test_a_token_of_keystone_is_understood(swift, with_keystone):
    assert with_keystone({"token": token_from_keystone(swift.url + ACCOUNT)}) == 200


@pytest.mark.parametrize("body", [7, [], {}, None, {"token": 7}, {"token": None}], ids=str)
def test_what_is_no_answer_of_keystone_is_503(with_keystone, body):
    assert with_keystone(body) == 503


@pytest.mark.parametrize("value", [None, 7, [7], {}, [{}], [{"type": 7}], "x"], ids=str)
@pytest.mark.parametrize("key", ["catalog", "endpoints", "url", "expires_at", "issued_at"])
def test_a_token_of_another_form_is_no_error_of_ours(swift, with_keystone, key, value):
    token = token_from_keystone(swift.url + ACCOUNT)
    service = token["catalog"][0]
    parent = {"endpoints": service, "url": service["endpoints"][0]}.get(key, token)
    parent[key] = value
    # Without its dates a token is used until it is refused.
    allowed = {503, 200} if key.endswith("_at") else {503}
    assert with_keystone({"token": token}) in allowed


@pytest.mark.parametrize("view", ["html", "raw", "text", "jsonl"])
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
        reply("206 Partial Content", OTHER[HALF:], ETag=MD5),
        rest(OTHER[HALF:], ETag="f" * 32),
    ],
    ids=[
        *("longer", "from-before", "another-end", "another-place", "shorter", "200", "chunked"),
        *("no-place", "another-version"),
    ],
)
def test_a_resume_that_is_answered_with_another_range_is_never_passed_on(
    swift, server, view, answer
):
    put(swift, BROKEN, answer)
    came, is_broken = received(server, f"/a.txt?format={view}")
    assert is_broken
    assert b"LIES" not in came


@pytest.mark.parametrize("url", ["/a.txt?format=raw", "/a.txt?format=text"])
@pytest.mark.parametrize("etag", [MD5, "7"], ids=["its-md5", "no-md5"])
def test_a_log_that_goes_on_behind_its_length_is_told(swift, server, url, etag):
    """A body without a length of its own, whose header has one."""
    body = chunked(LOG + b"more\n")
    put(swift, reply("200 OK", body, Content_Length=SIZE, Transfer_Encoding="chunked", ETag=etag))
    assert received(server, url)[1]


@pytest.mark.parametrize("view", ["html", "raw", "text", "jsonl"])
@pytest.mark.parametrize("stored", [LOG, gzip.compress(LOG, 0)], ids=["plain", "gzip"])
def test_a_resume_with_other_bytes_of_the_range_is_told(swift, server, stored, view):
    """And so is a body without a length that ends early."""
    etag = hashlib.md5(stored).hexdigest()
    broken = reply("200 OK", stored[:HALF], Content_Length=len(stored), ETag=etag)
    end = f"bytes {HALF}-{len(stored) - 1}/{len(stored)}"
    other = bytes(byte ^ 1 for byte in stored[HALF:])
    put(swift, broken, reply("206 Partial Content", other, Content_Range=end, ETag=etag))
    assert received(server, f"/a.txt?format={view}")[1]
    put(swift, reply("200 OK", stored[:HALF], Content_Length=None, ETag=etag))
    assert received(server, f"/a.txt?format={view}")[1]


def test_what_is_no_log_of_swift_is_503(swift, server):
    """Such as the page of a gateway: it has no time."""
    put(swift, reply("200 OK", b"<html>Please log in", Last_Modified=None))
    assert server("/a.txt").status_int == 503


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
    "second",
    [reply("404 Not Found"), reply("204 No Content"), FIRST_PAGE],
    ids=["missing", "nothing", "first-once-more"],
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
    "name in a folder of the folder": row("d/z/z.txt"),
    "name of the row before": row("d/y.txt"),
    "name before the row before": row("d/x.txt"),
    "lone surrogate": row("d/\ud800"),
    "no size": {**row("d/z.txt"), "bytes": None},
    "negative size": row("d/z.txt", bytes=-5),
    "size beyond all": row("d/z.txt", bytes=10**400),
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
    swift.answers["GET", CONTAINER] = [page([row("d/y.txt"), malformed])]
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


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_listing_that_is_not_utf_8_is_503(swift, server, encoding):
    body = json.dumps([row("d/a.txt")]).encode(encoding)
    media_type = f"application/json; charset={encoding}"
    swift.answers["GET", CONTAINER] = [reply("200 OK", body, Content_Type=media_type)]
    assert server("/d/?format=json").status_int == 503


def test_a_listing_is_not_inflated(swift, server):
    body = gzip.compress(json.dumps([row("d/a.txt")]).encode())
    swift.answers["GET", CONTAINER] = [reply("200 OK", body, Content_Encoding="gzip")]
    assert server("/d/?format=json").status_int == 503
    assert swift.asked[-1].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("view", ["html", "text", "json"])
def test_a_listing_shows_the_last_moment_of_all(swift, server, view):
    """Rounded, it would be one of the year 10000."""
    last = page([row("d/a.txt", last_modified="9999-12-31T23:59:59.999999")])
    swift.answers["GET", CONTAINER] = [page([])]
    query = "?format=json&limit=10000&prefix=d/&delimiter=/"
    swift.answers["GET", CONTAINER + query] = [last]
    assert "9999-12-31" in server(f"/d/?format={view}").text


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


# What is kept of a damaged log

SMALL = LOG[:700]


@pytest.mark.parametrize("stored", [SMALL, gzip.compress(LOG)], ids=["plain", "gzip"])
@pytest.mark.parametrize("view", ["html", "text", "jsonl", "summary"])
def test_a_small_log_that_came_damaged_is_kept_by_nobody(swift, server, view, stored):
    """Its page has the address and the ETag of the log that comes next time."""
    damaged = stored[:-1] + bytes([stored[-1] ^ 1])
    put(swift, reply("200 OK", damaged, ETag=md5_of(stored)))
    assert received(server, f"/a.txt?format={view}")[1]
    assert server(f"/a.txt?format={view}").headers["Cache-Control"] == "no-store"
    put(swift, reply("200 OK", stored, ETag=md5_of(stored)))
    assert server(f"/a.txt?format={view}").headers["Cache-Control"] != "no-store"


def test_nothing_is_learned_of_a_log_that_came_damaged(swift, server):
    """One gzip member of the same length instead of two, of which a browser would see the first."""
    members = gzip.compress(LOG[:700], 0) + gzip.compress(LOG[700:1400], 0)
    other = gzip.compress(OTHER[: 1400 + len(gzip.compress(b"", 0))], 0)
    other += b"\0" * (len(members) - len(other))
    put(swift, reply("200 OK", other, ETag=md5_of(members)), name="a.txt.gz")
    assert server("/a.txt?format=text", Accept_Encoding="gzip").status_int == 200
    put(swift, reply("200 OK", members, ETag=md5_of(members)), name="a.txt.gz")
    answer = server("/a.txt?format=text", Accept_Encoding="gzip")
    assert is_unpacked_by_a_browser(answer.body, LOG[:1400])


@pytest.mark.parametrize("view", ["html", "text", "jsonl"])
def test_a_log_of_the_last_moment_of_all_is_shown(swift, server, view):
    put(swift, reply("200 OK", LOG, ETag=MD5, Last_Modified="Fri, 31 Dec 9999 23:59:59 -1200"))
    assert server(f"/a.txt?format={view}").status_int == 200


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


# Large objects

#: Bytes of a segment of a large object; no line ends with one.
LENGTH = 66_667
SEGMENTS = [LOG[at : at + LENGTH] for at in range(0, SIZE, LENGTH)]
ALTERED = 2
DAMAGED = b"".join(
    segment.replace(b"INFO", b"LIES") if number == ALTERED else segment
    for number, segment in enumerate(SEGMENTS)
)
BEFORE = sum(map(len, SEGMENTS[:ALTERED]))


def md5_of(content):
    return hashlib.md5(content).hexdigest()


def segment_rows():
    return [
        row(f"segments/{number}", hash=md5_of(segment), bytes=len(segment))
        for number, segment in enumerate(SEGMENTS)
    ]


JOINED = md5_of("".join(map(md5_of, SEGMENTS)).encode())
SLO = {"ETag": f'"{JOINED}"', "X_Static_Large_Object": "True"}
DLO = {"ETag": f'"{JOINED}"', "X_Object_Manifest": "logs/segments/"}
LARGE = pytest.mark.parametrize("headers", [SLO, DLO], ids=["SLO", "DLO"])


def put_large(swift, headers, body, rows):
    """Its segments' list is a manifest beside it, or a listing."""
    log, listed = reply("200 OK", body, **headers), page(rows)
    put(swift, log, listed)
    swift.answers["GET", CONTAINER] = [listed]


@LARGE
@pytest.mark.parametrize("view", ["html", "text", "raw", "jsonl"])
def test_a_byte_altered_in_a_segment_is_never_passed_on_without_a_word(
    swift, server, headers, view
):
    put_large(swift, headers, DAMAGED, segment_rows())
    came, is_told = received(server, f"/a.txt?format={view}")
    assert is_told
    if view == "raw":  # it ends behind that segment, as far as a chunk reaches
        assert came == DAMAGED[: len(came)]
        assert BEFORE <= len(came) < SIZE


@LARGE
@pytest.mark.parametrize("view", ["text", "raw"])
def test_a_large_object_that_fits_its_segments_is_complete(swift, server, headers, view):
    put_large(swift, headers, LOG, segment_rows())
    assert received(server, f"/a.txt?format={view}") == (LOG, False)
    asked = [request.target for request in swift.asked[1:]]
    assert len(asked) == 2
    assert asked[1].endswith("?multipart-manifest=get" if headers is SLO else "&prefix=segments/")


@LARGE
@pytest.mark.parametrize("url", ["/a.txt?format=text", "/a.txt?format=raw"])
@pytest.mark.parametrize("end", [BEFORE, BEFORE + 10], ids=["behind a segment", "within one"])
def test_a_large_object_that_ends_early_and_properly_is_told(swift, server, headers, url, end):
    """A proxy has taken away its length."""
    headers = headers | {"Content_Length": None, "Transfer_Encoding": "chunked"}
    put_large(swift, headers, chunked(LOG[:end]), segment_rows())
    assert received(server, url)[1]


@LARGE
@pytest.mark.parametrize("url", ["/a.txt?format=text", "/a.txt?format=raw"])
def test_what_comes_behind_the_last_segment_is_told(swift, server, headers, url):
    put_large(swift, headers, LOG + b"more\n", segment_rows())
    assert received(server, url)[1]


@LARGE
@pytest.mark.parametrize(
    "rows",
    [
        segment_rows()[:-1],
        segment_rows()[::-1],
        [],
        [{**segment_rows()[0], "hash": None}],
        [7],
        [{"range": "1"}],
        [{"data": 7}],
        7,
    ],
    ids=["fewer", "turned", "none", "no hash", "a number", "no range", "no data", "no list"],
)
def test_segments_that_are_not_those_of_the_log_are_told(swift, server, headers, rows):
    put_large(swift, headers, LOG, rows)
    assert received(server, "/a.txt?format=text")[1]


@LARGE
def test_a_range_of_a_large_object_is_checked_as_far_as_it_has_whole_segments(
    swift, server, headers
):
    for first, last, is_checked in [
        (BEFORE, BEFORE + LENGTH - 1, True),
        (BEFORE - 10, SIZE - 1, True),
        (BEFORE + 1, BEFORE + LENGTH - 1, False),
        (BEFORE, BEFORE + LENGTH - 2, False),
        (0, BEFORE - 1, False),
    ]:
        put_large(swift, headers, DAMAGED, segment_rows())
        whole, listed = swift.answers["GET", f"{CONTAINER}/a.txt"]
        part = rest(DAMAGED[first : last + 1], first, last, **headers)
        answers = [whole, part, listed] if headers is SLO else [whole, part]
        put(swift, *answers)
        wanted = f"bytes={first}-{last}"
        came, is_told = received(server, "/a.txt?format=raw", HTTP_RANGE=wanted)
        assert is_told is is_checked, (first, last)
        assert came == DAMAGED[first : first + len(came)]


def test_a_segment_without_a_checksum_does_not_hide_the_others(swift, server):
    """A range of an object and inline data."""
    rows = segment_rows()
    rows[0] = {**rows[0], "bytes": 99_999, "range": "1-66667"}
    rows[1] = {"data": base64.b64encode(SEGMENTS[1]).decode()}
    etags = [f"{rows[0]['hash']}:1-66667;", *map(md5_of, SEGMENTS[1:])]
    headers = SLO | {"ETag": md5_of("".join(etags).encode())}
    put_large(swift, headers, LOG, rows)
    assert received(server, "/a.txt?format=raw") == (LOG, False)
    put_large(swift, headers, DAMAGED, rows)
    assert received(server, "/a.txt?format=raw")[1]


def test_a_list_of_segments_that_cannot_be_had_is_asked_for_again(swift, server):
    failure = reply("503 Service Unavailable")
    log, again = reply("200 OK", LOG, **SLO), rest(LOG[131072:], 131072, **SLO)
    put(swift, log, failure, again, page(segment_rows()))
    assert received(server, "/a.txt?format=raw") == (LOG, False)
    put(swift, log, failure)
    assert received(server, "/a.txt?format=text")[1]


@pytest.mark.parametrize("view", ["text", "raw"])
def test_the_first_bytes_of_a_large_object_do_not_wait_for_the_list_of_its_segments(
    swift, server, view
):
    put_large(swift, SLO, LOG, segment_rows())
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/a.txt", "QUERY_STRING": f"format={view}"}
    body = server.app(environ, lambda status, headers: None)
    assert LOG.startswith(next(iter(body)))
    assert not any("multipart-manifest" in request.target for request in swift.asked)
    body.close()
