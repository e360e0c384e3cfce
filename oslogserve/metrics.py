# SPDX-License-Identifier: Apache-2.0
"""The instruments, and the folder in which the processes of a server share them, by prometheus_client.

No label holds anything that a user typed.

A process counts in files of its own, such as counter_123.db. prometheus_client keeps those of ended
processes for ever, and mod_wsgi does not tell when one ends. So each process that starts, and each scrape,
merges them into counter_merged.db.
"""

import contextlib
import errno
import fcntl
import os
import re
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
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
from prometheus_client.mmap_dict import MmapedDict, mmap_key
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.process_collector import ProcessCollector

from oslogserve.text import log_message

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
#: Environment variable with the folder in which the processes of a server share their metrics.
FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
#: Kinds of files, and their bytes: enough for all series. A process dies if it writes to mapped memory for
#: which a full disk has no room, so the room is taken when the process starts.
_FILE_SIZES = {
    "counter": 128 << 10,
    "histogram": 2 << 20,
    **dict.fromkeys(
        ("gauge_livemin", "gauge_livemax", "gauge_livesum", "gauge_livemostrecent"), 128 << 10
    ),
}
#: A counter with the number of a process, of those that run.
_OF_WORKERS = "oslogserve_worker_responses"

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
        self._directory = os.environ.get(FOLDER_VARIABLE)
        self._is_shared = bool(self._directory and _join(self._directory))
        # prometheus_client chose when it was imported, maybe before the folder had a name.
        values.ValueClass = values.MultiProcessValue() if self._is_shared else values.MutexValue
        self._registry = CollectorRegistry()
        self._instruments = {
            name: kind(name, meaning, labels.split(), "oslogserve", registry=self._registry)
            for kind, name, labels, meaning in _TABLE
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
            with missing, swept(self._directory) as files:
                owners = _owners(files)
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


def create_folder(directory: str) -> None:
    """Creates the folder, empties it and names it in the environment: a new server counts from 0."""
    Path(directory).mkdir(parents=True, exist_ok=True)
    for path in Path(directory).glob("*.db"):
        path.unlink(missing_ok=True)
    os.environ[FOLDER_VARIABLE] = directory


def _join(directory: str) -> bool:
    """Makes the files of this process. False if there is no room, which is said on standard error."""
    process = os.getpid()
    try:
        os.makedirs(directory, exist_ok=True)  # /tmp may have been cleaned
        with swept(directory):
            for kind in _FILE_SIZES:
                path = Path(directory, f"{kind}_{process}.db")
                # An earlier process may have had the same number: its counts stay.
                if kind.startswith("gauge") or not path.exists():
                    _make(path, kind)
    except OSError as error:
        what = f"{error.strerror}; the metrics are without those of process {process}"
        log_message(f"{directory}: {what}")
        return False
    return True


@contextlib.contextmanager
def swept(directory: str) -> Iterator[list[str]]:
    """Context in which these files hold each count once, and no other process changes the folder.

    Those of ended processes are merged before. On a full disk, they stay as they are.
    """
    folder = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        ended = [one for one in _owners(os.listdir(directory)) if not _is_running(one)]
        for process in ended:
            mark_process_dead(process, directory)
        for kind in ("counter", "histogram") if ended else ():
            paths = [Path(directory, f"{kind}_{process}.db") for process in ended]
            with contextlib.suppress(OSError):
                _merge(directory, kind, [path for path in paths if path.exists()])
        yield [str(path) for path in Path(directory).glob("*.db")]
    finally:
        os.close(folder)


def _owners(names: Iterable[str]) -> set[int]:
    """The numbers of the processes whose files these are."""
    return {int(found[1]) for name in names if (found := re.search(r"_(\d+)\.db$", name))}


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError as error:
        return error.errno == errno.EPERM  # another user's
    return True


def _merge(directory: str, kind: str, ended: list[Path]) -> None:
    """Merges the files of ended processes. Raises OSError on a full disk.

    If it is killed between its last two steps, these processes count twice.
    """
    new, merged = Path(directory, f"{kind}.new"), Path(directory, f"{kind}_merged.db")
    _make(new, kind)
    paths = [str(path) for path in (*ended, merged) if path.exists()]
    with contextlib.closing(MmapedDict(new)) as values:
        for metric in MultiProcessCollector.merge(paths, accumulate=False):
            for name, labels, value, *_ in metric.samples if metric.name != _OF_WORKERS else ():
                labelled = [*labels], [*labels.values()]
                key = mmap_key(metric.name, name, *labelled, metric.documentation)
                values.write_value(key, value, 0.0)
    new.rename(merged)
    for path in ended:
        path.unlink()


def _make(path: Path, kind: str) -> None:
    """Makes an empty file that has its room on the disk."""
    with open(path, "wb") as file:
        try:
            os.posix_fallocate(file.fileno(), 0, _FILE_SIZES[kind])
            os.fchmod(file.fileno(), 0o644)  # gunicorn's master may be root
        except OSError:
            path.unlink()
            raise
