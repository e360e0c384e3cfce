# SPDX-License-Identifier: Apache-2.0
import gzip
import random
import re
import time
from itertools import islice, product
from types import SimpleNamespace

import pytest

from oslogserve.errors import Incomplete, NotFound
from oslogserve.jobs import compare
from oslogserve.jobs.compare import PassedLogs, PassedRun, Pointers
from oslogserve.logs.budget import Budget
from oslogserve.logs.indexes import Indexes
from oslogserve.logs.open_log import Logs
from oslogserve.metrics import Metrics
from oslogserve.query import Query
from oslogserve.sources import Folder
from oslogserve.sources.disk.source import Disk
from tests.kit.open_logs import FakeLog, FakeSource
from tests.kit.renderers import is_new, renderer, words_of


class CountingDisk(Disk):
    """A disk that counts how often it opens a log to read it."""

    reads = 0

    def open(self, path, options):
        self.reads += options.body
        return super().open(path, options)


@pytest.fixture
def disk(tmp_path):
    for name in ("a.log", "b.log"):
        (tmp_path / name).write_bytes(b"tests passed\n" + name[:1].encode() * 9)
    return CountingDisk(str(tmp_path), 65536)


@pytest.fixture
def budget():
    return Budget(60, 2**30)


@pytest.fixture
def logs():
    return PassedLogs(Logs(()), renderer())


def test_a_log_is_read_once_for_each_version(logs, disk, budget, tmp_path):
    known, fault = logs.get(b"a.log", [disk], budget)
    assert (is_new(b"tests passed", known), is_new(b"aaaaaaaaa", known), fault) == (
        False,
        False,
        None,
    )
    assert logs.get(b"a.log", [disk], budget) == (known, None)
    assert disk.reads == 1
    version = logs.find(b"a.log", [disk]).version
    (tmp_path / "a.log").write_bytes(b"another text\n")
    assert logs.find(b"a.log", [disk]).version != version
    assert is_new(b"tests passed", logs.get(b"a.log", [disk], budget).words)
    assert disk.reads == 2


LONG = b"".join(b"%d tests passed in the %dth run\n" % (n, n) for n in range(9000))


@pytest.fixture
def other_process(tmp_path):
    """Makes what another process of the same server has."""

    def made(rules="1"):
        indexes = Indexes(rules, Metrics(), str(tmp_path / "indexes"), 2**30)
        return PassedLogs(Logs((), indexes), renderer(), indexes)

    return made


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_log_is_not_read_again_by_another_process(
    other_process, disk, budget, tmp_path, is_packed
):
    path = tmp_path / "c.log"
    path.write_bytes(gzip.compress(LONG) if is_packed else LONG)
    known, _ = other_process().get(b"c.log", [disk], budget)
    others, fault = other_process().get(b"c.log", [disk], budget)
    assert (disk.reads, fault, others.is_full) == (1, None, False)
    for line in (b"7 tests passed", b"tests failed", b"the run in tests"):
        assert is_new(line, others) == is_new(line, known)
    other_process("2").get(b"c.log", [disk], budget)
    assert disk.reads == 2
    path.write_bytes(LONG + b"more\n")
    assert not is_new(b"more", other_process().get(b"c.log", [disk], budget).words)
    assert disk.reads == 3


def test_words_that_were_damaged_on_disk_are_removed_and_the_log_is_read(
    other_process, disk, budget, tmp_path
):
    (tmp_path / "c.log").write_bytes(LONG)
    other_process().get(b"c.log", [disk], budget)
    [file] = (tmp_path / "indexes").iterdir()
    content = file.read_bytes()
    changed = content[:-9] + bytes([content[-9] ^ 1]) + content[-8:]
    for damaged in (b"", content[:9], content[:30], content[:-1], changed):
        file.write_bytes(damaged)
        reads = disk.reads
        known = other_process().get(b"c.log", [disk], budget).words
        assert (is_new(b"7 tests passed", known), disk.reads) == (False, reads + 1)
        assert file.read_bytes() == content


def test_words_that_are_many_for_their_log_are_not_kept(other_process, disk, budget, tmp_path):
    letters = product(b"abcdefghijklmnopqrstuvwxyz", repeat=3)
    (tmp_path / "c.log").write_bytes(b" ".join(map(bytes, islice(letters, 9000))))
    for reads in (1, 2):
        other_process().get(b"c.log", [disk], budget)
        assert disk.reads == reads
    assert not (tmp_path / "indexes").exists()


def test_words_of_a_part_of_a_log_are_not_kept(other_process, disk, budget, tmp_path):
    (tmp_path / "c.log.gz").write_bytes(gzip.compress(LONG)[:-9])
    for _ in range(2):
        assert other_process().get(b"c.log.gz", [disk], budget).fault
    assert not (tmp_path / "indexes").exists()


def test_all_words_together_have_a_limit(logs, disk, budget, monkeypatch):
    size = logs.get(b"a.log", [disk], budget).words.size
    monkeypatch.setattr(compare, "LARGEST", size)
    monkeypatch.setattr(compare, "MOST_HELD", 2 * size)
    held = logs.get(b"b.log", [disk], budget).words  # in the place of a.log, which nobody holds
    known, fault = logs.get(b"a.log", [disk], budget)
    assert (known, disk.reads) == (None, 2)
    assert str(fault).startswith("it was not compared with a.log: The words of other logs fill")
    assert logs.get(b"b.log", [disk], budget).words is None  # it was given up for a.log
    del held
    assert logs.get(b"a.log", [disk], budget).words
    assert logs.get(b"a.log", [disk], budget).words
    assert disk.reads == 3


def test_what_broke_off_is_compared_and_said_and_not_kept(logs, disk, budget, tmp_path):
    lines = b"".join(b"%d tests passed\n" % n for n in random.Random(1).sample(range(10**9), 10**5))
    (tmp_path / "c.log.gz").write_bytes(gzip.compress(lines)[:-1000])
    for reads in (1, 2):
        known, fault = logs.get(b"c.log.gz", [disk], budget)
        assert not is_new(b"tests passed", known)
        assert fault.is_of_comparison
        assert str(fault).startswith("it was compared with a part of c.log.gz: ")
        assert disk.reads >= reads
    assert logs.find(b"none.log", [disk]).version == logs.find(b"none.log", [disk]).version


def test_a_log_with_more_different_words_than_are_kept_is_said_to_be_compared_in_part(
    logs, disk, budget, tmp_path
):
    letters = product(b"abcdefghijklmnopqrstuvwxyz", repeat=4)
    (tmp_path / "wordy.log").write_bytes(
        b"\n".join(b"%b %b" % (bytes(word), bytes(word[::-1])) for word in islice(letters, 300_000))
    )
    for _ in range(2):
        known, fault = logs.get(b"wordy.log", [disk], budget)
        assert known.is_full
        assert fault.is_of_comparison
        assert str(fault) == (
            "it was compared with a part of wordy.log: it has more different words than are kept, "
            "so lines may look new that are not"
        )
    assert disk.reads == 1


@pytest.mark.parametrize(("version", "reads"), [("1", 1), ("", 2)])
def test_a_log_without_a_version_may_change_unseen_and_is_read_each_time(
    logs, budget, version, reads
):
    class Versioned(FakeSource):
        reads = 0

        def open(self, path, options):
            self.reads += options.body
            return FakeLog("disk", [b"tests passed %d\n" % self.reads], version=version)

    source = Versioned("disk")
    for _ in range(2):
        assert not is_new(b"tests passed", logs.get(b"a.log", [source], budget).words)
    assert source.reads == reads


@pytest.mark.parametrize(
    ("name", "like"),
    [
        (b"console.log", b"41/console.log"),
        (b"console.log.1", b"41/console.log.1"),
        (b"logs/n-cpu.log", b"41/logs/n-cpu.log.2.gz"),
        (b"compute7/n-api.txt.gz", b"41/compute1/n-api.txt"),
        (b"host-9/n-api.txt", b"41/compute1/n-api.txt"),
        (b"tempest.log", None),
    ],
)
def test_logs_of_two_runs_pair_by_name_else_without_numbers_and_compression(
    logs, disk, budget, tmp_path, name, like
):
    for path in ("console.log", "console.log.1", "logs/n-cpu.log.2.gz", "compute1/n-api.txt"):
        (tmp_path / "41" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "41" / path).touch()
    run = PassedRun(logs, b"41", [disk], budget)
    assert run.like(name) == like
    if like is None:
        known, fault = run.compared(None)
        assert is_new(b"tests passed", known)
        assert "no log there is like it" in str(fault)


def test_names_of_a_run_that_passed_take_little_time_and_are_paid_for(logs, budget):
    names = [b"%04d" % number + b"abcdef" * 80 + b".log" for number in range(2000)]
    source = FakeSource("disk", names=names)
    began = time.thread_time()
    run = PassedRun(logs, b"41", [source], budget)
    assert run.like(b"9999" + b"abcdef" * 80 + b".log") == b"41/" + names[0]
    assert time.thread_time() - began < 1  # it was 20 s
    charges = []

    def charge():
        charges.append(1)
        if len(charges) > 100:
            raise Incomplete("budget", "its time is over")

    run = PassedRun(logs, b"41", [source], SimpleNamespace(charge=charge))
    assert str(run.ended) == "its time is over"
    assert run.like(names[0]) == b"41/" + names[0]


def test_giving_up_many_logs_counts_none_of_them_again(logs, disk, budget, monkeypatch):
    sizes = []
    size_of = compare._size_of
    monkeypatch.setattr(compare, "_size_of", lambda known: sizes.append(1) or size_of(known))
    monkeypatch.setattr(compare, "LARGEST", 0)
    stored = logs.find(b"a.log", [disk]).stored
    for number in range(1000):
        logs._keep(stored._replace(version=str(number)), words_of())
    sizes.clear()
    monkeypatch.setattr(compare, "MOST_HELD", 0)
    with logs._room():
        assert not logs._kept
    assert 1000 <= len(sizes) < 3000


def test_a_run_that_is_not_there_is_an_error(logs, disk, budget):
    with pytest.raises(NotFound):
        PassedRun(logs, b"40", [disk], budget)


class Everything(FakeSource):
    """A source that has a folder at every path, as Swift has objects of any name."""

    def open(self, path, options):
        super().open(path, options)
        return Folder()


@pytest.mark.parametrize("is_folder", [True, False])
@pytest.mark.parametrize("folder", ["passed", ""])
@pytest.mark.parametrize("name", [b"..", b".", b"", b"/", b"a/../..", b"a//b", b"../", b"a\0"])
def test_a_name_that_leads_elsewhere_is_asked_of_no_source(name, folder, is_folder):
    source = Everything("swift")
    query = Query(b"42/a.log", is_folder, against=b"@" + name)
    assert Pointers(folder, re.compile("")).resolved(query, [source]) == query
    assert source.asked == []


def test_a_name_is_asked_in_the_folder_of_the_pointers():
    source = Everything("swift")
    query = Query(b"42/", True, against=b"@unit/a..b")
    found = Pointers("/passed/", re.compile("")).resolved(query, [source])
    assert found.against == b"passed/unit/a..b"
    assert [path for path, _ in source.asked] == [b"passed/unit/a..b"]
