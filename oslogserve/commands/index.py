# SPDX-License-Identifier: Apache-2.0
"""The command `oslogserve index`: makes the indexes of logs before anybody reads them."""

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from threading import Lock
from typing import NamedTuple

from oslogserve.assembly import sources_of
from oslogserve.config import Config, ConfigError, load
from oslogserve.errors import BadRequest, Error, Incomplete, NotFound, SourceError, Unavailable
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import Wanted
from oslogserve.logs.blocks import LEAST_PACKED
from oslogserve.logs.budget import Budget
from oslogserve.logs.indexes import Indexes
from oslogserve.logs.open_log import Logs, OpenLog
from oslogserve.metrics import Metrics
from oslogserve.progress import Work, in_threads
from oslogserve.salt import salt_of
from oslogserve.sources import METADATA_ONLY, Context, Folder, Source
from oslogserve.sources.disk.source import Disk
from oslogserve.sources.first_of import open_first
from oslogserve.text import shown, size_shown
from oslogserve.urls import path_in_argument

#: Names that an object may have, but no path of a URL.
_NAMELESS = (b"", b".", b"..")
#: Logs in a row that a source could not be asked for: then the others would fail, too.
_MOST_OUTAGES = 10


class _Named(NamedTuple):
    """A log or a folder of a source."""

    source: Source
    path: bytes
    is_folder: bool
    #: As the user named it.
    shown: str
    #: Stored bytes, if a listing says so.
    size: int | None = None


def index(options: argparse.Namespace) -> int:
    """Makes indexes. The exit status is 1 if a log could not be read to its end, else 0.

    Raises ConfigError, Error, OSError.
    """
    config = load(options.config)
    metrics = Metrics()
    directory = options.directory or config["index", "directory"]
    if not directory:
        raise ConfigError(
            "there is no directory of indexes: give --directory, or --config with [index] directory"
        )
    os.makedirs(directory, mode=0o700, exist_ok=True)
    indexes = Indexes(
        salt_of(config.formats, of_indexes=True), metrics, directory, config["index", "size"]
    )
    places = _in_source(options, config, metrics) if options.source else _on_disk(options, config)
    return _Maker(config, indexes, places).run(options.jobs)


def _on_disk(options: argparse.Namespace, config: Config) -> list[_Named]:
    """Local paths. Raises OSError. Its version tells a file, not its path: the server has the same keys."""
    chunk_size, links = config["serve", "chunk_size"], config["disk", "links"]
    places = []
    for path in options.paths:
        os.stat(path)  # raises an error with the path
        is_folder = os.path.isdir(path)
        parent, name = (path, "") if is_folder else os.path.split(os.path.abspath(path))
        disk = Disk(parent, chunk_size, follows_links=links)
        places.append(_Named(disk, os.fsencode(name), is_folder, shown(os.fsencode(path))))
    return places


def _in_source(options: argparse.Namespace, config: Config, metrics: Metrics) -> list[_Named]:
    """Paths as in a URL. Raises ConfigError, and Error for one that is not there, or cannot be asked for."""
    sources = {source.name: source for source in sources_of(config, metrics)}
    if options.source not in sources:
        those = f"it has {', '.join(sources)}" if sources else "it has none"
        raise ConfigError(
            f"--source {options.source}: the configuration has no such source: {those}"
        )
    context = Context()
    context.answer_begins()  # each call has a deadline of its own
    source = sources[options.source].for_request(context)
    places = []
    for path in map(path_in_argument, options.paths):
        is_folder = True
        if path:
            try:
                is_folder = isinstance(open_first([source], path, METADATA_ONLY), Folder)
            except NotFound:
                raise NotFound(f"{source.name} has no log or folder {shown(path)}") from None
        places.append(_Named(source, path, is_folder, shown(path) or source.name))
    return places


class _Maker:
    """Makes the indexes of files, in several threads."""

    def __init__(self, config: Config, indexes: Indexes, places: Sequence[_Named]) -> None:
        self._indexes = indexes
        self._logs = Logs(config.views, indexes)
        self._renderer = Renderer(config.formats)
        self._shows_dot_files = config["serve", "dot_files"]
        self._work = Work(
            lambda counts: (
                f"{counts['made']} indexed ({size_shown(counts['size'])}), {counts['there']} before"
            )
        )
        self._files = self._below(places)
        self._lock = Lock()
        self._outages = 0

    def run(self, jobs: int) -> int:
        """The exit status: 1 if a log has no index, or it was stopped by a signal or since all others would fail."""
        in_threads(self._make_all, jobs)
        said = {"small": "too small to need one", "other": "no logs", "failed": "failed"}
        return self._work.finish("run it again for the logs that are missing", said)

    def _below(self, places: Sequence[_Named]) -> Iterator[_Named]:
        """Yields files, and those below folders that the server would show."""
        left = [*reversed(places)]
        while left:
            place = left.pop()
            if not place.is_folder:
                yield place
                continue
            folders = []
            try:
                for name, size, *_ in place.source.entries(place.path) or ():
                    segment = name.removesuffix(b"/")
                    is_hidden = name.startswith(b".") and not self._shows_dot_files
                    if is_hidden or segment in _NAMELESS:
                        continue
                    path = os.path.join(place.path, segment)
                    named = os.path.join(place.shown, shown(segment))
                    below = _Named(place.source, path, segment != name, named, size)
                    if below.is_folder:
                        folders.append(below)
                    else:
                        yield below
            except SourceError as error:
                self._fail(place, error)
            left += reversed(folders)

    def _make_all(self) -> None:
        while not self._work.stopped.is_set():
            with self._lock:
                file = next(self._files, None)
            if file is None:
                return
            try:
                self._work.count(**{self._outcome(file): 1})
                self._outages = 0
            except (Error, Incomplete) as error:
                if not self._work.stopped.is_set():
                    self._fail(file, error)
                is_outage = isinstance(error, Unavailable) and error.failures[0].is_outage
                self._outages = self._outages + 1 if is_outage else 0
                if self._outages >= _MOST_OUTAGES:
                    self._work.stopped.set()

    def _fail(self, place: _Named, error: Exception) -> None:
        self._work.count(failed=1)
        self._work.note(f"{place.shown}: not indexed: {error}")

    def _outcome(self, file: _Named) -> str:
        """The name of the count for a file. Raises Error, and Incomplete for a log that is not whole."""
        if file.size is not None and file.size < LEAST_PACKED:
            return "small"
        with closing(self._opened(file)) as log:
            if self._logs.media_type(file.shown, log.first_bytes.text) is not None:
                return "other"
            if log.blocks is None:
                return "small"
            if log.blocks.index is not None and log.blocks.index.has_contents:
                return "there"
            if log.blocks.index is None:
                wanted = Wanted("summary", written=self._renderer.written(log))
                rendering = self._renderer(log.text(), wanted, log.blocks, charge=self._work.charge)
                rendering.summary()
                if rendering.broke_off:
                    raise rendering.broke_off
        if not self._indexes.keeps:  # the next one would fail too
            self._work.stopped.set()
        with closing(self._opened(file)) as log:
            if not (log.blocks and log.blocks.index):
                raise Incomplete("failed", "the index could not be kept")
            for place in range(len(log.blocks.index.blocks)):
                for _ in log.blocks.read(place, is_collected=True):
                    self._work.charge()
            self._work.count(size=log.stored.size or 0)
            return "made"

    def _opened(self, file: _Named) -> OpenLog:
        """Raises Error."""
        budget = Budget()
        log = self._logs.open(file.path, [file.source], budget, by_index=True)
        if log is None:
            raise BadRequest("it is a folder now")
        return log
