# SPDX-License-Identifier: Apache-2.0
"""The folder in which the processes of a server share their metrics.

Each process has a file in it, a Table, and locks that for as long as it lives. The files of ended
processes are merged into a new one, which names them. A file that another one names is not counted, so
a process that is killed while it merges loses nothing and doubles nothing.
"""

import contextlib
import fcntl
import mmap
import os
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from operator import add
from pathlib import Path
from typing import Any

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"

#: Numbers of a table: more than all combinations of labels take.
MOST_NUMBERS = 16384
_NAMES = 8 * MOST_NUMBERS
#: Bytes of a table.
SIZE = _NAMES + 64 * 1024
_SUFFIX = ".metrics"
_NEW = ".new"
#: Seconds after which a folder's time of change is not that of a later change too.
SETTLED = 1.0
#: In place of a process's number, of a file of ended ones.
_MERGED = "0"


class Table:
    """Rows of numbers in memory that processes share: one writes, others may read meanwhile.

    The name of a row is its kind, how many numbers it has, and any words. The first number of a table
    is how many rows there are.
    """

    def __init__(self, fd: int = -1, protection: int = mmap.PROT_READ | mmap.PROT_WRITE) -> None:
        """fd: of a file of SIZE bytes, which is mapped; -1 for memory of this process alone."""
        self._memory = mmap.mmap(fd, SIZE, prot=protection)
        numbers: Any = memoryview(self._memory).cast("d")
        self.numbers: memoryview[float] = numbers[:MOST_NUMBERS]
        self._places: dict[str, slice] = {}
        self._end = 1
        self._end_of_names = _NAMES

    def add(self, name: str) -> int:
        """The position of the first number of a new row, whose numbers are 0."""
        first, self._end = self._end, self._end + _width(name)
        line = name.encode() + b"\n"
        self._memory[self._end_of_names : self._end_of_names + len(line)] = line
        self._end_of_names += len(line)
        self.numbers[0] += 1  # from now on, readers see the row
        return first

    def rows(self) -> Iterator[tuple[str, list[float]]]:
        """The rows, by their names."""
        count = int(self.numbers[0])
        if len(self._places) < count:
            first = 1
            for line in self._memory[_NAMES:].split(b"\n", count)[:count]:
                name = line.decode()
                end = first + _width(name)
                self._places[name] = slice(first, end)
                first = end
        for name, place in self._places.items():
            yield name, list(self.numbers[place])


def _width(name: str) -> int:
    return int(name.split(" ", 2)[1])


def totals(tables: Iterable[Table]) -> dict[str, list[float]]:
    """The rows of all tables; those of the same name become one, as their kind says."""
    found: dict[str, list[float]] = {}
    for table in tables:
        for name, numbers in table.rows():
            if name in found:
                combined = {"min": min, "max": max}.get(name[:3], add)
                numbers = list(map(combined, found[name], numbers))
            found[name] = numbers
    return found


class Tables:
    """The tables of all processes. They stay mapped from one call to the next: in a busy process, each
    system call may cost 5 ms of waiting for the other threads."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._mapped: dict[str, Table] = {}
        #: When the folder had last changed; None where it may have changed since it was listed.
        self._listed: float | None = None

    def __call__(self) -> dict[str, Table]:
        """Tables by the names of their files; what was counted is in exactly one of them."""
        self._map()
        if not all(map(_may_be_alive, self._mapped)):
            merge_ended(self._directory)
            self._map()
        merged = _merged_into(self._mapped)
        return {name: table for name, table in self._mapped.items() if name not in merged}

    def _map(self) -> None:
        try:
            changed = os.stat(self._directory).st_mtime
        except FileNotFoundError:  # /tmp was cleaned: the files that are mapped live on
            return
        if changed == self._listed:
            return
        with _locked(self._directory, fcntl.LOCK_SH):
            self._mapped = _mapped(self._directory, self._mapped)
        # Two changes at nearly the same time have the same one.
        self._listed = changed if changed < time.time() - SETTLED else None


def create(directory: str) -> None:
    """Creates the folder, empties it and names it in the environment: a new server counts from 0."""
    Path(directory).mkdir(parents=True, exist_ok=True)
    for path in (*Path(directory).glob(f"*{_SUFFIX}"), *Path(directory).glob(f"*{_NEW}")):
        path.unlink(missing_ok=True)
    os.environ[VARIABLE] = directory


def sweep(directory: str) -> None:
    """Creates the folder, names it in the environment, and merges the files of ended processes.

    For a server without a process that outlives the others (mod_wsgi).
    """
    Path(directory).mkdir(parents=True, exist_ok=True)
    os.environ[VARIABLE] = directory
    merge_ended(directory)


def join(directory: str) -> Table:
    """An empty table of this process, whose file is locked until the process ends."""
    os.makedirs(directory, exist_ok=True)  # else no worker could start once /tmp was cleaned
    with _new_table(directory, str(os.getpid()), fcntl.LOCK_EX) as table:
        return table


def merge_ended(directory: str) -> None:
    """Merges the files of ended processes into one, without their gauges: requests of a process that
    was killed would be in progress for ever.

    What cannot be merged, such as on a full disk, stays as it is.
    """
    with contextlib.suppress(OSError), _locked(directory, fcntl.LOCK_EX):
        mapped = _mapped(directory, {})
        ended = {name: table for name, table in mapped.items() if _has_ended(directory, name)}
        obsolete = _merged_into(ended)
        counted = {name: table for name, table in ended.items() if name not in obsolete}
        if len(counted) > 1 or not all(map(is_merged, counted)):
            with _new_table(directory, _MERGED, fcntl.LOCK_UN) as table:
                _merge(counted, table)
            obsolete.update(counted)
        for name in obsolete & ended.keys():
            os.unlink(os.path.join(directory, name))


def _merge(tables: Mapping[str, Table], into: Table) -> None:
    for name, numbers in totals(tables.values()).items():
        if name.startswith(("counter ", "histogram ")):
            first = into.add(name)
            for at, number in enumerate(numbers, first):
                into.numbers[at] = number
    for name in tables:
        into.add(f"merged 0 {name}")


def _merged_into(tables: Mapping[str, Table]) -> set[str]:
    """Names of the files that were merged into one of these."""
    names = (name for table in tables.values() for name, _ in table.rows())
    return {name.removeprefix("merged 0 ") for name in names if name.startswith("merged ")}


def process_of(name: str) -> str:
    """The number of the process whose file it is."""
    return name.partition("-")[0]


def is_merged(name: str) -> bool:
    return process_of(name) == _MERGED


def _may_be_alive(name: str) -> bool:
    """False for the file of a process that has ended. A number may be another process's by now."""
    try:
        os.kill(int(process_of(name)), 0)  # of 0: this process and its like
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _has_ended(directory: str, name: str) -> bool:
    fd = os.open(os.path.join(directory, name), os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(fd)
    return True


@contextlib.contextmanager
def _locked(directory: str, operation: int) -> Iterator[None]:
    """Context in which no file is removed, or nobody else looks at them (LOCK_EX)."""
    fd = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(fd, operation)
        yield
    finally:
        os.close(fd)


def _mapped(directory: str, known: Mapping[str, Table]) -> dict[str, Table]:
    """The table of each file; those that are known are not opened again."""
    names = [name for name in os.listdir(directory) if name.endswith(_SUFFIX)]
    return {name: known.get(name) or _opened(os.path.join(directory, name)) for name in names}


def _opened(path: str) -> Table:
    fd = os.open(path, os.O_RDONLY)
    try:
        return Table(fd, mmap.PROT_READ)
    finally:
        os.close(fd)


@contextlib.contextmanager
def _new_table(directory: str, process: str, lock: int) -> Iterator[Table]:
    """A table whose file is there for others once the context ends. lock: of flock()."""
    fd, path = tempfile.mkstemp(_NEW, f"{process}-", directory)
    try:
        fcntl.flock(fd, lock)  # for as long as it is mapped
        os.fchmod(fd, 0o644)  # gunicorn's master may be root
        os.posix_fallocate(fd, 0, SIZE)  # what a full disk has no room for would kill the process
        yield Table(fd)
        os.rename(path, path.removesuffix(_NEW) + _SUFFIX)
    except BaseException:
        os.unlink(path)
        raise
    finally:
        os.close(fd)
