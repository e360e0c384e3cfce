# SPDX-License-Identifier: Apache-2.0
"""The command `oslogserve render`: writes a log, or the logs of a folder, as a server would."""

import argparse
import os
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from oslogserve.compression import encoding_of
from oslogserve.config import Config, ConfigError, load
from oslogserve.handlers.job import pieces_of
from oslogserve.jobs.compare import NOT_COMPARED, Compared, PassedLogs
from oslogserve.jobs.job import Jobs
from oslogserve.lines.renderer import Renderer
from oslogserve.logs.budget import Budget
from oslogserve.logs.indexes import Indexes
from oslogserve.logs.media_type import passed_through_as
from oslogserve.logs.open_log import Logs, OpenLog
from oslogserve.metrics import Metrics
from oslogserve.pages.log import LogView, incomplete_notice, with_notices
from oslogserve.query import Query
from oslogserve.query.parameters import EXCERPTS, OF_RENDER
from oslogserve.seen.memory import Memory
from oslogserve.seen.rules import Rules
from oslogserve.sources import Log, Stored
from oslogserve.sources.disk.source import Disk
from oslogserve.text import for_terminal

#: Bytes of a pipe that are read at once.
_CHUNK = 64 * 1024


def render(options: argparse.Namespace) -> int:
    """Writes a log, or the logs of a folder. The exit status is 1 if some is missing."""
    config = load(options.config)
    renderer = Renderer(config.formats)
    given = ((name, value) for name in OF_RENDER for value in getattr(options, name))
    pairs = [(name, _text(value)) for name, value in given]
    if options.against:
        os.stat(options.against)  # raises an error with the path
        pairs.append(("against", os.path.basename(os.path.abspath(options.against))))
    if options.format in EXCERPTS:  # it decides which parameters there are
        pairs.append(("format", options.format))
    query = Query(path=b"", is_folder=False).with_parameters(pairs)
    if options.file and os.path.isdir(options.file):
        return _render_job(options, config, query, renderer)
    if sys.stdout is None or (sys.stdin is None and not options.file):
        raise OSError(f"standard {'output' if sys.stdout is None else 'input'} is closed")
    source = options.file or sys.stdin.fileno()
    with open(source, "rb", closefd=bool(options.file)) as stream, ExitStack() as opened:
        if query.order or query.logs or query.first_log:
            raise ConfigError("--order, --logs and --from are for a folder")
        path = options.file if options.file and os.path.isfile(options.file) else ""
        if query.is_excerpt and not path:
            copy = opened.enter_context(NamedTemporaryFile())  # it is read twice
            shutil.copyfileobj(stream, copy)
            copy.flush()
            path = copy.name
        return _render_log(options, config, query, renderer, stream, path)


class _Stream(Log):
    """A log that is read from a pipe, or from a file that is not a regular one."""

    is_local = True

    def __init__(self, stream: IO[bytes], name: str) -> None:
        modified = os.fstat(stream.fileno()).st_mtime if name else time.time()
        super().__init__(Stored("", None, modified, "", encoding_of(name)))
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        return iter(partial(os.read, self._stream.fileno(), _CHUNK), b"")


def _render_log(
    options: argparse.Namespace,
    config: Config,
    query: Query,
    renderer: Renderer,
    stream: IO[bytes],
    path: str,
) -> int:
    """Writes one log. stream: of what the user named. path: of a file with its bytes; "" to read the stream."""
    title = _text(Path(options.file).name) if options.file else "standard input"
    log: OpenLog | None
    if path:
        folder, name = os.path.split(os.path.realpath(path))
        logs = Logs(config.views, Indexes("", Metrics()))
        disk = Disk(folder, config["serve", "chunk_size"])
        log = logs.open(os.fsencode(name), [disk], Budget(), is_read_twice=query.is_excerpt)
    else:
        log = OpenLog(_Stream(stream, options.file or ""))
    if log is None:
        raise OSError(f"{title} is a folder now")
    with closing(log):
        # Whatever it is called.
        media_type = passed_through_as("log.txt", log.first_bytes.text, ())
        if media_type:
            raise OSError(f"{title} is no log: it is {media_type}")
        compared = _passed(query, options.against, config, renderer)
        format_ = options.format or ("text" if sys.stdout.isatty() else "html")
        if format_ == "text" and query.is_unfiltered:
            missing = [compared.fault] if compared.fault else []
            _write(with_notices(log.text(), missing))
        else:
            view = LogView(query, log, renderer, compared=compared, file_title=title)
            missing = view.missing
            _write(view.render(format_, log.text()))
    for error in missing:
        print(incomplete_notice(error), file=sys.stderr)
    return 1 if missing else 0


def _write(pieces: Iterable[bytes]) -> None:
    """Writes to standard output. A terminal gets no control sequence but colours."""
    sys.stdout.buffer.writelines(for_terminal(pieces) if sys.stdout.isatty() else pieces)
    sys.stdout.buffer.flush()


def _render_job(
    options: argparse.Namespace, config: Config, query: Query, renderer: Renderer
) -> int:
    """Writes the lines of all logs below a folder, or a summary of each."""
    if options.format == "html":
        raise ConfigError(
            "--format html is for a file: of a folder text, jsonl, summary, brief and markdown are written"
        )
    query = query._replace(is_folder=True, format=options.format or "text")
    jobs = Jobs(Logs(config.views), renderer, (sys.maxsize, sys.maxsize, 0), config.noise)
    chunk_size = config["serve", "chunk_size"]
    disk = Disk(options.file, chunk_size)
    passed = [Disk(_parent(options.against), chunk_size)] if options.against else None
    budget = Budget()
    with closing(jobs.open(query, [disk], budget, passed)) as job:
        if not job.files:
            what = "no log here has such a name" if query.logs else "this folder has no logs"
            print(f"oslogserve: {options.file}: {what}", file=sys.stderr)
        _write(pieces_of(query, job, Memory(None, Metrics(), Rules()), are_files=True))
        return 1 if job.missing else 0


def _passed(query: Query, path: str | None, config: Config, renderer: Renderer) -> Compared:
    """The words of a log on disk; none without a path."""
    if path is None:
        return NOT_COMPARED
    disk = Disk(_parent(path), config["serve", "chunk_size"])
    budget = Budget()
    return PassedLogs(Logs(config.views), renderer).get(query.against, [disk], budget)


def _parent(path: str) -> str:
    return os.path.dirname(os.path.abspath(path))


def _text(argument: str) -> str:
    """The text of an argument. What is not UTF-8 is replaced, as the server does in a URL."""
    return os.fsencode(argument).decode("utf-8", "replace")
