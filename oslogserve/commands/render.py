# SPDX-License-Identifier: Apache-2.0
"""The command `oslogserve render`: writes a log, or the logs of a folder, as a server would."""

import argparse
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from oslogserve.config import Config, ConfigError, load
from oslogserve.encodings import encoding_of
from oslogserve.handlers.job import JobAnswer, Options
from oslogserve.jobs.choice import Limits
from oslogserve.jobs.job import Jobs
from oslogserve.jobs.passed import NOT_COMPARED, Passed, PassedLogs
from oslogserve.lines.renderer import Renderer
from oslogserve.logs.budget import UNLIMITED, Budget
from oslogserve.logs.decode import Decoded, Reading
from oslogserve.logs.indexes import Indexes
from oslogserve.logs.media_type import passed_through_as
from oslogserve.logs.open_log import Logs
from oslogserve.messages import for_terminal
from oslogserve.metrics import Metrics
from oslogserve.pages.log import LogInfo, LogView, WholeText, incomplete_notice
from oslogserve.query import Query
from oslogserve.seen.memory import Memory
from oslogserve.seen.rules import Rules
from oslogserve.sources.disk.source import Disk

#: Bytes of a pipe that are read at once.
_CHUNK = 64 * 1024


def render(options: argparse.Namespace, parameters: Iterable[tuple[str, str]]) -> int:
    """Writes a log, or the logs of a folder. parameters: as in a URL. The exit status is 1 if some is missing."""
    config = load(options.config)
    renderer = Renderer(config.formats)
    pairs = [(name, _text(value)) for name, value in parameters]
    if options.against:
        os.stat(options.against)  # raises an error with the path
        pairs.append(("against", os.path.basename(os.path.abspath(options.against))))
    if options.format == "brief":  # it decides which parameters there are
        pairs.append(("format", options.format))
    query = Query(path=b"", is_folder=False).with_parameters(pairs)
    if options.file and os.path.isdir(options.file):
        return _render_job(options, config, query, renderer)
    if sys.stdout is None or (sys.stdin is None and not options.file):
        raise OSError(f"standard {'output' if sys.stdout is None else 'input'} is closed")
    with open(options.file or sys.stdin.fileno(), "rb", closefd=bool(options.file)) as stream:
        if query.order or query.logs or query.first_log:
            raise ConfigError("--order, --logs and --from are for a folder")
        if options.file and os.path.isfile(options.file):
            return _render_log(options, config, query, renderer, stream, options.file)
        if query.format != "brief":
            return _render_log(options, config, query, renderer, stream)
        with NamedTemporaryFile() as copy:  # it is read twice
            shutil.copyfileobj(stream, copy)
            copy.flush()
            return _render_log(options, config, query, renderer, stream, copy.name)


def _render_log(
    options: argparse.Namespace,
    config: Config,
    query: Query,
    renderer: Renderer,
    stream: IO[bytes],
    path: str = "",
) -> int:
    """Writes one log. stream: of what the user named. path: of a file with its bytes; "" to read the stream."""
    title = _text(Path(options.file).name) if options.file else "standard input"
    info = LogInfo(modified=os.fstat(stream.fileno()).st_mtime if options.file else None)
    text: Iterable[bytes]
    with ExitStack() as opened:
        if path:
            folder, name = os.path.split(os.path.realpath(path))
            logs = Logs(config.views, Indexes("", Metrics()))
            disk = Disk(folder, config["serve", "chunk_size"])
            log = logs.open(os.fsencode(name), [disk], Budget(UNLIMITED))
            if log is None:
                raise OSError(f"{title} is a folder now")
            opened.enter_context(closing(log))
            if query.format == "brief":
                log.will_be_read_twice()
            info = info._replace(read_again=log.text_again)
            head, text = log.known_first_bytes.text, log.text()
        else:
            chunks = iter(partial(os.read, stream.fileno(), _CHUNK), b"")
            head, text = _with_head(Decoded(chunks, encoding_of(options.file or "")))
        media_type = passed_through_as("log.txt", head, ())  # whatever it is called
        if media_type:
            raise OSError(f"{title} is no log: it is {media_type}")
        compared = _passed(query, options.against, config, renderer)
        format_ = options.format or ("text" if sys.stdout.isatty() else "html")
        shown: WholeText | LogView
        if format_ == "text" and query.is_unfiltered:
            shown = WholeText(text, compared.fault)
            _write(shown)
        else:
            shown = LogView(query, info, renderer, compared=compared)
            _write(shown.render(format_, text, title))
    for error in shown.missing:
        print(incomplete_notice(error), file=sys.stderr)
    return 1 if shown.missing else 0


def _with_head(pieces: Iterable[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The first piece that is not empty, and all pieces. An Incomplete is raised at their end."""
    reading = Reading(filter(None, pieces))
    begun = iter(reading)
    head = next(begun, b"")

    def text() -> Iterator[bytes]:
        yield head
        yield from begun
        if reading.broke_off:
            raise reading.broke_off

    return head, text()


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
            "--format html is for a file: of a folder text, jsonl, summary and brief are written"
        )
    query = query._replace(is_folder=True, format=options.format or "text")
    jobs = Jobs(Logs(config.views), renderer, Limits(sys.maxsize, sys.maxsize, 0))
    chunk_size = config["serve", "chunk_size"]
    disk = Disk(options.file, chunk_size)
    passed = [Disk(_parent(options.against), chunk_size)] if options.against else None
    budget = Budget(UNLIMITED)
    with closing(jobs.open(query, [disk], budget, passed)) as job:
        if not job.logs:
            what = "no log here has such a name" if query.logs else "this folder has no logs"
            print(f"oslogserve: {options.file}: {what}", file=sys.stderr)
        decided = Options(
            config.noise, sys.maxsize, Memory(None, Metrics(), Rules()), are_files=True
        )
        answer = JobAnswer(query, job, decided)
        _write(answer.open().pieces)
        return 1 if answer.missing else 0


def _passed(query: Query, path: str | None, config: Config, renderer: Renderer) -> Passed:
    """The words of a log on disk; none without a path."""
    if path is None:
        return NOT_COMPARED
    disk = Disk(_parent(path), config["serve", "chunk_size"])
    budget = Budget(UNLIMITED)
    return PassedLogs(Logs(config.views), renderer).get(query.against, [disk], budget)


def _parent(path: str) -> str:
    return os.path.dirname(os.path.abspath(path))


def _text(argument: str) -> str:
    """The text of an argument. What is not UTF-8 is replaced, as the server does in a URL."""
    return os.fsencode(argument).decode("utf-8", "replace")
