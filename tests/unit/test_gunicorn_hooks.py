# SPDX-License-Identifier: Apache-2.0
"""What gunicorn's master does with a configuration, without workers."""

import os
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from oslogserve import gunicorn_hooks
from oslogserve.app import App
from oslogserve.config import load
from oslogserve.metrics import FOLDER_VARIABLE


@pytest.fixture
def file(tmp_path, monkeypatch):
    path = tmp_path / "oslogserve.conf"
    path.write_text("[disk]\nroot = /\n")
    monkeypatch.setenv("OSLOGSERVE_CONFIG", str(path))
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "metrics"))
    monkeypatch.setattr(gunicorn_hooks, "_of_gunicorn", [])
    return path


@pytest.fixture
def master(file):
    settings = {"threads": 2, "uid": os.geteuid(), "gid": os.getegid(), "initgroups": False}
    cfg = SimpleNamespace(**settings, env_orig={})
    master = SimpleNamespace(cfg=cfg, master_pid=0, worker_age=1)
    gunicorn_hooks.read_configuration(master)
    return master


def test_a_trial_of_a_configuration_counts_nowhere(master, tmp_path, capfd):
    gunicorn_hooks.renew_configuration(master)
    assert capfd.readouterr().err == ""
    assert list((tmp_path / "metrics").iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_file_that_a_trial_makes_is_of_the_workers_user(master, file):
    App(load(str(file), {}))  # reads modules, which that user may be unable to read
    nobody = 65534
    master.cfg.uid = master.cfg.gid = nobody
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, nobody, nobody)
        log = Path(folder, "requests.log")
        file.write_text(f"[disk]\nroot = /\n[request_log]\nto = {log}\n")
        gunicorn_hooks.renew_configuration(master)
        assert (log.stat().st_uid, log.stat().st_gid) == (nobody, nobody)


def test_an_error_that_nobody_expected_is_told_without_its_text(master, monkeypatch, capfd):
    def fail(config, rules):
        raise RuntimeError("geheim")

    monkeypatch.setattr("oslogserve.app.App", fail)
    gunicorn_hooks.renew_configuration(master)
    fault, end = capfd.readouterr().err.splitlines()
    assert "oslogserve: the application cannot be made: RuntimeError in test_gunicorn" in fault
    assert end.endswith("oslogserve: the configuration stays as it was")
    assert "geheim" not in fault
