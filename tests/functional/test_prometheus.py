# SPDX-License-Identifier: Apache-2.0
"""What the real Prometheus makes of our metrics."""

import subprocess
import urllib.parse
import urllib.request

import pytest

from tests.servers.gunicorn import Gunicorn
from tests.servers.process import REPOSITORY

REQUESTS = 25
RULES = REPOSITORY / "etc/prometheus/oslogserve.rules.yml"
TESTS = REPOSITORY / "tests/prometheus/rules_test.yml"


@pytest.fixture
def server(tmp_path):
    root = tmp_path / "logs"
    root.mkdir()
    (root / "a.txt").write_bytes(b"2026-03-04 18:22:11.248 1 ERROR x [-] y\n")
    with Gunicorn(f"[disk]\nroot = {root}\n", workers=2) as running:
        for _ in range(REQUESTS):
            with urllib.request.urlopen(running.url + "/a.txt", timeout=20) as answer:
                answer.read()
        yield running


def test_promtool_finds_nothing_wrong(server):
    with urllib.request.urlopen(server.url + "/metrics", timeout=20) as answer:
        exposition = answer.read()

    checked = subprocess.run(
        ["promtool", "check", "metrics"], input=exposition, capture_output=True, check=False
    )

    assert (checked.returncode, checked.stdout, checked.stderr) == (0, b"", b"")


def promtool(*arguments, cwd=REPOSITORY):
    command = ["promtool", *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_shipped_job_and_its_rules_are_valid(tmp_path):
    config = tmp_path / "prometheus.yml"
    job = RULES.with_name("oslogserve.job.yml").read_text()
    config.write_text(f"rule_files:\n  - {RULES}\nscrape_configs:\n{job}")
    promtool("check", "config", config)
    promtool("check", "rules", "--lint=all", "--lint-fatal", RULES)


def test_each_alert_fires_where_it_should():
    promtool("test", "rules", TESTS.name, cwd=TESTS.parent)
