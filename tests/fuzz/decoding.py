# SPDX-License-Identifier: Apache-2.0
"""Stored bytes, damaged and cut, beside what zlib makes of them a byte at a time."""

import gzip
import random
import zlib
from dataclasses import dataclass

from oslogserve.logs.decode import PIECE, Decoded, Reading, packed_as
from tests.fuzz.fuzzer import Fuzzer, cuts, mutated
from tests.fuzz.renderers import log_of
from tests.renderers import cut

_WBITS = {"gzip": 31, "zlib": 15, "deflate": -15}
_TOKENS = (
    *(b"\0" * 9, b"\x1f\x8b", b"\x1f", gzip.compress(b"", mtime=0), gzip.compress(b"x\n", mtime=0)),
    *(zlib.compress(b"x\n"), b"\x03\0", b"\xff" * 40),
)


@dataclass(frozen=True)
class Case:
    stored: bytes
    cuts: tuple[int, ...]
    encoding: str


class Decoding(Fuzzer):
    name = "decoding"
    shortens = "stored", "cuts"
    imports = "from tests.fuzz.decoding import Case, Decoding\n"

    def case_of(self, number):
        chance = random.Random(number)
        stored = _stored(chance)
        return Case(
            stored=stored,
            cuts=cuts(chance, len(stored)) if chance.random() < 0.9 else tuple(range(len(stored))),
            encoding=chance.choice(("", "gzip", "deflate", "deflate")),
        )

    def fault(self, case):
        pieces = cut(case.stored, (at for at in case.cuts if at <= len(case.stored)))
        expected = _expected(case.stored, packed_as(_head(pieces), case.encoding))
        found = _decoded(Decoded(iter(pieces), case.encoding), pieces)
        text, reason, _ = expected
        # zlib refuses some codes before it knows that they are used: a little more may come.
        more = found[0].startswith(text) and reason == "corrupt"
        is_same = found == expected or (more and found[1:] == expected[1:])
        return "" if is_same else f"zlib gives {expected}\n{found} came"


def _stored(chance):
    log = log_of(chance, most=6)
    if chance.random() < 0.03:
        log += bytes([chance.randrange(256)]) * chance.randrange(3 * PIECE)
    packed = b"".join(
        _packed(log[a:b], chance) for a, b in _between(cuts(chance, len(log), 5), len(log))
    )
    if chance.random() < 0.3:
        packed += b"\0" * chance.randrange(600)
    match chance.randrange(6):
        case 0 | 1:
            return packed
        case 2:
            return packed[: chance.randrange(len(packed) + 1)]
        case 3:
            at = chance.randrange(len(packed) + 1)
            return (
                packed[:at] + bytes([packed[at] ^ 1 << chance.randrange(8)]) + packed[at + 1 :]
                if packed[at:]
                else packed
            )
        case _:
            return mutated(packed, chance, _TOKENS, chance.choice((20, 10**6)))


def _between(at, size):
    ends = sorted(at)
    return zip([0, *ends], [*ends, size], strict=True)


def _packed(text, chance):
    wbits = chance.choice((31,) * 8 + (15, -15))
    strategy = chance.choice(
        (zlib.Z_DEFAULT_STRATEGY, zlib.Z_HUFFMAN_ONLY, zlib.Z_FIXED, zlib.Z_RLE)
    )
    packer = zlib.compressobj(chance.choice((0, 1, 6, 9)), zlib.DEFLATED, wbits, 8, strategy)
    half = len(text) // 2
    flush = chance.choice((zlib.Z_NO_FLUSH, zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH))
    packed = packer.compress(text[:half]) + packer.flush(flush)
    packed += packer.compress(text[half:]) + packer.flush()
    return _with_fields(packed, chance) if wbits == 31 and chance.random() < 0.3 else packed


def _with_fields(member, chance):
    """A gzip member with the optional fields of its header."""
    flags, fields = 0, b""
    if chance.random() < 0.5:
        extra = chance.randbytes(chance.randrange(40))
        flags, fields = flags | 4, fields + len(extra).to_bytes(2, "little") + extra
    for flag in (8, 16):  # name, comment
        if chance.random() < 0.5:
            flags, fields = flags | flag, fields + b"a log" + b"\0"
    if chance.random() < 0.3:
        flags |= 1
    header = (
        member[:3] + bytes([flags | 2 if chance.random() < 0.5 else flags]) + member[4:10] + fields
    )
    if header[3] & 2:
        header += (zlib.crc32(header) & 0xFFFF).to_bytes(2, "little")
    return header + member[10:]


def _head(pieces):
    """The first stored bytes, at least two: what decides how a log is packed."""
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= 2:
            break
    return head


def _expected(stored, packing):
    """(text, why the rest is missing, whether it is one member), a byte at a time."""
    if not packing:
        return stored, "", False
    decoder = zlib.decompressobj(_WBITS[packing])
    text, is_one = bytearray(), packing == "gzip"
    for at in range(len(stored)):
        byte = stored[at : at + 1]
        if decoder.eof:
            is_one = False
            if byte == b"\0":
                continue
            if packing != "gzip" or byte != b"\x1f":
                return bytes(text), "corrupt", False
            decoder = zlib.decompressobj(31)
        try:
            text += decoder.decompress(byte)
        except zlib.error:
            return bytes(text), "corrupt", False
    return (bytes(text), "", is_one) if decoder.eof else (bytes(text), "truncated", False)


def _decoded(decoded, stored):
    """As _expected."""
    most = max([PIECE, *map(len, stored)])
    reading, text = Reading(decoded), []
    for piece in reading:
        assert len(piece) <= most, f"a piece of {len(piece)} bytes"
        text.append(piece)
    return (
        b"".join(text),
        reading.broke_off.reason if reading.broke_off else "",
        decoded.is_one_member,
    )
