# SPDX-License-Identifier: Apache-2.0
import random

import pytest

from oslogserve.index.log_index import LogIndex

BLOCK = {
    "line": 1,
    "at": 0,
    "lines": 7,
    "size": 90,
    "checksum": 5,
    "heritage": {},
    "severities": [],
    "times": None,
}
POINTS = [
    {"stored": 30, "bits": 1, "bit_count": 3, "at": 50, "window": b"\0\xffone"},
    {"stored": 60, "bits": 0, "bit_count": 0, "at": 100, "window": b"two"},
]
FOUND = {
    "blocks": [BLOCK, BLOCK | {"line": 8, "at": 90, "size": 30}],
    "words": b"w" * 99,
    "ids": b"i",
}
INDEX = LogIndex.of_found(FOUND, False, "gzip", POINTS, b"{}")


def test_a_file_gives_the_index_again():
    assert LogIndex.of_file(INDEX.as_file()) == INDEX


def test_it_knows_how_large_the_log_is():
    assert (INDEX.lines, INDEX.size) == (14, 120)


@pytest.mark.parametrize(
    ("at", "point", "stored_end"),
    [(0, None, 30), (49, None, 30), (50, 0, 60), (99, 0, 60), (100, 1, None), (120, 1, None)],
)
def test_a_place_has_a_point_before_it_and_an_end_of_its_stored_bytes(at, point, stored_end):
    assert INDEX.point_before(at) == (None if point is None else POINTS[point])
    assert INDEX.stored_end(at) == stored_end


def test_a_file_that_is_cut_damaged_or_of_another_version_is_refused():
    file = INDEX.as_file()
    for size in range(len(file)):
        with pytest.raises(ValueError, match=r"cut short|damaged|no index"):
            LogIndex.of_file(file[:size])
    chance = random.Random(1)
    for _ in range(1000):
        at = chance.randrange(len(file))
        mutated = file[:at] + bytes([file[at] ^ 1 << chance.randrange(8)]) + file[at + 1 :]
        with pytest.raises(ValueError, match=r"cut short|damaged|no index"):
            LogIndex.of_file(mutated)


def test_a_file_whose_json_is_large_is_refused_before_it_is_inflated(monkeypatch):
    monkeypatch.setattr("oslogserve.index.log_index.MOST_JSON", 1000)
    with pytest.raises(ValueError, match="too large"):
        LogIndex.of_file(INDEX._replace(summary=b"x" * 2000).as_file())


def test_an_index_without_blocks_is_refused():
    with pytest.raises(ValueError, match="no blocks"):
        LogIndex.of_file(INDEX._replace(blocks=[]).as_file())
