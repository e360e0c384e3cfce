# SPDX-License-Identifier: Apache-2.0
from concurrent.futures import ThreadPoolExecutor

import pytest

from oslogserve.logs import known_gzips
from oslogserve.logs.checkpoints import Checkpoints
from oslogserve.logs.known_gzips import Known, KnownGzips
from oslogserve.sources import Stored


def checkpoints(size):
    counted = Checkpoints()
    counted.add(bytes(size))
    return counted


FOUND = Known(is_one_member=True, checkpoints=checkpoints(7))


def stored(version, source="disk", size=1):
    return Stored(source, size, 0.0, str(version))


@pytest.fixture
def known():
    return KnownGzips()


def test_what_was_learned_is_known(known):
    assert known.get(stored(1)) is None
    known.learn(stored(1), FOUND)
    assert known.get(stored(1)) == FOUND
    assert known.get(stored(1)._replace(modified=9.0)) == FOUND
    again = Known(False, checkpoints(0))
    known.learn(stored(1), again)
    assert known.get(stored(1)) == again


def test_another_version_source_size_or_encoding_is_another_log(known):
    known.learn(stored(1), FOUND)
    for other in (
        *(stored(2), stored(1, "swift"), stored(1, size=2), stored(1, size=None)),
        stored(1)._replace(encoding="deflate"),
    ):
        assert known.get(other) is None


def test_the_oldest_goes_where_there_are_too_many(known, monkeypatch):
    monkeypatch.setattr(known_gzips, "MOST_REMEMBERED", 3)
    for version in (1, 2, 2, 3, 4, 4):
        known.learn(stored(version), FOUND)
    assert [version for version in range(6) if known.get(stored(version))] == [2, 3, 4]


def test_what_is_used_is_kept_longer(known, monkeypatch):
    monkeypatch.setattr(known_gzips, "MOST_REMEMBERED", 3)
    for version in (1, 2, 3):
        known.learn(stored(version), Known(True, checkpoints(10 * version)))
    assert known.get(stored(1)).checkpoints.size == 10
    known.learn(stored(4), FOUND)
    assert [version for version in range(6) if known.get(stored(version))] == [1, 3, 4]


def test_what_has_no_version_is_not_remembered(known):
    known.learn(stored(""), FOUND)
    assert known.get(stored("")) is None


def test_many_threads_may_learn_at_once(known, monkeypatch):
    monkeypatch.setattr(known_gzips, "MOST_REMEMBERED", 5)

    def learn(thread):
        for version in range(2000):
            known.learn(stored(f"{thread} {version}"), FOUND)
            assert known.get(stored("nobody's")) is None

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(learn, range(8)))
    kept = [
        (thread, version)
        for thread in range(8)
        for version in range(2000)
        if known.get(stored(f"{thread} {version}"))
    ]
    assert len(kept) == 5
