# SPDX-License-Identifier: Apache-2.0
import itertools
import re
import threading

import pytest
from prometheus_client.parser import text_string_to_metric_families

from oslogserve import metrics_dir
from oslogserve.metrics import SIZES, Metrics, size_class

#: As operators' dashboards and alerts name them: name -> (type, labels).
PROMISED = {
    "oslogserve_source_open_seconds": ("histogram", ("source", "outcome", "size")),
    "oslogserve_source_read_seconds": ("histogram", ("source", "size")),
    "oslogserve_source_read_bytes": ("histogram", ("source",)),
    "oslogserve_response_seconds": ("histogram", ("source", "view", "ending", "size")),
    "oslogserve_responses_total": ("counter", ("status",)),
    "oslogserve_sent_bytes_total": ("counter", ("view",)),
    "oslogserve_source_retries_total": ("counter", ("source", "reason")),
    "oslogserve_source_resumes_total": ("counter", ("source", "outcome")),
    "oslogserve_swift_authentications_total": ("counter", ("outcome",)),
    "oslogserve_incomplete_logs_total": ("counter", ("source", "reason")),
}
HISTOGRAMS = [name for name in PROMISED if name.endswith("_seconds")]
BOUNDS = [
    "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5",
    "1.0", "2.5", "5.0", "10.0", "30.0", "60.0", "120.0", "300.0", "1200.0", "+Inf",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _single_process(monkeypatch):
    monkeypatch.delenv(metrics_dir.VARIABLE, raising=False)


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
        "oslogserve_worker_responses_total": "counter",
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
def test_the_buckets_go_from_half_a_millisecond_to_twenty_minutes(metrics, name):
    buckets = [sample for sample in samples(metrics) if sample.name == name + "_bucket"]
    assert [sample.labels["le"] for sample in buckets] == BOUNDS
    assert [sample.value for sample in buckets] == [0.0] * 5 + [1.0] * 15


def test_an_amount_on_a_bound_is_in_the_bucket_below(metrics):
    metrics["source_read_bytes", "disk"].observe(4096)
    metrics["source_read_bytes", "disk"].observe(4097)
    metrics["source_read_bytes", "disk"].observe(10**12)
    shown = {
        (s.name.removeprefix("oslogserve_source_read_bytes_"), s.labels.get("le")): s.value
        for s in samples(metrics)
        if s.labels.get("source") == "disk"
    }
    assert shown["bucket", "4096.0"] == 1
    assert shown["bucket", "16384.0"] == shown["bucket", str(float(1024**3))] == 2
    assert shown["bucket", "+Inf"] == shown["count", None] == 3
    assert shown["sum", None] == 4096 + 4097 + 10**12


def test_a_size_is_in_the_class_that_ends_with_it():
    sizes = [0, *(size + more for size in SIZES for more in (0, 1)), None]
    assert [size_class(size) for size in sizes] == [
        "64KiB", "64KiB", "1MiB", "1MiB", "16MiB", "16MiB", "larger", "none",
    ]  # fmt: skip


def test_labels_take_no_other_number_of_values():
    with pytest.raises(ValueError, match="argument"):
        Metrics()["responses_total", "200", "GET"]


class WatchedLock:
    def __init__(self):
        self.lock = threading.Lock()
        self.came = threading.Semaphore(0)

    def __enter__(self):
        self.came.release()
        self.lock.acquire()

    def __exit__(self, *_):
        self.lock.release()


def test_threads_that_first_count_at_the_same_time_count_in_one_place():
    metrics = Metrics()
    metrics._lock = watched = WatchedLock()

    def count():
        metrics["responses_total", "200"].inc()

    threads = [threading.Thread(target=count) for _ in range(2)]
    with watched.lock:
        for thread in threads:
            thread.start()
        for _ in threads:
            assert watched.came.acquire(timeout=20)  # both have seen that it is not there
    for thread in threads:
        thread.join()
    counted = [s.value for s in samples(metrics) if s.name == "oslogserve_responses_total"]
    assert counted == [2.0]
    for _ in threads:
        assert watched.came.acquire(blocking=False)  # each held the lock while it counted


def test_what_is_observed_is_added_up_under_the_lock():
    metrics = Metrics()
    metrics._lock = watched = WatchedLock()
    child = metrics["source_read_bytes", "disk"]
    watched.came = threading.Semaphore(0)
    child.observe(1)
    assert watched.came.acquire(blocking=False)


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
    shown = {s.labels["status"]: s.value for s in samples(metrics) if "status" in s.labels}
    assert shown == {"200": 1.0, "404": 2.0}


def test_every_combination_of_labels_has_room():
    """Each label's values are few; a table that is full would fail requests."""
    values = {"source": 3, "outcome": 4, "size": 5, "view": 10, "ending": 3, "status": 30}
    metrics = Metrics()
    for name, (_, labels) in PROMISED.items():
        ranges = [[f"{n}-is-a-value" for n in range(values.get(label, 8))] for label in labels]
        for combination in itertools.product(*ranges):
            child = metrics[name.removeprefix("oslogserve_"), *combination]
            child.inc()
