# SPDX-License-Identifier: Apache-2.0
"""The logs to measure with: generated ones of any size, and real ones out of a folder.

All are gzipped and lie in one folder under a name that every server takes for plain text.
"""

import contextlib
import dataclasses
import gzip
import os
import pathlib
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import IO

from oslogserve import demo

SMALL_SIZE = 4096
"""Bytes; a small log ends with the last line that fits."""
JOB_LOGS, JOB_SIZE = 60, 8_300_000
"""The logs of a job, and their bytes unpacked."""

SMALL_COUNT = 2_000
"""More than any cache of a server would hold for one benchmark."""
WARM = "warm.txt"

SUFFIXES = {".gz", ".html", ".log", ".txt"}
"""What is taken for a log in a folder of real ones."""

PIECE = 1 << 20


class NoLogs(Exception):
    """The folder holds none."""


@dataclasses.dataclass(frozen=True)
class Log:
    name: str
    file: str
    """Its name in the folder, gzipped; without ``.gz`` nginx and oslogserve find it too."""
    size: int
    stored: int
    """Its size as it lies on disk."""
    lines: int
    megabytes: int | None = None
    """The size that the generator was given; None for a real log."""

    @property
    def unpacked_name(self) -> str:
        return self.file.removesuffix(".gz")

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.size / 1e6:.1f} MB, gzipped {self.stored / 1e6:.2f} MB"
            f" (1:{self.size / self.stored:.1f})"
        )


@contextlib.contextmanager
def folder() -> Iterator[pathlib.Path]:
    with tempfile.TemporaryDirectory(prefix="oslogserve-benchmark-") as name:
        os.chmod(name, 0o755)  # nginx's worker is another user when root starts it
        root = pathlib.Path(name)
        _gzip(root / f"{WARM}.gz", demo.generate_oslo(4_000))
        _write_small(root)
        yield root


def generated(root: pathlib.Path, megabytes: int) -> Log:
    file = f"generated-{megabytes}.txt.gz"
    size, lines = _gzip(root / file, demo.generate_oslo(megabytes * 1_000_000))
    return Log(f"{megabytes} MB", file, size, (root / file).stat().st_size, lines, megabytes)


def real(root: pathlib.Path, source: pathlib.Path) -> list[Log]:
    """Each log below ``source``: a gzipped one as it is, another one gzipped."""
    paths = sorted(path for path in source.rglob("*") if path.suffix in SUFFIXES and path.is_file())
    if not paths:
        raise NoLogs(f"{source}: no file in it ends in {', '.join(sorted(SUFFIXES))}")
    return [_taken(root, path, number) for number, path in enumerate(paths)]


def _taken(root: pathlib.Path, path: pathlib.Path, number: int) -> Log:
    file = f"real-{number}.txt.gz"
    if path.suffix == ".gz":
        shutil.copyfile(path, root / file)
        with gzip.open(path, "rb") as log:
            size, lines = _counted(_pieces(log), len)
    else:
        with path.open("rb") as log:
            size, lines = _gzip(root / file, _pieces(log))
    return Log(path.name, file, size, (root / file).stat().st_size, lines)


def _pieces(file: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece


def _gzip(path: pathlib.Path, blocks: Iterable[bytes]) -> tuple[int, int]:
    """Writes a gzip as a CI job would; returns the unpacked bytes and lines."""
    with gzip.open(path, "wb", compresslevel=6) as packed:
        return _counted(blocks, packed.write)


def _counted(blocks: Iterable[bytes], take: Callable[[bytes], int]) -> tuple[int, int]:
    size = lines = 0
    for block in blocks:
        size += take(block)
        lines += block.count(b"\n")
    return size, lines


def small_name(number: int) -> str:
    """The path of one of the small logs, from 0, as benchmarks/in_turn.lua asks for it."""
    return f"small/{number:04d}.txt"


def write_job(root: pathlib.Path) -> list[str]:
    """The paths of JOB_LOGS logs of a job, which all begin at the same time."""
    (root / "job").mkdir(mode=0o755)
    blocks = demo.generate_oslo(JOB_LOGS * JOB_SIZE * 11 // 10)
    found = []
    for number in range(JOB_LOGS):
        log = b""
        while len(log) < JOB_SIZE:
            log += next(blocks)
        path = root / "job" / f"{number:02}.txt.gz"
        with gzip.open(path, "wb", compresslevel=6) as packed:
            packed.write(_moved_to_midnight(log))
        found.append(f"job/{path.name}")
    return found


def _moved_to_midnight(log: bytes) -> bytes:
    """The log with times from 00:00:00 on."""
    times = re.compile(rb"(?m)^(\d{4}-\d\d-\d\d )(\d\d):(\d\d):(\d\d)")
    first = times.search(log)
    assert first is not None
    shift = _seconds(first)

    def moved(time: re.Match[bytes]) -> bytes:
        seconds = _seconds(time) - shift
        return time[1] + b"%02d:%02d:%02d" % (seconds // 3600, seconds // 60 % 60, seconds % 60)

    return times.sub(moved, log)


def _seconds(time: re.Match[bytes]) -> int:
    return (int(time[2]) * 60 + int(time[3])) * 60 + int(time[4])


def _write_small(root: pathlib.Path) -> None:
    """SMALL_COUNT logs, of which no two are alike."""
    (root / "small").mkdir(mode=0o755)
    lines = _short_lines()
    left = b""
    for number in range(SMALL_COUNT):
        log = left
        for line in lines:
            if len(log) + len(line) > SMALL_SIZE:
                left = line
                break
            log += line
        (root / small_name(number)).write_bytes(log)


def _short_lines() -> Iterator[bytes]:
    """Lines of the generated log, without those that would fill most of a small one."""
    for block in demo.generate_oslo(10 * SMALL_COUNT * SMALL_SIZE):
        yield from (line for line in block.splitlines(keepends=True) if len(line) < 400)
