# SPDX-License-Identifier: Apache-2.0
import os
import re
import shutil
from datetime import UTC, datetime

import pytest

from oslogserve import demo
from oslogserve.cli import main
from oslogserve.demo.runs import write_runs
from tests.servers.process import REPOSITORY
from tests.unit.handlers.asking import Asking


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    """A server of the demo's runs, which are remembered, as `make run` starts it."""
    logs = tmp_path / "logs"
    write_runs(logs)
    for name in ("job-output.txt", "job-output.json", "zuul-info/inventory.yaml"):
        path = logs / demo._FAILED_BUILD / name
        path.parent.mkdir(parents=True, exist_ok=True)
        demo.write(path, demo._FAILED_FILES[name]())
    rules = tmp_path / "known"
    shutil.copytree(REPOSITORY / "etc/known", rules)
    config = tmp_path / "demo.conf"
    config.write_text(f"[known]\nrules = {rules}\n")
    monkeypatch.setenv("CACHE_DIRECTORY", str(tmp_path / "cache"))
    assert main(["seen", "--root", str(logs), "--config", str(config)]) == 0
    assert capsys.readouterr().out.startswith("25 remembered (13 failed), 0 before")
    options = {"seen_directory": str(tmp_path / "cache"), "known_rules": str(rules)}
    return Asking(logs, **options)


def test_five_runs_of_the_demo_share_a_cause_and_the_first_page_says_so(ask):
    page = ask(f"/{demo._FAILED_BUILD}/?format=overview").text
    [sentence] = re.findall(r'<p class="seen">(.*?)</p>', page)
    assert "4 other runs</a> of 2 jobs since " in sentence
    assert "first in change 123391,1; never in a run of this job that passed." in sentence


def test_a_rule_knows_the_mirror_that_three_runs_could_not_reach(ask):
    found = ask("/_oslogserve/seen?format=json").json["causes"]
    counts = [(one["runs"], [rule["title"] for rule in one["known"]]) for one in found]
    name, _, reason = found[0]["text"].partition(": ")
    assert name == "smoke.volumes.TestSnapshots.test_volume_from_a_snapshot"
    assert reason.startswith("smoke.errors.VolumeFailed: volume smoke-418 is in status")
    assert counts[:3] == [(5, []), (3, ["The mirror in this region is down"]), (2, [])]


def test_the_times_in_a_run_are_those_of_its_file(tmp_path):
    [path, *_] = write_runs(tmp_path)
    first = re.match(rb"(\S+) ", path.read_bytes())[1].decode()
    written = datetime.fromtimestamp(os.stat(path).st_mtime, UTC)
    assert first == f"{written:%Y-%m-%d}"
