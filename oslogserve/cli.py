# SPDX-License-Identifier: Apache-2.0
"""The command line: serve, render, index, seen, known, check-config, demo, bench, upload."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from oslogserve import __version__, upload
from oslogserve.bench import arguments as bench_arguments
from oslogserve.config import Config, ConfigError, load
from oslogserve.errors import Error, SourceError
from oslogserve.humanize import counted
from oslogserve.messages import in_lines, visible
from oslogserve.query.parameters import PARAMETERS, Parameter

RENDERED = ("html", "text", "jsonl", "summary", "brief")
#: Parameters of a URL that `render` does not take.
_OF_SERVER = (
    *("source", "format", "content-type", "wrap", "sort", "in", "unasked"),
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
    serve.add_argument(
        "--bind", type=_address, default="127.0.0.1:8000", metavar="ADDR", help=address
    )
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


def _address(text: str) -> str:
    """An address that gunicorn can read, and a port that there is."""
    from gunicorn.util import parse_address

    try:
        place = parse_address(_not_empty(text))
        if isinstance(place, tuple) and not 0 <= place[1] <= 65535:
            raise ValueError
    except (RuntimeError, ValueError):
        raise argparse.ArgumentTypeError(f"{text!r} is no address such as 127.0.0.1:8000") from None
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
    if not (config["disk", "root"] or config["swift", "container"] or config.stores):
        raise ConfigError("nothing to serve: give --root, or --config with a source in it")
    return config


def _render(options: argparse.Namespace) -> int:
    from oslogserve.commands.render import render

    names = [name for name, _ in _line_parameters()]
    return render(options, [(name, value) for name in names for value in getattr(options, name)])


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
    from oslogserve.logs.indexes import usage_of
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
    from oslogserve.demo.runs import write_runs

    folder = Path(options.folder)
    for path in (*write_demo_logs(folder), *write_runs(folder)):
        print(path)
    return 0
