# SPDX-License-Identifier: Apache-2.0
"""The instruments. No label holds anything that a user typed."""

import contextlib
import os
import time
from bisect import bisect_left
from collections.abc import Iterator
from functools import partial
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
    values,
)
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.process_collector import ProcessCollector

from oslogserve import metrics_dir

#: Seconds, from a small log in the page cache to a large one on its way to a slow client.
SECONDS = (
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    120, 300, 1200,
)  # fmt: skip
#: Seconds. A disk opens a log in some 0.12 ms.
OPEN_SECONDS = (0.0001, 0.00025, *SECONDS)
BYTES = tuple(4096 * 4**n for n in range(10))
#: Classes of stored sizes, a label: the largest of each, in bytes, and behind them what is larger.
SIZES = (64 * 1024, 1024**2, 16 * 1024**2)
SIZE_NAMES = ("64KiB", "1MiB", "16MiB", "larger")

disable_created_metrics()


def size_class(size: int | None) -> str:
    """The label of a stored size; "none" where there is no log, or its size is not known."""
    return "none" if size is None else SIZE_NAMES[bisect_left(SIZES, size)]


#: How the gauges of several processes become one.
_least = partial(Gauge, multiprocess_mode="livemin")
_largest = partial(Gauge, multiprocess_mode="livemax")
_sum = partial(Gauge, multiprocess_mode="livesum")
_latest = partial(Gauge, multiprocess_mode="livemostrecent")
_open = partial(Histogram, buckets=OPEN_SECONDS)
_seconds = partial(Histogram, buckets=SECONDS)
_bytes = partial(Histogram, buckets=BYTES)
#: What makes each instrument, its name without "oslogserve_", its labels, and what it is.
_TABLE: tuple[tuple[Any, str, str, str], ...] = (
    (_open, "source_open_seconds", "source outcome size", "Time until a log's first bytes."),
    (_seconds, "source_read_seconds", "source size", "Time waited for a source over a log."),
    (_bytes, "source_read_bytes", "source", "Stored bytes read of a log."),
    (Counter, "source_retries_total", "source reason", "Repeated requests to a source."),
    (Counter, "source_resumes_total", "source outcome", "Attempts to resume a broken log."),
    (_least, "source_available", "source", "0 while the circuit breaker is open."),
    (Counter, "swift_authentications_total", "outcome", "Tokens requested."),
    (_seconds, "response_seconds", "source view ending size", "Time until the last byte."),
    (Counter, "responses_total", "status", "Responses by status."),
    (Counter, "worker_responses_total", "worker", "Responses of each process that runs."),
    (Counter, "sent_bytes_total", "view", "Body bytes handed to the server."),
    (Counter, "incomplete_logs_total", "source reason", "Logs of which a part was missing."),
    (Counter, "indexes_made_total", "", "Indexes of logs that were written."),
    (Counter, "indexes_used_total", "", "Logs that were read by their index."),
    (Counter, "indexes_refused_total", "reason", "Indexes that did not count."),
    (Counter, "index_unread_bytes_total", "", "Stored bytes that indexes saved."),
    (_latest, "index_directory_bytes", "", "Bytes of all indexes, as last counted."),
    (Counter, "seen_runs_total", "outcome", "Runs that were to be remembered."),
    (Counter, "seen_failures_total", "", "Questions that the database failed."),
    (Counter, "readiness_checks_total", "outcome", "Answers of /readyz."),
    (_sum, "requests_in_progress", "", "Requests whose response has not ended."),
    (_sum, "threads", "worker", "Threads for requests of each process that runs."),
    (_sum, "threads_busy", "worker", "Threads with a request of each process that runs."),
    (_latest, "config_last_reload_successful", "", "0 if the last one found faults."),
    (_latest, "config_last_reload_success_timestamp_seconds", "", "Time of the last good one."),
    (_largest, "build_info", "version", "Always 1: what runs here."),
)


class Metrics:
    """Instruments by name and labels: metrics["responses_total", "200"].inc().

    A process has one, and must not fork: its child would count in the same place.
    """

    def __init__(self) -> None:
        self._directory = os.environ.get(metrics_dir.VARIABLE)
        self._is_shared = bool(self._directory and metrics_dir.join(self._directory))
        # prometheus_client chose when it was imported, maybe before the folder had a name.
        values.ValueClass = values.MultiProcessValue() if self._is_shared else values.MutexValue
        self._registry = CollectorRegistry()
        self._instruments = {
            name: kind(name, told, labels.split(), "oslogserve", registry=self._registry)
            for kind, name, labels, told in _TABLE
        }

    def __getitem__(self, key: str | tuple[str, ...]) -> Any:
        if isinstance(key, str):
            return self._instruments[key]
        name, *labels = key
        return self._instruments[name].labels(*labels)

    def exposition(self) -> bytes:
        """The samples in Prometheus' text format, added up over all processes of the server."""
        return generate_latest(self)

    def collect(self) -> Iterator[Metric]:
        """The metrics of all processes of the server: the interface of a collector."""
        metrics, processes = self._registry.collect(), {os.getpid()}
        if self._directory:
            missing = contextlib.suppress(FileNotFoundError)  # /tmp was cleaned
            with missing, metrics_dir.swept(self._directory) as files:
                owners = metrics_dir.owners(files)
                if owners >= processes or not self._is_shared:
                    metrics, processes = MultiProcessCollector.merge(files), owners
        yield from metrics
        of_processes: dict[str, Metric] = {}  # the usual ones, each with its process
        for number in sorted(processes):
            for metric in _Process(pid=partial(str, number), registry=None).collect():
                [sample] = metric.samples
                metric.samples = []
                metric = of_processes.setdefault(metric.name, metric)
                metric.add_sample(sample.name, {"worker": str(number)}, sample.value)
        yield from of_processes.values()


class _Process(ProcessCollector):
    def _boot_time(self) -> float:
        """Not of /proc/stat, which systemd's ProcSubset=pid hides."""
        return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
