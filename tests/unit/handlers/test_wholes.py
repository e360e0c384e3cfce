# SPDX-License-Identifier: Apache-2.0
from concurrent.futures import ThreadPoolExecutor

from oslogserve.handlers import wholes
from oslogserve.handlers.wholes import Lengths, Wholes
from oslogserve.sources import Stored


def stored(version, source="disk", size=1):
    return Stored(source, size, 0.0, str(version))


def test_what_was_added_is_known():
    known = Wholes()
    assert stored(1) not in known
    known.add(stored(1))
    assert stored(1) in known
    assert stored(1)._replace(modified=9.0) in known


def test_another_version_source_or_size_is_another_log():
    known = Wholes()
    known.add(stored(1))
    for other in (stored(2), stored(1, "swift"), stored(1, size=2), stored(1, size=None)):
        assert other not in known


def test_the_oldest_goes_where_there_are_too_many(monkeypatch):
    monkeypatch.setattr(wholes, "REMEMBERED", 3)
    known = Wholes()
    for version in (1, 2, 2, 3, 4, 4):
        known.add(stored(version))
    assert [version for version in range(6) if stored(version) in known] == [2, 3, 4]


def test_what_is_asked_for_is_kept_longer(monkeypatch):
    monkeypatch.setattr(wholes, "REMEMBERED", 3)
    known = Lengths()
    for version in (1, 2, 3):
        known.add(stored(version), 10 * version)
    assert known.of(stored(1)) == 10
    known.add(stored(4), 40)
    assert [known.of(stored(version)) for version in (1, 2, 3, 4)] == [10, None, 30, 40]


def test_a_length_of_zero_is_one():
    known = Lengths()
    known.add(stored(1), 0)
    assert known.of(stored(1)) == 0
    assert known.of(stored(1)._replace(encoding="deflate")) is None


def test_what_has_no_version_is_not_remembered():
    known, lengths = Wholes(), Lengths()
    known.add(stored(""))
    lengths.add(stored(""), 5)
    assert stored("") not in known
    assert lengths.of(stored("")) is None


def test_many_threads_may_add_at_once(monkeypatch):
    monkeypatch.setattr(wholes, "REMEMBERED", 5)
    known = Wholes()

    def add(thread):
        for version in range(2000):
            known.add(stored(f"{thread} {version}"))
            assert stored("nobody's") not in known

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(8)))
    kept = [
        (thread, version)
        for thread in range(8)
        for version in range(2000)
        if stored(f"{thread} {version}") in known
    ]
    assert len(kept) == 5
