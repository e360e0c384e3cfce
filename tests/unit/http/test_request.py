# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.errors import RangeUnsatisfiable
from oslogserve.http.request import Request, names_gzip


def requested(header, method="GET"):
    return Request({"REQUEST_METHOD": method, "HTTP_RANGE": header}).byte_range()


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
    assert requested(header).within(size) == expected


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
    assert Request({"REQUEST_METHOD": "GET"}).byte_range() is None


def test_a_range_is_for_get_alone():
    assert requested("bytes=1-2", "HEAD") is None


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=10-11", "bytes=-0"])
def test_a_range_outside_is_refused(header):
    with pytest.raises(RangeUnsatisfiable):
        requested(header).within(10)


@pytest.mark.parametrize("header", ["0-", "0-5", "-5", "-0"])
def test_nothing_has_no_range(header):
    with pytest.raises(RangeUnsatisfiable):
        requested(f"bytes={header}").within(0)


def test_a_server_that_does_not_compress_accepts_no_gzip():
    environ = {"REQUEST_METHOD": "GET", "HTTP_ACCEPT_ENCODING": "gzip"}
    assert Request(environ, 0).accepts_gzip
    assert not Request(environ, None).accepts_gzip


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
    assert names_gzip(accepted)


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
    assert not names_gzip(accepted)


def test_a_client_that_says_nothing_does_not():
    assert not names_gzip(None)


@pytest.mark.parametrize(
    "garbage", ["gzip;;q=0", "gzip q=0", "gzip;q=2", "gzip;q=", "gzip\0", "gzip;q=-1", "(gzip)"]
)
def test_garbage_that_has_gzip_in_it_names_nothing(garbage):
    assert not names_gzip(garbage)
