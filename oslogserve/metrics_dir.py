# SPDX-License-Identifier: Apache-2.0
"""The folder in which the processes of a server share their metrics, by prometheus_client.

A process counts in files of its own, such as counter_123.db. When it has ended, they are renamed to *.ended.
These are merged with counter_merged.db into counter.new, which is renamed to counter.done when it is
complete. From then on the old files count no more, so a process that is killed while it merges loses
nothing and counts nothing twice.
"""

import contextlib
import fcntl
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from prometheus_client.mmap_dict import MmapedDict, mmap_key
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from oslogserve import messages

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
#: Kinds of files whose counts stay when their process has ended. A gauge goes with its process.
_KEPT = ("counter", "histogram")
_GAUGES = ("gauge_livemin", "gauge_livemax", "gauge_livesum", "gauge_livemostrecent")
#: Bytes of a file: enough for all series. A process dies if it writes to mapped memory for which a full
#: disk has no room, so the room is taken when the process starts.
_SIZES = {"histogram": 2 << 20}
_SIZE = 128 << 10
#: A counter with the number of a process, of those that run.
_OF_WORKERS = "oslogserve_worker_responses"


def create(directory: str) -> None:
    """Creates the folder, empties it and names it in the environment: a new server counts from 0."""
    Path(directory).mkdir(parents=True, exist_ok=True)
    for suffix in ("db", "ended", "new", "done"):
        for path in Path(directory).glob(f"*.{suffix}"):
            path.unlink(missing_ok=True)
    os.environ[VARIABLE] = directory


def join(directory: str) -> bool:
    """Makes the files of this process. False if there is no room, which is said on standard error."""
    process = os.getpid()
    try:
        os.makedirs(directory, exist_ok=True)  # /tmp may have been cleaned
        with swept(directory):
            for kind in (*_KEPT, *_GAUGES):
                path = Path(directory, f"{kind}_{process}.db")
                # An earlier process may have had the same number: its counts stay.
                if kind in _GAUGES or not path.exists():
                    _make(path, kind)
    except OSError as error:
        what = f"{error.strerror}; the metrics are without those of process {process}"
        messages.log(f"{directory}: {what}")
        return False
    return True


def has_room(directory: str) -> bool:
    """True if the disk has room for the files of another process."""
    needed = sum(_SIZES.get(kind, _SIZE) for kind in (*_KEPT, *_GAUGES))
    try:
        disk = os.statvfs(directory)
    except OSError:
        return False
    is_unlimited = disk.f_blocks == 0  # a tmpfs with size=0
    return is_unlimited or disk.f_bavail * disk.f_frsize >= needed


def sweep(directory: str) -> None:
    """Merges the files of ended processes."""
    with contextlib.suppress(FileNotFoundError), swept(directory):
        pass


@contextlib.contextmanager
def swept(directory: str) -> Iterator[list[str]]:
    """Context in which these files hold each count once, and no other process changes the folder.

    Those of ended processes are merged before. On a full disk, they stay as they are.
    """
    folder = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        for kind in _KEPT:
            _finish(directory, kind)
        for process in owners(os.listdir(directory)):
            if not _is_running(process):
                _end(directory, process)
        with contextlib.suppress(OSError):
            for kind in _KEPT:
                _merge(directory, kind)
        names = os.listdir(directory)
        yield [os.path.join(directory, name) for name in names if name.endswith((".db", ".ended"))]
    finally:
        os.close(folder)


def owners(names: list[str]) -> set[int]:
    """The numbers of the processes whose files these are, but for ended ones."""
    return {int(found[1]) for name in names if (found := re.search(r"_(\d+)\.db$", name))}


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's
        pass
    return True


def _end(directory: str, process: int) -> None:
    mark_process_dead(process, directory)
    for kind in _KEPT:
        path = Path(directory, f"{kind}_{process}.db")
        if path.exists():
            path.rename(path.with_suffix(f".{time.time_ns()}.ended"))


def _merge(directory: str, kind: str) -> None:
    """Merges the files of ended processes of one kind. Raises OSError on a full disk."""
    ended = [*Path(directory).glob(f"{kind}_*.ended")]
    if ended:
        new = Path(directory, f"{kind}.new")
        _make(new, kind)
        _write(new, [*ended, *Path(directory).glob(f"{kind}_merged.db")])
        new.rename(new.with_suffix(".done"))
        _finish(directory, kind)


def _finish(directory: str, kind: str) -> None:
    """Removes what was merged, if a merge is complete."""
    done = Path(directory, f"{kind}.done")
    if done.exists():
        for path in Path(directory).glob(f"{kind}_*.ended"):
            path.unlink()
        done.rename(Path(directory, f"{kind}_merged.db"))


def _write(new: Path, paths: list[Path]) -> None:
    values = MmapedDict(new)
    with contextlib.closing(values):
        for metric in MultiProcessCollector.merge(map(str, paths), accumulate=False):
            for name, labels, value, *_ in metric.samples if metric.name != _OF_WORKERS else ():
                labelled = [*labels], [*labels.values()]
                key = mmap_key(metric.name, name, *labelled, metric.documentation)
                values.write_value(key, value, 0.0)


def _make(path: Path, kind: str) -> None:
    """Makes an empty file that has its room on the disk."""
    with open(path, "wb") as file:
        try:
            os.posix_fallocate(file.fileno(), 0, _SIZES.get(kind, _SIZE))
            os.fchmod(file.fileno(), 0o644)  # gunicorn's master may be root
        except OSError:
            path.unlink()
            raise
