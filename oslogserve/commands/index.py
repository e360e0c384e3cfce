# SPDX-License-Identifier: Apache-2.0
"""The command `oslogserve index`: makes the indexes of logs before anybody reads them."""

import argparse
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Lock
from typing import NamedTuple

from oslogserve.config import Config, ConfigError, load
from oslogserve.errors import BadRequest, Error, Incomplete, SourceError
from oslogserve.humanize import size_shown
from oslogserve.index.beside import is_beside
from oslogserve.index.directory import IndexDirectory
from oslogserve.index.indexes import Beside, Indexes
from oslogserve.lines.contents import learn
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import Wanted
from oslogserve.logs.budget import Allowance, Budget
from oslogserve.logs.open_log import Logs, OpenLog
from oslogserve.messages import shown
from oslogserve.metrics import Metrics
from oslogserve.progress import Progress
from oslogserve.salt import rules_of
from oslogserve.sources.disk.source import Disk
from oslogserve.stopping import Stopping


class _File(NamedTuple):
    """A file that may be a log."""

    disk: Disk
    #: Below the disk's root.
    path: bytes
    #: As the user would name it.
    shown: str


def index(options: argparse.Namespace) -> int:
    """Makes indexes. The exit status is 1 if a log could not be read to its end, else 0.

    Raises ConfigError, OSError.
    """
    config = load(options.config)
    metrics = Metrics()
    directory = None if options.beside else _directory(options, config, metrics)
    for path in options.paths:
        os.stat(path)  # raises an error with the path
    progress = Progress(_line)
    renderer = Renderer(config.formats)
    beside = Beside(options.beside, options.beside)
    indexes = Indexes(rules_of(config), metrics, directory, beside)
    files = files_of(options.paths, config, progress)
    maker = _Maker(Logs(config.views, indexes), renderer, indexes, progress, files)
    stopped = maker.run(options.jobs)
    progress.end()
    print(_summary(progress))
    return 1 if stopped or progress.counts["failed"] else 0


def _directory(options: argparse.Namespace, config: Config, metrics: Metrics) -> IndexDirectory:
    """Raises ConfigError, OSError."""
    path = options.directory or config["index", "directory"]
    if not path:
        raise ConfigError("there is no directory of indexes: give --directory or --beside")
    os.makedirs(path, mode=0o700, exist_ok=True)
    return IndexDirectory(path, config["index", "size"], metrics)


def files_of(paths: Sequence[str], config: Config, progress: Progress) -> Iterator[_File]:
    """Yields files, and those below folders that the server would show."""
    chunk_size, links = config["serve", "chunk_size"], config["disk", "links"]
    shows_dot_files = config["serve", "dot_files"]
    for path in paths:
        if os.path.isdir(path):
            disk = Disk(path, chunk_size, follows_links=links)
            for name in _below(disk, shows_dot_files, progress):
                yield _File(disk, name, shown(os.path.join(os.fsencode(path), name)))
        else:
            parent, file_name = os.path.split(os.path.abspath(path))
            disk = Disk(parent, chunk_size, follows_links=links)
            yield _File(disk, os.fsencode(file_name), shown(os.fsencode(path)))


def _below(disk: Disk, shows_dot_files: bool, progress: Progress) -> Iterator[bytes]:
    """Yields the paths of all files below a disk's root."""
    folders = [b""]
    while folders:
        folder = folders.pop()
        below = []
        try:
            for entry in disk.entries(folder) or ():
                path = os.path.join(folder, entry.name)
                is_hidden = entry.name.startswith(b".") and not shows_dot_files
                if is_hidden or is_beside(entry.name):
                    continue
                if entry.name.endswith(b"/"):
                    below.append(path.removesuffix(b"/"))
                else:
                    yield path
        except SourceError as error:
            _failed(progress, shown(folder) or disk.location, str(error))
        folders += reversed(below)


class _Maker:
    """Makes the indexes of files, in several threads."""

    def __init__(
        self,
        logs: Logs,
        renderer: Renderer,
        indexes: Indexes,
        progress: Progress,
        files: Iterator[_File],
    ) -> None:
        self._logs = logs
        self._renderer = renderer
        self._indexes = indexes
        self._progress = progress
        self._files = files
        self._lock = Lock()
        self._stopped = Stopping()

    def run(self, jobs: int) -> bool:
        """True if it was stopped before its end, by a signal or because nothing can be kept."""
        self._stopped.await_signals()
        with ThreadPoolExecutor(jobs) as pool:
            for thread in [pool.submit(self._work) for _ in range(jobs)]:
                thread.result()
        if self._stopped.is_set():
            self._progress.note("stopped: run it again for the logs that are missing")
        return self._stopped.is_set()

    def _work(self) -> None:
        while not self._stopped.is_set():
            with self._lock:
                file = next(self._files, None)
            if file is None:
                return
            try:
                self._progress.count(**{self._outcome(file): 1})
            except (Error, Incomplete) as error:
                if not self._stopped.is_set():
                    _failed(self._progress, file.shown, str(error))

    def _outcome(self, file: _File) -> str:
        """The name of the count for a file. Raises Error, and Incomplete for a log that is not whole."""
        with closing(self._opened(file)) as log:
            blocks = log.text().blocks
            if self._logs.media_type(file.shown, log) is not None:
                return "other"
            if blocks is None:
                return "small"
            if blocks.index is not None and blocks.index.file.has_contents:
                return "there"
            if blocks.index is None:
                wanted = Wanted("summary", written=log.stored.modified)
                _, outcome = self._renderer.summary(log.text(), wanted, charge=self._stopped.charge)
                if outcome.broke_off:
                    raise outcome.broke_off
        if not self._indexes.keeps:  # the next one would fail too
            self._stopped.set()
        with closing(self._opened(file)) as log:
            blocks = log.text().blocks
            if not (blocks and blocks.index):
                raise Incomplete("failed", "the index could not be kept")
            learn(log.text(), self._stopped.charge)
            self._progress.count(size=log.stored.size or 0)
            return "made"

    def _opened(self, file: _File) -> OpenLog:
        """Raises Error."""
        budget = Budget(Allowance(math.inf, sys.maxsize))
        log = self._logs.open(file.path, [file.disk], budget)
        if log is None:
            raise BadRequest("it is a folder now")
        return log


def _failed(progress: Progress, name: str, why: str) -> None:
    progress.count(failed=1)
    progress.note(f"{name}: not indexed: {why}")


def _line(counts: Mapping[str, int]) -> str:
    return f"{counts['made']} indexed ({size_shown(counts['size'])}), {counts['there']} before"


def _summary(progress: Progress) -> str:
    counts = progress.counts
    said = {"small": "too small to need one", "other": "no logs", "failed": "failed"}
    others = [f"{counts[name]} {text}" for name, text in said.items() if counts[name]]
    return ", ".join([_line(counts), *others, f"{progress.seconds:.1f} s"])
