# SPDX-License-Identifier: Apache-2.0
import gzip
import random
import re
import zlib

import pytest

from oslogserve.errors import Incomplete
from oslogserve.logs import decode
from oslogserve.logs.decode import (
    PIECE,
    Decoded,
    beginning,
    exactly,
    length,
    packed_as,
    until_incomplete,
)

_random = random.Random(2)
LOG = b"".join(
    b"2013-09-27 18:22:11.%03d %d INFO nova.api [-] %x\n"
    % (n, n, _random.getrandbits(_random.randrange(1, 256)))
    for n in range(200)
)
MEMBERS = b"".join(gzip.compress(LOG[at : at + 3000], mtime=0) for at in range(0, len(LOG), 3000))


def cut(data, size):
    return [data[at : at + size] for at in range(0, len(data), size)]


def had(chunks, encoding=""):
    """(what came, why the rest did not)"""
    missing = []
    came = b"".join(until_incomplete(Decoded(chunks, encoding), missing))
    return came, [error.reason for error in missing]


@pytest.mark.parametrize(
    ("stored", "encoding"),
    [
        pytest.param(LOG, "", id="plain"),
        pytest.param(gzip.compress(LOG), "", id="gzip undeclared"),
        pytest.param(gzip.compress(LOG), "gzip", id="gzip"),
        pytest.param(MEMBERS, "", id="many members"),
        pytest.param(MEMBERS + b"\0" * 1000, "gzip", id="padded with zeros"),
        pytest.param(zlib.compress(LOG), "deflate", id="zlib"),
        pytest.param(LOG, "gzip", id="declared gzip, stored plain"),
        pytest.param(gzip.compress(LOG), "deflate", id="declared deflate, stored gzip"),
    ],
)
def test_a_log_is_the_same_however_it_is_stored_and_cut(stored, encoding):
    for size in (*range(1, 20), 64, 1000, 65536):
        assert had(cut(stored, size), encoding) == (LOG, []), size


@pytest.mark.parametrize("stored", [b"", b"\x1f", b"x", b"\n"])
@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_what_is_too_short_to_be_packed_is_plain(stored, encoding):
    assert had([stored], encoding) == (stored, [])


@pytest.mark.parametrize("size", [2, 10, 100, 65536])
def test_plain_text_that_was_declared_deflate_is_plain(size):
    for start in range(0, len(LOG), 97):
        stored = LOG[start : start + size]
        assert had([stored, LOG], "deflate") == (stored + LOG, [])
        assert beginning(stored, encoding="deflate") == stored[:1024]


@pytest.mark.parametrize(
    ("stored", "packed"),
    [
        (LOG, ""),
        (gzip.compress(LOG), "gzip"),
        (zlib.compress(LOG), "zlib"),
        ("Grüße\n".encode() * 50, ""),
    ],
)
def test_the_first_bytes_decide_what_a_declared_deflate_is(stored, packed):
    assert packed_as(stored, "deflate") == packed
    assert packed_as(stored) == (packed if packed == "gzip" else "")


def test_no_chunks_are_an_empty_log():
    assert had([]) == (b"", [])
    assert had([b"", b""]) == (b"", [])


@pytest.mark.parametrize(("size", "step"), [(1, 601), (7, 101), (65536, 61)])
def test_a_gzip_that_ends_early_gives_all_that_it_holds(size, step):
    stored = gzip.compress(LOG, mtime=0)
    for end in range(2, len(stored), step):
        came, reasons = had(cut(stored[:end], size))
        assert came == zlib.decompressobj(31).decompress(stored[:end])
        assert reasons == ["truncated"]


def test_members_that_end_early_give_all_that_they_hold():
    first = len(gzip.compress(LOG[:3000], mtime=0))
    for end in range(2, len(MEMBERS), 31):
        came, reasons = had([MEMBERS[:end]])
        assert LOG.startswith(came)
        assert end < first or len(came) >= 3000
        assert reasons in (["truncated"], [])


@pytest.mark.parametrize(("packed", "encoding"), [(zlib.compress(LOG), "deflate")])
def test_deflate_that_ends_early_is_told(packed, encoding):
    came, reasons = had([packed[: len(packed) // 2]], encoding)
    assert came
    assert LOG.startswith(came)
    assert reasons == ["truncated"]


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
    stored = bytearray(gzip.compress(LOG, mtime=0))
    middle = len(stored) // 2
    stored[middle : middle + 200] = b"\xff" * 200
    came, reasons = had(cut(bytes(stored), size))
    assert came == before_the_damage(bytes(stored))
    assert len(came) > len(LOG) // 4
    assert reasons == ["corrupt"]


@pytest.mark.parametrize("size", [1, 5, 65536])
def test_a_wrong_checksum_is_told_after_the_whole_log(size):
    stored = bytearray(gzip.compress(LOG, mtime=0))
    stored[-8] ^= 1
    assert had(cut(bytes(stored), size)) == (LOG, ["corrupt"])


@pytest.mark.parametrize("size", [1, 5, 65536])
@pytest.mark.parametrize("garbage", [b"garbage", b"\0\0garbage", b"\x1fgarbage"])
def test_garbage_behind_the_gzip_is_told_after_the_log(garbage, size):
    assert had(cut(gzip.compress(LOG) + garbage, size)) == (LOG, ["corrupt"])


def test_what_follows_a_deflate_stream_is_told():
    assert had([zlib.compress(LOG) + zlib.compress(LOG)], "deflate") == (LOG, ["corrupt"])


@pytest.mark.parametrize("copies", [1, 3])
def test_a_bomb_comes_in_bounded_pieces(copies):
    size = 8 * 1024 * 1024
    stored = gzip.compress(b"\0" * size, 1) * copies
    sizes = [len(piece) for piece in Decoded([stored])]
    assert max(sizes) <= PIECE
    assert sum(sizes) == size * copies


def test_a_damaged_bomb_comes_in_bounded_pieces():
    stored = bytearray(gzip.compress(b"\0" * 8 * 1024 * 1024, 1))
    stored[-8] ^= 1
    sizes = []
    with pytest.raises(Incomplete):
        sizes.extend(map(len, Decoded([bytes(stored)])))
    missing = []
    sizes = list(map(len, until_incomplete(Decoded([bytes(stored)]), missing)))
    assert max(sizes) <= PIECE
    assert sum(sizes) == 8 * 1024 * 1024
    assert missing


def test_a_failing_source_is_told_after_what_it_gave():
    def chunks():
        yield b"one\n"
        raise Incomplete("timeout", "Swift stopped answering")

    assert had(chunks()) == (b"one\n", ["timeout"])


def test_the_beginning_is_inflated():
    assert beginning(gzip.compress(LOG), size=50) == LOG[:50]
    assert beginning(LOG, size=50) == LOG[:50]
    assert beginning(b"") == b""
    assert beginning(gzip.compress(LOG)[:300], size=50) == LOG[:50]


def test_the_beginning_of_a_damaged_gzip_is_as_it_is():
    damaged = b"\x1f\x8bnot gzip at all"
    assert beginning(damaged, size=10) == damaged[:10]


@pytest.mark.parametrize("size", [1, 3, 10, 100])
def test_exactly_leaves_out_what_was_appended_since(size):
    assert b"".join(exactly(10, cut(b"0123456789 and more", size))) == b"0123456789"


def test_exactly_tells_what_is_missing():
    came = []
    with pytest.raises(Incomplete, match="4 of 10 bytes") as caught:
        came.extend(exactly(10, [b"012", b"345"]))
    assert caught.value.reason == "truncated"
    missing = []
    assert b"".join(until_incomplete(exactly(10, [b"012", b"345"]), missing)) == b"012345"


@pytest.mark.parametrize("chunks", [[], [b""]])
def test_exactly_nothing_is_complete(chunks):
    assert b"".join(exactly(0, chunks)) == b""


# With a decoder that may be asked again


def read(chunks, encoding="", again=None):
    """(what came, why the rest did not, whether it was one member)"""
    missing = []
    log = Decoded(chunks, encoding, again)
    came = b"".join(until_incomplete(log, missing))
    return came, [error.reason for error in missing], log.is_one_member


@pytest.fixture(params=["fast", "zlib"])
def fast(request, monkeypatch):
    """The faster decoder, and the standard library's in its place."""
    if request.param == "zlib":
        monkeypatch.setattr(decode, "fast", zlib)


def never():
    raise AssertionError("it was read again")


PACKED = gzip.compress(LOG, mtime=0)
NAMED = b"\x1f\x8b\x08\x18" + PACKED[4:10] + b"console.log\0a comment\0" + PACKED[10:]
#: (stored, Content-Encoding, whether it is one gzip member and nothing else)
WHOLE = {
    "gzip": (PACKED, "", 1),
    "named": (NAMED, "", 1),
    "not compressed": (gzip.compress(LOG, 0), "gzip", 1),
    "empty": (gzip.compress(b""), "", 1),
    "as long as two pieces": (gzip.compress(b"0123456789abcdef" * (PIECE // 8)), "", 1),
    "two": (PACKED + PACKED, "", 0),
    "many": (MEMBERS, "", 0),
    "empty members": (gzip.compress(b"") * 3, "", 0),
    "an empty one behind": (PACKED + gzip.compress(b""), "", 0),
    "zeros": (PACKED + b"\0" * 1000, "", 0),
    "one zero": (PACKED + b"\0", "", 0),
    "zeros between": (PACKED + b"\0" * 5 + PACKED, "", 0),
    "zlib": (zlib.compress(LOG), "deflate", 0),
    "plain": (LOG, "", 0),
}


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("size", [1, 3, 64, 65536])
def test_the_faster_decoder_gives_the_same(fast, name, size):
    stored, encoding, is_one = WHOLE[name]
    expected = read([stored], encoding)
    assert expected[1:] == ([], is_one)
    again = never
    if name == "named" and size < 64:  # ISA-L fails where such a header is cut: then zlib reads it

        def again():
            return cut(stored, size)

    assert read(cut(stored, size), encoding, again) == expected


def length_of(chunks, encoding, most):
    return length(Decoded(chunks, encoding, again=lambda: ()), most)


def is_one_member(chunks):
    log = Decoded(chunks, again=lambda: ())
    length(log, 1 << 30)
    return log.is_one_member


@pytest.mark.parametrize("size", [1, 1000, 65536])
def test_one_member_is_what_a_client_may_inflate_itself(fast, size):
    for name, (stored, encoding, is_one) in WHOLE.items():
        if packed_as(stored, encoding) == "gzip" and (name, size) != ("named", 1):
            assert is_one_member(cut(stored, size)) is bool(is_one), name


def test_one_member_that_is_cut_short_damaged_or_not_there_is_none(fast):
    for end in range(0, len(PACKED), 31):
        assert not is_one_member([PACKED[:end]])
    for at in (0, 1, 2, 500, len(PACKED) - 8, len(PACKED) - 1):
        assert not is_one_member([PACKED[:at] + bytes([PACKED[at] ^ 0x55]) + PACKED[at + 1 :]])
    assert not is_one_member([PACKED + b"garbage"])
    assert not is_one_member([])


def test_one_member_of_a_source_that_fails_is_none():
    def chunks():
        yield PACKED[:100]
        raise Incomplete("failed", "x")

    assert not is_one_member(chunks())


@pytest.mark.parametrize("stored", [PACKED, MEMBERS], ids=["one member", "many"])
@pytest.mark.parametrize(("size", "step"), [(1, 6401), (100, 1601), (65536, 801)])
@pytest.mark.parametrize("flip", [0x01, 0xFF])
def test_wherever_the_damage_is_all_before_it_comes(fast, stored, size, step, flip):
    """The faster decoder may see it some bytes later, never earlier."""
    headers = {m.start() + n for m in re.finditer(b"\x1f\x8b\x08\0", stored) for n in range(10)}
    for at in set(range(step // 2, len(stored), step)) - headers:  # not all in them is a damage
        damaged = stored[:at] + bytes([stored[at] ^ flip]) + stored[at + 1 :]
        chunks = cut(damaged, size)
        came, reasons, members = read(chunks, again=lambda chunks=chunks: chunks)
        before, told, _ = read(chunks)
        assert came[: len(before)] == before
        assert len(came) <= len(before) + 258
        assert (reasons, members) == (told, 0)
        assert reasons


def test_a_method_that_is_none_is_told(fast):
    damaged = MEMBERS.replace(b"\x1f\x8b\x08\0", b"\x1f\x8b\x07\0")
    assert read(cut(damaged, 100), again=lambda: [damaged]) == (b"", ["corrupt"], 0)


@pytest.mark.parametrize(
    "stored", [PACKED, MEMBERS, zlib.compress(LOG)], ids=["one", "many", "zlib"]
)
@pytest.mark.parametrize(("size", "step"), [(1, 6401), (100, 1601), (65536, 801)])
def test_wherever_it_ends_early_all_that_is_there_comes(fast, stored, size, step):
    """But for the two bytes that ISA-L has not told of yet. It is not read again for them."""
    encoding = "" if stored in (PACKED, MEMBERS) else "deflate"
    for end in range(30, len(stored), step):
        chunks = cut(stored[:end], size)
        came, reasons, members = read(chunks, encoding, never)
        there, told, _ = read(chunks, encoding)
        assert there.startswith(came)
        assert len(came) >= len(there) - 2
        assert (reasons, members) == (told, 0)


@pytest.mark.parametrize("size", [1, 5, 65536])
@pytest.mark.parametrize(
    "garbage", [b"garbage", b"\0\0garbage", b"\x1fgarbage!!", b"\x1f\x8bgarbage!"]
)
def test_garbage_behind_a_gzip_is_told_by_the_faster_decoder_too(fast, garbage, size):
    chunks = cut(PACKED + garbage, size)
    assert read(chunks, again=lambda: chunks) == (LOG, ["corrupt"], 0)


DAMAGED = PACKED[:2000] + b"\xff" * 200 + PACKED[2200:]
#: All of the log, and another length than its own at the end.
MISCOUNTED = PACKED[:-1] + b"\x01"


def test_a_damage_is_read_again_once_and_nothing_comes_twice():
    asked = []

    def again():
        asked.append(1)
        return cut(DAMAGED, 1000)

    came, reasons, _ = read(cut(DAMAGED, 100), again=again)
    assert came == before_the_damage(DAMAGED)
    assert reasons == ["corrupt"]
    assert len(asked) == (0 if decode.fast is zlib else 1)


@pytest.mark.parametrize("at", range(100, len(PACKED), 97))
def test_what_came_wrong_is_told_though_another_copy_of_it_is_whole(fast, at):
    """Swift keeps three. Most damages are seen at the end, when other bytes have come."""
    damaged = PACKED[:at] + bytes([PACKED[at] ^ 1]) + PACKED[at + 1 :]
    came, reasons, _ = read(cut(damaged, 100), again=lambda: cut(PACKED, 100))
    assert reasons == ["corrupt"] or came == LOG


@pytest.mark.parametrize("reason", ["corrupt", "timeout"])
@pytest.mark.skipif(decode.fast is zlib, reason="isal is not installed")
def test_where_it_cannot_be_read_again_that_is_told_after_what_came(reason):
    def again():
        raise Incomplete(reason, "gone")

    assert read(cut(MISCOUNTED, 10), again=again) == (LOG, [reason], 0)


@pytest.mark.skipif(decode.fast is zlib, reason="isal is not installed")
def test_reading_again_that_breaks_off_is_told_and_gives_nothing_twice():
    def again():
        yield MISCOUNTED[:1000]
        raise Incomplete("timeout", "Swift stopped answering")

    assert read(cut(MISCOUNTED, 10), again=again) == (LOG, ["timeout"], 0)


def test_a_source_that_fails_is_not_read_again(fast):
    def chunks():
        yield PACKED[:1000]
        raise Incomplete("timeout", "Swift stopped answering")

    came, reasons, _ = read(chunks(), again=never)
    assert came
    assert reasons == ["timeout"]


@pytest.mark.parametrize("copies", [1, 3])
def test_a_bomb_comes_in_bounded_pieces_from_the_faster_decoder_too(fast, copies):
    size = 8 * 1024 * 1024
    stored = gzip.compress(b"\0" * size, 1) * copies
    sizes = [len(piece) for piece in Decoded([stored], again=never)]
    assert max(sizes) <= PIECE
    assert sum(sizes) == size * copies


def failing_after(*pieces):
    yield from pieces
    raise Incomplete("failed", "x")


def test_the_last_of_the_announced_bytes_waits_until_all_is_well():
    came = []
    with pytest.raises(Incomplete):
        came.extend(exactly(4, failing_after(b"ab", b"cd")))
    assert came == [b"ab"]
    assert list(exactly(4, iter([b"ab", b"cd", b"appended"]))) == [b"ab", b"cd"]


def test_what_breaks_off_before_loses_nothing_that_came():
    came = []
    with pytest.raises(Incomplete):
        came.extend(exactly(9, failing_after(b"ab", b"cd")))
    assert came == [b"ab", b"cd"]


LONG = b"a line like any other\n" * 40_000


@pytest.mark.parametrize("size", [1, 1000, 10**6])
@pytest.mark.parametrize(
    ("stored", "encoding", "known"),
    [
        (gzip.compress(LONG), "", True),
        (gzip.compress(LONG[:100]) + gzip.compress(LONG[100:]) + b"\0" * 9, "gzip", True),
        (zlib.compress(LONG), "deflate", True),
        (LONG, "", True),
        (gzip.compress(LONG)[:-1], "", False),
        (gzip.compress(LONG)[:-5] + b"\0" * 5, "", False),
        (gzip.compress(LONG) + b"garbage", "", False),
    ],
)
def test_a_whole_log_has_a_length(stored, encoding, known, size):
    chunks = [stored[n : n + size] for n in range(0, len(stored), size)]
    assert length_of(chunks, encoding, 10**9) == (len(LONG) if known else None)
    assert length_of(chunks, encoding, len(LONG)) == (len(LONG) if known else None)
    assert length_of(chunks, encoding, len(LONG) - 1) is None


def test_of_what_is_too_long_no_more_is_inflated():
    chunks = iter([gzip.compress(bytes(10**6), 9)[:500]] + [b""] * 5)
    assert length_of(chunks, "", 1000) is None
    assert list(chunks) == [b""] * 5


def test_a_source_that_fails_midway_leaves_no_length():
    def failing():
        yield gzip.compress(LONG)
        raise Incomplete("timeout", "it stopped answering")

    assert length_of(failing(), "", 10**9) is None


def test_one_member_is_told_when_its_length_is_counted():
    one, two = Decoded([gzip.compress(LONG)]), Decoded([gzip.compress(b"a") * 2])
    assert (length(one, 10**9), one.is_one_member) == (len(LONG), True)
    assert (length(two, 10**9), two.is_one_member) == (2, False)


def test_a_member_for_each_byte_is_no_piece_for_each():
    one = gzip.compress(b"x")
    pieces = list(Decoded([one * 3000] * 4, again=tuple))
    assert b"".join(pieces) == b"x" * 12_000
    assert len(pieces) <= 8


def with_all_fields(member):
    """A gzip member whose header has extra bytes, a name, a comment and a checksum."""
    header = member[:3] + b"\x1e" + member[4:10] + b"\x05\0extra" + b"a.txt\0" + b"of a job\0"
    return header + (zlib.crc32(header) & 0xFFFF).to_bytes(2, "little") + member[10:]


@pytest.mark.parametrize("before", [b"", gzip.compress(b"", mtime=0)], ids=["first", "second"])
def test_a_header_with_all_fields_is_read_wherever_it_is_cut(before):
    stored = before + with_all_fields(gzip.compress(LOG, mtime=0))
    expected = (gzip.decompress(stored), [])
    for at in range(len(before), len(before) + 40):
        pieces = [stored[:at], stored[at:]]
        missing = []
        decoded = Decoded(pieces, again=lambda: pytest.fail("it is read once more"))
        came = b"".join(until_incomplete(decoded, missing))
        assert (came, missing) == expected, at
