# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys

import pytest

from oslogserve import gunicorn_hooks, metrics_dir


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    monkeypatch.setenv(metrics_dir.VARIABLE, "")  # so that it is as before in the end
    monkeypatch.delenv(metrics_dir.VARIABLE)


@pytest.fixture
def dead_pid():
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_a_new_server_starts_from_an_empty_folder(tmp_path):
    folder = tmp_path / "not" / "there"
    metrics_dir.create(str(folder))
    (folder / "counter_1.db").touch()
    (folder / "note").touch()
    metrics_dir.create(str(folder))
    assert [path.name for path in folder.iterdir()] == ["note"]
    assert os.environ[metrics_dir.VARIABLE] == str(folder)


def test_a_sweep_drops_the_gauges_of_the_dead_only(tmp_path, dead_pid):
    kept = {
        f"gauge_livesum_{os.getpid()}.db",
        "gauge_livesum_1.db",
        f"counter_{dead_pid}.db",
        "something else.db",
    }
    for name in kept | {f"gauge_livesum_{dead_pid}.db"}:
        (tmp_path / name).touch()
    metrics_dir.sweep(str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == kept


class Server:
    master_pid = 0

    class cfg:
        uid = os.geteuid()
        gid = os.getegid()


@pytest.fixture
def without_client(monkeypatch):
    monkeypatch.delitem(sys.modules, "prometheus_client", raising=False)


@pytest.mark.usefixtures("without_client")
def test_gunicorn_makes_a_folder_and_removes_it():
    gunicorn_hooks.on_starting(Server())
    folder = os.environ[metrics_dir.VARIABLE]
    assert os.listdir(folder) == []
    gunicorn_hooks.on_exit(Server())
    assert not os.path.exists(folder)


def test_gunicorn_keeps_a_folder_that_was_given(tmp_path, monkeypatch):
    monkeypatch.setenv(metrics_dir.VARIABLE, str(tmp_path))
    (tmp_path / "counter_1.db").touch()
    gunicorn_hooks.on_starting(Server())
    gunicorn_hooks.on_exit(Server())
    assert list(tmp_path.iterdir()) == []


def test_an_upgraded_gunicorn_does_not_empty_the_folder_under_the_old_workers(
    tmp_path, monkeypatch
):
    monkeypatch.setenv(metrics_dir.VARIABLE, str(tmp_path))
    (tmp_path / "counter_1.db").touch()
    server = Server()
    server.master_pid = 1
    gunicorn_hooks.on_starting(server)
    assert [path.name for path in tmp_path.iterdir()] == ["counter_1.db"]


def test_too_late_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "prometheus_client", object())
    with pytest.raises(RuntimeError, match="imported before"):
        gunicorn_hooks.on_starting(Server())
