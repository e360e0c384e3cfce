# SPDX-License-Identifier: Apache-2.0
"""The instruments. No label holds anything that a user typed."""

import glob
import os
from collections.abc import Iterable
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric, values
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from oslogserve.metrics_dir import VARIABLE

#: Seconds, from a small log in the page cache to the longest that a browser waits.
BUCKETS = (
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
)  # fmt: skip
CONTENT_TYPE = CONTENT_TYPE_LATEST


_process = os.getpid()


def _forked() -> None:
    global _process
    _process = os.getpid()


if VARIABLE in os.environ:
    # A request counts eleven times, and each would ask the system for the process's number.
    os.register_at_fork(after_in_child=_forked)
    values.ValueClass = values.MultiProcessValue(process_identifier=lambda: _process)


class Labelled(dict[Any, Any]):
    """A metric's children by their labels: what labels() gives, without checking them anew for
    every request. The label sets are few and fixed, so it does not grow."""

    def __init__(self, metric: Counter | Histogram) -> None:
        self._metric = metric

    def __missing__(self, labels: str | tuple[str, ...]) -> Any:
        child = self._metric.labels(*((labels,) if isinstance(labels, str) else labels))
        return self.setdefault(labels, child)


class Metrics:
    """One set for an application; tests build their own."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self.source_open = Labelled(
            Histogram(
                "oslogserve_source_open_seconds",
                "Asking a source until its first bytes are here.",
                ["source", "outcome"],
                registry=registry,
                buckets=BUCKETS,
            )
        )
        self.source_read = Labelled(
            Histogram(
                "oslogserve_source_read_seconds",
                "Waiting for a source over a whole log, without the time the client took.",
                ["source"],
                registry=registry,
                buckets=BUCKETS,
            )
        )
        self.source_bytes = Labelled(
            Counter(
                "oslogserve_source_bytes_total",
                "Stored bytes read from a source.",
                ["source"],
                registry=registry,
            )
        )
        self.response = Labelled(
            Histogram(
                "oslogserve_response_seconds",
                "From the request to the last byte handed to the server.",
                ["source", "view", "ending"],
                registry=registry,
                buckets=BUCKETS,
            )
        )
        self.responses = Labelled(
            Counter(
                "oslogserve_responses_total", "Answers by status.", ["status"], registry=registry
            )
        )
        self.sent_bytes = Labelled(
            Counter(
                "oslogserve_sent_bytes_total",
                "Body bytes handed to the server.",
                ["view"],
                registry=registry,
            )
        )
        self.incomplete_logs = Labelled(
            Counter(
                "oslogserve_incomplete_logs_total",
                "Logs of which a part was missing.",
                ["source", "reason"],
                registry=registry,
            )
        )
        self.source_retries = Labelled(
            Counter(
                "oslogserve_source_retries_total",
                "Requests to a source that were made once more.",
                ["source", "reason"],
                registry=registry,
            )
        )
        self.source_resumes = Labelled(
            Counter(
                "oslogserve_source_resumes_total",
                "Logs that broke off and were asked for from there.",
                ["source", "outcome"],
                registry=registry,
            )
        )
        self.swift_authentications = Labelled(
            Counter(
                "oslogserve_swift_authentications_total",
                "Tokens asked for.",
                ["outcome"],
                registry=registry,
            )
        )
        self.source_available = Gauge(
            "oslogserve_source_available",
            "0 while a source is left alone because it keeps failing.",
            ["source"],
            registry=registry,
            multiprocess_mode="livemin",
        )
        self.in_progress = Gauge(
            "oslogserve_requests_in_progress",
            "Requests whose answer has not ended.",
            registry=registry,
            multiprocess_mode="livesum",
        )

        self.build_info = Gauge(
            "oslogserve_build_info",
            "Always 1: what runs here.",
            ["version", "renderer"],
            registry=registry,
            multiprocess_mode="livemax",
        )

    def exposition(self) -> bytes:
        """All processes' figures added up, where there are several."""
        if VARIABLE not in os.environ:
            return generate_latest(self._registry)
        registry = CollectorRegistry()
        registry.register(_Processes())
        return generate_latest(registry)


class _Processes(Collector):
    """Those that have begun to count: a file is empty for a moment when its process makes it."""

    def collect(self) -> Iterable[Metric]:
        paths = glob.glob(os.path.join(os.environ[VARIABLE], "*.db"))
        yield from MultiProcessCollector.merge([path for path in paths if _is_begun(path)])


def _is_begun(path: str) -> bool:
    try:
        return os.path.getsize(path) > 0
    except FileNotFoundError:  # a gauge, of a process that has just ended
        return False
