# SPDX-License-Identifier: Apache-2.0
from concurrent.futures import ThreadPoolExecutor

import pytest

from oslogserve.logs import open_log
from oslogserve.logs.open_log import TextFacts
from oslogserve.sources import Stored

FOUND, OTHER = (7, True), (1024, False)


def stored(version, source="disk", size=1):
    return Stored(source, size, 0.0, str(version))


@pytest.fixture
def known():
    return TextFacts()


def kept(known):
    return [version for version in range(6) if known.get(stored(version))]


def test_what_was_learned_is_known_until_something_newer_is(known):
    assert known.get(stored(1)) is None
    for facts in (FOUND, OTHER):
        known.learn(stored(1), facts)
        assert known.get(stored(1)) is known.get(stored(1)._replace(modified=9.0)) is facts


def test_another_version_source_size_or_encoding_is_another_log(known):
    known.learn(stored(1), FOUND)
    for other in (
        *(stored(2), stored(1, "swift"), stored(1, size=2), stored(1, size=None)),
        stored(1)._replace(encoding="deflate"),
    ):
        assert known.get(other) is None


def test_what_was_not_used_for_longest_goes_where_there_is_too_much(known, monkeypatch):
    monkeypatch.setattr(open_log, "MOST_REMEMBERED", 3)
    for version in (1, 2, 2, 3, 4, 4):
        known.learn(stored(version), FOUND)
    assert kept(known) == [2, 3, 4]
    assert known.get(stored(2))
    known.learn(stored(5), FOUND)
    assert known.get(stored(3)) is None


def test_what_has_no_version_is_not_remembered(known):
    known.learn(stored(""), FOUND)
    assert known.get(stored("")) is None


def test_many_threads_may_learn_at_once(known, monkeypatch):
    monkeypatch.setattr(open_log, "MOST_REMEMBERED", 5)

    def learn(thread):
        for version in range(2000):
            known.learn(stored(f"{thread} {version}"), FOUND)
            assert known.get(stored("nobody's")) is None

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(learn, range(8)))
    names = [f"{thread} {version}" for thread in range(8) for version in range(2000)]
    assert sum(known.get(stored(name)) is not None for name in names) == 5
