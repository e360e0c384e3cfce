# SPDX-License-Identifier: Apache-2.0
"""The command line: serve, render, index, seen, known, check-config, demo, bench, upload."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

from oslogserve import __version__, upload
from oslogserve.bench import arguments as bench_arguments
from oslogserve.config import Config, ConfigError, load
from oslogserve.errors import Error
from oslogserve.folders import why_no_folder
from oslogserve.query.parameters import FORMATS, OF_RENDER, PARAMETERS
from oslogserve.text import counted, in_lines, visible

#: What runs a command, and returns the exit status.
_Run = Callable[[argparse.Namespace], int]


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
    version = f"oslogserve {__version__}"
    parser.add_argument("--version", action="version", version=version, help="print the version")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, shown: str, run: _Run, among: Any = commands) -> Callable[..., Any]:
        """Adds a command, and returns what adds its arguments."""
        added = among.add_parser(name, help=shown)
        added.set_defaults(run=run)
        return lambda name, metavar, shown, **given: added.add_argument(
            name, metavar=metavar, help=shown, **given
        )

    add = command("serve", "serve logs with gunicorn", _serve)
    add("--root", "DIR", "folder of the logs")
    add("--config", "FILE", "configuration file, see oslogserve.conf(5)")
    address = "address and port to listen on; default: %(default)s"
    add("--bind", "ADDR", address, type=_address, default="127.0.0.1:8000")
    add("--workers", "N", "number of processes; default: %(default)s", type=_count, default=2)
    add("--threads", "N", "threads of each worker; default: from the configuration, else 32")

    logs = "write a log, or the logs of a folder, as HTML, text or JSON"
    add = command("render", logs, _later("render"))
    add("file", "FILE", "a log or a folder; default: standard input", nargs="?")
    for name in OF_RENDER:
        parameter = PARAMETERS[name]
        shown = f"{parameter.help}, such as {parameter.example}".replace("%", "%%")
        # As in a URL, an empty one chooses all lines.
        add(f"--{name}", "X", shown, action="append", type=str, default=[])
    rendered = [name for name, of in FORMATS.items() if of.in_render]
    shown = "compare with this log, or with the logs of this folder, of a run that passed"
    add("--against", "PATH", shown)
    add("--format", None, "default: text on a terminal, else html", choices=rendered)
    add("--config", "FILE", "configuration with [format NAME] sections")

    add = command("index", "make the indexes of logs", _later("index"))
    add("paths", "PATH", "a log, or a folder of logs", nargs="+")
    source = "source of PATH, which is as in a URL: disk, swift, store, or NAME of [store NAME]"
    add("--source", "NAME", source)
    add("--config", "FILE", "configuration of the server")
    add("--directory", "DIR", "directory of the indexes; default: [index] directory")
    jobs = "logs at once; default: one for each processor"
    add("--jobs", "N", jobs, type=_count, default=len(os.sched_getaffinity(0)))

    add = command("seen", "remember what runs of jobs failed for", _later("seen"))
    add("paths", "PATH", "a folder of runs, as in a URL; default: all", nargs="*")
    add("--config", "FILE", "configuration of the server")
    add("--root", "DIR", "folder of the logs; default: [disk] root")

    known = commands.add_parser("known", help="rules of known causes")
    known_commands = known.add_subparsers(required=True, metavar="COMMAND")
    check = "try rules on the runs that are kept"
    add = command("check", check, _later("known", "check"), known_commands)
    add("folder", "DIR", "a folder of rules")
    add("--config", "FILE", "configuration of the server")

    add = command("check-config", "check a configuration, and print it", _check_config)
    add("file", "FILE", "a configuration file")

    add = command("demo", "write demo logs", _demo)
    add("folder", "DIR", "folder to write to; it is created if needed")

    bench_arguments.add_to(commands)
    upload.add_to(commands)
    return parser


def _later(command: str, function: str = "") -> _Run:
    """A function of a command's module, which is imported when it runs. function: by default its name."""
    return lambda options: getattr(
        import_module(f"oslogserve.commands.{command}"), function or command
    )(options)


def _not_empty(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("it is empty: give a value, or leave it out")
    return text


def _address(text: str) -> str:
    """An address that gunicorn can read, and a port that there is."""
    from gunicorn.util import parse_address

    try:
        address = parse_address(_not_empty(text))
        if isinstance(address, tuple) and not 0 <= address[1] <= 65535:
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

    def configured() -> Config:
        root = os.path.abspath(options.root) if options.root else None
        if root and (what := why_no_folder(root)):
            raise ConfigError(f"--root {options.root}: {what}")
        given = {"disk_root": root, "serve_threads": options.threads}
        overrides = {name: text for name, text in given.items() if text is not None}
        config = load(options.config, _environment(), **overrides)
        if not config.has_source:
            raise ConfigError("nothing to serve: give --root, or --config with a source in it")
        return config

    serve(configured, options.bind, options.workers)
    return 0


def _environment() -> dict[str, str]:
    """The environment, with the threads that `serve` starts if nothing names their number."""
    from oslogserve.gunicorn_hooks import SETTINGS

    return {"OSLOGSERVE_THREADS": str(SETTINGS["threads"]), **os.environ}


def _check_config(options: argparse.Namespace) -> int:
    """Starts as a server does, prints the configuration, and asks what it names. 1 if one of these does not answer."""
    from oslogserve.app import App
    from oslogserve.logs.indexes import usage_of
    from oslogserve.metrics import FOLDER_VARIABLE

    config = load(options.file, _environment())
    os.environ.pop(FOLDER_VARIABLE, None)  # it counts nowhere
    app = App(config)
    if app.faults:
        raise ConfigError("\n".join(app.faults))
    for what in config.removed:
        print(f"oslogserve: {visible(what)}", file=sys.stderr)
    print(config.as_file(), end="")
    # Comments: the output is a configuration too.
    print(f"# {visible(usage_of(config['index', 'directory'], config['index', 'size']))}")
    if config["known", "rules"]:
        print(f"# {counted(len(app.assembly.memory.rules), 'rule')} of known causes")
    status = 0
    with closing(app.assembly.memory):
        for name, failure in app.assembly.answers():
            print(f"# {name}: {failure or 'ok'}")
            status = 1 if failure else status
    return status


def _demo(options: argparse.Namespace) -> int:
    from oslogserve.demo import write_demo_logs
    from oslogserve.demo.runs import write_runs

    folder = Path(options.folder)
    for path in (*write_demo_logs(folder), *write_runs(folder)):
        print(path)
    return 0
