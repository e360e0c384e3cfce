# SPDX-License-Identifier: Apache-2.0
import gzip
import random
import zlib

import pytest
from oslogserve.http.response import (
    LEAST_COMPRESSED,
    MOST_GATHERED,
    Content,
    Representation,
    gathered,
    gzipped,
    respond,
)

from oslogserve import fastzlib
from oslogserve.errors import RangeUnsatisfiable
from oslogserve.http.read_ahead import PIECES_WITHOUT_THREAD
from oslogserve.http.request import ByteRange, Request, Validator

TEXT = b"0123456789" * 200
VALIDATOR = Validator('"tag"', 0.0)


class Shown(Representation):
    """TEXT, by several pieces, of which a step makes upper case."""

    accept_ranges = "bytes"

    def __init__(self, **content):
        super().__init__([("Content-Type", "text/plain")])
        self.content = content
        self.closed = 0
        self.read = 0

    def pieces(self):
        for start in range(0, len(TEXT), 100):
            self.read += 1
            yield TEXT[start : start + 100]

    def range_size(self):
        return self.content.get("length", len(TEXT))

    def open(self, byte_range=None):
        if byte_range is not None:
            return Content([TEXT[slice(*byte_range)]], length=byte_range.size)
        return Content(self.pieces(), **self.content)

    def headers_at_end(self):
        return [("Pieces", str(self.read))]

    def close(self):
        self.closed += 1


def request(method="GET", level=1, **headers):
    environ = {f"HTTP_{name.upper()}": value for name, value in headers.items()}
    return Request(environ | {"REQUEST_METHOD": method}, level)


def upper(pieces):
    return (piece.replace(b"0", b"A") for piece in pieces)


def test_a_response_is_sent_as_it_comes():
    shown = Shown()
    response = respond(request(), shown, VALIDATOR, close=shown.close)
    assert shown.read == 0
    assert b"".join(response.body) == TEXT
    assert dict(response.headers).keys() == {
        *("Content-Type", "X-Content-Type-Options", "Cache-Control", "Vary", "ETag"),
        *("Last-Modified", "Accept-Ranges"),
    }
    response.close()
    assert shown.closed == 1


def test_a_small_one_is_rendered_first_and_says_its_length():
    response = respond(request(), Shown(render=upper, is_whole=True), VALIDATOR)
    assert list(response.body) == [TEXT.replace(b"0", b"A")]
    assert dict(response.headers)["Content-Length"] == str(len(TEXT))
    assert dict(response.headers)["Pieces"] == "20"


@pytest.mark.parametrize("is_read", [False, True])
def test_a_large_one_is_read_ahead_and_closed_once(is_read):
    shown = Shown(render=upper)
    response = respond(request(), shown, VALIDATOR, close=shown.close)
    assert shown.read == 0
    assert "Content-Length" not in dict(response.headers)
    assert len(TEXT) // 100 > PIECES_WITHOUT_THREAD
    if is_read:
        assert b"".join(response.body) == TEXT.replace(b"0", b"A")
    response.close()
    response.close()
    assert shown.closed == 1


def test_head_is_get_without_the_body():
    for content in ({}, {"render": upper}, {"length": len(TEXT)}, {"is_compressible": True}):
        get, head = (
            respond(request(method, accept_encoding="gzip"), Shown(**content), VALIDATOR)
            for method in ("GET", "HEAD")
        )
        assert head.headers == get.headers
        assert tuple(head.body) == ()


def test_a_range_is_a_206_with_the_strong_tag():
    shown = Shown(is_compressible=True)
    asked = request(range="bytes=2-4", accept_encoding="gzip")
    response = respond(asked, shown, VALIDATOR)
    headers = dict(response.headers)
    assert (response.status, list(response.body)) == ("206 Partial Content", [TEXT[2:5]])
    assert headers["Content-Range"] == f"bytes 2-4/{len(TEXT)}"
    assert (headers["ETag"], headers["Content-Length"]) == ('"tag"', "3")
    assert "Content-Encoding" not in headers


def test_without_a_size_or_a_validator_there_are_no_ranges():
    asked = request(range="bytes=2-4")
    for shown, validator in ((Shown(length=None), VALIDATOR), (Shown(), None)):
        assert respond(asked, shown, validator).status == "200 OK"


def test_a_range_outside_is_refused_and_closes_what_was_opened():
    shown = Shown()
    with pytest.raises(RangeUnsatisfiable):
        respond(request(range="bytes=2000-"), shown, VALIDATOR, close=shown.close)
    assert shown.closed == 1


def test_what_may_break_off_is_not_stored():
    shown = Shown()
    shown.may_break_off = True
    response = respond(request(), shown, VALIDATOR)
    assert dict(response.headers)["Cache-Control"] == "no-store"


@pytest.mark.parametrize("level", range(4))
@pytest.mark.parametrize(
    "content", [TEXT, iter([TEXT[:5], b"", TEXT[5:]])], ids=["at once", "streamed"]
)
def test_for_whom_it_accepts_a_document_is_compressed(level, content):
    is_streamed = not isinstance(content, bytes)
    content = [TEXT[:5], b"", TEXT[5:]] if is_streamed else content
    shown = Representation([("X", "y")], iter(content) if is_streamed else content, "v", True)
    response = respond(request(level=level, accept_encoding="gzip"), shown)
    headers = dict(response.headers)
    body = b"".join(response.body)
    assert gzip.decompress(body) == TEXT
    assert (headers["X"], headers["Content-Encoding"]) == ("y", "gzip")
    assert headers.get("Content-Length") == (None if is_streamed else str(len(body)))


@pytest.mark.parametrize("size", [0, LEAST_COMPRESSED - 1])
def test_little_is_left_as_it_is(size):
    shown = Representation([], b"x" * size, is_compressible=True)
    response = respond(request(accept_encoding="gzip"), shown)
    assert list(response.body) == [b"x" * size]
    assert "Content-Encoding" not in dict(response.headers)


def test_enough_is_compressed_unless_it_may_not_be_or_is_not_accepted():
    content = b"x" * LEAST_COMPRESSED
    for accepted, is_compressible in (("gzip", True), ("gzip", False), ("br", True)):
        shown = Representation([], content, is_compressible=is_compressible)
        response = respond(request(accept_encoding=accepted), shown)
        is_compressed = accepted == "gzip" and is_compressible
        assert ("Content-Encoding" in dict(response.headers)) is is_compressed


def test_a_status_may_be_any():
    response = respond(request(), Representation([], b"x"), status="404 Not Found")
    assert (response.status, list(response.body)) == ("404 Not Found", [b"x"])
    assert ByteRange(2, 5).size == 3


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
LIBRARIES = list({id(library): library for library in (fastzlib.fast, zlib)}.values())
BIG = b"".join(LINES)


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
