# SPDX-License-Identifier: Apache-2.0
import gzip
import random
from itertools import pairwise

import pytest
import zstandard

from oslogserve.logs.decode import PIECE, Decoded, first_bytes, packed_as
from oslogserve.native import Inflater
from oslogserve.upload.masked_copy import Reading
from tests.kit.packing import frame, frames, skippable, streamed

_random = random.Random(3)
#: More than two blocks of 128 KiB.
LOG = b"".join(
    b"2013-09-27 18:22:11.%03d %d INFO nova.api [-] %x\n"
    % (n % 1000, n, _random.getrandbits(_random.randrange(1, 256)))
    for n in range(4000)
)
SMALL = LOG[:2000]


PACKED = frame(LOG)
FRAMES = b"".join(frame(LOG[at : at + 30_000]) for at in range(0, len(LOG), 30_000))
OF_PZSTD = frames(LOG, 99_999)
#: A frame whose header names a dictionary.
WITH_DICTIONARY = b"\x28\xb5\x2f\xfd\x01\0\7" + b"\1\0\0"
MIB = 2**20


def cut(data, size):
    return [data[at : at + size] for at in range(0, len(data), size)]


def read(chunks, encoding="", piece_size=PIECE):
    """(what came, why the rest did not, whether it was one frame)"""
    log = Decoded(chunks, encoding, piece_size)
    reading = Reading(log)
    came = b"".join(reading)
    why = reading.broke_off
    return came, why and (why.reason, str(why)), log.is_one_member


#: (stored, Content-Encoding, whether it is one frame and nothing else)
WHOLE = {
    "frame": (PACKED, "", True),
    "declared": (PACKED, "zstd", True),
    "declared as gzip": (PACKED, "gzip", True),
    "without checksum": (frame(LOG, write_checksum=False), "", True),
    "without size": (streamed(LOG), "", True),
    "strong": (frame(LOG, 19), "", True),
    "fast": (frame(LOG, -7), "", True),
    "largest window": (streamed(LOG, window_log=23), "", True),
    "frames": (FRAMES, "", False),
    "pzstd's": (OF_PZSTD, "", False),
    "empty one behind": (PACKED + frame(b""), "", False),
    "empty one before": (frame(b"") + PACKED, "", False),
    "skippable behind": (PACKED + skippable(b"an index", 14), "", False),
    "zeros": (PACKED + bytes(1000), "zstd", False),
    "one zero": (PACKED + b"\0", "", False),
    "plain, declared": (LOG, "zstd", False),
}  # fmt: skip


@pytest.mark.parametrize("piece_size", [1000, PIECE])
@pytest.mark.parametrize("size", [1, 7, 1000, 65536, 10**6])
@pytest.mark.parametrize("name", WHOLE)
def test_a_log_is_the_same_however_it_is_stored_and_cut(name, size, piece_size):
    stored, encoding, is_one = WHOLE[name]
    assert read(cut(stored, size), encoding, piece_size) == (LOG, None, is_one)


@pytest.mark.parametrize(
    ("stored", "is_one"),
    [
        (frame(b""), True),
        (streamed(b""), True),
        (frame(b"") * 3, False),
        (skippable(b""), False),
        (skippable(bytes(300)) * 2, False),
    ],
)
def test_frames_without_text_are_an_empty_log(stored, is_one):
    for size in (1, 5, 1000):
        assert read(cut(stored, size)) == (b"", None, is_one)


@pytest.mark.parametrize(
    ("stored", "packed"),
    [
        (PACKED, "zstd"),
        (skippable(b"x", 15), "zstd"),
        (b"\x28\xb5\x2f", ""),
        (b"\x60\x2a\x4d\x18", ""),
        (LOG, ""),
    ],
)
def test_the_first_bytes_show_a_zstd(stored, packed):
    assert packed_as(stored) == packed
    assert packed_as(stored, "gzip") in (packed, "gzip")
    assert packed_as(bytes(100), "zstd") == "zstd"


def of_blocks(stored):
    """What libzstd gives byte by byte: then it loses nothing that comes before a damage."""
    decoder, text = zstandard.ZstdDecompressor().decompressobj(), b""
    for at in range(len(stored)):
        try:
            text += decoder.decompress(stored[at : at + 1])
        except zstandard.ZstdError:
            break
    return text


@pytest.mark.parametrize("size", [1, 100, 10**6])
def test_wherever_it_ends_early_all_blocks_that_are_there_come(size):
    for end in range(4, len(PACKED), len(PACKED) // 7):
        came, why, is_one = read(cut(PACKED[:end], size))
        assert came == of_blocks(PACKED[:end])
        assert (why, is_one) == (("truncated", "the compressed data ends early"), False)
    assert came == LOG[: 2 * 128 * 1024]


@pytest.mark.parametrize("end", [1, *range(4, len(frame(SMALL)))])
def test_a_small_frame_ends_early_anywhere(end):
    came, why, _ = read([frame(SMALL)[:end]], "zstd")
    assert SMALL.startswith(came)
    assert why[0] == "truncated"


@pytest.mark.parametrize("size", [1, 100, 4096, 10**6])
def test_all_blocks_before_a_damage_come(size):
    damaged = bytearray(PACKED)
    damaged[-3000:-2000] = bytes(1000)
    came, why, _ = read(cut(bytes(damaged), size))
    assert came == of_blocks(damaged) == LOG[: 2 * 128 * 1024]
    assert why == ("corrupt", "the compressed data is damaged: invalid Zstandard data")


def test_every_flipped_bit_of_a_frame_is_noticed_if_it_changes_the_text():
    stored = frame(SMALL)
    for at in range(8 * len(stored)):
        flipped = bytearray(stored)
        flipped[at // 8] ^= 1 << at % 8
        came, why, _ = read([bytes(flipped)], "zstd")
        assert came == SMALL or why, at


@pytest.mark.parametrize("size", [1, 5, 10**6])
@pytest.mark.parametrize(
    ("behind", "sentence"),
    [
        (b"garbage", "what follows the compressed data is not Zstandard"),
        (b"\0\0garbage", "what follows the compressed data is not Zstandard"),
        (gzip.compress(SMALL), "what follows the compressed data is not Zstandard"),
        (b"\x28\xb5\x2f\x00", "what follows the compressed data is not Zstandard"),
        (
            b"\x28\xb5\x2f\xfd" + b"\xff" * 20,
            "the compressed data is damaged: invalid Zstandard data",
        ),
    ],
)
def test_what_follows_a_frame_is_told_after_the_log(behind, sentence, size):
    assert read(cut(PACKED + behind, size)) == (LOG, ("corrupt", sentence), False)


def test_a_zstd_behind_a_gzip_is_told_after_the_log():
    came, why, _ = read([gzip.compress(SMALL) + frame(SMALL)])
    assert (came, why[1]) == (SMALL, "what follows the compressed data is not gzip")


@pytest.mark.parametrize("size", [1, 1000, 10**6])
def test_a_wrong_checksum_is_told_after_the_log(size):
    stored = PACKED[:-1] + bytes([PACKED[-1] ^ 1])
    sentence = "the compressed data is damaged: the checksum at its end is wrong"
    assert read(cut(stored, size)) == (LOG, ("corrupt", sentence), False)


@pytest.mark.parametrize(
    ("stored", "encoding"), [(b"", "zstd"), (b"\x28", "zstd"), (b"\x50\x2a\x4d\x18", "")]
)
def test_a_beginning_alone_is_cut_short(stored, encoding):
    assert read([stored] if stored else [], encoding)[:2] == (
        b"",
        ("truncated", "the compressed data ends early"),
    )


@pytest.mark.parametrize("stored", [bytes(5000), b"PK\3\4\0\0"])
def test_what_is_declared_as_zstd_and_is_neither_that_nor_text_is_damaged(stored):
    assert read([stored], "zstd")[1] == (
        "corrupt",
        "the compressed data is damaged: a header is wrong",
    )


@pytest.mark.parametrize("window_log", [24, 27])
def test_a_frame_that_needs_much_memory_is_refused(window_log):
    came, why, _ = read([frame(SMALL) + streamed(LOG, window_log=window_log)])
    assert came == SMALL
    assert why[0] == "corrupt"
    assert "cannot be read: it needs a window of more than 8 MiB" in why[1]


def test_a_frame_that_needs_a_dictionary_is_refused():
    sentence = "the compressed data cannot be read: it needs a dictionary"
    assert read([WITH_DICTIONARY]) == (b"", ("corrupt", sentence), False)


@pytest.mark.parametrize("copies", [1, 3])
@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_bomb_comes_in_bounded_pieces(copies, is_damaged):
    stored = bytearray(frame(bytes(8 * MIB)) * copies)
    stored[-1] ^= is_damaged
    assert len(stored) < 8000
    bomb = Reading(Decoded([bytes(stored)]))
    sizes = list(map(len, bomb))
    is_incomplete = bomb.broke_off is not None
    assert (max(sizes), sum(sizes), is_incomplete) == (PIECE, 8 * MIB * copies, is_damaged)


@pytest.mark.parametrize(
    ("frames", "text"),
    [(frame(b"x") * 3000, b"x" * 12_000), (frame(b"") * 3000, b""), (skippable(b"") * 3000, b"")],
)
def test_a_frame_for_each_byte_is_no_piece_for_each(frames, text):
    pieces = list(Decoded([frames] * 4))
    assert b"".join(pieces) == text
    assert 4 <= len(pieces) <= 8


def points_of(chunks, interval):
    points = []
    assert b"".join(Decoded(chunks, interval=interval, points=points)) == LOG
    return points


@pytest.mark.parametrize("interval", [1, 30_000, 100_000, 10**9])
def test_a_log_can_be_read_from_each_of_its_points_which_are_frames(interval):
    points = points_of(cut(FRAMES, 1000), interval)
    places = [point["at"] for point in points]
    assert len(places) == min(len(LOG) // 30_000, len(LOG) // interval)
    assert all(later >= place + min(interval, 30_000) for place, later in pairwise(places))
    for point in points:
        inflater = Inflater.at("zstd", len(LOG), point)
        assert inflater.feed(FRAMES[point["stored"] :]) == LOG[point["at"] :]
        assert inflater.fault_at_end is None


def test_a_log_of_one_frame_has_no_points():
    assert points_of([PACKED], 1000) == []


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        (PACKED, LOG[:50]),
        (OF_PZSTD, LOG[:50]),
        (PACKED[:300], b""),
        (PACKED[:6] + b"\xff" * 50, None),
        (WITH_DICTIONARY, None),
    ],
)
def test_the_beginning_is_read_unless_it_is_damaged(stored, text):
    found = first_bytes(stored, size=50)
    assert (found.text, found.is_damaged) == (text or b"", text is None)
