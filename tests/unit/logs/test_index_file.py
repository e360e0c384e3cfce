# SPDX-License-Identifier: Apache-2.0
import json
import random

import pytest

from oslogserve.logs.decode import FirstBytes
from oslogserve.logs.indexes import LogIndex, file_of

HERITAGE = {
    "rank": 2,
    "shows_severity": True,
    "record": 2,
    "error": None,
    "time": {"micros": 5, "offset": 60},
    "shows_time": True,
    "time_text": "00:00",
    "is_below_heading": False,
}
BLOCK = {
    "line": 1,
    "at": 0,
    "lines": 7,
    "size": 90,
    "checksum": 5,
    "longest": 9,
    "heritage": HERITAGE,
    "severities": [{"rank": 2, "own": 0, "count": 7, "first": 1}],
    "times": None,
}
BLOCKS = [BLOCK, BLOCK | {"line": 8, "at": 90, "size": 30}]
POINTS = [
    {"stored": 30, "bits": 1, "bit_count": 3, "at": 50, "window": b"\0\xffone"},
    {"stored": 60, "bits": 0, "bit_count": 0, "at": 100, "window": b"two"},
]
FIRST = FirstBytes("gzip", b"first " * 170)
SUMMARY, COMPACT = b'{"lines": 14}', b'{"failed": false}'


def file_with(blocks=BLOCKS, summary=SUMMARY):
    made = json.dumps(blocks).encode()
    parts = {"summary": summary, "compact": COMPACT, "blocks": made, "points": POINTS}
    return LogIndex(file_of(FIRST, 14, 120, False, **parts)).with_contents(b"w" * 99, b"i")


INDEX = file_with()


def test_a_file_gives_again_what_is_known():
    index = LogIndex(INDEX)
    assert index.first_bytes == FIRST
    assert (index.lines, index.size, index.ends_a_line) == (14, 120, False)
    assert (index.summary, index.compact) == (SUMMARY, COMPACT)
    assert [*index.blocks] == [(0, 90, 5), (90, 30, 5)]
    assert index.points == POINTS
    assert index.has_contents
    assert index.contents == (b"w" * 99, b"i")


@pytest.mark.parametrize(("at", "place"), [(0, 0), (89, 0), (90, 1), (500, 1)])
def test_a_byte_of_the_text_has_a_block(at, place):
    assert LogIndex(INDEX).blocks.place_of(at) == place


@pytest.mark.parametrize(
    ("at", "around"),
    [
        *((0, [None, *POINTS[:1]]), (49, [None, *POINTS[:1]]), (50, POINTS), (99, POINTS)),
        *((100, [POINTS[1], None]), (120, [POINTS[1], None])),
    ],
)
def test_a_place_has_a_point_before_it_and_one_behind_it(at, around):
    assert [*LogIndex(INDEX).points_around(at)] == around


def test_a_file_that_is_cut_damaged_or_of_another_version_is_refused():
    for size in range(len(INDEX)):
        with pytest.raises(ValueError, match=r"cut short|no index"):
            LogIndex(INDEX[:size])
    chance = random.Random(1)
    for _ in range(1000):
        at = chance.randrange(len(INDEX))
        mutated = INDEX[:at] + bytes([INDEX[at] ^ 1 << chance.randrange(8)]) + INDEX[at + 1 :]
        with pytest.raises(ValueError, match=r"cut short|damaged|no index"):
            LogIndex(mutated)


def without(block, name):
    return {key: value for key, value in block.items() if key != name}


@pytest.mark.parametrize(
    ("blocks", "why"),
    [
        ([], "no blocks"),
        ({}, "invalid type"),
        ([BLOCK, BLOCK], "does not begin where"),
        ([without(BLOCK, "heritage"), BLOCKS[1]], "missing field"),
        ([BLOCK | {"lines": 8}, BLOCKS[1]], "counts"),
        ([BLOCK | {"size": 2**63}, BLOCKS[1]], "too large"),
        ([BLOCK | {"size": -1}, BLOCKS[1]], "invalid value"),
        ([BLOCK, BLOCKS[1] | {"heritage": HERITAGE | {"rank": 99}}], "severity"),
        ([BLOCK | {"severities": [{"rank": 99, "own": 0, "count": 7, "first": 1}]}], "severity"),
    ],
)
def test_blocks_that_cannot_be_of_the_log_are_refused(blocks, why):
    index = LogIndex(file_with(blocks))
    with pytest.raises(ValueError, match=why):
        index.blocks  # noqa: B018 - read when it is asked for
