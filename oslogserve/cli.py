# SPDX-License-Identifier: Apache-2.0
"""The command line: serve, render, index, seen, known, check-config, demo, bench, upload."""

import argparse
import math
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, Any

from oslogserve import __version__, upload
from oslogserve.bench import arguments as bench_arguments
from oslogserve.config import Config, ConfigError, load
from oslogserve.errors import Error, SourceError
from oslogserve.humanize import counted
from oslogserve.lines.renderer import Renderer
from oslogserve.messages import in_lines, visible
from oslogserve.query import Query
from oslogserve.query.parameters import PARAMETERS, Parameter
from oslogserve.terminal import for_terminal

if TYPE_CHECKING:
    from oslogserve.jobs.passed import Passed
    from oslogserve.logs.budget import Budget

RENDERED = ("html", "text", "jsonl", "summary", "brief")
#: Bytes of a pipe that are read at once.
_CHUNK = 64 * 1024
#: Parameters of a URL that `render` does not take.
_OF_SERVER = (
    *("source", "format", "content-type", "wrap", "sort", "in", "unasked", "skip", "failed"),
    *("goto", "moment", "chapter", "against"),
)


class _Parser(argparse.ArgumentParser):
    """Refuses empty arguments, as a variable gives that is not set in a job. For all subcommands."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.register("type", None, _not_empty)

    def add_subparsers(self, **options: Any) -> Any:
        commands = super().add_subparsers(**options)
        commands.type = str  # it is given all arguments of its command
        return commands


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status. 1: the log was incomplete. 2: the arguments or the configuration are wrong."""
    try:
        try:
            options = _parser().parse_args(arguments)
            status: int = options.run(options)
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
        return status
    except BrokenPipeError:
        return 0  # the reader has seen enough (`| head`)
    except (Error, OSError) as error:
        print(in_lines(error), file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="oslogserve", description="Serves CI logs.")
    parser.add_argument(
        "--version",
        action="version",
        version=f"oslogserve {__version__}",
        help="print the version",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    _add_serve(commands)
    _add_render(commands)
    _add_index(commands)
    _add_seen(commands)
    _add_known(commands)
    check = commands.add_parser("check-config", help="check a configuration, and print it")
    check.add_argument("file", metavar="FILE", help="a configuration file")
    check.set_defaults(run=_check_config)

    demo = commands.add_parser("demo", help="write demo logs")
    demo.add_argument("folder", metavar="DIR", help="folder to write to; it is created if needed")
    demo.set_defaults(run=_demo)

    bench_arguments.add_to(commands)
    upload.add_to(commands)
    return parser


def _add_serve(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    serve = commands.add_parser("serve", help="serve logs with gunicorn")
    serve.add_argument("--root", metavar="DIR", help="folder of the logs")
    serve.add_argument(
        "--config", metavar="FILE", help="configuration file, see oslogserve.conf(5)"
    )
    address = "address and port to listen on; default: %(default)s"
    serve.add_argument("--bind", default="127.0.0.1:8000", metavar="ADDR", help=address)
    workers = "number of processes; default: %(default)s"
    serve.add_argument("--workers", type=_count, default=2, metavar="N", help=workers)
    threads = "threads of each worker; default: from the configuration, else 32"
    serve.add_argument("--threads", metavar="N", help=threads)
    serve.set_defaults(run=_serve)


def _add_render(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    render = commands.add_parser(
        "render", help="write a log, or the logs of a folder, as HTML, text or JSON"
    )
    render.add_argument(
        "file", nargs="?", metavar="FILE", help="a log or a folder; default: standard input"
    )
    for name, parameter in _line_parameters():
        shown = f"{parameter.help}, such as {parameter.example}".replace("%", "%%")
        # As in a URL, an empty one chooses all lines.
        render.add_argument(
            f"--{name}", action="append", type=str, default=[], metavar="X", help=shown
        )
    shown = "compare with this log, or with the logs of this folder, of a run that passed"
    render.add_argument("--against", metavar="PATH", help=shown)
    shown = "default: text on a terminal, else html"
    render.add_argument("--format", choices=RENDERED, help=shown)
    render.add_argument(
        "--config",
        metavar="FILE",
        help="configuration with [format NAME] sections",
    )
    render.set_defaults(run=_render)


def _add_index(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    index = commands.add_parser("index", help="make the indexes of logs")
    index.add_argument("paths", nargs="+", metavar="PATH", help="a log, or a folder of logs")
    source = "source of PATH, which is as in a URL: disk, swift, store, or NAME of [store NAME]"
    index.add_argument("--source", metavar="NAME", help=source)
    index.add_argument("--config", metavar="FILE", help="configuration of the server")
    directory = "directory of the indexes; default: [index] directory"
    index.add_argument("--directory", metavar="DIR", help=directory)
    jobs = "logs at once; default: one for each processor"
    processors = len(os.sched_getaffinity(0))
    index.add_argument("--jobs", type=_count, default=processors, metavar="N", help=jobs)
    index.set_defaults(run=_index)


def _add_seen(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    seen = commands.add_parser("seen", help="remember what runs of jobs failed for")
    paths = "a folder of runs, as in a URL; default: all"
    seen.add_argument("paths", nargs="*", metavar="PATH", help=paths)
    seen.add_argument("--config", metavar="FILE", help="configuration of the server")
    seen.add_argument("--root", metavar="DIR", help="folder of the logs; default: [disk] root")
    seen.set_defaults(run=_seen)


def _add_known(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    known = commands.add_parser("known", help="rules of known causes")
    below = known.add_subparsers(required=True, metavar="COMMAND")
    check = below.add_parser("check", help="try rules on the runs that are kept")
    check.add_argument("folder", metavar="DIR", help="a folder of rules")
    check.add_argument("--config", metavar="FILE", help="configuration of the server")
    check.set_defaults(run=_known_check)


def _line_parameters() -> list[tuple[str, Parameter]]:
    """The parameters of a URL that say which lines are shown."""
    return [pair for pair in PARAMETERS.items() if pair[0] not in _OF_SERVER]


def _not_empty(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("it is empty: give a value, or leave it out")
    return text


def _count(text: str) -> int:
    if not (text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def _serve(options: argparse.Namespace) -> int:
    from oslogserve.gunicorn_hooks import serve

    serve(partial(_served, options), options.bind, options.workers)
    return 0


def _environment() -> dict[str, str]:
    """The environment, with the threads that `serve` starts if nothing names their number."""
    from oslogserve.gunicorn_hooks import SETTINGS

    return {"OSLOGSERVE_THREADS": str(SETTINGS["threads"]), **os.environ}


def _served(options: argparse.Namespace) -> Config:
    """The configuration to serve by. Raises ConfigError."""
    root = os.path.abspath(options.root) if options.root else None
    if root is not None and not os.path.isdir(root):
        what = "this is no folder" if os.path.exists(root) else "there is no such folder"
        raise ConfigError(f"--root {options.root}: {what}")
    given = {"disk_root": root, "serve_threads": options.threads}
    overrides = {name: text for name, text in given.items() if text is not None}
    config = load(options.config, _environment(), **overrides)
    if not config.source_names:
        raise ConfigError("nothing to serve: give --root, or --config with a source in it")
    return config


def _render(options: argparse.Namespace) -> int:
    config = load(options.config)
    renderer = Renderer(config.formats)
    pairs = [
        (name, _text(value)) for name, _ in _line_parameters() for value in getattr(options, name)
    ]
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
        if not (query.format == "brief" or query.selection.show):
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
    from oslogserve.encodings import encoding_of
    from oslogserve.index.indexes import Indexes
    from oslogserve.logs.decode import Decoded
    from oslogserve.logs.media_type import passed_through_as
    from oslogserve.logs.open_log import Logs
    from oslogserve.metrics import Metrics
    from oslogserve.pages.log import LogInfo, LogView, WholeText, incomplete_notice
    from oslogserve.sources.disk.source import Disk

    title = _text(Path(options.file).name) if options.file else "standard input"
    info = LogInfo(modified=os.fstat(stream.fileno()).st_mtime if options.file else None)
    text: Iterable[bytes]
    with ExitStack() as opened:
        if path:
            folder, name = os.path.split(os.path.realpath(path))
            logs = Logs(config.views, Indexes("", Metrics()))
            disk = Disk(folder, config["serve", "chunk_size"])
            log = logs.open(os.fsencode(name), [disk], _unlimited())
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
    from oslogserve.logs.decode import Reading

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
    from oslogserve.handlers.job import JobAnswer, Options
    from oslogserve.jobs.choice import Limits
    from oslogserve.jobs.job import Jobs
    from oslogserve.logs.open_log import Logs
    from oslogserve.metrics import Metrics
    from oslogserve.seen.memory import Memory
    from oslogserve.seen.rules import Rules
    from oslogserve.sources.disk.source import Disk

    if options.format == "html":
        raise ConfigError(
            "--format html is for a file: of a folder text, jsonl, summary and brief are written"
        )
    query = query._replace(is_folder=True, format=options.format or "text")
    jobs = Jobs(Logs(config.views), renderer, Limits(sys.maxsize, sys.maxsize, 0))
    chunk_size = config["serve", "chunk_size"]
    disk = Disk(options.file, chunk_size)
    passed = [Disk(_parent(options.against), chunk_size)] if options.against else None
    budget = _unlimited()
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


def _passed(query: Query, path: str | None, config: Config, renderer: Renderer) -> "Passed":
    """The words of a log on disk; none without a path."""
    from oslogserve.jobs.passed import NOT_COMPARED, PassedLogs
    from oslogserve.logs.open_log import Logs
    from oslogserve.sources.disk.source import Disk

    if path is None:
        return NOT_COMPARED
    disk = Disk(_parent(path), config["serve", "chunk_size"])
    budget = _unlimited()
    return PassedLogs(Logs(config.views), renderer).get(query.against, [disk], budget)


def _unlimited() -> "Budget":
    """A budget for files of one's own."""
    from oslogserve.logs.budget import Allowance, Budget

    return Budget(Allowance(math.inf, sys.maxsize))


def _parent(path: str) -> str:
    return os.path.dirname(os.path.abspath(path))


def _text(argument: str) -> str:
    """The text of an argument. What is not UTF-8 is replaced, as the server does in a URL."""
    return os.fsencode(argument).decode("utf-8", "replace")


def _index(options: argparse.Namespace) -> int:
    from oslogserve.commands.index import index

    return index(options)


def _seen(options: argparse.Namespace) -> int:
    from oslogserve.commands.seen import seen

    return seen(options)


def _known_check(options: argparse.Namespace) -> int:
    from oslogserve.commands.known import check

    return check(options)


def _check_config(options: argparse.Namespace) -> int:
    from oslogserve.index.directory import usage_of
    from oslogserve.seen.rules import configured_rules

    config = load(options.file, _environment(), must_exist=True)
    rules, faults = configured_rules(config)
    if faults:
        raise ConfigError("\n".join(faults))
    for what in config.removed:
        print(f"oslogserve: {visible(what)}", file=sys.stderr)
    print(config.as_file(), end="")
    # A comment: the output is a configuration too.
    print(f"# {visible(usage_of(config['index', 'directory'], config['index', 'size']))}")
    if config["known", "rules"]:
        print(f"# {counted(len(rules), 'rule')} of known causes")
    return 1 if _tried(config) else 0


def _tried(config: Config) -> int:
    """Prints how each bucket, and Swift by a cloud, answers. Returns how many do not."""
    if not (config.stores or config["swift", "cloud"]):
        return 0
    from oslogserve.assembly import tried_sources
    from oslogserve.metrics import Metrics

    failures = 0
    for source in tried_sources(config, Metrics()):
        with closing(source):
            try:
                source.check()
                answer = "ok"
            except SourceError as error:
                failures += 1
                answer = f"{error} ({source.location})"
        print(f"# {source.name}: {visible(answer)}")
    return failures


def _demo(options: argparse.Namespace) -> int:
    from oslogserve.demo import write_demo_logs
    from oslogserve.demo_runs import write_runs

    folder = Path(options.folder)
    for path in (*write_demo_logs(folder), *write_runs(folder)):
        print(path)
    return 0
