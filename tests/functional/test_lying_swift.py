# SPDX-License-Identifier: Apache-2.0
"""A Swift, or what stands before it, whose answers are not what was asked for."""

import gzip
import hashlib
import json

import pytest

from oslogserve.errors import Incomplete
from oslogserve.sources.objects import log as log_module
from tests.servers.faulty import ACCOUNT, CONTAINER, TOKEN, Faulty, reply
from tests.unit.handlers.asking import Asking, is_unpacked_by_a_browser

LOG = b"2013-09-27 18:22:11.248 1 INFO nova.compute [-] A line like any other\n" * 4000
LAST = b"The last one has no end"
LOG += LAST
SIZE = len(LOG)
#: Its blocks are stored, not deflated: an altered byte is a byte of the log.
PACKED = gzip.compress(LOG, 0)
VIEWS = ("html", "text", "raw", "jsonl")
HALF = SIZE // 2
OTHER = LOG.replace(b"INFO", b"LIES")


def md5_of(content):
    return hashlib.md5(content).hexdigest()


MD5 = md5_of(LOG)


@pytest.fixture
def swift(monkeypatch):
    monkeypatch.setattr(log_module, "PAUSE", 0.0)
    with Faulty() as swift:
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


# What a log's answers lie about

CHUNKED = {"Transfer_Encoding": "chunked"}
UNSIZED = CHUNKED | {"Content_Length": None}


def broken_resume(stored):
    """The half, then other bytes of the other half."""
    etag, size = md5_of(stored), len(stored)
    other = bytes(byte ^ 1 for byte in stored[HALF:])
    place = f"bytes {HALF}-{size - 1}/{size}"
    return [
        reply("200 OK", stored[:HALF], Content_Length=size, ETag=etag),
        reply("206 Partial Content", other, Content_Range=place, ETag=etag),
    ]


def half_without_a_length(stored):
    return [reply("200 OK", stored[:HALF], Content_Length=None, ETag=md5_of(stored))]


#: The answers to a log's requests, in turn. A reader is told in every view.
LIES = {
    "resumed longer": [BROKEN, rest(OTHER[HALF:] + b"more\n")],
    "resumed from before": [BROKEN, rest(OTHER[HALF - 50 :])],
    "resumed to another end": [BROKEN, rest(OTHER[HALF:] + b"more\n", last=SIZE + 4)],
    "resumed at another place": [BROKEN, rest(OTHER[HALF:], first=HALF - 1, last=SIZE - 2)],
    "resumed shorter": [BROKEN, rest(OTHER[HALF:-1], last=SIZE - 2)],
    "resumed with 200": [BROKEN, rest(OTHER[HALF:], status="200 OK")],
    "resumed in chunks": [BROKEN, rest(chunked(OTHER[HALF:] + b"more\n"), **UNSIZED)],
    "resumed at no place": [BROKEN, reply("206 Partial Content", OTHER[HALF:], ETag=MD5)],
    "resumed another version": [BROKEN, rest(OTHER[HALF:], ETag="f" * 32)],
    "other bytes": broken_resume(LOG),
    "other bytes of a gzip": broken_resume(PACKED),
    "half without a length": half_without_a_length(LOG),
    "half of a gzip without a length": half_without_a_length(PACKED),
    **{
        f"{place} its length, {name}": [
            reply("200 OK", chunked(body), Content_Length=SIZE, ETag=etag, **CHUNKED)
        ]
        for place, body in (("beyond", LOG + b"more\n"), ("short of", LOG[:HALF]))
        for name, etag in (("its MD5", MD5), ("no MD5", "7"))
    },
}
#: Those that are known before the first byte: 503.
KNOWN_LIES = {
    "204": reply("204 No Content", Content_Length=SIZE, ETag=MD5),
    "closed": reply("200 OK", Content_Length=SIZE, ETag=MD5),
    "empty chunk": reply("200 OK", b"0\r\n\r\n", Content_Length=SIZE, ETag=MD5, **CHUNKED),
    "page of a gateway": reply("200 OK", b"<html>Please log in", Last_Modified=None),
    **{
        f"time {when!r}": reply("200 OK", LOG, ETag=MD5, Last_Modified=when)
        for when in ("yesterday", "Fri, 31 Dec 99999 00:00:00 GMT", "")
    },
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("answers", LIES.values(), ids=LIES)
def test_a_lie_about_a_log_is_told(swift, server, answers, view):
    put(swift, *answers)
    came, is_told = received(server, f"/a.txt?format={view}")
    assert is_told
    assert b"LIES" not in came


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("answer", KNOWN_LIES.values(), ids=KNOWN_LIES)
def test_what_is_no_log_of_swift_is_503(swift, server, answer, view):
    put(swift, answer)
    answer = server(f"/a.txt?format={view}")
    assert (answer.status_int, "Retry-After" in answer.headers) == (503, True)


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


@pytest.mark.parametrize("body", [[], {}, {"token": None}], ids=str)
def test_what_is_no_answer_of_keystone_is_503(with_keystone, body):
    assert with_keystone(body) == 503


@pytest.mark.parametrize("view", VIEWS)
def test_a_resume_that_fits_goes_on(swift, server, view):
    put(swift, reply("200 OK", LOG, ETag=MD5))
    whole = received(server, f"/a.txt?format={view}")
    put(swift, BROKEN, rest(LOG[HALF:]))
    assert received(server, f"/a.txt?format={view}") == whole
    assert swift.asked[-1].headers["range"] == f"bytes={HALF}-{SIZE - 1}"
    came, is_told = whole
    assert came == LOG if view in ("text", "raw") else LAST in came
    assert not is_told


# Redirects


@pytest.mark.parametrize("status", ["301", "302", "303", "307", "308"])
def test_no_token_goes_to_where_swift_redirects(swift, server, status):
    with Faulty() as other:
        put(other, reply("200 OK", b"of another\n"))
        for method, path in [("GET", "/a.txt"), ("HEAD", "/a.txt"), ("GET", "")]:
            address = f"{other.url}{CONTAINER}{path}"
            swift.answers[method, CONTAINER + path] = [reply(f"{status} Moved", Location=address)]
        for url, method in [("/a.txt", "GET"), ("/a.txt?format=jsonl", "HEAD"), ("/", "GET")]:
            assert server(url, method).status_int == 503
        assert other.asked == []


@pytest.mark.parametrize("status", ["302", "307", "308"])
def test_no_password_goes_to_where_the_identity_service_redirects(swift, server, status):
    with Faulty() as other:
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
    "no size": {**row("d/z.txt"), "bytes": None},
    "negative size": row("d/z.txt", bytes=-5),
    "no time": row("d/z.txt", last_modified=None),
    "time is none": row("d/z.txt", last_modified="yesterday"),
    "folder of another folder": {"subdir": "e/z/"},
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


@pytest.mark.parametrize("body", [b"", b"{}", b"[[]]", b"[", b"\xff", b'{"a": 1}'])
def test_a_listing_that_is_none_is_503(swift, server, body):
    swift.answers["GET", CONTAINER] = [reply("200 OK", body, Content_Type="application/json")]
    assert server("/d/?format=json").status_int == 503
    assert server("/d").status_int == 503


@pytest.mark.parametrize("view", ["html", "text", "json"])
def test_a_listing_shows_the_last_moment_of_all(swift, server, view):
    """Rounded, it would be one of the year 10000."""
    last = page([row("d/a.txt", last_modified="9999-12-31T23:59:59.999999")])
    swift.answers["GET", CONTAINER] = [page([])]
    query = "?format=json&limit=10000&prefix=d%2F&delimiter=%2F"
    swift.answers["GET", CONTAINER + query] = [last]
    assert "9999-12-31" in server(f"/d/?format={view}").text


# Lengths


@pytest.mark.parametrize("length", ["-5", "+5", "0x5", "", "\u0665", "9" * 5000, "1_0"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_no_length_that_is_none_goes_out(swift, server, length, method):
    headers = {"Content_Length": length, "ETag": MD5}
    put(swift, reply("200 OK", LOG[:5] if method == "GET" else b"", **headers), method=method)
    assert server("/a.txt?format=jsonl", method).status_int == 503
    assert server("/a.txt?format=text", method).status_int == 503


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


def packed(stored):
    return reply("200 OK", stored, ETag=md5_of(PACKED))


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
    assert server(name, Range=wanted).status.startswith("503")


# Large objects

JOINED = md5_of("".join(md5_of(LOG[at : at + 66_667]) for at in range(0, SIZE, 66_667)).encode())


@pytest.mark.parametrize(
    "headers", [{"X_Static_Large_Object": "True"}, {"X_Object_Manifest": "logs/segments/"}]
)
@pytest.mark.parametrize("view", VIEWS)
def test_a_large_object_goes_on_where_it_broke_off(swift, server, headers, view):
    """Its ETag is that of its segments' list. Swift breaks off behind a damaged segment, which may be whole again."""
    headers = {"ETag": f'"{JOINED}"', **headers}
    put(swift, reply("200 OK", LOG, **headers))
    whole = received(server, f"/a.txt?format={view}")
    assert not whole[1]
    broken = reply("200 OK", LOG[:HALF], Content_Length=SIZE, **headers)
    put(swift, broken, reply("200 OK", LOG, **headers))
    assert received(server, f"/a.txt?format={view}") == whole
    put(swift, broken, reply("200 OK", OTHER, **headers))
    came, is_told = received(server, f"/a.txt?format={view}")
    assert (is_told, b"LIES" in came) == (True, False)
    # Read again, it breaks off before that place: there is no damaged segment, so a range may go on.
    earlier = reply("200 OK", LOG[: HALF // 2], Content_Length=SIZE, **headers)
    content_range = f"bytes {HALF}-{SIZE - 1}/{SIZE}"
    rest = reply("206 Partial Content", LOG[HALF:], Content_Range=content_range, **headers)
    put(swift, broken, earlier, rest)
    assert received(server, f"/a.txt?format={view}") == whole
    unsized = headers | UNSIZED
    cut = reply("200 OK", chunked(LOG[:HALF])[:-5], **unsized)
    put(swift, cut, reply("200 OK", chunked(LOG), **unsized))
    came, is_told = received(server, f"/a.txt?format={view}")
    assert (LAST in came, is_told) == (True, False)
