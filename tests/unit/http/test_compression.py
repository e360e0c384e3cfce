# SPDX-License-Identifier: Apache-2.0
import gzip
import random
import zlib

import pytest

from oslogserve import fastzlib
from oslogserve.http.compression import gzipped

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
