# SPDX-License-Identifier: Apache-2.0
"""Stored bytes that become many more: each view ends within its budget, and says that it did."""

import gzip
import zlib

import pytest

from tests.kit.packing import frame
from tests.unit.handlers.asking import Asking

MIB = 2**20
INFLATED = MIB
HEADER = b"\x1f\x8b\x08%c\x00\x00\x00\x00\x00\xff"


def bomb(unit):
    """A gzip of 16 MiB, of such a unit of one."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    unit = unit * (MIB // len(unit))
    block = compressor.compress(unit) + compressor.flush(zlib.Z_FULL_FLUSH)
    return HEADER % 0 + block * 16


BOMBS = {
    "zeros": bomb(b"\0"),
    "empty lines": bomb(b"\n"),
    "one line": bomb(b"a "),
    "lines of colours": bomb(b"\x1b[31ma\x1b[1mb\x1b[0m\n"),
    "links": bomb(b"http://a.b/c " * 100 + b"\n"),
    "one line of links": bomb(b"http://a.b/c "),
    "one line of matches": bomb(b"hit"),
    "markup": bomb(b"<>&\"'"),
    "nested JSON": bomb(b'{"a":'),
    "JSON of many members": bomb(b"{" + b'"a":1,' * 500 + b'"b":2}\n'),
    "logfmt": bomb(b"a=1 " * 500 + b"\n"),
    "bytes that are no UTF-8": bomb(b"\xff"),
    "request ids": bomb(b"req-aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa "),
    "carriage returns": bomb(b"\r"),
    "members without end": gzip.compress(b"a" * 1000) * 2000,
}
#: The same as Zstandard, of 16 MiB too.
BOMBS_OF_ZSTD = {
    "zeros as zstd": frame(bytes(16 * MIB)),
    "links as zstd": frame((b"http://a.b/c " * 100 + b"\n") * (16 * MIB // 1301)),
    "frames without end": frame(b"a" * 1000) * 2000,
}
CUT_SHORT = {
    "endless name": HEADER % 8 + b"n" * MIB,
    "endless comment": HEADER % 16 + b"c" * MIB,
    "endless name and comment": HEADER % 24 + b"n" * MIB + b"\0" + b"c" * MIB,
    "extra field": HEADER % 4 + b"\xff\xff" + b"e" * 65535 + b"\x00",
    "header's checksum": HEADER % 2 + b"\x00\x00" + b"x" * 100,
    "reserved flags": HEADER % 0xE0 + b"x" * 100,
}
ENDS = {
    "html": b"incomplete here",
    "jsonl": b'"complete": false',
    "summary": b'"complete": false',
    "text&tail=100000": b"incomplete here",
}


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    root = tmp_path_factory.mktemp("bombs")
    for name, stored in (BOMBS | CUT_SHORT).items():
        (root / f"{name}.txt.gz").write_bytes(stored)
    for name, stored in BOMBS_OF_ZSTD.items():
        (root / f"{name}.txt.zst").write_bytes(stored)
    (root / "layers.txt.gz").write_bytes(gzip.compress(gzip.compress(BOMBS["zeros"])))
    return Asking(root, serve_inflated_size=str(INFLATED), serve_processor_time="60")


@pytest.mark.parametrize("view", ENDS)
@pytest.mark.parametrize("name", [*BOMBS, *BOMBS_OF_ZSTD])
def test_no_bomb_is_read_to_its_end_and_each_says_so(ask, name, view):
    answer = ask(f"/{name}.txt?format={view}")
    assert answer.status_int == 200
    assert ENDS[view] in answer.body[-4000:]
    assert len(answer.body) < 100 * INFLATED


@pytest.mark.parametrize("view", ENDS)
@pytest.mark.parametrize("name", CUT_SHORT)
def test_no_header_of_a_member_is_without_end(ask, name, view):
    answer = ask(f"/{name}.txt?format={view}")
    assert answer.status_int == 200
    assert ENDS[view] in answer.body[-4000:]


@pytest.mark.parametrize("view", ENDS)
def test_a_bomb_in_layers_says_so_too(ask, view):
    answer = ask(f"/layers.txt?format={view}")
    assert answer.status_int == 200
    assert ENDS[view] in answer.body[-4000:]
    assert len(answer.body) < 100 * INFLATED
