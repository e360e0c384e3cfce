# SPDX-License-Identifier: Apache-2.0
import gzip
import random
import zlib

import pytest

from oslogserve.errors import Incomplete
from oslogserve.logs.decode import (
    PIECE,
    Decoded,
    exactly,
    first_bytes,
    length,
    packed_as,
    within,
)
from oslogserve.native import Inflater
from oslogserve.upload.masked_copy import Reading

_random = random.Random(2)
LOG = b"".join(
    b"2013-09-27 18:22:11.%03d %d INFO nova.api [-] %x\n"
    % (n, n, _random.getrandbits(_random.randrange(1, 256)))
    for n in range(200)
)
PACKED, ZLIB = gzip.compress(LOG, mtime=0), zlib.compress(LOG)
RAW_DEFLATE = ZLIB[2:-4]
MEMBERS = b"".join(gzip.compress(LOG[at : at + 3000], mtime=0) for at in range(0, len(LOG), 3000))
NAMED = b"\x1f\x8b\x08\x18" + PACKED[4:10] + b"console.log\0a comment\0" + PACKED[10:]
DAMAGED = PACKED[:2000] + b"\xff" * 200 + PACKED[2200:]
UTF_16 = b"\xff\xfe" + LOG.decode().encode("utf-16le")
MIB = 2**20


def cut(data, size):
    return [data[at : at + size] for at in range(0, len(data), size)]


def read(chunks, encoding=""):
    """(what came, why the rest did not, whether it was one member)"""
    log = Decoded(chunks, encoding)
    reading = Reading(log)
    came = b"".join(reading)
    why = reading.broke_off
    return came, [why.reason] if why else [], log.is_one_member


#: (stored, Content-Encoding, whether it is one gzip member and nothing else)
WHOLE = {
    "gzip": (PACKED, "", 1),
    "declared": (PACKED, "gzip", 1),
    "declared deflate": (PACKED, "deflate", 1),
    "named": (NAMED, "", 1),
    "not compressed": (gzip.compress(LOG, 0), "gzip", 1),
    "two": (PACKED + PACKED, "", 0),
    "many": (MEMBERS, "", 0),
    "empty one behind": (PACKED + gzip.compress(b""), "", 0),
    "zeros": (MEMBERS + b"\0" * 1000, "gzip", 0),
    "one zero": (PACKED + b"\0", "", 0),
    "zeros between": (PACKED + b"\0" * 5 + PACKED, "", 0),
    "zlib": (ZLIB, "deflate", 0),
    "raw deflate": (RAW_DEFLATE, "deflate", 0),
    "gzip of gzip": (gzip.compress(PACKED), "", 0),
    "three": (gzip.compress(gzip.compress(MEMBERS)), "", 0),
    "utf-16": (UTF_16, "", 0),
    "utf-16, big-endian": (b"\xfe\xff" + LOG.decode().encode("utf-16be"), "", 0),
    "gzip of utf-16": (gzip.compress(UTF_16), "", 0),
    "plain": (LOG, "", 0),
    "plain, declared": (LOG, "gzip", 0),
}


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("size", [1, 2, 3, 17, 64, 1000, 65536])
def test_a_log_is_the_same_however_it_is_stored_and_cut(name, size):
    stored, encoding, is_one = WHOLE[name]
    expected = LOG * (2 if PACKED in stored.replace(PACKED, b"", 1) else 1), [], is_one
    assert read(cut(stored, size), encoding) == expected


@pytest.mark.parametrize(
    ("stored", "content", "is_one"),
    [
        (gzip.compress(b"", mtime=0), b"", True),
        (gzip.compress(b"") * 3, b"", False),
        (
            gzip.compress(b"0123456789abcdef" * (PIECE // 8)),
            b"0123456789abcdef" * (PIECE // 8),
            True,
        ),
    ],
    ids=["empty", "empty members", "whole pieces"],
)
def test_an_empty_log_and_one_of_whole_pieces_end_well(stored, content, is_one):
    assert read([stored]) == (content, [], is_one)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 100])
@pytest.mark.parametrize("piece_size", [1, 4, 9, PIECE])
@pytest.mark.parametrize("order", ["utf-16le", "utf-16be"])
def test_utf_16_is_utf_8_however_it_is_cut(size, piece_size, order):
    text = "\ufeffa\u00e9\u20ac\U0001f600\ufeff\n" * 9
    stored = text.encode(order)
    log = Decoded(cut(stored, size), piece_size=piece_size)
    assert b"".join(log).decode() == text[1:]
    unpaired = "\ufeffab\ud83dc\ud83d\ud83d\U0001f600\ude00\n".encode(order, "surrogatepass")
    assert (
        b"".join(Decoded(cut(unpaired, size))).decode() == "ab\ufffdc\ufffd\ufffd\U0001f600\ufffd\n"
    )


def test_utf_16_that_ends_early_and_what_only_begins_like_it():
    assert read([UTF_16[:-1]]) == (LOG[:-1], ["truncated"], False)
    for other in (b"\xff\xfe", b"\xff\xfe\0\0a\0\0\0", b"\xff\xfe" + _random.randbytes(999)):
        assert packed_as(other) == ""


@pytest.mark.parametrize("interval", [1000, 3000])
def test_utf_16_can_be_read_from_each_of_its_points(interval):
    points = []
    assert b"".join(Decoded(cut(UTF_16, 999), "", PIECE, interval, points)) == LOG
    assert len(points) > 2
    for point in points:
        inflater = Inflater.at("utf-16le", len(LOG), point)
        assert inflater.feed(UTF_16[point["stored"] :]) == LOG[point["at"] :]


@pytest.mark.parametrize("layers", [4, 9])
def test_what_is_compressed_again_and_again_is_not_read(layers):
    stored = LOG
    for _ in range(layers):
        stored = gzip.compress(stored)
    assert read([stored]) == (b"", ["corrupt"], False)


@pytest.mark.parametrize("end", range(60))
def test_gzip_of_gzip_that_ends_early_says_so(end):
    stored = gzip.compress(PACKED)
    came, why, _ = read(cut(stored[: len(stored) - 1 - 40 * end], 100))
    assert LOG.startswith(came)
    assert why == ["truncated"]


@pytest.mark.parametrize("chunks", [[], [b"", b""], [b"\x1f"], [b"x"], [b"\n"]])
def test_what_is_too_short_to_be_packed_is_plain(chunks):
    assert read(chunks) == (b"".join(chunks), [], False)


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "deflate"])
@pytest.mark.parametrize(
    ("stored", "reason"),
    [
        (b"", "truncated"),
        (PACKED[:1], "truncated"),
        (b"\7" + PACKED[1:], "corrupt"),
        (bytes(5000), "corrupt"),
        (b"PK\3\4\0\0", "corrupt"),
    ],
)
def test_what_is_declared_as_packed_and_is_neither_that_nor_text_is_damaged(
    stored, reason, encoding
):
    text, reasons, _ = read([stored], encoding)
    assert text == b""
    assert reasons == [reason] or encoding == "deflate"
    assert reasons


def test_text_that_was_declared_as_gzip_is_text():
    assert read([LOG], "gzip") == (LOG, [], False)


@pytest.mark.parametrize("size", [2, 10, 100, 65536])
def test_plain_text_that_was_declared_deflate_is_plain(size):
    for start in range(0, len(LOG), 97):
        stored = LOG[start : start + size]
        assert read([stored, LOG], "deflate") == (stored + LOG, [], False)
        assert first_bytes(stored, "deflate").text == stored[:1024]


@pytest.mark.parametrize(
    ("stored", "packed"),
    [
        (LOG, ""),
        (PACKED, "gzip"),
        (ZLIB, "zlib"),
        (RAW_DEFLATE, "deflate"),
        (RAW_DEFLATE[:100], "deflate"),
        (RAW_DEFLATE + b"\0" * 100, "deflate"),
        (b"\x03\0", "deflate"),
        ("Grüße\n".encode() * 50, ""),
        (b"x", "deflate"),
        (bytes(100), "deflate"),
    ],
)
def test_the_first_bytes_decide_what_a_declared_deflate_is(stored, packed):
    assert packed_as(stored, "deflate") == packed
    assert packed_as(stored) == (packed if packed == "gzip" else "")


@pytest.mark.parametrize(
    ("stored", "encoding", "wbits"),
    [(PACKED, "", 31), (MEMBERS, "", 31), (ZLIB, "deflate", 15), (RAW_DEFLATE, "deflate", -15)],
    ids=["one", "many", "zlib", "raw deflate"],
)
@pytest.mark.parametrize(("size", "step"), [(1, 1601), (100, 401), (65536, 61)])
def test_wherever_it_ends_early_all_that_is_there_comes(stored, encoding, wbits, size, step):
    for end in range(30, len(stored), step):
        came, told, is_one = read(cut(stored[:end], size), encoding)
        if stored is not MEMBERS:
            expected = zlib.decompressobj(wbits).decompress(stored[:end])
            assert (came, told) == (expected, ["truncated"])
        assert LOG.startswith(came)
        assert not is_one


def before_the_damage(stored):
    """Byte by byte: what zlib gives until it fails."""
    decoder, came = zlib.decompressobj(31), b""
    try:
        for at in range(len(stored)):
            came += decoder.decompress(stored[at : at + 1])
    except zlib.error:
        return came
    raise AssertionError("not damaged")


@pytest.mark.parametrize("size", [1, 2, 100, 4096, 65536])
def test_everything_before_the_damage_comes(size):
    assert read(cut(DAMAGED, size)) == (before_the_damage(DAMAGED), ["corrupt"], False)
    assert len(before_the_damage(DAMAGED)) > len(LOG) // 4


@pytest.mark.parametrize("size", [1, 5, 65536])
@pytest.mark.parametrize(
    "stored",
    [
        *(
            PACKED + more
            for more in (b"garbage", b"\0\0garbage", b"\x1fgarbage!!", b"\x1f\x8bgarbage!")
        ),
        PACKED[:-8] + bytes([PACKED[-8] ^ 1]) + PACKED[-7:],
        PACKED[:-1] + b"\x01",  # another size
    ],
)
def test_garbage_behind_and_a_wrong_checksum_are_told_after_the_log(stored, size):
    assert read(cut(stored, size)) == (LOG, ["corrupt"], False)


@pytest.mark.parametrize(
    ("stored", "encoding", "text"),
    [
        (ZLIB + ZLIB, "deflate", LOG),
        (MEMBERS.replace(b"\x1f\x8b\x08\0", b"\x1f\x8b\x07\0"), "", b""),
    ],
    ids=["behind zlib", "no method"],
)
def test_other_damages_are_told(stored, encoding, text):
    assert read(cut(stored, 100), encoding) == (text, ["corrupt"], 0)


def failing_after(*pieces, reason="timeout"):
    yield from pieces
    raise Incomplete(reason, "Swift stopped answering")


def test_a_source_that_fails_is_told_after_what_it_gave():
    assert read(failing_after(b"one\n")) == (b"one\n", ["timeout"], False)
    came, reasons, is_one = read(failing_after(PACKED[:1000]))
    assert LOG.startswith(came)
    assert (bool(came), reasons, is_one) == (True, ["timeout"], False)


@pytest.mark.parametrize("copies", [1, 3])
@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_bomb_comes_in_bounded_pieces(copies, is_damaged):
    stored = bytearray(gzip.compress(b"\0" * 8 * MIB, 1) * copies)
    stored[-8] ^= is_damaged
    bomb = Reading(Decoded([bytes(stored)]))
    sizes = list(map(len, bomb))
    is_incomplete = bomb.broke_off is not None
    assert (max(sizes), sum(sizes), is_incomplete) == (PIECE, 8 * MIB * copies, is_damaged)


def test_a_member_for_each_byte_is_no_piece_for_each():
    pieces = list(Decoded([gzip.compress(b"x") * 3000] * 4))
    assert b"".join(pieces) == b"x" * 12_000
    assert len(pieces) <= 8


def test_there_is_a_piece_for_each_chunk_though_it_inflates_to_nothing():
    assert list(Decoded([gzip.compress(b"") * 9] * 4)) == [b""] * 4


def with_all_fields(member):
    """A gzip member whose header has extra bytes, a name, a comment and a checksum."""
    header = member[:3] + b"\x1e" + member[4:10] + b"\x05\0extra" + b"a.txt\0" + b"of a job\0"
    return header + (zlib.crc32(header) & 0xFFFF).to_bytes(2, "little") + member[10:]


@pytest.mark.parametrize("before", [b"", gzip.compress(b"", mtime=0)], ids=["first", "second"])
def test_a_header_with_all_fields_is_read_wherever_it_is_cut(before):
    stored = before + with_all_fields(PACKED)
    for at in range(len(before), len(before) + 40):
        assert read([stored[:at], stored[at:]])[:2] == (LOG, []), at


@pytest.mark.parametrize("size", [1, 1000, 10**6])
@pytest.mark.parametrize(
    ("stored", "encoding", "is_whole"),
    [
        (PACKED, "", True),
        (MEMBERS + b"\0" * 9, "gzip", True),
        (ZLIB, "deflate", True),
        (LOG, "", True),
        (PACKED[:-1], "", False),
        (PACKED[:-5] + b"\0" * 5, "", False),
        (PACKED + b"garbage", "", False),
    ],
)
def test_a_whole_log_has_a_length(stored, encoding, is_whole, size):
    def counted(most):
        return length(Decoded(cut(stored, size), encoding), most)

    assert counted(10**9) == counted(len(LOG)) == (len(LOG) if is_whole else None)
    assert counted(len(LOG) - 1) is None


def test_of_what_is_too_long_no_more_is_inflated():
    chunks = iter([gzip.compress(bytes(10**6), 9)[:500]] + [b""] * 5)
    assert length(Decoded(chunks), 1000) is None
    assert list(chunks) == [b""] * 5
    assert length(Decoded(failing_after(PACKED)), 10**9) is None


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        (PACKED, LOG[:50]),
        (LOG, LOG[:50]),
        (b"", b""),
        (PACKED[:300], LOG[:50]),
        (b"\x1f\x8bnot gzip at all" + b"." * 50, None),
    ],
)
def test_the_beginning_is_inflated_unless_it_is_damaged(stored, text):
    found = first_bytes(stored, size=50)
    assert (found.text, found.is_damaged) == (text or b"", text is None)


@pytest.mark.parametrize("size", [1, 3, 10, 100])
def test_exactly_leaves_out_what_was_appended_since(size):
    assert b"".join(exactly(10, cut(b"0123456789 and more", size))) == b"0123456789"


@pytest.mark.parametrize(
    ("announced", "pieces", "came", "why"),
    [
        (0, [], [], None),
        (0, [b""], [], None),
        (4, [b"ab", b"cd", b"appended"], [b"ab", b"cd"], None),
        (10, [b"012", b"345"], [b"012", b"345"], "4 of 10 bytes"),
        # The last piece waits until all is well.
        (4, failing_after(b"ab", b"cd"), [b"ab"], "stopped answering"),
        (9, failing_after(b"ab", b"cd"), [b"ab", b"cd"], "stopped answering"),
    ],
)
def test_exactly_tells_what_is_missing(announced, pieces, came, why):
    reading = Reading(exactly(announced, pieces))
    assert [*filter(None, reading)] == came
    assert (reading.broke_off is None) if why is None else (why in str(reading.broke_off))


@pytest.mark.parametrize("size", [1, 7, 100, 5000])
@pytest.mark.parametrize(("first", "end"), [(0, 1), (0, 100), (99, 101), (350, 777), (0, 1024)])
def test_a_part_is_the_same_however_the_text_is_cut(first, end, size):
    text = bytes(range(256)) * 4
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    found = list(within(pieces, first, end))
    assert all(found)
    assert b"".join(found) == text[first:end]
