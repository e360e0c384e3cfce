# SPDX-License-Identifier: Apache-2.0
"""What the real Prometheus makes of our metrics."""

import json
import re
import subprocess
import urllib.parse
import urllib.request

import pytest

from tests.servers.gunicorn import Gunicorn
from tests.servers.process import HOST, REPOSITORY, Process, free_port, poll

REQUESTS = 25
RULES = REPOSITORY / "etc/prometheus/oslogserve.rules.yml"
TESTS = REPOSITORY / "tests/prometheus/rules_test.yml"


@pytest.fixture
def server(tmp_path):
    root = tmp_path / "logs"
    root.mkdir()
    (root / "a.txt").write_bytes(b"2026-03-04 18:22:11.248 1 ERROR x [-] y\n")
    with Gunicorn(f"[disk]\nroot = {root}\n") as running:
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


def test_the_shipped_configuration_and_its_rules_are_valid():
    promtool("check", "config", RULES.with_name("prometheus.yml"))
    promtool("check", "rules", "--lint=all", "--lint-fatal", RULES)


def test_each_alert_fires_where_it_should():
    promtool("test", "rules", TESTS.name, cwd=TESTS.parent)


def test_each_alert_is_tested_firing_and_silent():
    alerts = re.findall(r"- alert: (\w+)", RULES.read_text())
    text = TESTS.read_text()
    assert len(alerts) > 8
    assert sorted(alerts) == sorted(set(re.findall(r"alertname: (\w+), exp_alerts: \[\]", text)))
    assert sorted(alerts) == sorted(set(re.findall(r"alertname: (\w+)\n +exp_alerts:\n", text)))


def test_prometheus_scrapes_every_request_of_both_workers(server, tmp_path):
    port = free_port()
    config = tmp_path / "prometheus.yml"
    target = server.url.removeprefix("http://")
    config.write_text(
        "global: {scrape_interval: 1s}\n"
        "scrape_configs:\n"
        "  - job_name: oslogserve\n"
        f"    static_configs: [{{targets: ['{target}']}}]\n"
    )
    command = [
        "prometheus",
        f"--config.file={config}",
        f"--storage.tsdb.path={tmp_path / 'tsdb'}",
        f"--web.listen-address={HOST}:{port}",
    ]
    expression = 'sum(oslogserve_response_seconds_count{source="disk",view="text"})'
    address = f"http://{HOST}:{port}/api/v1/query?" + urllib.parse.urlencode({"query": expression})

    def scraped():
        with urllib.request.urlopen(address, timeout=20) as answer:
            result = json.load(answer)["data"]["result"]
        return bool(result) and float(result[0]["value"][1]) == REQUESTS

    ready = [f"http://{HOST}:{port}/-/ready"]
    with Process(command, tmp_path / "prometheus.log", ready=ready):
        poll(scraped, lambda: AssertionError("Prometheus has not seen every request"), 30)
