# SPDX-License-Identifier: Apache-2.0
"""The instruments. No label holds anything that a user typed."""

import glob
import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from oslogserve.metrics_dir import VARIABLE

#: Seconds, from a small log in the page cache to the longest that a browser waits.
BUCKETS = (
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
)  # fmt: skip

_seconds = partial(Histogram, buckets=BUCKETS)
#: The mode says how the values of several processes become one.
_least, _sum, _most = (
    partial(Gauge, multiprocess_mode=mode) for mode in ("livemin", "livesum", "livemax")
)


class _Row(NamedTuple):
    instrument: Callable[..., Any]
    #: Without the prefix "oslogserve_".
    name: str
    #: Separated by spaces.
    labels: str
    help: str


_TABLE = (
    _Row(_seconds, "source_open_seconds", "source outcome", "Time until a log's first bytes."),
    _Row(_seconds, "source_read_seconds", "source", "Time waited for a source over a log."),
    _Row(Counter, "source_bytes_total", "source", "Stored bytes read from a source."),
    _Row(Counter, "source_retries_total", "source reason", "Repeated requests to a source."),
    _Row(Counter, "source_resumes_total", "source outcome", "Attempts to resume a broken log."),
    _Row(_least, "source_available", "source", "0 while the circuit breaker is open."),
    _Row(Counter, "swift_authentications_total", "outcome", "Tokens requested."),
    _Row(_seconds, "response_seconds", "source view ending", "Time until the last byte."),
    _Row(Counter, "responses_total", "status", "Responses by status."),
    _Row(Counter, "sent_bytes_total", "view", "Body bytes handed to the server."),
    _Row(Counter, "incomplete_logs_total", "source reason", "Logs of which a part was missing."),
    _Row(_sum, "requests_in_progress", "", "Requests whose response has not ended."),
    _Row(_most, "build_info", "version renderer", "Always 1: what runs here."),
)


class Metrics(dict[str | tuple[str, ...], Any]):
    """Instruments by name, and their children: metrics["responses_total", "200"].inc().

    A child is kept once it was used: labels() takes as long as counting does.
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        super().__init__()
        for make, name, labels, text in _TABLE:
            full_name = f"oslogserve_{name}"
            self[name] = make(full_name, text, labels.split(), registry=self._registry)

    def __missing__(self, key: tuple[str, ...]) -> Any:
        name, *labels = key
        return self.setdefault(key, self[name].labels(*labels))

    def exposition(self) -> bytes:
        """The samples in Prometheus' text format, added up over all processes of the server."""
        if VARIABLE not in os.environ:
            return generate_latest(self._registry)
        return generate_latest(_Processes())


class _Processes(Collector):
    """Samples of all processes. A file without content is of a process that just creates it."""

    def collect(self) -> Iterable[Metric]:
        paths = glob.glob(os.path.join(os.environ[VARIABLE], "*.db"))
        yield from MultiProcessCollector.merge([path for path in paths if _has_content(path)])


def _has_content(path: str) -> bool:
    try:
        return os.path.getsize(path) > 0
    except FileNotFoundError:  # a gauge, of a process that has just ended
        return False
