# SPDX-License-Identifier: Apache-2.0
"""The instruments. No label holds anything that a user typed."""

import os
import sys
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate
from threading import Lock
from typing import Any, NamedTuple

from oslogserve.metrics_dir import VARIABLE, Table, Tables, is_merged, join, process_of, totals

#: Seconds, from a small log in the page cache to a large one on its way to a slow client.
SECONDS = (
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    120, 300, 1200,
)  # fmt: skip
BYTES = tuple(4096 * 4**n for n in range(10))
#: Classes of stored sizes, a label: the largest of each, in bytes, and behind them what is larger.
SIZES = (64 * 1024, 1024**2, 16 * 1024**2)
SIZE_NAMES = ("64KiB", "1MiB", "16MiB", "larger")


def size_class(size: int | None) -> str:
    """The label of a stored size; "none" where there is no log, or its size is not known."""
    return "none" if size is None else SIZE_NAMES[bisect_left(SIZES, size)]


class _Row(NamedTuple):
    #: "counter", "histogram", or how the gauges of several processes become one.
    kind: str
    #: Without the prefix "oslogserve_".
    name: str
    #: Separated by spaces.
    labels: str
    help: str
    #: The upper bounds of a histogram's buckets; one more is for what is larger.
    bounds: Sequence[float] = ()

    @property
    def type(self) -> str:
        return self.kind if self.kind in ("counter", "histogram") else "gauge"

    @property
    def beginning(self) -> str:
        """Begins the names of a table's rows, each a number, or a histogram's sum and buckets."""
        return f"{self.kind} {len(self.bounds) + 2 if self.bounds else 1} {self.name}"

    def child(self, values: Sequence[str]) -> str:
        """The name of a table's row."""
        pairs = sorted(zip(self.labels.split(), values, strict=True))
        return self.beginning + " " + ",".join(f'{label}="{value}"' for label, value in pairs)

    def samples(self, labels: str, numbers: Sequence[float]) -> Iterator[str]:
        name = f"oslogserve_{self.name}"
        shown = f"{{{labels}}}" if labels else ""
        if not self.bounds:
            yield f"{name}{shown} {numbers[0]}\n"
            return
        counts = [*accumulate(numbers[1:])]
        for bound, count in zip((*map(float, self.bounds), "+Inf"), counts, strict=True):
            yield f'{name}_bucket{{{labels},le="{bound}"}} {count}\n'
        yield f"{name}_count{shown} {counts[-1]}\n{name}_sum{shown} {numbers[0]}\n"


_seconds = partial(_Row, "histogram", bounds=SECONDS)
_TABLE = (
    _seconds("source_open_seconds", "source outcome size", "Time until a log's first bytes."),
    _seconds("source_read_seconds", "source size", "Time waited for a source over a log."),
    _Row("histogram", "source_read_bytes", "source", "Stored bytes read of a log.", BYTES),
    _Row("counter", "source_retries_total", "source reason", "Repeated requests to a source."),
    _Row("counter", "source_resumes_total", "source outcome", "Attempts to resume a broken log."),
    _Row("min", "source_available", "source", "0 while the circuit breaker is open."),
    _Row("counter", "swift_authentications_total", "outcome", "Tokens requested."),
    _seconds("response_seconds", "source view ending size", "Time until the last byte."),
    _Row("counter", "responses_total", "status", "Responses by status."),
    _Row("counter", "worker_responses_total", "worker", "Responses of each process that runs."),
    _Row("counter", "sent_bytes_total", "view", "Body bytes handed to the server."),
    _Row("counter", "incomplete_logs_total", "source reason", "Logs of which a part was missing."),
    _Row("sum", "requests_in_progress", "", "Requests whose response has not ended."),
    _Row("max", "build_info", "version renderer", "Always 1: what runs here."),
)
_BY_NAME = {row.name: row for row in _TABLE}
_WORKER = _BY_NAME["worker_responses_total"]
_RESPONSES = _BY_NAME["responses_total"].beginning + " "


class _Number:
    """A counter or gauge."""

    def __init__(self, table: Table, lock: Lock, row: _Row, labels: Sequence[str]) -> None:
        self._numbers = table.numbers
        self._lock = lock
        self._first = table.add(row.child(labels))
        self._bounds = row.bounds

    def inc(self, amount: float = 1) -> None:
        with self._lock:
            self._numbers[self._first] += amount

    def dec(self) -> None:
        self.inc(-1)

    def set(self, value: float) -> None:
        self._numbers[self._first] = value


class _Histogram(_Number):
    def observe(self, amount: float) -> None:
        bucket = self._first + 1 + bisect_left(self._bounds, amount)
        with self._lock:
            self._numbers[self._first] += amount
            self._numbers[bucket] += 1


def _shared(directory: str) -> Table:
    """A table that the other processes see too, or one that they do not where there is no room for it."""
    try:
        return join(directory)
    except OSError as error:
        what = (
            f"{directory}: {error.strerror}; the metrics are without those of process {os.getpid()}"
        )
        print(f"oslogserve: {what}", file=sys.stderr, flush=True)
        return Table()


class Metrics(dict[str | tuple[str, ...], Any]):
    """Instruments by name and labels: metrics["responses_total", "200"].inc().

    A process that has them must not fork: its child would count in the same place.
    """

    def __init__(self) -> None:
        super().__init__()
        directory = os.environ.get(VARIABLE)
        self._table = _shared(directory) if directory else Table()
        self._tables = Tables(directory) if directory else self._own
        self._lock = Lock()
        for row in _TABLE:
            if not row.labels:
                self[row.name]

    def __missing__(self, key: str | tuple[str, ...]) -> Any:
        name, *labels = (key,) if isinstance(key, str) else key
        row = _BY_NAME[name]
        with self._lock:
            if key not in self:
                kind = _Histogram if row.bounds else _Number
                self[key] = kind(self._table, self._lock, row, labels)
        return self[key]

    def _own(self) -> dict[str, Table]:
        return {f"{os.getpid()}-": self._table}

    def exposition(self) -> bytes:
        """The samples in Prometheus' text format, added up over all processes of the server."""
        tables = self._tables()
        rows = totals(tables.values())
        for file, table in tables.items():
            if not is_merged(file):
                rows[_WORKER.child([process_of(file)])] = [_responses(table)]
        children: dict[str, dict[str, list[float]]] = {}
        for name in sorted(rows):
            beginning, _, labels = name.rpartition(" ")
            children.setdefault(beginning, {})[labels] = rows[name]
        lines = []
        for row in _TABLE:
            full_name = f"oslogserve_{row.name}"
            lines.append(f"# HELP {full_name} {row.help}\n# TYPE {full_name} {row.type}\n")
            for labels, numbers in children.get(row.beginning, {}).items():
                lines += row.samples(labels, numbers)
        return "".join(lines).encode()


def _responses(table: Table) -> float:
    """Responses of one process."""
    rows = table.rows()
    return sum(number for name, [number, *_] in rows if name.startswith(_RESPONSES))
