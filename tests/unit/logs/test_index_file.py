# SPDX-License-Identifier: Apache-2.0
import json
import random

import pytest

from oslogserve.logs.decode import FirstBytes
from oslogserve.logs.index_file import Facts, IndexFile, file_of

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
FACTS = Facts(14, 120, False, b"a summary")
COMPACT = b"a compact one"


def file_with(facts=FACTS, blocks=BLOCKS, points=POINTS):
    file = file_of(FIRST, facts, COMPACT, json.dumps(blocks).encode(), points)
    return IndexFile(file).with_contents(b"w" * 99, b"i")


def read_all(content):
    IndexFile(content).facts()
    IndexFile(content).compact()
    index_of(content).file.contents()


def index_of(content):
    return IndexFile(content).index()


INDEX = file_with()


def test_a_file_gives_again_what_is_known():
    assert IndexFile(INDEX).first_bytes() == FIRST
    assert IndexFile(INDEX).facts() == FACTS
    assert IndexFile(INDEX).compact().summary == COMPACT
    index = index_of(INDEX)
    assert [*index.blocks] == [(0, 90, 5), (90, 30, 5)]
    assert index.points == POINTS
    assert index.file.contents() == (b"w" * 99, b"i")
    assert index.blocks.ends_a_line is False


@pytest.mark.parametrize(("at", "place"), [(0, 0), (89, 0), (90, 1), (500, 1)])
def test_a_byte_of_the_text_has_a_block(at, place):
    assert index_of(INDEX).blocks.place_of(at) == place


@pytest.mark.parametrize(
    ("at", "point", "stored_end"),
    [(0, None, 30), (49, None, 30), (50, 0, 60), (99, 0, 60), (100, 1, None), (120, 1, None)],
)
def test_a_place_has_a_point_before_it_and_an_end_of_its_stored_bytes(at, point, stored_end):
    index = index_of(INDEX)
    assert index.point_before(at) == (None if point is None else POINTS[point])
    assert index.stored_end(at) == stored_end


def test_a_file_that_is_cut_damaged_or_of_another_version_is_refused():
    for size in range(len(INDEX)):
        with pytest.raises(ValueError, match=r"cut short|no index"):
            IndexFile(INDEX[:size])
    chance = random.Random(1)
    for _ in range(1000):
        at = chance.randrange(len(INDEX))
        mutated = INDEX[:at] + bytes([INDEX[at] ^ 1 << chance.randrange(8)]) + INDEX[at + 1 :]
        with pytest.raises(ValueError, match=r"cut short|damaged|no index"):
            read_all(mutated)


def test_the_facts_are_read_without_the_other_parts():
    assert IndexFile(INDEX[:-1] + b"?").facts() == FACTS
    with pytest.raises(ValueError, match="damaged"):
        index_of(INDEX[:-1] + b"?")


def test_a_file_whose_json_is_large_is_refused_before_it_is_inflated(monkeypatch):
    large = file_with(FACTS._replace(summary=b"x" * 2000))
    monkeypatch.setattr("oslogserve.logs.index_file.MOST_JSON", 1000)
    with pytest.raises(ValueError, match="too large"):
        IndexFile(large).facts()


def without(block, name):
    return {key: value for key, value in block.items() if key != name}


@pytest.mark.parametrize(
    ("blocks", "why"),
    [
        ([], "no blocks"),
        ({}, "invalid type"),
        ([BLOCK], "another log"),
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
    with pytest.raises(ValueError, match=why):
        index_of(file_with(blocks=blocks))
