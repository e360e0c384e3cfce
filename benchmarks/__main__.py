# SPDX-License-Identifier: Apache-2.0
"""python -m benchmarks: oslogserve beside nginx and whitenoise, in the same run.

Rounds alternate, and each starts with the other server, so that whatever else the machine does
falls on both. The figures of two machines, or of two runs, are not compared: the ratios are.
"""

import argparse
import contextlib
import functools
import gzip
import importlib.util
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from benchmarks import client, report, servers
from oslogserve import demo

VIEWS = {
    "html": ("", "text/html"),
    "text": ("?format=text", "*/*"),
    "error": ("?level=ERROR", "text/html"),
}
"""What is asked of oslogserve; nginx sends the whole log as text beside each."""

Measured = TypeVar("Measured")

CLIENT_CHECK = 2_000_000_000
"""Bytes that show how fast the client could be."""

SMALL_SIZE = 4096
CONNECTIONS = 64
"""wrk's, kept alive. The kernel deals them out by chance: of 8 often all fall to one of two workers,
which halves the figure; 64 fall about evenly."""

WARM_UP = 8
"""Requests at once until a server counts as idle: each of 2 workers starts its 4 threads."""


def main() -> int:
    options = _arguments()
    try:
        _check_installed(options.views)
        facts = _facts(options)
        results = _measure(options)
    except (client.BadAnswer, servers.Missing, servers.Failed) as failure:
        print(f"benchmarks: {failure}", file=sys.stderr)
        return 1
    print(f"The client alone takes {facts['client_mb_a_second']} MB/s.", end="\n\n")
    for result in results:
        print("\n".join(result.lines()), end="\n\n")
    if options.json:
        options.json.write_text(report.as_json(facts, results))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    every = [*VIEWS, "small"]
    parser.add_argument(
        "--sizes",
        type=int,
        nargs="+",
        default=[219],
        metavar="MB",
        help="logs to serve, in MB unpacked (default: 219; 2000 shows the memory of a 2 GB log)",
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each (default: 5)")
    parser.add_argument("--views", nargs="+", choices=every, default=every, metavar="VIEW")
    parser.add_argument("--seconds", type=int, default=5, help="of wrk a round (default: 5)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write every round there")
    options = parser.parse_args()
    if min(options.rounds, options.seconds, *options.sizes) < 1:
        parser.error("--rounds, --seconds and --sizes begin at 1")
    return options


def _check_installed(views: list[str]) -> None:
    """Say at once what is missing, not after minutes of measuring."""
    if any(name in VIEWS for name in views):
        servers.needed("nginx", "nginx-light")
    if "small" in views:
        servers.needed("wrk", "wrk")
        if not importlib.util.find_spec("whitenoise"):
            raise servers.Missing("whitenoise: pip install -r benchmarks/requirements.txt")


def _measure(options: argparse.Namespace) -> list[report.View | report.Small]:
    views = [name for name in VIEWS if name in options.views]
    results: list[report.View | report.Small] = []
    with _log_folder() as root:
        _write_small(root / "small.txt")
        if views:
            _write_log(root / "warm.txt.gz", 4_000)
            for megabytes in options.sizes:
                _say(f"writing a log of {megabytes} MB")
                size = _write_log(root / "large.txt.gz", megabytes * 1_000_000)
                results += _measure_views(root, size, views, options.rounds)
        if "small" in options.views:
            results.append(_measure_small(root, options.rounds, options.seconds))
    return results


@contextlib.contextmanager
def _log_folder() -> Iterator[pathlib.Path]:
    with tempfile.TemporaryDirectory(prefix="oslogserve-benchmark-") as folder:
        os.chmod(folder, 0o755)  # nginx's worker is another user when root starts it
        yield pathlib.Path(folder)


def _write_log(path: pathlib.Path, size: int) -> int:
    written = 0
    with gzip.open(path, "wb", compresslevel=6) as log:
        for block in demo.generate_oslo(size):
            written += log.write(block)
    return written


def _write_small(path: pathlib.Path) -> None:
    whole = b"".join(demo.generate_oslo(1_000_000))
    # A catalogue is longer than this whole log may be.
    lines = [line for line in whole.splitlines(keepends=True) if len(line) < 400]
    log = b"".join(lines[:100])
    path.write_bytes(log[: log.rindex(b"\n", 0, SMALL_SIZE) + 1])


def _measure_views(
    root: pathlib.Path, size: int, views: list[str], rounds: int
) -> list[report.View]:
    found = []
    with servers.oslogserve(root) as ours, servers.nginx(root) as nginx:
        _warm(ours, "/warm.txt.gz", "text/html")
        _warm(nginx, "/warm.txt", "text/plain")
        for name in views:
            query, accept = VIEWS[name]
            sides = _alternate(
                rounds,
                functools.partial(_side, ours, f"/large.txt.gz{query}", accept),
                functools.partial(_side, nginx, "/large.txt", "text/plain"),
                label=f"{name} {size / 1e6:.0f} MB",
            )
            view = report.View(name, size, *sides)
            _check_sizes(view)
            found.append(view)
    return found


def _check_sizes(view: report.View) -> None:
    """A page instead of the log would be quick to send, and worth nothing here."""
    everything = view.nginx if view.name == "error" else [*view.nginx, *view.ours]
    if short := [side.fetch.size for side in everything if side.fetch.size < view.size]:
        raise client.BadAnswer(f"{view.name}: {short[0]} bytes for a log of {view.size}")


def _warm(server: servers.Server, target: str, accept: str) -> None:
    """Imports, threads and first allocations are over in each worker before anything counts."""
    with ThreadPoolExecutor(WARM_UP) as pool:
        for _ in pool.map(lambda _: client.fetch(server.port, target, accept), range(8 * WARM_UP)):
            pass
    server.settle()


def _side(server: servers.Server, target: str, accept: str) -> report.Side:
    server.reset_peak()
    fetched = client.fetch(server.port, target, accept)
    return report.Side(fetched, server.peak_above_idle())


def _measure_small(root: pathlib.Path, rounds: int, seconds: int) -> report.Small:
    with servers.oslogserve(root) as ours, servers.whitenoise(root) as whitenoise:
        for server in (ours, whitenoise):
            _requests_a_second(server, 1)
        rates = _alternate(
            rounds,
            lambda: _requests_a_second(ours, seconds),
            lambda: _requests_a_second(whitenoise, seconds),
            label="small",
        )
    return report.Small((root / "small.txt").stat().st_size, *rates)


def _requests_a_second(server: servers.Server, seconds: int) -> float:
    command = [servers.needed("wrk", "wrk"), "-t", "1", "-c", str(CONNECTIONS), "-d", f"{seconds}s"]
    command += ["-H", "Accept: text/html", f"http://127.0.0.1:{server.port}/small.txt"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if trouble := re.search(r"Non-2xx.*|Socket errors.*", said):
        raise client.BadAnswer(f"{server.name}: {trouble[0]}")
    rate = re.search(r"Requests/sec:\s+([\d.]+)", said)
    if not rate:
        raise client.BadAnswer(f"{server.name}: wrk said {said!r}")
    return float(rate[1])


def _alternate(
    rounds: int, one: Callable[[], Measured], other: Callable[[], Measured], label: str
) -> tuple[list[Measured], list[Measured]]:
    ones: list[Measured] = []
    others: list[Measured] = []
    for number in range(rounds):
        turns = [(one, ones), (other, others)]
        for measure, found in turns if number % 2 == 0 else reversed(turns):
            found.append(measure())
        _say(f"{label}: round {number + 1} of {rounds}")
    return ones, others


def _facts(options: argparse.Namespace) -> dict[str, object]:
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "processors": os.cpu_count(),
        "client_mb_a_second": round(client.own_speed(CLIENT_CHECK) / 1e6),
        "options": json.loads(json.dumps(vars(options), default=str)),
    }


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
