# SPDX-License-Identifier: Apache-2.0
import gzip
import random
import zlib

import pytest

from oslogserve.compression import fast
from oslogserve.http.answer import LEAST_COMPRESSED, MOST_GATHERED, answer, gathered, gzipped
from oslogserve.http.request import Request

TEXT = b"0123456789" * 200


def request(method="GET", level=1, **headers):
    environ = {f"HTTP_{name.upper()}": value for name, value in headers.items()}
    return Request(environ | {"REQUEST_METHOD": method}, level)


def answered(content, level=1, accepted="gzip", **about):
    """The answer's headers and its bytes, of which HEAD gets the headers alone."""
    made, head = (
        answer(request(method, level, accept_encoding=accepted), content, [("X", "y")], **about)
        for method in ("GET", "HEAD")
    )
    assert head.headers == made.headers
    assert tuple(head.pieces) == ()
    return dict(made.headers), b"".join(made.pieces)


@pytest.mark.parametrize("level", range(4))
@pytest.mark.parametrize("content", [TEXT, [TEXT[:5], b"", TEXT[5:]]], ids=["at once", "streamed"])
def test_for_whom_it_accepts_a_document_is_compressed(level, content):
    headers, body = answered(content, level, is_compressible=True)
    assert gzip.decompress(body) == TEXT
    assert (headers["X"], headers["Content-Encoding"]) == ("y", "gzip")
    is_streamed = not isinstance(content, bytes)
    assert headers.get("Content-Length") == (None if is_streamed else str(len(body)))


@pytest.mark.parametrize("size", [0, LEAST_COMPRESSED - 1])
def test_little_is_left_as_it_is(size):
    headers, body = answered(b"x" * size, is_compressible=True)
    assert body == b"x" * size
    assert "Content-Encoding" not in headers


def test_enough_is_compressed_unless_it_may_not_be_or_is_not_accepted():
    for accepted, is_compressible in (("gzip", True), ("gzip", False), ("br", True)):
        content = b"x" * LEAST_COMPRESSED
        headers, _ = answered(content, accepted=accepted, is_compressible=is_compressible)
        is_compressed = accepted == "gzip" and is_compressible
        assert ("Content-Encoding" in headers) is is_compressed


def test_a_status_may_be_any():
    made = answer(request(), b"x", [], status="404 Not Found")
    assert (made.status, list(made.pieces)) == ("404 Not Found", [b"x"])


@pytest.mark.parametrize("pieces", [[], [b""], [b"a", b"", b"bc"], [b"x" * MOST_GATHERED]])
def test_little_is_gathered(pieces):
    whole = b"".join(pieces)
    assert gathered(iter(pieces)) == ([whole], len(whole))


def test_much_is_left_as_it_came_and_not_read_ahead():
    taken = []

    def pieces():
        for piece in (b"a", b"b" * MOST_GATHERED, b"c", b"d"):
            taken.append(piece[:1])
            yield piece

    rest, size = gathered(pieces())
    assert size is None
    assert taken == [b"a", b"b"]
    assert [piece[:1] for piece in rest] == [b"a", b"b", b"c", b"d"]


# Compression


_random = random.Random(3)
LINES = [
    b"2013-09-27 18:22:11.%03d 1 INFO x [-] %x\n" % (n, _random.getrandbits(500)) for n in range(90)
]
LIBRARIES = list({id(library): library for library in (fast, zlib)}.values())
BIG = b"".join(LINES)


@pytest.fixture(params=LIBRARIES, ids=lambda library: library.__name__)
def library(request, monkeypatch):
    monkeypatch.setattr("oslogserve.http.answer.fast", request.param)


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


@pytest.mark.parametrize(
    "pieces",
    [[], [b""], [b"", b"a", b"", b"b", b""], [b"\0" * 10**6], [_random.randbytes(200_000)]],
)
@pytest.mark.parametrize("level", range(4))
def test_empty_and_big_pieces(library, level, pieces):
    packed = list(gzipped(pieces, level))
    assert all(packed)
    assert gzip.decompress(b"".join(packed)) == b"".join(pieces)


@pytest.mark.parametrize("level", range(4))
def test_every_level_packs(library, level):
    assert len(b"".join(gzipped([TEXT * 100], level))) < len(TEXT) * 10


def test_what_fails_midway_has_given_what_came_before():
    def pieces():
        yield b"abc"
        raise ValueError

    packed = gzipped(pieces(), 1)
    assert zlib.decompressobj(31).decompress(next(packed)) == b"abc"
    with pytest.raises(ValueError):  # noqa: PT011 - the very one
        next(packed)
