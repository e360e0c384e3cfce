# SPDX-License-Identifier: Apache-2.0
import socket
import time

import pytest

from oslogserve.errors import RangeUnsatisfiable
from oslogserve.http.request import Request, Validator, codings_named, etag_of


def requested(header, size=10, method="GET"):
    asked = Request({"REQUEST_METHOD": method, "HTTP_RANGE": header})
    return Validator('"tag"', 0.0).byte_range(asked, lambda: size)


@pytest.mark.parametrize(
    ("header", "size", "expected"),
    [
        ("bytes=0-0", 10, (0, 1)),
        ("bytes=2-", 10, (2, 10)),
        ("bytes=-3", 10, (7, 10)),
        ("bytes=-10", 10, (0, 10)),
        ("bytes=-11", 10, (0, 10)),
        ("bytes=5-99", 10, (5, 10)),
        ("Bytes=1-2", 10, (1, 3)),
    ],
)
def test_a_range_is_of_what_there_is(header, size, expected):
    assert requested(header, size) == (*expected, size)


@pytest.mark.parametrize(
    "header",
    [
        "lines=0-1",
        "bytes=0-1,3-4",
        "bytes=9-3",
        "bytes=-",
        "bytes=",
        "",
        "bytes=0-1x",
        "bytes=\xb2-",
        "bytes=--1",
        "bytes=-+1",
        "bytes=+1-2",
        "bytes=1--2",
        "bytes=1-+2",
        "bytes=1-2-3",
        "bytes=1_0-20",
        "bytes= 1-2",
        "bytes=1 - 2",
        "bytes =1-2",
        "bytes=-1\n",
        "bytes=1-2,",
        "bytes",
        "-1",
    ],
)
def test_what_is_not_one_range_is_neither_206_nor_an_error(header):
    assert requested(header) is None


def test_a_range_of_thousands_of_digits_is_ignored():
    assert requested("bytes=" + "9" * 5000 + "-") is None


def test_no_range_is_none():
    assert requested("") is None


def test_a_range_is_for_get_alone():
    assert requested("bytes=1-2", method="HEAD") is None


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=10-11", "bytes=-0"])
def test_a_range_outside_is_refused(header):
    with pytest.raises(RangeUnsatisfiable):
        requested(header)


@pytest.mark.parametrize("header", ["0-", "0-5", "-5", "-0"])
def test_nothing_has_no_range(header):
    with pytest.raises(RangeUnsatisfiable):
        requested(f"bytes={header}", 0)


def test_a_server_that_does_not_compress_accepts_no_gzip():
    environ = {"REQUEST_METHOD": "GET", "HTTP_ACCEPT_ENCODING": "gzip"}
    assert Request(environ, 0).codings == {"gzip"}
    assert not Request(environ, None).codings


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        ("gzip, deflate, br, zstd", {"gzip", "zstd"}),
        ("zstd", {"zstd"}),
        ("gzip", {"gzip"}),
        ("gzip, zstd;q=0.5", {"gzip"}),
        ("gzip;q=0.5, zstd", {"gzip", "zstd"}),
        ("gzip;q=0, zstd;q=0.5", {"zstd"}),
    ],
)
def test_gzip_and_zstd_are_accepted_on_their_own(header, accepted):
    request = Request({"REQUEST_METHOD": "GET", "HTTP_ACCEPT_ENCODING": header}, 0)
    assert request.codings == accepted
    assert (request.gzip_level is None) is ("gzip" not in accepted)


@pytest.mark.parametrize(
    "accepted",
    [
        "gzip",
        "GZip",
        "gzip, deflate, br, zstd",
        "br;q=1.0, gzip;q=0.8, *;q=0.1",
        "deflate;q=0.5,gzip;q=0.4",
        "gzip;q=0.5",
        "gzip;q=0.001",
        "gzip, identity",
        "gzip;q=0.5, identity;q=0.5",
        "gzip;q=0.5, identity;q=0",
        "identity;q=0.2, gzip;q=0.3",
        "gzip ,",
    ],
)
def test_a_client_that_names_gzip_takes_it(accepted):
    assert "gzip" in codings_named(accepted)
    assert "zstd" in codings_named(accepted.lower().replace("gzip", "zstd"))


@pytest.mark.parametrize(
    "accepted",
    [
        "",
        "*",
        "identity",
        "deflate, br",
        "x-gzip",
        "gzipped",
        "gzip;q=0",
        "gzip;Q=0.000, *",
        "gzip ; q=0",
        "gzip;q=0, identity;q=0",
        "gzip;q=0.4, identity;q=0.5",
        "gzip;q=0.5, *",
    ],
)
def test_a_client_that_refuses_gzip_or_likes_identity_more_does_not(accepted):
    assert "gzip" not in codings_named(accepted)
    assert "zstd" not in codings_named(accepted.replace("gzip", "zstd"))


def test_a_client_that_says_nothing_does_not():
    assert not codings_named(None)


@pytest.mark.parametrize(
    "garbage", ["gzip;;q=0", "gzip q=0", "gzip;q=2", "gzip;q=", "gzip\0", "gzip;q=-1", "(gzip)"]
)
def test_garbage_that_has_gzip_in_it_names_nothing(garbage):
    assert not codings_named(garbage)


# Conditions


TAG = etag_of("disk a")
TIME = 1_000_000_000.7
VALIDATOR = Validator(TAG, TIME)


def date(seconds):
    return dict(Validator(TAG, seconds).headers(False, False))["Last-Modified"]


DATE, LATER, EARLIER = date(TIME), date(TIME + 60), date(TIME - 60)


def request(**headers):
    given = {f"HTTP_{name.upper()}": value for name, value in headers.items() if value is not None}
    return Request({"REQUEST_METHOD": "GET"} | given)


def test_tags_are_quoted_and_differ():
    assert TAG[0] == TAG[-1] == '"'
    assert len({TAG, etag_of("disk b"), etag_of(""), etag_of("\udcff")}) == 4
    assert DATE == "Sun, 09 Sep 2001 01:46:40 GMT"


@pytest.mark.parametrize(
    ("match", "since", "is_unchanged"),
    [
        (TAG, None, True),
        (f'"x", W/{TAG}', None, True),
        ("*", None, True),
        ('"x"', None, False),
        ('"x"', LATER, False),
        (None, DATE, True),
        (None, LATER, True),
        (None, EARLIER, False),
        (None, "no date", False),
        (None, None, False),
    ],
)
def test_unchanged(match, since, is_unchanged):
    asked = request(if_none_match=match, if_modified_since=since)
    assert asked.is_conditional is ((match, since) != (None, None))
    headers = VALIDATOR.not_modified(asked, False)
    assert (headers is not None) is is_unchanged
    if headers is not None:
        assert dict(headers)["ETag"] == TAG


@pytest.mark.parametrize(
    ("condition", "is_same"),
    [
        (None, True),
        (TAG, True),
        ('"x"', False),
        (f"W/{TAG}", False),
        (DATE, True),
        (LATER, False),
        ("x", False),
    ],
)
def test_a_range_is_of_the_version_that_the_client_has(condition, is_same):
    found = VALIDATOR.byte_range(request(range="bytes=0-1", if_range=condition), lambda: 9)
    assert (found is not None) is is_same


def test_the_time_of_what_may_change_without_it_is_no_condition():
    validator = VALIDATOR._replace(is_by_time=False)
    assert validator.not_modified(request(if_modified_since=LATER), False) is None
    assert validator.not_modified(request(if_none_match=TAG), False) is not None
    assert validator.byte_range(request(range="bytes=0-1", if_range=DATE), lambda: 9) is None
    assert validator.byte_range(request(range="bytes=0-1", if_range=TAG), lambda: 9) is not None
    assert "Last-Modified" not in dict(validator.headers(False, False))


def test_without_a_range_there_is_none():
    assert VALIDATOR.byte_range(request(if_range=TAG), lambda: 9) is None


def test_the_tag_of_what_is_compressed_is_weak():
    for is_compressed, expected in ((False, TAG), (True, f"W/{TAG}")):
        assert dict(VALIDATOR.headers(is_compressed, False))["ETag"] == expected
        not_modified = VALIDATOR.not_modified(request(if_none_match="*"), is_compressed)
        assert dict(not_modified)["ETag"] == expected


@pytest.mark.parametrize(
    ("age", "max_age", "expected"),
    [(0, 60, 0), (86_000, 60, 0), (87_000, 60, 60), (87_000, 0, 0), (-60, 60, 0)],
)
def test_a_settled_log_may_be_kept(age, max_age, expected):
    validator = Validator(TAG, time.time() - age, max_age)
    cached = ("Cache-Control", f"max-age={expected}")
    assert cached in validator.headers(False, False)
    assert cached in validator.not_modified(request(if_none_match="*"), False)
    assert ("Cache-Control", "no-store") in validator.headers(False, True)


def test_a_client_has_left_once_it_closed_the_connection_that_the_server_shows():
    server, client = socket.socketpair()
    asked = Request({"REQUEST_METHOD": "GET", "gunicorn.socket": server})
    with server:
        assert not asked.has_left()
        client.close()
        assert asked.has_left()
    assert asked.has_left()
    assert not Request({"REQUEST_METHOD": "GET"}).has_left()
