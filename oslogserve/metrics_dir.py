# SPDX-License-Identifier: Apache-2.0
"""The folder in which the processes of a server share their metrics, by prometheus_client.

A process counts in files of its own, such as counter_123.db. prometheus_client keeps those of ended
processes for ever, and mod_wsgi does not tell when one ends. So each process that starts, and each scrape,
merges them into counter_merged.db.
"""

import contextlib
import errno
import fcntl
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from prometheus_client.mmap_dict import MmapedDict, mmap_key
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from oslogserve.text import log_message

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
#: Kinds of files, and their bytes: enough for all series. A process dies if it writes to mapped memory for
#: which a full disk has no room, so the room is taken when the process starts.
_SIZES = {
    "counter": 128 << 10,
    "histogram": 2 << 20,
    **dict.fromkeys(
        ("gauge_livemin", "gauge_livemax", "gauge_livesum", "gauge_livemostrecent"), 128 << 10
    ),
}
#: A counter with the number of a process, of those that run.
_OF_WORKERS = "oslogserve_worker_responses"


def create(directory: str) -> None:
    """Creates the folder, empties it and names it in the environment: a new server counts from 0."""
    Path(directory).mkdir(parents=True, exist_ok=True)
    for path in Path(directory).glob("*.db"):
        path.unlink(missing_ok=True)
    os.environ[VARIABLE] = directory


def join(directory: str) -> bool:
    """Makes the files of this process. False if there is no room, which is said on standard error."""
    process = os.getpid()
    try:
        os.makedirs(directory, exist_ok=True)  # /tmp may have been cleaned
        with swept(directory):
            for kind in _SIZES:
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
        ended = [one for one in owners(os.listdir(directory)) if not _is_running(one)]
        for process in ended:
            mark_process_dead(process, directory)
        for kind in ("counter", "histogram") if ended else ():
            paths = [Path(directory, f"{kind}_{process}.db") for process in ended]
            with contextlib.suppress(OSError):
                _merge(directory, kind, [path for path in paths if path.exists()])
        yield [str(path) for path in Path(directory).glob("*.db")]
    finally:
        os.close(folder)


def owners(names: Iterable[str]) -> set[int]:
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
            os.posix_fallocate(file.fileno(), 0, _SIZES[kind])
            os.fchmod(file.fileno(), 0o644)  # gunicorn's master may be root
        except OSError:
            path.unlink()
            raise
