# SPDX-License-Identifier: Apache-2.0
import os
import shutil
import subprocess
import sys

import pytest

from oslogserve.logs.indexes import Indexes
from oslogserve.metrics import Metrics
from oslogserve.sources import Stored
from tests.unit.logs.test_index_file import INDEX, SUMMARY


@pytest.fixture
def metrics():
    return Metrics()


def log(version):
    return Stored("disk", 10**6, 0.0, version)


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def value(metrics, name):
    lines = metrics.exposition().decode().splitlines()
    [line] = [line for line in lines if line.startswith(f"oslogserve_{name} ")]
    return float(line.split()[1])


def test_what_was_put_is_there_for_other_workers(tmp_path, metrics):
    Indexes("", metrics, str(tmp_path / "new" / "er"), 10**6).keep(log("a"), INDEX)
    other = Indexes("", metrics, str(tmp_path / "new" / "er"), 10**6)
    assert other.find(log("a")).summary == SUMMARY
    assert other.find(log("b")) is None
    assert value(metrics, "indexes_made_total") == 1


def test_a_damaged_file_is_removed_and_counted(tmp_path, metrics, capsys):
    directory = Indexes("", metrics, str(tmp_path), 10**6)
    directory.keep(log("a"), INDEX)
    [file] = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    assert directory.find(log("a")) is None
    assert not list(tmp_path.iterdir())
    assert value(metrics, 'indexes_refused_total{reason="damaged"}') == 1
    assert "an index was removed: it is cut short" in capsys.readouterr().err


def test_what_was_not_used_for_longest_is_evicted(tmp_path, metrics):
    size = len(INDEX)
    directory = Indexes("", metrics, str(tmp_path), 10 * size)
    for key in range(10):
        directory.keep(log(str(key)), INDEX)
        for file in tmp_path.iterdir():
            os.utime(file, (file.stat().st_atime, file.stat().st_mtime - 3600))
    assert directory.find(log("0"))  # this is a use
    directory.keep(log("10"), INDEX)
    kept = [key for key in range(11) if directory.find(log(str(key)))]
    assert kept == [0, *range(3, 11)]
    assert value(metrics, "index_directory_bytes") == 9 * size


def test_an_index_for_which_the_directory_is_too_small_evicts_no_other(tmp_path, metrics):
    directory = Indexes("", metrics, str(tmp_path), 2 * len(INDEX))
    directory.keep(log("a"), INDEX)
    directory.keep(log("b"), 3 * INDEX)
    assert directory.find(log("a")).summary == SUMMARY
    assert directory.find(log("b")) is None


def test_the_bytes_of_all_indexes_are_counted_five_minutes_later_at_the_latest(tmp_path, metrics):
    clock = Clock()
    directory = Indexes("", metrics, str(tmp_path), 10**9, clock)
    directory.keep(log("a"), INDEX)
    Indexes("", Metrics(), str(tmp_path), 10**9).keep(log("b"), INDEX)
    clock.now += 299
    directory.keep(log("c"), INDEX)
    assert value(metrics, "index_directory_bytes") == len(INDEX)
    clock.now += 1
    directory.keep(log("d"), INDEX)
    assert value(metrics, "index_directory_bytes") == 4 * len(INDEX)


def test_a_directory_that_is_removed_right_after_a_write_ends_no_answer(
    tmp_path, metrics, monkeypatch
):
    path = tmp_path / "indexes"
    directory = Indexes("", metrics, str(path), 2 * len(INDEX))
    replace = os.replace

    def replace_and_remove(*files):
        replace(*files)
        shutil.rmtree(path)

    monkeypatch.setattr("os.replace", replace_and_remove)
    directory.keep(log("a"), INDEX)
    assert directory.find(log("a")) is None


def test_the_database_of_runs_may_be_there_too(tmp_path, metrics):
    database = tmp_path / "seen.sqlite"
    database.write_bytes(b"runs")
    os.utime(database, (1, 1))
    directory = Indexes("", metrics, str(tmp_path), 2 * len(INDEX))
    for key in "abcdef":
        directory.keep(log(key), INDEX)
    assert database.read_bytes() == b"runs"


def test_what_a_killed_process_left_is_removed(tmp_path, metrics):
    left, new = tmp_path / "tmpold", tmp_path / "tmpnew"
    left.write_bytes(b"x")
    new.write_bytes(b"x")
    os.utime(left, (0, 0))
    Indexes("", metrics, str(tmp_path), 10**6).keep(log("a"), INDEX)
    assert new.exists()
    assert not left.exists()


@pytest.mark.parametrize("path", ["/proc/none", "/dev/null/x"])
def test_a_directory_that_cannot_be_written_to_is_told_once(path, metrics, capsys):
    directory = Indexes("", metrics, path, 10**6)
    for _ in range(3):
        directory.keep(log("a"), INDEX)
        assert directory.find(log("a")) is None
    assert capsys.readouterr().err.count("indexes are not kept") == 1


def test_after_an_outage_indexes_are_kept_again_and_each_outage_is_told_once(
    tmp_path, metrics, capsys
):
    path, clock = tmp_path / "indexes", Clock()
    directory = Indexes("", metrics, str(path), 10**6, clock)
    for _ in range(2):
        path.write_bytes(b"no directory")
        for _ in range(3):
            clock.now += 60
            assert directory.keeps
            directory.keep(log("a"), INDEX)
            assert not directory.keeps
        path.unlink()
        clock.now += 59
        directory.keep(log("a"), INDEX)
        assert not path.exists()
        clock.now += 1
        directory.keep(log("a"), INDEX)
        assert directory.keeps
        assert directory.find(log("a")).summary == SUMMARY
        shutil.rmtree(path)
    assert capsys.readouterr().err.count(f"indexes are not kept in {path}: File exists") == 2


def test_a_directory_that_is_removed_during_a_write_is_made_again(
    tmp_path, metrics, monkeypatch, capsys
):
    path = tmp_path / "indexes"
    replace = os.replace

    def remove_and_replace(*files):
        monkeypatch.setattr("os.replace", replace)
        shutil.rmtree(path)
        replace(*files)

    monkeypatch.setattr("os.replace", remove_and_replace)
    directory = Indexes("", metrics, str(path), 10**6)
    directory.keep(log("a"), INDEX)
    assert directory.find(log("a")).summary == SUMMARY
    assert not capsys.readouterr().err


def test_a_full_disk_leaves_nothing_half_written(tmp_path, metrics, monkeypatch, capsys):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    Indexes("", metrics, str(tmp_path), 10**6).keep(log("a"), INDEX)
    assert not list(tmp_path.iterdir())
    assert "No space left" in capsys.readouterr().err


_WRITER = """
import sys
from oslogserve.logs.indexes import Indexes
from oslogserve.metrics import Metrics
from oslogserve.sources import Stored
from tests.unit.logs.test_index_file import file_with
directory = Indexes("", Metrics(), sys.argv[1], 10**9)
large = file_with(summary=b"".join(b"%x" % (number * 2654435761) for number in range(200_000)))
print("writes", flush=True)
while True:
    directory.keep(Stored("disk", 10**6, 0.0, "a"), large)
"""


@pytest.mark.long
def test_a_process_killed_while_it_writes_leaves_no_bad_index(tmp_path, metrics):
    reader = Indexes("", metrics, str(tmp_path), 10**9)
    for _ in range(200):
        writer = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        with writer:
            writer.stdout.readline()
            while reader.find(log("a")) is None:
                assert writer.poll() is None
            writer.kill()
        assert reader.find(log("a")).blocks
    assert "indexes_refused_total{" not in metrics.exposition().decode()
