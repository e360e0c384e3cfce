# SPDX-License-Identifier: Apache-2.0
"""Runs of a client, with progress on a terminal, and their result."""

import argparse
import platform
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from oslogserve.bench import logs, result
from oslogserve.bench.client import Client
from oslogserve.bench.result import Result, Run
from oslogserve.bench.samples import Request, Sample

#: Requests to each source, if neither --requests nor --duration is given.
REQUESTS = 100
#: Seconds between two updates of the progress.
PROGRESS = 0.5


def setup(options: argparse.Namespace) -> dict[str, str]:
    """The part of Result.setup that all commands share."""
    return {
        "parallel": str(options.parallel),
        "connections": "one for each request" if options.no_keep_alive else "kept",
        "warm-up": f"{getattr(options, 'warm_up', 0)} requests of each source on each connection",
        "begun": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "client": f"{platform.node()}, {platform.machine()}, Python {platform.python_version()}",
    }


def measured(
    options: argparse.Namespace,
    client: Client,
    described: dict[str, str],
    requests: Callable[[], Iterator[Request]],
    sources: int = 1,
) -> Result:
    """The result of all runs, or of those before an interruption. Closes the client.

    requests: returns a run's endless requests, to each source in turn. sources: their number.
    """
    found = Result(described, [])
    count = options.requests or (None if options.duration else REQUESTS)
    count = count and count * sources
    try:
        for number in range(options.runs):
            unmeasured = options.warm_up * sources * options.parallel
            with interrupted_by_signals(client):
                for _ in client.fetch(logs.limited(requests(), unmeasured)):
                    pass
            limited = logs.limited(requests(), count, options.duration)
            measure_run(found, client, limited, f"run {number + 1} of {options.runs}")
    except KeyboardInterrupt:
        return found._replace(was_interrupted=True)
    finally:
        client.close()
    return found


def measure_run(found: Result, client: Client, requests: Iterator[Request], title: str) -> None:
    """Adds a run to `found`, sample by sample. title: shown with the progress."""
    run = Run([], client.begin_run())
    found.runs.append(run)
    with interrupted_by_signals(client):
        for sample in _with_progress(client.fetch(requests), title):
            run.samples.append(sample)


@contextmanager
def interrupted_by_signals(client: Client) -> Iterator[None]:
    """Context in which Ctrl-C and SIGTERM interrupt the client between two answers."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda *_: client.interrupt()) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _with_progress(samples: Iterator[Sample], title: str) -> Iterator[Sample]:
    """Yields the samples, and shows their number on a terminal."""
    if not sys.stderr.isatty():
        yield from samples
        return
    failures, next_at = 0, 0.0
    try:
        for number, sample in enumerate(samples, 1):
            failures += bool(sample.error)
            if sample.started >= next_at:
                next_at = sample.started + PROGRESS
                failed = f", {failures} failed" if failures else ""
                print(f"\r\x1b[K{title}: {number} requests{failed}", end="", file=sys.stderr)
            yield sample
    finally:
        print("\r\x1b[K", end="", file=sys.stderr)


def report(options: argparse.Namespace, found: Result) -> int:
    """Writes the result. Returns the exit status: 1 if a request failed, else 0."""
    try:
        if options.report:
            from oslogserve.bench.report import as_html

            Path(options.report).write_text(as_html(found), "utf-8")
    finally:  # if the page fails, the figures are not lost
        shown = result.as_json if options.json else result.as_csv if options.csv else result.as_text
        sys.stdout.write(shown(found))
        sys.stdout.flush()
    return 1 if any(sample.error for sample in found.samples) else 0
