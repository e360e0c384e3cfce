# SPDX-License-Identifier: Apache-2.0
"""The arguments of `oslogserve bench`. The commands are imported only when one runs."""

import argparse
import gc
import signal
from collections.abc import Callable
from functools import partial
from typing import Any

from oslogserve.config.values import DECIMAL_SIZES, duration, whole_number
from oslogserve.errors import SourceError

#: libcurl's select() waits for at most 1024 sockets, idle ones included.
MOST_PARALLEL = 400
#: Bytes of Swift's largest object without segments.
MOST_SIZE = 5 * 2**30
MOST_CONTAINERS = 1000
MOST = 10**9
WARM_UP = "unmeasured requests to each source on each connection (default: %(default)s)"

Add = Callable[..., Any]
_BYTES = whole_number(0, MOST_SIZE, DECIMAL_SIZES)


def add_to(commands: Any) -> None:
    bench = commands.add_parser("bench", help="measure a deployment from outside")
    actions = bench.add_subparsers(required=True, metavar="ACTION")
    for action, help_, add_options in (
        ("get", "fetch logs from each source in turn", partial(_add_get, parallel=1)),
        ("scenarios", "fetch one log and several, one by one and at once", _add_scenarios),
        ("put", "upload to Swift, then delete what was uploaded", _add_put),
        ("mix", "put, get and delete objects of several sizes in Swift", _add_mix),
        ("delete", "delete what `bench put` left in Swift", _add_delete),
        ("merge", "unite the JSON of clients that measured at the same time", _add_merge),
    ):
        parser = actions.add_parser(action, help=help_)
        add_options(parser.add_argument)
        shown = parser.add_mutually_exclusive_group()
        shown.add_argument(
            "--json", action="store_true", help="write statistics and samples as JSON"
        )
        shown.add_argument("--csv", action="store_true", help="write a row for each request")
        parser.add_argument("--report", metavar="FILE.html", help="also write a page with charts")
        parser.set_defaults(run=_run, action=action)


def _add_get(add: Add, parallel: int = 5) -> None:
    add("url", nargs="*", metavar="URL", help="a log")
    add("--list", metavar="FILE", help="file with a log in each line; - is standard input")
    add("--job", metavar="FOLDER-URL", help="all logs below a folder; with --base, a path")
    sources = "sources to compare, stores by their names (default: %(default)s)"
    add("--sources", default="disk,swift", metavar="NAMES", help=sources)
    base = "a server to compare, instead of --sources; logs are then paths below its URL"
    add("--base", action="append", type=_base, metavar="NAME=URL", help=base)
    _add_runs(add)
    _add_client(add, parallel)
    add("--level", metavar="NAME", help="parameter of each URL")
    add("--format", metavar="NAME", help="parameter of each URL")
    add("--gzip", action="store_true", help="accept compressed answers")


def _add_scenarios(add: Add) -> None:
    log = "the log to fetch again and again (default: the first console, or the first URL)"
    add("--log", metavar="URL", help=log)
    _add_get(add)


def _add_put(add: Add) -> None:
    _add_config(add)
    size = "bytes of an object, such as 10k, 5M, 1G (default: %(default)s)"
    add("--size", type=_list_of(_BYTES), dest="sizes", default="100k", metavar="S", help=size)
    _add_containers(add)
    _add_runs(add)
    _add_client(add, parallel=1)


def _add_mix(add: Add) -> None:
    _add_config(add)
    sizes = "bytes of objects; one that is named twice comes twice as often (default: %(default)s)"
    add("--sizes", type=_list_of(_BYTES), default="10k,100k,1M", metavar="S,...", help=sizes)
    shares = _list_of(whole_number(0, MOST))
    mix = "shares of puts, gets and deletes (default: %(default)s)"
    add("--mix", type=shares, default="2,7,1", metavar="P,G,D", help=mix)
    _add_containers(add)
    stored = "objects stored by each connection before the clock starts (default: %(default)s)"
    _add_runs(add, warm_up=stored, count=25)
    _add_client(add, parallel=8)


def _add_merge(add: Add) -> None:
    add("file", nargs="+", metavar="FILE.json", help="written by --json")


def _add_containers(add: Add) -> None:
    containers = "containers, filled in turn (default: %(default)s)"
    number = whole_number(1, MOST_CONTAINERS)
    add("--containers", type=number, default=1, metavar="K", help=containers)
    add("--keep", action="store_true", help="leave the objects for `bench delete`")


def _add_delete(add: Add) -> None:
    add("run_name", nargs="*", metavar="RUN", help="a name printed by `bench put --keep`")
    add("--all", action="store_true", help="delete what any run left")
    _add_config(add)
    _add_client(add, parallel=8)


def _add_config(add: Add) -> None:
    add("--config", metavar="FILE", help="file with a [swift] section (default: OS_* variables)")


def _add_runs(add: Add, warm_up: str = WARM_UP, count: int = 1) -> None:
    requests = "requests of a run, to each source (default: 100)"
    add("--requests", type=whole_number(1, MOST), metavar="N", help=requests)
    add("--duration", type=duration, metavar="T", help="such as 10m, instead of --requests")
    runs = "repeat all of it (default: %(default)s)"
    add("--runs", type=whole_number(1, MOST), default=1, metavar="N", help=runs)
    add("--warm-up", type=whole_number(0, MOST), default=count, metavar="N", help=warm_up)


def _add_client(add: Add, parallel: int) -> None:
    help_ = f"requests at once, at most {MOST_PARALLEL} (default: %(default)s)"
    number = whole_number(1, MOST_PARALLEL)
    add("--parallel", type=number, default=parallel, metavar="N", help=help_)
    add("--no-keep-alive", action="store_true", help="open a connection for each request")
    timeout = "time without a byte after which a request has failed (default: 60)"
    add("--timeout", type=duration, default=60, metavar="T", help=timeout)
    verbose = "show the progress on standard error without a terminal too"
    add("--verbose", action="store_true", help=verbose)


def _list_of(parse: Callable[[str], int]) -> Callable[[str], list[int]]:
    """A parser of numbers with commas between them."""
    return lambda text: [parse(part) for part in text.split(",")]


def _base(text: str) -> tuple[str, str]:
    name, _, url = text.partition("=")
    if not name or not url.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError(
            f"{text}: give NAME=URL, such as new=http://logs.example.org"
        )
    return name, url


def _run(options: argparse.Namespace) -> int:
    """Runs a command. Raises OSError with a message for the user."""
    if options.report:
        with open(options.report, "a"):  # raises before anything is measured
            pass
    # SIGTERM interrupts as Ctrl-C does, so that the containers of `put` are deleted.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    gc.disable()  # a collection would visit all samples while answers wait
    try:
        from oslogserve.bench import commands

        status: int = getattr(commands, options.action)(options)
    except ImportError as error:
        raise OSError(f"{error}: pip install 'oslogserve[bench]'") from error
    except SourceError as error:
        raise OSError(str(error)) from error
    return status
