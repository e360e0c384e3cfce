# SPDX-License-Identifier: Apache-2.0
import errno
import multiprocessing
import os
import shutil
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest
from prometheus_client import values
from prometheus_client.parser import text_string_to_metric_families

from oslogserve import gunicorn_hooks
from oslogserve.metrics import FOLDER_VARIABLE, Metrics, create_folder, swept

FORK = multiprocessing.get_context("fork")
MERGED = ["counter_merged.db", "histogram_merged.db"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    yield tmp_path
    values.close_all_multiprocess_files()


@pytest.fixture
def without_folder(monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, "")  # so that it is as before in the end
    monkeypatch.delenv(FOLDER_VARIABLE)


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def count(ready):
    metrics = Metrics()
    metrics["responses_total", "200"].inc(3)
    metrics["worker_responses_total", str(os.getpid())].inc(3)
    metrics["source_read_bytes", "disk"].observe(5)
    metrics["source_available", "disk"].set(0)
    metrics["requests_in_progress"].inc()
    ready.set()
    signal.pause()


def end(process):
    process.kill()
    process.join()


@pytest.fixture
def start(folder):
    """start(): a process that has counted, and runs."""
    started = []

    def start():
        ready = FORK.Event()
        started.append(FORK.Process(target=count, args=(ready,)))
        started[-1].start()
        assert ready.wait(20)
        return started[-1]

    yield start
    for process in started:
        end(process)


def counted(metrics):
    """The values by sample, without those of 0 and of processes."""
    families = text_string_to_metric_families(metrics.exposition().decode())
    return {
        (sample.name.removeprefix("oslogserve_"), *sample.labels.values()): sample.value
        for family in families
        for sample in family.samples
        if sample.value and not sample.name.startswith("process_")
    }


def files(folder):
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("gauge_"))


@pytest.mark.usefixtures("without_folder")
def test_a_new_server_starts_from_an_empty_folder(tmp_path):
    folder = tmp_path / "not" / "there"
    create_folder(str(folder))
    for name in ("counter_1.db", "counter_merged.db", "note"):
        (folder / name).touch()
    create_folder(str(folder))
    assert files(folder) == ["note"]
    assert os.environ[FOLDER_VARIABLE] == str(folder)


def test_processes_are_added_up_and_shown_one_by_one(start):
    pids = [str(start().pid), str(start().pid)]
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
    assert [shown["worker_responses_total", pid] for pid in pids] == [3, 3]
    measured = metrics.exposition().decode()
    for pid in (*pids, os.getpid()):
        assert f'process_start_time_seconds{{worker="{pid}"}}' in measured


def test_a_process_that_ended_is_merged_away_at_the_next_scrape(folder, start):
    metrics = Metrics()
    metrics["source_available", "disk"].set(1)
    for left, process in enumerate([start(), start(), start()]):
        assert counted(metrics)["requests_in_progress",] == 3 - left
        end(process)
    shown = counted(metrics)
    assert shown["responses_total", "200"] == 9
    assert shown["source_read_bytes_bucket", "4096.0", "disk"] == 3
    assert shown["source_available", "disk"] == 1
    assert ("requests_in_progress",) not in shown
    assert [name for name in shown if name[0].startswith("worker_")] == []
    own = [f"counter_{os.getpid()}.db", f"histogram_{os.getpid()}.db"]
    assert files(folder) == sorted([*MERGED, *own])


def test_a_full_disk_leaves_everything_as_it_is(folder, start, monkeypatch):
    metrics = Metrics()
    for _ in range(2):
        end(start())
        with monkeypatch.context() as patch:
            patch.setattr(os, "posix_fallocate", full)
            before = counted(metrics)["responses_total", "200"]
        assert counted(metrics)["responses_total", "200"] == before
    assert before == 6
    assert len(files(folder)) == 4


def count_in_generations():
    """Counts 50 responses in each of 20 processes, one after another."""
    for _ in range(20):
        if not os.fork():
            metrics = Metrics()
            for _ in range(50):
                metrics["responses_total", "200"].inc()
                metrics["source_read_bytes", "disk"].observe(5)
            os._exit(0)
        os.wait()


def merge_always(folder):
    while True:
        with swept(folder):
            pass


def test_no_scrape_sees_less_or_more_while_processes_end_and_are_merged(folder):
    metrics = Metrics()
    merging = FORK.Process(target=merge_always, args=(str(folder),))
    counting = [FORK.Process(target=count_in_generations) for _ in range(2)]
    for process in (merging, *counting):
        process.start()
    seen = [0.0]
    while any(process.is_alive() for process in counting):
        seen.append(counted(metrics).get(("responses_total", "200"), 0))
    end(merging)
    assert seen == sorted(seen)
    shown = counted(metrics)
    assert shown["responses_total", "200"] == 2 * 20 * 50
    assert shown["source_read_bytes_sum", "disk"] == 2 * 20 * 50 * 5


def test_a_process_with_the_number_of_an_earlier_one_keeps_its_counts_alone(folder):
    """Not its gauges: requests of a process that was killed would be in progress for ever."""
    earlier = Metrics()
    earlier["responses_total", "200"].inc(2)
    earlier["requests_in_progress"].inc()
    values.close_all_multiprocess_files()
    later = Metrics()
    later["responses_total", "200"].inc()
    assert counted(later)["responses_total", "200"] == 3
    assert ("requests_in_progress",) not in counted(later)


def test_all_series_have_room_from_the_start(folder):
    """A process that needs more room when the disk is full would be killed."""
    metrics = Metrics()
    before = {path: path.stat().st_size for path in folder.iterdir()}
    assert len(before) == 6
    views = ("html", "text", "raw", "jsonl", "summary", "listing", "job", "error")
    for source in ("disk", "swift"):
        for size in ("64KiB", "1MiB", "16MiB", "larger", "none"):
            metrics["source_read_seconds", source, size].observe(1)
            for outcome in ("hit", "miss", "error"):
                metrics["source_open_seconds", source, outcome, size].observe(1)
                for view in views:
                    metrics["response_seconds", source, view, outcome, size].observe(1)
    for status in range(200, 250):
        metrics["responses_total", str(status)].inc()
        metrics["incomplete_logs_total", "swift", str(status)].inc()
    assert {path: path.stat().st_size for path in folder.iterdir()} == before


def server(master_pid=0, reexec_pid=0):
    cfg = SimpleNamespace(uid=os.geteuid(), gid=os.getegid(), env_orig={})
    return SimpleNamespace(master_pid=master_pid, reexec_pid=reexec_pid, cfg=cfg)


@pytest.mark.usefixtures("without_folder")
def test_gunicorn_makes_a_folder_and_the_last_master_removes_it():
    old = server()
    gunicorn_hooks.on_starting(old)
    folder = os.environ[FOLDER_VARIABLE]
    assert os.listdir(folder) == []
    assert old.cfg.env_orig[FOLDER_VARIABLE] == folder
    gunicorn_hooks.on_exit(server(reexec_pid=1))  # an upgrade
    gunicorn_hooks.on_exit(server(master_pid=os.getppid()))
    assert os.path.exists(folder)
    gunicorn_hooks.on_exit(server(master_pid=1))  # the old one has ended
    assert not os.path.exists(folder)


@pytest.mark.parametrize("master_pid", [0, 1])
def test_gunicorn_keeps_a_folder_that_was_given(folder, master_pid):
    (folder / "counter_merged.db").touch()
    gunicorn_hooks.on_starting(server(master_pid))
    assert files(folder) == (["counter_merged.db"] if master_pid else [])
    gunicorn_hooks.on_exit(server(master_pid))
    assert folder.exists()


def test_metrics_go_on_though_the_folder_was_cleaned_away(folder):
    folder.rmdir()
    metrics = Metrics()
    metrics["responses_total", "200"].inc(2)
    assert counted(metrics)["responses_total", "200"] == 2
    for again in (shutil.rmtree, Path.mkdir):
        again(folder)
        assert counted(metrics)["responses_total", "200"] == 2


def test_a_worker_starts_though_the_disk_is_full(folder, monkeypatch, capsys):
    monkeypatch.setattr(os, "posix_fallocate", full)
    metrics = Metrics()
    metrics["responses_total", "200"].inc(2)
    assert counted(metrics) == {}
    assert files(folder) == []
    assert f"oslogserve: {folder}: No space left on device; " in capsys.readouterr().err
