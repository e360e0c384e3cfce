# SPDX-License-Identifier: Apache-2.0
"""What gunicorn's master does with a configuration, without workers."""

import os
from types import SimpleNamespace

import pytest

from oslogserve import gunicorn_hooks
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


def test_a_trial_makes_no_file(master, file, tmp_path):
    there = {*tmp_path.iterdir()}
    file.write_text(f"[disk]\nroot = /\n[request_log]\nto = {tmp_path}/requests.log\n")
    gunicorn_hooks.renew_configuration(master)
    assert {*tmp_path.iterdir()} == there


def test_an_error_that_nobody_expected_is_told_without_its_text(master, monkeypatch, capfd):
    def fail(config, rules):
        raise RuntimeError("geheim")

    monkeypatch.setattr("oslogserve.app.App", fail)
    gunicorn_hooks.renew_configuration(master)
    fault, end = capfd.readouterr().err.splitlines()
    assert "oslogserve: the application cannot be made: RuntimeError in test_gunicorn" in fault
    assert end.endswith("oslogserve: the configuration stays as it was")
    assert "geheim" not in fault
