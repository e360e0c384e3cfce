# SPDX-License-Identifier: Apache-2.0
"""The arguments of `oslogserve bench`; what they need is imported only when it runs."""

import argparse
import math
from typing import Any

from oslogserve.bench.samples import BadPlan

#: libcurl waits for 1024 files at most, and keeps some connections beside those in use.
MOST_PARALLEL = 400


def add_to(commands: Any) -> None:
    bench = commands.add_parser("bench", help="measure a deployment from outside")
    actions = bench.add_subparsers(required=True, metavar="ACTION")
    get = actions.add_parser("get", help="fetch logs, of each source in turn")
    get.add_argument("url", nargs="*", metavar="URL", help="a log")
    get.add_argument("--list", metavar="FILE", help="logs, one a line; - is standard input")
    get.add_argument("--job", metavar="FOLDER-URL", help="all logs below a folder")
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
    get.add_argument(
        "--parallel",
        type=_parallel,
        default=1,
        metavar="N",
        help=f"requests at once, at most {MOST_PARALLEL}",
    )
    get.add_argument("--requests", type=_count, metavar="N", help="of each source (default: 100)")
    get.add_argument("--duration", type=_seconds, metavar="S", help="seconds instead of --requests")
    get.add_argument("--runs", type=_count, default=1, metavar="N", help="repeat all of it")
    get.add_argument(
        "--warm-up",
        type=_count_or_none,
        default=1,
        metavar="N",
        help="requests of each source on each connection, not measured (default: %(default)s)",
    )
    get.add_argument("--no-keep-alive", action="store_true", help="a connection for each request")
    get.add_argument("--timeout", type=_seconds, default=60, metavar="S", help="without a byte")
    get.add_argument("--level", metavar="NAME", help="as in a URL")
    get.add_argument("--format", metavar="NAME", help="as in a URL")
    get.add_argument("--gzip", action="store_true", help="accept compressed answers")
    shown = get.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="write statistics as JSON")
    shown.add_argument("--csv", action="store_true", help="write a row for each request")
    get.add_argument("--report", metavar="FILE.html", help="write a page with charts too")
    get.set_defaults(run=_get)


def _get(options: argparse.Namespace) -> int:
    if options.requests is None and options.duration is None:
        options.requests = 100
    try:
        from oslogserve.bench import command
    except ImportError as error:
        raise OSError(f"{error}: pip install 'oslogserve[bench]'") from error
    try:
        return command.get(options)
    except BadPlan as error:
        raise OSError(str(error)) from error


def _base(text: str) -> str:
    name, _, url = text.partition("=")
    if not name or not url.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError(
            f"{text}: give NAME=URL, such as new=http://logs.example.org"
        )
    return text


def _parallel(text: str) -> int:
    if _count(text) > MOST_PARALLEL:
        raise ValueError
    return int(text)


def _count(text: str) -> int:
    if _count_or_none(text) == 0:
        raise ValueError
    return int(text)


def _count_or_none(text: str) -> int:
    if not 0 <= int(text) <= 10**9:
        raise ValueError
    return int(text)


def _seconds(text: str) -> float:
    if not 0 < float(text) < math.inf:
        raise ValueError
    return float(text)
