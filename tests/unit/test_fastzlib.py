# SPDX-License-Identifier: Apache-2.0
import gzip
import random
import zlib

import pytest

from oslogserve import fastzlib

LOG = b"2013-09-27 18:07:11.860 1 INFO nova.api [-] a line like any other\n" * 2000
LIBRARIES = list({id(library): library for library in (fastzlib.fast, zlib)}.values())


@pytest.fixture(params=LIBRARIES, ids=lambda library: library.__name__)
def library(request, monkeypatch):
    monkeypatch.setattr(fastzlib, "fast", request.param)


@pytest.mark.parametrize("level", range(4))
@pytest.mark.parametrize("log", [b"", b"x", LOG, random.Random(1).randbytes(200_000)])
def test_what_it_packs_is_a_gzip_of_the_same(library, level, log):
    packer = fastzlib.gzip_compressor(level)
    packed = packer.compress(log) + packer.flush()
    assert packed.startswith(b"\x1f\x8b\x08")
    assert gzip.decompress(packed) == log


@pytest.mark.parametrize("level", range(4))
def test_every_level_packs(library, level):
    packer = fastzlib.gzip_compressor(level)
    assert len(packer.compress(LOG) + packer.flush()) < len(LOG) / 10


@pytest.mark.parametrize("level", range(4))
def test_a_sync_flush_gives_all_that_was_put_in(library, level):
    packer, reader = fastzlib.gzip_compressor(level), zlib.decompressobj(fastzlib.GZIP_WBITS)
    for at in range(0, len(LOG), 10_000):
        put = LOG[at : at + 10_000]
        assert reader.decompress(packer.compress(put) + packer.flush(fastzlib.Z_SYNC_FLUSH)) == put
    assert reader.decompress(packer.flush()) == b""
    assert reader.eof
