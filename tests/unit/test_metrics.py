# SPDX-License-Identifier: Apache-2.0
import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from oslogserve import metrics_dir
from oslogserve.metrics import Metrics

#: As operators' dashboards and alerts name them: name -> (type, labels).
PROMISED = {
    "oslogserve_source_open_seconds": ("histogram", ("source", "outcome")),
    "oslogserve_source_read_seconds": ("histogram", ("source",)),
    "oslogserve_source_bytes_total": ("counter", ("source",)),
    "oslogserve_response_seconds": ("histogram", ("source", "view", "ending")),
    "oslogserve_responses_total": ("counter", ("status",)),
    "oslogserve_sent_bytes_total": ("counter", ("view",)),
    "oslogserve_source_retries_total": ("counter", ("source", "reason")),
    "oslogserve_source_resumes_total": ("counter", ("source", "outcome")),
    "oslogserve_swift_authentications_total": ("counter", ("outcome",)),
    "oslogserve_incomplete_logs_total": ("counter", ("source", "reason")),
}
HISTOGRAMS = [name for name, (kind, _) in PROMISED.items() if kind == "histogram"]
BOUNDS = [
    "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5",
    "1.0", "2.5", "5.0", "10.0", "30.0", "60.0", "+Inf",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _single_process(monkeypatch):
    monkeypatch.delenv(metrics_dir.VARIABLE, raising=False)


def test_a_process_that_is_just_making_its_file_counts_nothing_yet(tmp_path, monkeypatch):
    monkeypatch.setenv(metrics_dir.VARIABLE, str(tmp_path))
    (tmp_path / "counter_1.db").touch()
    assert Metrics().exposition() == b""


@pytest.fixture
def metrics():
    """Each metric counted once, with its labels' names as their values."""
    metrics = Metrics()
    for name, (kind, labels) in PROMISED.items():
        child = metrics[name.removeprefix("oslogserve_"), *labels]
        child.observe(0.02) if kind == "histogram" else child.inc(3)
    metrics["requests_in_progress"].inc()
    metrics["source_available", "source"].set(1)
    metrics["build_info", "version", "renderer"].set(1)
    return metrics


def samples(metrics):
    families = text_string_to_metric_families(metrics.exposition().decode())
    return [sample for family in families for sample in family.samples]


def test_it_shows_the_promised_names_and_no_other(metrics):
    families = re.findall(r"^# TYPE (\S+) (\S+)$", metrics.exposition().decode(), re.MULTILINE)
    shown = {name: kind for name, kind in families if not name.endswith("_created")}
    assert shown == {name: kind for name, (kind, _) in PROMISED.items()} | {
        "oslogserve_requests_in_progress": "gauge",
        "oslogserve_build_info": "gauge",
        "oslogserve_source_available": "gauge",
    }


@pytest.mark.parametrize("name", PROMISED)
def test_a_metric_has_the_promised_labels_in_their_order(metrics, name):
    kind, labels = PROMISED[name]
    counted = name + "_count" if kind == "histogram" else name
    [sample] = [sample for sample in samples(metrics) if sample.name == counted]
    assert sample.labels == {label: label for label in labels}
    assert sample.value == (1 if kind == "histogram" else 3)


@pytest.mark.parametrize("name", HISTOGRAMS)
def test_the_buckets_go_from_half_a_millisecond_to_a_minute(metrics, name):
    buckets = [sample for sample in samples(metrics) if sample.name == name + "_bucket"]
    assert [sample.labels["le"] for sample in buckets] == BOUNDS
    assert [sample.value for sample in buckets] == [0.0] * 5 + [1.0] * 12


def test_requests_in_progress_have_no_label_and_fall_again(metrics):
    def shown():
        return [s for s in samples(metrics) if s.name == "oslogserve_requests_in_progress"]

    assert [(sample.labels, sample.value) for sample in shown()] == [({}, 1.0)]
    metrics["requests_in_progress"].dec()
    assert shown()[0].value == 0.0


def test_two_applications_count_by_themselves(metrics):
    other = Metrics()
    assert not [sample for sample in samples(other) if sample.value]


def test_other_labels_give_another_child():
    metrics = Metrics()
    metrics["responses_total", "200"].inc()
    metrics["responses_total", "404"].inc(2)
    shown = {s.labels["status"]: s.value for s in samples(metrics) if s.name.endswith("_total")}
    assert shown == {"200": 1.0, "404": 2.0}
