# SPDX-License-Identifier: Apache-2.0
"""The command line: serve, render, check-config, demo."""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from oslogserve.config import Config, ConfigError, load
from oslogserve.errors import Incomplete
from oslogserve.lines.formats import SEVERITIES
from oslogserve.lines.renderer import Renderer, described, named
from oslogserve.query import Query


def main(arguments: Sequence[str] | None = None) -> int:
    """0: done. 1: the log was incomplete. 2: the arguments or the configuration are wrong."""
    given = _parser().parse_args(arguments)
    try:
        status: int = given.run(given)
        return status
    except BrokenPipeError:
        # The reader has seen enough (`| head`). Python would complain once more at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ConfigError, OSError) as error:
        for fault in str(error).split("\n"):
            print(f"oslogserve: {fault}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="oslogserve", description="Serves CI logs.")
    parser.add_argument("--version", action=_Version, nargs=0, help="and the renderer in use")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    serve = commands.add_parser("serve", help="serve logs with gunicorn")
    serve.add_argument("--root", metavar="DIR", help="folder of the logs")
    serve.add_argument("--config", metavar="FILE", help="see etc/oslogserve.conf")
    serve.add_argument("--bind", default="127.0.0.1:8000", metavar="ADDR")
    serve.add_argument("--workers", type=int, default=2, metavar="N")
    serve.add_argument("--threads", type=int, default=16, metavar="N")
    serve.set_defaults(run=_serve)

    render = commands.add_parser("render", help="write a log file as HTML or text")
    render.add_argument("file", nargs="?", metavar="FILE", help="default: standard input")
    render.add_argument("--level", type=str.upper, choices=SEVERITIES)
    render.add_argument("--format", choices=("html", "text"), default="html")
    render.set_defaults(run=_render)

    check = commands.add_parser("check-config", help="say what was understood of a file")
    check.add_argument("file", metavar="FILE")
    check.set_defaults(run=_check_config)

    demo = commands.add_parser("demo", help="write demo logs")
    demo.add_argument("folder", metavar="DIR")
    demo.set_defaults(run=_demo)
    return parser


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        try:
            print(described(_renderer(load(None))[0]))
        except ConfigError as error:
            parser.error(str(error))
        parser.exit()


def _renderer(config: Config) -> tuple[str, Renderer]:
    """Its name, and itself."""
    try:
        return named(config["serve", "renderer"])
    except LookupError as why_not:
        raise ConfigError(f"[serve] renderer = native: {why_not}") from None


def _serve(given: argparse.Namespace) -> int:
    from oslogserve.server import serve

    root = os.path.abspath(given.root) if given.root else None
    if root is not None and not os.path.isdir(root):
        raise ConfigError(f"--root {given.root}: there is no such folder")
    overrides = {"serve_threads": str(given.threads), **({"disk_root": root} if root else {})}
    config = load(given.config, **overrides)
    if not config["disk", "root"] and not config["swift", "container"]:
        raise ConfigError("nothing to serve: give --root, or --config with a source in it")
    _renderer(config)
    serve(config, given.bind, given.workers, given.threads)
    return 0


def _render(given: argparse.Namespace) -> int:
    from oslogserve.lines.decode import decoded, until_incomplete
    from oslogserve.views import log, page

    _, rendered = _renderer(load(None))
    level = None if given.level == SEVERITIES[0] else given.level
    query = Query(path=b"", folder=False, level=level)
    missing: list[Incomplete] = []
    if sys.stdout is None or (sys.stdin is None and not given.file):
        raise OSError(f"standard {'output' if sys.stdout is None else 'input'} is closed")
    with open(given.file or sys.stdin.fileno(), "rb", closefd=bool(given.file)) as stream:
        pieces = until_incomplete(decoded(_chunks(stream.fileno())), missing)
        out = sys.stdout.buffer
        if given.format == "text":
            out.writelines(log.text(pieces, query, missing, rendered))
        else:
            title = Path(given.file).name if given.file else "standard input"
            out.write(page.standalone_head(title))
            out.writelines(rendered(pieces, "html", query.level, query.limit))
            out.write(page.after_lines([log.told(error) for error in missing]))
        out.flush()
    for error in missing:
        print(log.told(error), file=sys.stderr)
    return 1 if missing else 0


def _chunks(file: int) -> Iterator[bytes]:
    while chunk := os.read(file, 65536):
        yield chunk


def _check_config(given: argparse.Namespace) -> int:
    config = load(given.file, must_exist=True)
    _renderer(config)
    print(config.described(), end="")
    return 0


def _demo(given: argparse.Namespace) -> int:
    from oslogserve.demo import write_demo_logs

    for path in write_demo_logs(Path(given.folder)):
        print(path)
    return 0
