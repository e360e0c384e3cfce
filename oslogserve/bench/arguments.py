# SPDX-License-Identifier: Apache-2.0
"""The arguments of `oslogserve bench`; what they need is imported only when it runs."""

import argparse
import re
from functools import partial
from importlib import import_module
from typing import Any

from oslogserve.bench.samples import BadPlan
from oslogserve.errors import SourceError

#: libcurl waits for 1024 files at most, and keeps some connections beside those in use.
MOST_PARALLEL = 400
#: Swift's largest object that is one piece, and more containers than anything needs.
MOST_SIZE, MOST_CONTAINERS = 5 * 2**30, 1000
UNITS = {"": 1, "k": 1000, "M": 10**6, "G": 10**9}


def add_to(commands: Any) -> None:
    bench = commands.add_parser("bench", help="measure a deployment from outside")
    actions = bench.add_subparsers(required=True, metavar="ACTION")
    _add_get(actions.add_parser("get", help="fetch logs, of each source in turn"))
    _add_put(actions.add_parser("put", help="upload to Swift, and delete what was uploaded"))
    _add_delete(actions.add_parser("delete", help="delete what `bench put` left in Swift"))


def _add_get(get: argparse.ArgumentParser) -> None:
    get.add_argument("url", nargs="*", metavar="URL", help="a log")
    get.add_argument("--list", metavar="FILE", help="logs, one a line; - is standard input")
    get.add_argument(
        "--job", metavar="FOLDER-URL", help="all logs below a folder; a path with --base"
    )
    get.add_argument(
        "--sources", default="disk,swift", metavar="NAMES", help="default: %(default)s"
    )
    get.add_argument(
        "--base",
        action="append",
        type=_base,
        metavar="NAME=URL",
        help="a server to compare, instead of --sources; logs are then paths below it",
    )
    _add_runs(get)
    _add_client(get, parallel=1)
    get.add_argument("--level", metavar="NAME", help="as in a URL")
    get.add_argument("--format", metavar="NAME", help="as in a URL")
    get.add_argument("--gzip", action="store_true", help="accept compressed answers")
    get.set_defaults(run=partial(_run, "command", "get"))


def _add_put(put: argparse.ArgumentParser) -> None:
    put.add_argument(
        "--config", metavar="FILE", help="for its [swift]; else the environment's OS_*"
    )
    put.add_argument(
        "--size",
        type=size,
        default=100_000,
        metavar="S",
        help="bytes, or 10k, 5M, 1G; default: 100k",
    )
    put.add_argument(
        "--containers", type=containers, default=1, metavar="K", help="default: %(default)s"
    )
    put.add_argument("--keep", action="store_true", help="leave the objects, for `bench delete`")
    _add_runs(put)
    _add_client(put, parallel=1)
    put.set_defaults(run=partial(_run, "store_commands", "put"))


def _add_delete(delete: argparse.ArgumentParser) -> None:
    delete.add_argument("run_name", nargs="*", metavar="RUN", help="as `bench put --keep` says it")
    delete.add_argument("--all", action="store_true", help="what any run left")
    delete.add_argument(
        "--config", metavar="FILE", help="for its [swift]; else the environment's OS_*"
    )
    _add_client(delete, parallel=8)
    delete.set_defaults(run=partial(_run, "store_commands", "delete"), warm_up=0)


def _add_runs(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--requests", type=count, metavar="N", help="of each source (default: 100)")
    add("--duration", type=seconds, metavar="S", help="seconds instead of --requests")
    add("--runs", type=count, default=1, metavar="N", help="repeat all of it")
    add(
        "--warm-up",
        type=number,
        default=1,
        metavar="N",
        help="requests of each source on each connection, not measured (default: %(default)s)",
    )


def _add_client(parser: argparse.ArgumentParser, parallel: int) -> None:
    add = parser.add_argument
    add(
        "--parallel",
        type=parallel_count,
        default=parallel,
        metavar="N",
        help=f"requests at once, at most {MOST_PARALLEL} (default: %(default)s)",
    )
    add("--no-keep-alive", action="store_true", help="a connection for each request")
    add("--timeout", type=seconds, default=60, metavar="S", help="without a byte")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="write statistics as JSON")
    shown.add_argument("--csv", action="store_true", help="write a row for each request")
    add("--report", metavar="FILE.html", help="write a page with charts too")


def _run(module: str, command: str, options: argparse.Namespace) -> int:
    if getattr(options, "requests", 0) is None and options.duration is None:
        options.requests = 100
    if options.report:
        with open(options.report, "a"):  # raises before anything is measured
            pass
    try:
        commands = import_module(f"oslogserve.bench.{module}")
        status: int = getattr(commands, command)(options)
    except ImportError as error:
        raise OSError(f"{error}: pip install 'oslogserve[bench]'") from error
    except (BadPlan, SourceError) as error:
        raise OSError(str(error)) from error
    except KeyboardInterrupt as interrupt:  # before or behind the runs
        raise OSError("interrupted") from interrupt
    return status


def _base(text: str) -> str:
    name, _, url = text.partition("=")
    if not name or not url.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError(
            f"{text}: give NAME=URL, such as new=http://logs.example.org"
        )
    return text


def parallel_count(text: str) -> int:
    if count(text) > MOST_PARALLEL:
        raise ValueError
    return int(text)


def count(text: str) -> int:
    if number(text) == 0:
        raise ValueError
    return int(text)


def number(text: str) -> int:
    if not 0 <= int(text) <= 10**9:
        raise ValueError
    return int(text)


def seconds(text: str) -> float:
    if not 0 < float(text) <= 10**9:
        raise ValueError
    return float(text)


def size(text: str) -> int:
    found = re.fullmatch(r"([0-9]{1,10})([kMG]?)", text)
    if not found or (size := int(found[1]) * UNITS[found[2]]) > MOST_SIZE:
        raise ValueError
    return size


def containers(text: str) -> int:
    if count(text) > MOST_CONTAINERS:
        raise ValueError
    return int(text)
