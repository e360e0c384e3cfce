# SPDX-License-Identifier: Apache-2.0
import math
import os
import re
import time
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from oslogserve.metrics import FOLDER_VARIABLE, SIZES, Metrics, size_class

#: As operators' dashboards and alerts name them: name -> (type, labels).
PROMISED = {
    "source_open_seconds": ("histogram", ("source", "outcome", "size")),
    "source_read_seconds": ("histogram", ("source", "size")),
    "source_read_bytes": ("histogram", ("source",)),
    "response_seconds": ("histogram", ("source", "view", "ending", "size")),
    "responses_total": ("counter", ("status",)),
    "worker_responses_total": ("counter", ("worker",)),
    "sent_bytes_total": ("counter", ("view",)),
    "source_retries_total": ("counter", ("source", "reason")),
    "source_resumes_total": ("counter", ("source", "outcome")),
    "swift_authentications_total": ("counter", ("outcome",)),
    "incomplete_logs_total": ("counter", ("source", "reason")),
    "readiness_checks_total": ("counter", ("outcome",)),
    "requests_in_progress": ("gauge", ()),
    "source_available": ("gauge", ("source",)),
    "threads": ("gauge", ("worker",)),
    "threads_busy": ("gauge", ("worker",)),
    "indexes_made_total": ("counter", ()),
    "indexes_used_total": ("counter", ()),
    "indexes_refused_total": ("counter", ("reason",)),
    "index_unread_bytes_total": ("counter", ()),
    "index_directory_bytes": ("gauge", ()),
    "seen_runs_total": ("counter", ("outcome",)),
    "seen_failures_total": ("counter", ()),
    "config_last_reload_successful": ("gauge", ()),
    "config_last_reload_success_timestamp_seconds": ("gauge", ()),
    "build_info": ("gauge", ("version",)),
}
PROCESS = {
    *("process_cpu_seconds_total", "process_resident_memory_bytes"),
    *("process_virtual_memory_bytes", "process_start_time_seconds", "process_open_fds"),
    "process_max_fds",
}
SECONDS = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    120, 300, 1200, math.inf,
]  # fmt: skip
BYTES = [*(4096 * 4**n for n in range(10)), math.inf]


@pytest.fixture(autouse=True)
def _single_process(monkeypatch):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)


@pytest.fixture
def metrics():
    """Each metric counted once, with its labels' names as their values."""
    metrics = Metrics()
    for name, (kind, labels) in PROMISED.items():
        child = metrics[(name, *labels) if labels else name]
        child.observe(
            4096
        ) if kind == "histogram" else child.inc() if kind == "counter" or labels else child.set(1)
    return metrics


def samples(metrics):
    families = text_string_to_metric_families(metrics.exposition().decode())
    return [sample for family in families for sample in family.samples]


def buckets(metrics, name):
    found = [s for s in samples(metrics) if s.name == f"oslogserve_{name}_bucket"]
    return {float(sample.labels["le"]): sample.value for sample in found}


def test_it_shows_the_promised_names_and_labels_and_no_others(metrics):
    types = re.findall(
        r"^# TYPE (?:oslogserve_)?(\S+) (\S+)$", metrics.exposition().decode(), re.MULTILINE
    )
    promised = {name: kind for name, (kind, _) in PROMISED.items()}
    assert {name: kind for name, kind in types if name not in PROCESS} == promised
    shown = {s.name.removeprefix("oslogserve_"): set(s.labels) for s in samples(metrics)}
    for name, (kind, labels) in PROMISED.items():
        assert shown[f"{name}_count" if kind == "histogram" else name] == set(labels)


@pytest.mark.parametrize("name", ["source_open_seconds", "source_read_seconds", "response_seconds"])
def test_the_buckets_go_to_twenty_minutes(metrics, name):
    opening = [0.0001, 0.00025] if name == "source_open_seconds" else []
    assert list(buckets(metrics, name)) == opening + SECONDS


def test_a_size_is_in_the_class_that_ends_with_it():
    sizes = [0, *(size + more for size in SIZES for more in (0, 1)), None]
    assert [size_class(size) for size in sizes] == [
        "64KiB", "64KiB", "1MiB", "1MiB", "16MiB", "16MiB", "larger", "none",
    ]  # fmt: skip


def test_two_applications_count_by_themselves(metrics):
    counted = {sample.name for sample in samples(Metrics()) if sample.value}
    assert counted <= PROCESS


def test_a_process_is_measured_though_the_machine_is_hidden(monkeypatch):
    """systemd's ProcSubset=pid hides /proc/stat."""
    real = open

    def opened(path, *arguments):
        if path == "/proc/stat":
            raise PermissionError(path)
        return real(path, *arguments)

    monkeypatch.setattr("builtins.open", opened)
    shown = {s.name: s for s in samples(Metrics()) if s.name in PROCESS}
    assert set(shown) == PROCESS
    assert all(s.labels == {"worker": str(os.getpid())} for s in shown.values())
    ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    up = float(Path("/proc/uptime").read_text().split()[0])
    started = time.time() - up + ticks / os.sysconf("SC_CLK_TCK")
    assert shown["process_start_time_seconds"].value == pytest.approx(started, abs=5)
    assert 0 < shown["process_open_fds"].value < shown["process_max_fds"].value
    assert 1e6 < shown["process_resident_memory_bytes"].value < 1e10
