# SPDX-License-Identifier: Apache-2.0
import gzip
import random
import zlib

import pytest

from oslogserve import fastzlib
from oslogserve.http import Answer, compression
from oslogserve.http.compression import WORTH_IT, gzipped, takes_gzip

_random = random.Random(3)
LINES = [
    b"2013-09-27 18:22:11.%03d 1 INFO x [-] %x\n" % (n, _random.getrandbits(500)) for n in range(90)
]
LIBRARIES = list({id(library): library for library in (fastzlib.fast, zlib)}.values())
BIG = b"".join(LINES)


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
    assert takes_gzip({"HTTP_ACCEPT_ENCODING": accepted})


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
    assert not takes_gzip({"HTTP_ACCEPT_ENCODING": accepted})


def test_a_client_that_says_nothing_does_not():
    assert not takes_gzip({})


@pytest.mark.parametrize(
    "garbage", ["gzip;;q=0", "gzip q=0", "gzip;q=2", "gzip;q=", "gzip\0", "gzip;q=-1", "(gzip)"]
)
def test_garbage_that_has_gzip_in_it_names_nothing(garbage):
    assert not takes_gzip({"HTTP_ACCEPT_ENCODING": garbage})


@pytest.fixture(params=LIBRARIES, ids=lambda library: library.__name__)
def library(request, monkeypatch):
    monkeypatch.setattr(fastzlib, "fast", request.param)


@pytest.mark.parametrize("level", range(4))
def test_each_piece_can_be_read_as_soon_as_it_is_here(library, level):
    taken = []

    def pieces():
        for line in LINES:
            taken.append(line)
            yield line

    reader, came = zlib.decompressobj(31), b""
    for packed in gzipped(pieces(), level):
        assert packed
        came += reader.decompress(packed)
        assert came == b"".join(taken)
    assert came == BIG
    assert (reader.eof, reader.unused_data) == (True, b"")


@pytest.mark.parametrize("pieces", [[], [b""], [b"", b"a", b"", b"b", b""], [b"\0" * 10**6]])
@pytest.mark.parametrize("level", range(4))
def test_empty_and_big_pieces(library, level, pieces):
    packed = list(gzipped(pieces, level))
    assert all(packed)
    assert gzip.decompress(b"".join(packed)) == b"".join(pieces)


def test_what_fails_midway_has_given_what_came_before():
    def pieces():
        yield b"abc"
        raise ValueError

    packed = gzipped(pieces(), 1)
    assert zlib.decompressobj(31).decompress(next(packed)) == b"abc"
    with pytest.raises(ValueError):  # noqa: PT011 - the very one
        next(packed)


def answer(pieces):
    sized = [("Content-Length", str(sum(map(len, pieces))))] if isinstance(pieces, list) else []
    return Answer("200 OK", [("X", "y"), *sized], pieces, may_gzip=True)


@pytest.mark.parametrize("level", range(4))
def test_a_whole_answer_gets_its_new_length(library, level):
    packed = answer(LINES)
    compression.gzip(packed, level)
    [body] = packed.pieces
    assert gzip.decompress(body) == BIG
    assert packed.headers == [
        ("X", "y"),
        ("Content-Length", str(len(body))),
        ("Content-Encoding", "gzip"),
    ]


@pytest.mark.parametrize("pieces", [[], [b"x" * (WORTH_IT - 1)], [b"x"] * (WORTH_IT - 1)])
def test_little_is_left_as_it_is(pieces):
    small = answer(pieces)
    compression.gzip(small, 1)
    assert small.pieces is pieces
    assert small.headers == answer(pieces).headers


def test_enough_is_compressed():
    enough = answer([b"x" * WORTH_IT])
    compression.gzip(enough, 1)
    assert ("Content-Encoding", "gzip") in enough.headers


def test_a_streamed_answer_is_compressed_whatever_it_holds():
    streamed = answer(iter([b"x"]))
    compression.gzip(streamed, 1)
    assert streamed.headers == [("X", "y"), ("Content-Encoding", "gzip")]
    assert gzip.decompress(b"".join(streamed.pieces)) == b"x"
