# SPDX-License-Identifier: Apache-2.0
"""Stored bytes, damaged and cut, beside what zlib and zstandard make of them a byte at a time."""

import gzip
import random
import zlib
from dataclasses import dataclass

import zstandard

from oslogserve.errors import Incomplete
from oslogserve.logs.decode import PIECE, Decoded, packed_as
from tests.fuzz.fuzzer import Fuzzer
from tests.kit.mutated import cuts, log_of, mutated
from tests.kit.packing import frame, skippable, streamed
from tests.kit.renderers import cut

_WBITS = {"gzip": 31, "zlib": 15, "deflate": -15}
_TOKENS = (
    *(b"\0" * 9, b"\x1f\x8b", b"\x1f", gzip.compress(b"", mtime=0), gzip.compress(b"x\n", mtime=0)),
    *(zlib.compress(b"x\n"), b"\x03\0", b"\xff" * 40),
)
_OF_ZSTD = (
    *(b"\0" * 9, b"\x28\xb5\x2f\xfd", b"\x28", frame(b""), frame(b"x\n")),
    *(skippable(b""), skippable(b"x" * 9, 15), b"\1\0\0", b"\xff" * 40),
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
        is_zstd = number % 4 == 3
        stored = _stored(chance, *((_zstd, _OF_ZSTD) if is_zstd else (_packed, _TOKENS)))
        return Case(
            stored=stored,
            cuts=cuts(chance, len(stored)) if chance.random() < 0.9 else tuple(range(len(stored))),
            encoding=chance.choice(("", "zstd") if is_zstd else ("", "gzip", "deflate", "deflate")),
        )

    def fault(self, case):
        pieces = cut(case.stored, (at for at in case.cuts if at <= len(case.stored)))
        packing = packed_as(_head(pieces), case.encoding)
        expected = (_expected_of_zstd if packing == "zstd" else _expected)(case.stored, packing)
        found = _decoded(Decoded(iter(pieces), case.encoding), pieces)
        return (
            ""
            if _is_same(found, expected)
            else f"{packing or 'plain'} gives {expected}\n{found} came"
        )


def _is_same(found, expected):
    """True for the same result. Of a damage, one of both may know before the other.

    zlib refuses some codes before it knows that they are used, and a damaged block may come in part: then a
    little more comes. A wrong table of codes may be known before zlib has read all that it needs for it.
    """
    text, reason, _ = expected
    came, why, _ = found
    is_later = came.startswith(text) and reason == "corrupt" and why in ("corrupt", "truncated")
    is_sooner = came == text and (why, reason) == ("corrupt", "truncated")
    return found == expected or is_later or is_sooner


def _stored(chance, packed_by, tokens):
    """packed_by: compresses a part. tokens: what a mutation adds."""
    log = log_of(chance, most=6)
    if chance.random() < 0.03:
        log += bytes([chance.randrange(256)]) * chance.randrange(3 * PIECE)
    packed = b"".join(
        packed_by(log[a:b], chance) for a, b in _between(cuts(chance, len(log), 5), len(log))
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
            return mutated(packed, chance, tokens, chance.choice((20, 10**6)))


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


def _zstd(text, chance):
    """A frame, or several, some without text."""
    before = skippable(chance.randbytes(chance.randrange(20)), chance.randrange(16))
    level = chance.choice((-5, 1, 3, 19))
    packed = chance.choice((
        lambda: frame(text, level),
        lambda: frame(text, level, write_checksum=False),
        lambda: streamed(text, window_log=chance.choice((10, 17, 23, 24))),
    ))()  # fmt: skip
    return before + packed if chance.random() < 0.2 else packed


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
    """The first stored bytes, at least four: what decides how a log is packed."""
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= 4:
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


def _expected_of_zstd(stored, packing):
    """As _expected. zstandard reads one frame, and does not say where a skippable one ends."""
    text, at, is_one = b"", 0, True
    while at < len(stored):
        if at and stored[at] == 0:
            at, is_one = at + 1, False
            continue
        end, more, reason = _frame_at(stored, at)
        text += more
        if reason:
            return text, reason, False
        is_one = is_one and at == 0 and stored.startswith(zstandard.FRAME_HEADER)
        at = end
    return text, "" if stored else "truncated", is_one and bool(stored)


def _frame_at(stored, at):
    """(its end, its text, why the rest is missing)"""
    magic = stored[at : at + 4]
    if magic[1:] == b"\x2a\x4d\x18" and 0x50 <= magic[0] <= 0x5F:
        end = at + 8 + int.from_bytes(stored[at + 4 : at + 8], "little")
        return end, b"", "truncated" if end > len(stored) or len(stored) < at + 8 else ""
    is_cut = len(magic) < 4 and (
        zstandard.FRAME_HEADER.startswith(magic)
        or (0x50 <= magic[0] <= 0x5F and b"\x2a\x4d\x18".startswith(magic[1:]))
    )
    if is_cut or magic != zstandard.FRAME_HEADER:
        return at, b"", "truncated" if is_cut else "corrupt"
    decoder, text = zstandard.ZstdDecompressor(max_window_size=2**23).decompressobj(), b""
    for end in _ends_in_frame(stored, at):
        try:
            text += decoder.decompress(stored[at:end])
        except zstandard.ZstdError:
            return end, text, "corrupt"
        if decoder.eof:
            return end, text, ""
        at = end
    return at, text, "truncated"


def _ends_in_frame(stored, at):
    """Where a frame's header, its blocks' headers, its blocks and its checksum end."""
    flags = stored[at + 4] if at + 4 < len(stored) else 0
    of_size = (1 if flags & 0x20 else 0, 2, 4, 8)[flags >> 6]
    at += 5 + (not flags & 0x20) + (0, 1, 2, 4)[flags & 3] + of_size
    yield at
    while at + 3 <= len(stored):
        block = int.from_bytes(stored[at : at + 3], "little")
        at += 3
        yield at
        at += 1 if block >> 1 & 3 == 1 else block >> 3
        yield at
        if block & 1:
            yield at + 4
            return
    yield at + 3


def _decoded(decoded, stored):
    """As _expected."""
    most = max([PIECE, *map(len, stored)])
    text, reason = [], ""
    try:
        for piece in decoded:
            assert len(piece) <= most, f"a piece of {len(piece)} bytes"
            text.append(piece)
    except Incomplete as error:
        reason = error.reason
    return b"".join(text), reason, decoded.is_one_member
