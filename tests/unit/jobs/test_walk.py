# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.errors import Incomplete, NotFound, SourceError
from oslogserve.jobs import walk
from oslogserve.jobs.walk import MOST_FAILURES, Walk
from oslogserve.sources import Entry
from oslogserve.sources.disk.source import Disk
from tests.kit.open_logs import FakeSource

NOT_ALL = ": some were not read"
GONE = Entry(b"gone/", None, None, "swift")


@pytest.fixture
def disk(tmp_path):
    for name in ("b.txt", "a/x.txt", "a/deep/y.txt.gz", "a.txt"):
        path = tmp_path / "job" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (tmp_path / "job" / "empty").mkdir()
    return Disk(str(tmp_path), 1024)


def names(found):
    return [file.name for file in found]


def test_all_files_below_come_in_the_order_of_their_names(disk):
    found = Walk([disk], b"job")
    assert names(found) == [b"a.txt", b"a/deep/y.txt.gz", b"a/x.txt", b"b.txt"]
    assert (found.failures, found.ended) == ([], None)


def test_below_the_root_too(disk):
    assert names(Walk([disk], b"")) == [
        *(b"job/a.txt", b"job/a/deep/y.txt.gz", b"job/a/x.txt", b"job/b.txt")
    ]


def test_what_several_sources_have_comes_once(disk):
    swift = FakeSource("swift", names=[b"a.txt", b"c.txt"])
    assert names(Walk([disk, swift], b"job"))[:2] == [b"a.txt", b"a/a.txt"]
    assert names(Walk([disk, swift], b"job")).count(b"a.txt") == 1


def test_no_folder_is_not_found(disk):
    with pytest.raises(NotFound):
        list(Walk([disk], b"other"))


def test_a_source_that_fails_is_told_and_the_others_are_read(disk):
    found = Walk([disk, FakeSource("swift", names=SourceError("swift", "it is ill"))], b"job")
    assert len(names(found)) == 4
    assert [str(error) for _, error in found.failures][:1] == ["it is ill"]


def told(found):
    list(found)
    return [str(one) for one in found.missing]


@pytest.mark.parametrize("source", ["disk", "swift"])
def test_a_folder_that_cannot_be_listed_is_named(disk, source):
    ill = SourceError(source, "it is ill")
    swift = FakeSource(source)
    broken = {b"job": [b"z/", b"y/", ill], b"job/z": [b"x.txt", ill], b"job/y": ill}

    def entries(path, wanted):
        swift.names = broken[path]
        return FakeSource.entries(swift, path, wanted)

    swift.entries = entries
    assert told(Walk([swift], b"job")) == [
        f"some logs may be missing, {source} failed: it is ill",
        f"some logs may be missing below z/, y/: {source} failed: it is ill",
    ]


def test_the_names_of_folders_that_cannot_be_listed_are_bounded():
    swift = FakeSource("swift")
    ill = SourceError("swift", "it is ill")

    def entries(path, wanted):
        swift.names = ill if path else [b"%03d/" % number for number in range(MOST_FAILURES + 3)]
        return FakeSource.entries(swift, path, wanted)

    swift.entries = entries
    [named, others] = told(Walk([swift], b""))
    assert named.count("/") == MOST_FAILURES
    assert others == "3 more folders could not be listed"


def test_too_many_files_are_told(disk, monkeypatch):
    monkeypatch.setattr(walk, "MOST_ENTRIES", 3)
    found = Walk([disk], b"job")
    assert names(found) == [b"a.txt"]
    assert str(found.ended) == "more than 3 files and folders are there" + NOT_ALL


def test_the_walk_goes_on_behind_what_was_too_much(disk, monkeypatch):
    whole = names(Walk([disk], b"job"))
    monkeypatch.setattr(walk, "MOST_ENTRIES", 3)
    found, first = [], b""
    while first is not None:
        part = Walk([disk], b"job", first)
        found += names(part)
        first = part.next
    assert found == whole


def test_what_lies_before_the_first_name_is_not_looked_at(disk):
    assert names(Walk([disk], b"job", b"a/deep/y.txt.gz")) == [
        *(b"a/deep/y.txt.gz", b"a/x.txt", b"b.txt")
    ]
    swift = FakeSource("swift", names=[b"a.txt", b"c.txt"])
    assert names(Walk([swift], b"job", b"b")) == [b"c.txt"]


@pytest.mark.parametrize("name", [b"/", b".", b"..", b"./", b"../"])
def test_a_name_of_no_url_leads_nowhere_and_is_told(disk, name):
    found = Walk([disk, FakeSource("swift", names=[name])], b"job")
    assert names(found) == [b"a.txt", b"a/deep/y.txt.gz", b"a/x.txt", b"b.txt"]
    assert str(found.ended) == 'names have an empty, "." or ".." segment' + NOT_ALL


def test_folders_that_lie_too_deep_are_told(disk, monkeypatch):
    monkeypatch.setattr(walk, "MOST_DEPTH", 1)
    found = Walk([disk], b"job")
    assert names(found) == [b"a.txt", b"a/x.txt", b"b.txt"]
    assert str(found.ended) == "folders are nested more than 1 deep" + NOT_ALL


def test_a_walk_whose_budget_is_spent_ends_and_says_so(disk):
    def charge():
        raise Incomplete("budget", "its time is over")

    found = Walk([disk], b"job", charge=charge)
    assert names(found) == []
    assert str(found.ended) == "its time is over"


def test_a_walk_begins_where_its_first_name_is(disk):
    wanted = []
    swift = FakeSource("swift", names=[b"b/", b"c"])
    entries = swift.entries
    swift.entries = lambda path, of: wanted.append((path, of.first)) or entries(path, of)
    assert names(Walk([swift], b"job", b"b/c/d.txt")) == [b"c"]
    assert wanted == [(b"job", b"b/"), (b"job/b", b"c/")]


def test_a_folder_that_was_removed_after_it_was_listed_is_told(disk):
    swift = FakeSource("swift")
    swift.entries = lambda path, wanted: iter([GONE]) if path == b"job" else None
    found = Walk([swift, disk], b"job")
    assert len(names(found)) == 4
    assert str(found.ended) == "a folder was removed after it was listed" + NOT_ALL


def test_a_walk_opens_no_further_folder_once_its_budget_is_spent(disk, tmp_path):
    charges = []

    def charge():
        charges.append(1)
        if len(charges) > 3:
            raise Incomplete("budget", "its time is over")

    for number in range(10):
        (tmp_path / "job" / f"c{number}").mkdir()  # empty: that costs, too
    found = Walk([disk], b"job", charge=charge)
    list(found)
    assert len(charges) == 4
    assert str(found.ended) == "its time is over"
