# SPDX-License-Identifier: Apache-2.0
"""Writes the logs to measure with: generated ones, those of a job, and real ones.

They are gzipped. Their names are such that every server sends them as plain text.
"""

import dataclasses
import gzip
import os
import re
import shutil
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from oslogserve import demo

#: The number of logs of a job, and the bytes of each.
JOB_LOGS, JOB_SIZE = 60, 8_300_000
#: Suffixes of files that count as logs in a folder of real ones.
SUFFIXES = {".gz", ".html", ".log", ".txt"}
#: The logs' time, in seconds since 1970: long ago, since a log that may still grow costs more.
AGO = 1_000_000_000

PIECE = 1 << 20


class NoLogs(Exception):
    """Raised where a folder holds no log."""


@dataclasses.dataclass(frozen=True)
class Log:
    name: str
    #: Its file in the logs' folder, gzipped.
    file: str
    size: int
    #: Its size on disk.
    stored: int
    lines: int

    @property
    def unpacked_file(self) -> str:
        """The name by which nginx finds the gzip and unpacks it."""
        return self.file.removesuffix(".gz")

    def __str__(self) -> str:
        ratio = self.size / self.stored
        return f"{self.size / 1e6:.1f} MB, gzipped {self.stored / 1e6:.2f} MB (1:{ratio:.1f})"


class Job(NamedTuple):
    """The logs of a job."""

    files: list[str]
    #: The id of a request in one of them.
    request_id: str


def generated(root: Path, megabytes: int) -> Log:
    file = f"generated-{megabytes}.txt.gz"
    return written(root / file, f"{megabytes} MB", demo.generate_oslo(megabytes * 1_000_000))


def real(root: Path, source: Path) -> list[Log]:
    """Copies each log below `source`, gzipped. Raises NoLogs."""
    paths = below(source)
    return [_taken(root / f"real-{number}.txt.gz", path) for number, path in enumerate(paths)]


def below(folder: Path) -> list[Path]:
    """The logs below a folder. Raises NoLogs."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file())
    if not paths:
        raise NoLogs(f"{folder}: no file in it ends in {', '.join(sorted(SUFFIXES))}")
    return paths


def _taken(path: Path, source: Path) -> Log:
    if source.suffix != ".gz":
        with source.open("rb") as log:
            return written(path, source.name, iter(partial(log.read, PIECE), b""))
    shutil.copyfile(source, path)
    with gzip.open(source, "rb") as log:
        return _log(path, source.name, _counted(iter(partial(log.read, PIECE), b""), len))


def written(path: Path, name: str, blocks: Iterable[bytes]) -> Log:
    """Writes a gzip as a CI job would."""
    with gzip.open(path, "wb", compresslevel=6) as packed:
        counted = _counted(blocks, packed.write)
    return _log(path, name, counted)


def text_of(path: Path) -> bytes:
    """The text of a log, which may be gzipped."""
    if path.suffix != ".gz":
        return path.read_bytes()
    with gzip.open(path, "rb") as log:
        return log.read()


def _log(path: Path, name: str, counted: tuple[int, int]) -> Log:
    os.utime(path, (AGO, AGO))
    return Log(name, path.name, counted[0], path.stat().st_size, counted[1])


def _counted(blocks: Iterable[bytes], take: Callable[[bytes], int]) -> tuple[int, int]:
    """Passes each block to `take`, which returns its bytes. Returns all bytes and lines."""
    size = lines = 0
    for block in blocks:
        size += take(block)
        lines += block.count(b"\n")
    return size, lines


def write_job(root: Path) -> Job:
    """Writes the logs of a job, which all begin at the same time."""
    (root / "job").mkdir()
    files, request_id = [], ""
    for number in range(JOB_LOGS):
        log = b"".join(demo.generate_oslo(JOB_SIZE, seed=number))
        path = root / "job" / f"{number:02}.txt.gz"
        written(path, path.name, [log])
        files.append(f"job/{path.name}")
        if number == JOB_LOGS // 2:
            found = re.search(rb"req-[0-9a-f-]{36}", log[len(log) // 2 :])
            assert found
            request_id = found[0].decode()
    return Job(files, request_id)
