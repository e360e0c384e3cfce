# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with logs on disk."""

import contextlib
import itertools
import os
import tempfile
from pathlib import Path

from tests.faults import logs
from tests.faults.reading import Reader
from tests.faults.rows import LINES, RANGE, Rows
from tests.faults.stage import BOUNDS, THREADS, Stage
from tests.faults.starve import read_without_descriptors
from tests.servers import failing_disk
from tests.servers.failing_disk import FailingDisk, File
from tests.servers.faulty import BLACK_HOLE, Faulty

PROBE = "probe.txt"
#: Bytes of a file at which the trouble is: beyond what can be read ahead of a reader that stalls.
MIDWAY = 10 * logs.MEGABYTE


def _name(packed, stem):
    return f"{stem}.txt.gz" if packed else f"{stem}.txt"


class DiskStage(Stage):
    def __init__(self, root, **sections):
        self.root = root
        self._numbers = itertools.count()
        (root / PROBE).write_bytes(b"a line\n")
        super().__init__("disk", {"disk": {"root": root}, **sections}, PROBE)

    def range_at(self, name):
        return 15_000_000

    def new(self, packed):
        """A log that no other cell has seen, with what its answers are."""
        path = self.root / _name(packed, f"new-{next(self._numbers)}")
        path.write_bytes(logs.stored(logs.LARGE, packed))
        return path

    def midway(self, cell, trouble):
        """Calls trouble(path) while the reader has but the first bytes."""
        path = self.new(cell.packed)
        accepted = [self.healthy(path.name, cell.view)]
        reader = self.stalled(path.name, cell.view)
        trouble(path)
        try:
            return reader.result(), accepted
        finally:
            path.unlink(missing_ok=True)


ROWS = Rows()
row = ROWS.row


def _midway(name, trouble, **options):
    """Adds a row of trouble(path, packed) while the reader has but the first bytes."""

    @row(name, **options)
    def _(stage, cell):
        return stage.midway(cell, lambda path: trouble(path, cell.packed))


def _rotate(path, packed):
    path.rename(path.with_name(f"rotated-{path.name}"))
    path.write_bytes(b"a new log\n")


def _replace(path, packed):
    other = path.with_name("other")
    other.write_bytes(logs.stored(logs.SIZE, packed, seed=1))
    other.replace(path)


_midway("rotated midway", _rotate, survives=True)
_midway("replaced midway", _replace, survives=True)
_midway("deleted midway", lambda path, packed: path.unlink(), survives=True)
_midway("truncated midway", lambda path, packed: os.truncate(path, MIDWAY))
_midway("emptied midway", lambda path, packed: os.truncate(path, 0))


@row("emptied and written anew midway")
def _(stage, cell):
    """Cuts the log short and writes on, as logrotate's copytruncate and a busy service do."""
    size = logs.LARGE + logs.MEGABYTE
    anew = logs.stored(size, cell.packed, seed=1)  # before: it takes longer than the log
    return stage.midway(cell, lambda path: path.write_bytes(anew))


#: Bytes of a file's beginning that stay.
KEPT = 8192


def _rewrite(path, packed):
    """Puts other bytes in their place, before and behind what its reader has."""
    other = logs.stored(logs.LARGE + logs.MEGABYTE, packed, seed=1)
    with path.open("r+b") as file:
        file.seek(KEPT)
        file.write(other[KEPT : path.stat().st_size])


def _rewrite_and_set_back(path, packed):
    was = path.stat().st_mtime_ns
    _rewrite(path, packed)
    os.utime(path, ns=(was, was))


_midway("rewritten in place midway", _rewrite, rotten=True)
_midway("rewritten in place midway, its time set back", _rewrite_and_set_back, rotten=True)


@row("appended to midway", survives=True)
def _(stage, cell):
    """Replaces the log. The answer is complete with the old or with the new one."""
    path = stage.new(cell.packed)
    accepted = [stage.healthy(path.name, cell.view)]
    reader = stage.stalled(path.name, cell.view)
    with path.open("ab") as file:
        file.write(logs.stored(logs.MEGABYTE // 4, cell.packed, seed=1))
    accepted.append(stage.answer(path.name, cell.view))
    if cell.view == "html":  # above its lines a page tells the size that the log had
        was, now = (body.partition(LINES) for body in accepted)
        accepted.append(b"".join((was[0], *now[1:])))
    try:
        return reader.result(), accepted
    finally:
        path.unlink()


@row("too many open files")
def _(stage, cell):
    path = stage.new(cell.packed)
    accepted = [stage.healthy(path.name, cell.view)]
    return read_without_descriptors(stage, path.name, cell.view), accepted


@row("root is gone")
def _(stage, cell):
    path = stage.new(cell.packed)
    accepted = [stage.healthy(path.name, cell.view)]
    away = stage.root.with_name("away")
    stage.root.rename(away)
    try:
        return stage.read(path.name, cell.view), accepted
    finally:
        away.rename(stage.root)


# Beside a Swift that hangs

BESIDE_ROWS = Rows()
#: Readers of what the disk has not.
BESIDE = 2 * THREADS
#: Seconds until a log on disk begins, less than for an answer of Swift.
SOON = 4


class BesideStage(DiskStage):
    """Logs on disk, and a Swift that is asked for what is not there."""

    def __init__(self, root, swift):
        self.swift = swift
        super().__init__(root, swift={**swift.settings(), **BOUNDS})


@contextlib.contextmanager
def _black_hole(stage):
    stage.swift.behave(BLACK_HOLE)
    yield
    stage.swift.behave()


@BESIDE_ROWS.row("beside a Swift that hangs", survives=True, around=_black_hole)
def _(stage, cell):
    path = stage.new(cell.packed)
    accepted = [stage.healthy(path.name, cell.view)]
    others = [Reader(stage.server, f"/no-{number}.txt") for number in range(BESIDE)]
    try:
        reading = stage.read(path.name, cell.view)
        reading.stuck = reading.stuck or reading.began > SOON
        return reading, accepted
    finally:
        path.unlink()
        for other in others:
            other.result()


# A file system that fails

FAILING_ROWS = Rows()


def _files():
    files = {PROBE: File(b"a line\n")}
    for packed in (False, True):
        content = logs.stored(logs.SIZE, packed)
        files[_name(packed, "log")] = File(content)
        files[_name(packed, "failing")] = File(content, fails_at=logs.MEGABYTE)
        files[_name(packed, "unread")] = File(content, fails_at=0)
        files[_name(packed, "closed")] = File(content, opens=False)
        files[_name(packed, "slow")] = File(content, delay=0.1)
    return files


class FailingStage(Stage):
    def __init__(self, disk):
        self.path = disk.path
        super().__init__("disk", {"disk": {"root": disk.path}}, PROBE)

    def failing(self, stem, cell):
        """The reading of a log that fails, and the answer to the same one that does not."""
        name = _name(cell.packed, stem)
        same = self.healthy(_name(cell.packed, "log"), cell.view)
        if cell.view == "html":
            same = same.replace(b"log.txt", f"{stem}.txt".encode())
        accepted = [same]
        if cell.view == RANGE:  # nobody knows the length of a log that was never read to its end
            accepted.append(self.healthy(_name(cell.packed, "log"), "text"))
        return self.read(name, cell.view), accepted


for _name_of_row, _stem in (
    ("read error midway", "failing"),
    ("read error at the first byte", "unread"),
    ("may not be read", "closed"),
):
    FAILING_ROWS.row(_name_of_row)(lambda stage, cell, stem=_stem: stage.failing(stem, cell))


@FAILING_ROWS.row("not mounted any more")
def _(stage, cell):
    name = _name(cell.packed, "log")
    accepted = [stage.healthy(name, cell.view)]
    with failing_disk.covered(stage.path):
        return stage.read(name, cell.view), accepted


@FAILING_ROWS.row("slow network file system", survives=True)
def _(stage, cell):
    return stage.failing("slow", cell)


@contextlib.contextmanager
def stage():
    with tempfile.TemporaryDirectory(prefix="oslogserve-faults-") as folder:
        root = Path(folder) / "root"
        root.mkdir()
        with DiskStage(root) as stage:
            yield stage


@contextlib.contextmanager
def beside_stage():
    with (
        tempfile.TemporaryDirectory(prefix="oslogserve-faults-") as root,
        Faulty() as swift,
        BesideStage(Path(root), swift) as stage,
    ):
        yield stage


@contextlib.contextmanager
def failing_stage():
    with FailingDisk(_files()) as disk, FailingStage(disk) as stage:
        yield stage


#: Why the second stage cannot be had here, or ''.
UNAVAILABLE = failing_disk.UNAVAILABLE
