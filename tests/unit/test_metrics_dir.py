# SPDX-License-Identifier: Apache-2.0
import contextlib
import errno
import os
import shutil
import subprocess
import sys
from typing import ClassVar

import pytest
from prometheus_client.parser import text_string_to_metric_families

from oslogserve import gunicorn_hooks, metrics_dir
from oslogserve.metrics import Metrics


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(metrics_dir.VARIABLE, str(tmp_path))
    return tmp_path


@pytest.fixture
def without_folder(monkeypatch):
    monkeypatch.setenv(metrics_dir.VARIABLE, "")  # so that it is as before in the end
    monkeypatch.delenv(metrics_dir.VARIABLE)


#: Counts, says so, and waits.
PROCESS = """
import os, sys
from oslogserve.metrics import Metrics
metrics = Metrics()
metrics["responses_total", "200"].inc(3)
metrics["source_read_bytes", "disk"].observe(5)
metrics["source_available", "disk"].set(0)
metrics["requests_in_progress"].inc()
print(os.getpid(), flush=True)
sys.stdin.read()
"""


class Counting:
    """A process that counts, until it ends."""

    def __init__(self, source=PROCESS):
        command = [sys.executable, "-c", source]
        self.child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.pid = int(self.child.stdout.readline())

    def end(self, kill=False):
        if kill:
            self.child.kill()
        self.child.communicate()


@pytest.fixture
def processes(folder):
    with contextlib.ExitStack() as stack:

        def start(count):
            started = [Counting() for _ in range(count)]
            for process in started:
                stack.callback(process.end)
            return started

        yield start


def counted(metrics):
    """The values by sample, without what is 0."""
    families = text_string_to_metric_families(metrics.exposition().decode())
    return {
        (sample.name.removeprefix("oslogserve_"), *sample.labels.values()): sample.value
        for family in families
        for sample in family.samples
        if sample.value
    }


def files(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.usefixtures("without_folder")
def test_a_new_server_starts_from_an_empty_folder(tmp_path):
    folder = tmp_path / "not" / "there"
    metrics_dir.create(str(folder))
    (folder / "1-abc.metrics").touch()
    (folder / "1-abc.new").touch()
    (folder / "note").touch()
    metrics_dir.create(str(folder))
    assert files(folder) == ["note"]
    assert os.environ[metrics_dir.VARIABLE] == str(folder)


def test_processes_are_added_up_and_shown_one_by_one(folder, processes):
    first, second = processes(2)
    metrics = Metrics()
    metrics["responses_total", "200"].inc()
    metrics["source_available", "disk"].set(1)
    metrics["requests_in_progress"].inc()
    shown = counted(metrics)
    assert shown["responses_total", "200"] == 7
    assert shown["source_read_bytes_count", "disk"] == 2
    assert shown["source_read_bytes_sum", "disk"] == 10
    assert ("source_available", "disk") not in shown  # the least
    assert shown["requests_in_progress",] == 3
    each = {name[1]: value for name, value in shown.items() if name[0].startswith("worker_")}
    assert each == {str(first.pid): 3, str(second.pid): 3, str(os.getpid()): 1}


@pytest.mark.parametrize("kill", [False, True])
def test_a_process_that_ended_is_merged_away_at_the_next_scrape(folder, processes, kill):
    metrics = Metrics()
    metrics["source_available", "disk"].set(1)
    for left, process in enumerate(processes(3)[::-1]):
        assert counted(metrics)["requests_in_progress",] == 3 - left
        process.end(kill)
    shown = counted(metrics)
    assert shown["responses_total", "200"] == 9
    assert shown["source_read_bytes_bucket", "disk", "4096.0"] == 3
    assert shown["source_available", "disk"] == 1
    assert ("requests_in_progress",) not in shown
    assert [name for name in shown if name[0].startswith("worker_")] == []
    owners = [name.partition("-")[0] for name in files(folder)]
    assert owners == ["0", str(os.getpid())]


def test_what_was_merged_is_merged_again_into_one_file(folder, processes):
    metrics = Metrics()
    for count in (1, 2, 3):
        for process in processes(1):
            process.end()
        metrics_dir.merge_ended(str(folder))
        before = files(folder)
        metrics_dir.merge_ended(str(folder))
        assert files(folder) == before  # nothing new, nothing done
        assert len(before) == 2
        assert counted(metrics)["responses_total", "200"] == 3 * count


@pytest.mark.parametrize("step", ["mkstemp", "posix_fallocate", "rename", "unlink"])
def test_a_merger_that_is_killed_loses_and_doubles_nothing(folder, processes, monkeypatch, step):
    metrics = Metrics()
    for process in processes(2):
        process.end()

    class Killed(BaseException):
        pass

    def kill(*_):
        raise Killed

    with monkeypatch.context() as patch:
        where = metrics_dir.tempfile if step == "mkstemp" else os
        patch.setattr(where, step, kill)
        with pytest.raises(Killed):
            metrics_dir.merge_ended(str(folder))
    # Not merged by the scrape itself, so that it sees what the killed one left.
    with monkeypatch.context() as patch:
        patch.setattr(metrics_dir, "merge_ended", lambda _: None)
        assert counted(metrics)["responses_total", "200"] == 6
    metrics_dir.merge_ended(str(folder))
    assert counted(metrics)["responses_total", "200"] == 6
    assert len([name for name in files(folder) if name.endswith(".metrics")]) == 2


def test_mergers_that_are_killed_again_and_again_are_made_up_for(folder, processes, monkeypatch):
    metrics = Metrics()

    def fail(_):
        raise OSError(5, "Input/output error")

    for count in (1, 2, 3):
        for process in processes(1):
            process.end()
        with monkeypatch.context() as patch:
            patch.setattr(os, "unlink", fail)
            assert counted(metrics)["responses_total", "200"] == 3 * count
            assert len(files(folder)) > 2
    assert counted(metrics)["responses_total", "200"] == 9
    metrics_dir.merge_ended(str(folder))
    assert len(files(folder)) == 2


def test_a_full_disk_leaves_everything_as_it_is(folder, processes, monkeypatch):
    metrics = Metrics()
    for process in processes(2):
        process.end()
    before = files(folder)

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", full)
        assert counted(metrics)["responses_total", "200"] == 6
        assert files(folder) == before
    assert counted(metrics)["responses_total", "200"] == 6
    assert len(files(folder)) == 2


#: Counts 50 responses in each of 20 processes, one after another.
GENERATIONS = """
import os
import shutil
from oslogserve.metrics import Metrics
print(os.getpid(), flush=True)
for _ in range(20):
    if not os.fork():
        metrics = Metrics()
        for _ in range(50):
            metrics["responses_total", "200"].inc()
            metrics["source_read_bytes", "disk"].observe(5)
        os._exit(0)
    os.wait()
"""
#: Merges all the time.
MERGING = """
import os
import shutil
from oslogserve import metrics_dir
print(os.getpid(), flush=True)
while True:
    metrics_dir.merge_ended(os.environ[metrics_dir.VARIABLE])
"""


def test_no_scrape_sees_less_or_more_while_processes_end_and_are_merged(folder):
    metrics = Metrics()
    merging, first, second = Counting(MERGING), Counting(GENERATIONS), Counting(GENERATIONS)
    try:
        seen = [0.0]
        while first.child.poll() is None or second.child.poll() is None:
            shown = counted(metrics)
            seen.append(shown.get(("responses_total", "200"), 0))
        assert seen == sorted(seen)
        shown = counted(metrics)
        assert shown["responses_total", "200"] == 2 * 20 * 50
        assert shown["source_read_bytes_sum", "disk"] == 2 * 20 * 50 * 5
    finally:
        for process in (merging, first, second):
            process.end(kill=True)


def test_a_scrape_maps_each_file_once(folder, processes, monkeypatch):
    processes(2)
    metrics = Metrics()
    before = counted(metrics)
    monkeypatch.setattr(metrics_dir, "_opened", None)
    assert counted(metrics) == before


def test_a_folder_that_has_settled_is_not_listed_again(folder, processes, monkeypatch):
    processes(1)
    metrics = Metrics()
    os.utime(folder, (1, 1))
    before = counted(metrics)
    with monkeypatch.context() as patch:
        patch.setattr(os, "listdir", None)
        assert counted(metrics) == before
    processes(1)  # changes the folder
    assert counted(metrics)["responses_total", "200"] == 6
    monkeypatch.setattr(os, "listdir", None)
    with pytest.raises(TypeError):
        counted(metrics)  # it changed just now, and may have changed again


def test_rows_that_another_version_counts_otherwise_are_left_alone(folder):
    other = metrics_dir.join(str(folder))
    other.numbers[other.add('histogram 9 source_read_bytes source="disk"')] = 5
    other.numbers[other.add('counter 1 gone_total reason="x"')] = 5
    metrics = Metrics()
    metrics["source_read_bytes", "disk"].observe(7)
    shown = counted(metrics)
    assert shown["source_read_bytes_sum", "disk"] == 7
    assert not [name for name in shown if "gone" in name[0]]


class Server:
    master_pid = 0
    reexec_pid = 0

    class cfg:
        uid = os.geteuid()
        gid = os.getegid()
        env_orig: ClassVar[dict[str, str]] = {}


@pytest.mark.usefixtures("without_folder")
def test_gunicorn_makes_a_folder_and_the_last_master_removes_it():
    old, new = Server(), Server()
    gunicorn_hooks.on_starting(old)
    folder = os.environ[metrics_dir.VARIABLE]
    assert os.listdir(folder) == []
    assert old.cfg.env_orig[metrics_dir.VARIABLE] == folder
    old.reexec_pid, new.master_pid = 1, os.getppid()  # an upgrade
    gunicorn_hooks.on_exit(old)
    gunicorn_hooks.on_exit(new)
    assert os.path.exists(folder)
    new.master_pid = 1  # the old one has ended
    gunicorn_hooks.on_exit(new)
    assert not os.path.exists(folder)


def test_gunicorn_keeps_a_folder_that_was_given(folder):
    (folder / "1-abc.metrics").touch()
    gunicorn_hooks.on_starting(Server())
    gunicorn_hooks.on_exit(Server())
    assert files(folder) == []


def test_a_worker_starts_though_the_folder_was_cleaned_away(folder):
    folder.rmdir()
    metrics = Metrics()
    metrics["responses_total", "200"].inc(2)
    assert counted(metrics)["responses_total", "200"] == 2


def test_metrics_are_told_though_the_folder_was_cleaned_away_meanwhile(folder):
    metrics = Metrics()
    metrics["responses_total", "200"].inc(2)
    assert counted(metrics)["responses_total", "200"] == 2
    shutil.rmtree(folder)
    metrics["responses_total", "200"].inc()
    assert counted(metrics)["responses_total", "200"] == 3


def test_a_worker_starts_though_the_disk_is_full(folder, monkeypatch, capsys):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    metrics = Metrics()
    metrics["responses_total", "200"].inc(2)
    assert counted(metrics) == {}
    assert files(folder) == []
    assert capsys.readouterr().err.startswith(f"oslogserve: {folder}: No space left on device; ")


def test_gunicorn_merges_a_worker_that_ended(folder, processes):
    for process in processes(2):
        process.end()
        gunicorn_hooks.child_exit(Server(), process)
    assert [name.partition("-")[0] for name in files(folder)] == ["0"]


def test_an_upgraded_gunicorn_does_not_empty_the_folder_under_the_old_workers(folder):
    (folder / "1-abc.metrics").touch()
    server = Server()
    server.master_pid = 1
    gunicorn_hooks.on_starting(server)
    assert files(folder) == ["1-abc.metrics"]
