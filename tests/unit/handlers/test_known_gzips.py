# SPDX-License-Identifier: Apache-2.0
from concurrent.futures import ThreadPoolExecutor

import pytest

from oslogserve.handlers import known_gzips
from oslogserve.handlers.known_gzips import Known, KnownGzips
from oslogserve.sources import Stored


def stored(version, source="disk", size=1):
    return Stored(source, size, 0.0, str(version))


@pytest.fixture
def known():
    return KnownGzips()


def test_what_was_set_is_known(known):
    assert known.get(stored(1)) == Known(False, None)
    known.set_one_member(stored(1))
    assert known.get(stored(1)) == Known(True, None)
    known.set_inflated_size(stored(1), 0)
    assert known.get(stored(1)._replace(modified=9.0)) == Known(True, 0)


def test_another_version_source_size_or_encoding_is_another_log(known):
    known.set_one_member(stored(1))
    for other in (
        *(stored(2), stored(1, "swift"), stored(1, size=2), stored(1, size=None)),
        stored(1)._replace(encoding="deflate"),
    ):
        assert known.get(other) == Known()


def test_the_oldest_goes_where_there_are_too_many(known, monkeypatch):
    monkeypatch.setattr(known_gzips, "MOST_REMEMBERED", 3)
    for version in (1, 2, 2, 3, 4, 4):
        known.set_one_member(stored(version))
    remembered = [version for version in range(6) if known.get(stored(version)).is_one_member]
    assert remembered == [2, 3, 4]


def test_what_is_used_is_kept_longer(known, monkeypatch):
    monkeypatch.setattr(known_gzips, "MOST_REMEMBERED", 3)
    for version in (1, 2, 3):
        known.set_inflated_size(stored(version), 10 * version)
    assert known.get(stored(1)).inflated_size == 10
    known.set_inflated_size(stored(4), 40)
    sizes = [known.get(stored(version)).inflated_size for version in (1, 2, 3, 4)]
    assert sizes == [10, None, 30, 40]


def test_what_has_no_version_is_not_remembered(known):
    known.set_one_member(stored(""))
    known.set_inflated_size(stored(""), 5)
    assert known.get(stored("")) == Known()


def test_many_threads_may_add_at_once(known, monkeypatch):
    monkeypatch.setattr(known_gzips, "MOST_REMEMBERED", 5)

    def add(thread):
        for version in range(2000):
            known.set_one_member(stored(f"{thread} {version}"))
            assert known.get(stored("nobody's")) == Known()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(8)))
    kept = [
        (thread, version)
        for thread in range(8)
        for version in range(2000)
        if known.get(stored(f"{thread} {version}")).is_one_member
    ]
    assert len(kept) == 5
