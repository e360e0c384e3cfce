# SPDX-License-Identifier: Apache-2.0
import gzip
import random

import pytest

from oslogserve.errors import NotFound
from oslogserve.jobs import passed
from oslogserve.jobs.passed import PassedLogs, PassedRun
from oslogserve.lines.renderer import Renderer
from oslogserve.logs.budget import Allowance, Budget
from oslogserve.logs.open_log import Logs
from oslogserve.sources.disk import Disk


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
    return Budget(Allowance(60, 2**30))


@pytest.fixture
def logs():
    return PassedLogs(Logs(()), Renderer())


def test_a_log_is_read_once_for_each_version(logs, disk, budget, tmp_path):
    known, fault = logs.get(b"a.log", [disk], budget)
    assert (known.is_new(b"tests passed"), known.is_new(b"aaaaaaaaa"), fault) == (
        False,
        False,
        None,
    )
    assert logs.get(b"a.log", [disk], budget) == (known, None)
    assert disk.reads == 1
    version = logs.find(b"a.log", [disk]).version
    (tmp_path / "a.log").write_bytes(b"another text\n")
    assert logs.find(b"a.log", [disk]).version != version
    assert logs.get(b"a.log", [disk], budget).known.is_new(b"tests passed")
    assert disk.reads == 2


def test_all_words_together_have_a_limit(logs, disk, budget, monkeypatch):
    size = logs.get(b"a.log", [disk], budget).known.size
    monkeypatch.setattr(passed, "LARGEST", size)
    monkeypatch.setattr(passed, "MOST_HELD", 2 * size)
    held = logs.get(b"b.log", [disk], budget).known  # in the place of a.log, which nobody holds
    known, fault = logs.get(b"a.log", [disk], budget)
    assert (known, disk.reads) == (None, 2)
    assert str(fault).startswith("it was not compared with a.log: The words of other logs fill")
    assert logs.get(b"b.log", [disk], budget).known is None  # it was given up for a.log
    del held
    assert logs.get(b"a.log", [disk], budget).known
    assert logs.get(b"a.log", [disk], budget).known
    assert disk.reads == 3


def test_what_broke_off_is_compared_and_said_and_not_kept(logs, disk, budget, tmp_path):
    lines = b"".join(b"%d tests passed\n" % n for n in random.Random(1).sample(range(10**9), 10**5))
    (tmp_path / "c.log.gz").write_bytes(gzip.compress(lines)[:-1000])
    for reads in (1, 2):
        known, fault = logs.get(b"c.log.gz", [disk], budget)
        assert not known.is_new(b"tests passed")
        assert fault.is_of_comparison
        assert str(fault).startswith("it was compared with a part of c.log.gz: ")
        assert disk.reads >= reads
    assert logs.find(b"none.log", [disk]).version == logs.find(b"none.log", [disk]).version


@pytest.mark.parametrize(
    ("name", "like"),
    [
        (b"console.log", b"41/console.log"),
        (b"logs/n-cpu.log", b"41/logs/n-cpu.log.2.gz"),
        (b"compute7/n-api.txt.gz", b"41/compute1/n-api.txt"),
        (b"host-9/n-api.txt", b"41/compute1/n-api.txt"),
        (b"tempest.log", None),
    ],
)
def test_logs_of_two_runs_pair_by_name_without_numbers_and_compression(
    logs, disk, budget, tmp_path, name, like
):
    for path in ("console.log", "console.log.1", "logs/n-cpu.log.2.gz", "compute1/n-api.txt"):
        (tmp_path / "41" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "41" / path).touch()
    run = PassedRun(logs, b"41", [disk], budget)
    assert run.like(name) == like
    if like is None:
        known, fault = run.compared(name)
        assert known.is_new(b"tests passed")
        assert "no log there is like it" in str(fault)


def test_a_run_that_is_not_there_is_an_error(logs, disk, budget):
    with pytest.raises(NotFound):
        PassedRun(logs, b"40", [disk], budget)
