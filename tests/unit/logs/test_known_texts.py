# SPDX-License-Identifier: Apache-2.0
from concurrent.futures import ThreadPoolExecutor

import pytest

from oslogserve.errors import Incomplete
from oslogserve.logs import known_texts
from oslogserve.logs.known_texts import Counted, KnownTexts
from oslogserve.sources import Stored

LOG = bytes(range(256)) * 4
INTERVAL = 100
SIZES = (1, 7, 99, 100, 101, 250, 5000)
RANGES = [(0, 1), (0, 100), (99, 101), (100, 200), (350, 777), (1000, 1024), (0, len(LOG))]


@pytest.fixture(autouse=True)
def short_interval(monkeypatch):
    monkeypatch.setattr(known_texts, "INTERVAL", INTERVAL)


def cut(log, size):
    return [log[at : at + size] for at in range(0, len(log), size)]


def counted(log=LOG, size=7):
    found = Counted()
    for piece in cut(log, size):
        found.add(piece)
    return found


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("first", "end"), RANGES)
@pytest.mark.parametrize("log", [LOG, LOG[:1000]])
def test_a_range_is_the_same_however_the_log_is_cut(log, first, end, size):
    first, end = min(first, len(log) - 1), min(end, len(log))
    pieces = list(counted(log).checked_range(first, end, cut(log, size)))
    assert b"".join(pieces) == log[first:end]
    assert all(pieces)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("first", "end"), RANGES)
def test_no_altered_byte_of_a_range_goes_without_a_word(first, end, size):
    for at in {first, (first + end) // 2, end - 1}:
        altered = LOG[:at] + bytes([LOG[at] ^ 1]) + LOG[at + 1 :]
        with pytest.raises(Incomplete, match="not the same"):
            list(counted().checked_range(first, end, cut(altered, size)))


def test_nothing_is_read_beyond_the_next_checksum():
    pieces = iter(cut(LOG, 50))
    assert b"".join(counted().checked_range(10, 20, pieces)) == LOG[10:20]
    assert b"".join(pieces) == LOG[INTERVAL:]


def test_a_log_that_ends_before_the_checksum_is_told():
    with pytest.raises(Incomplete, match="not the same"):
        list(counted().checked_range(0, 10, [LOG[:50]]))


def test_what_was_appended_since_is_not_looked_at():
    assert b"".join(counted().checked_range(1000, 1024, [LOG + b"more"])) == LOG[1000:]


FOUND = counted(LOG[:7])


def stored(version, source="disk", size=1):
    return Stored(source, size, 0.0, str(version))


@pytest.fixture
def known():
    return KnownTexts()


def kept(known):
    return [version for version in range(6) if known.get(stored(version))]


def test_what_was_learned_is_known_until_something_newer_is(known):
    assert known.get(stored(1)) is None
    for facts in (FOUND, counted()):
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
    monkeypatch.setattr(known_texts, "MOST_REMEMBERED", 3)
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
    monkeypatch.setattr(known_texts, "MOST_REMEMBERED", 5)

    def learn(thread):
        for version in range(2000):
            known.learn(stored(f"{thread} {version}"), FOUND)
            assert known.get(stored("nobody's")) is None

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(learn, range(8)))
    names = [f"{thread} {version}" for thread in range(8) for version in range(2000)]
    assert sum(known.get(stored(name)) is not None for name in names) == 5
