# SPDX-License-Identifier: Apache-2.0
"""Runs of one client, with progress on a terminal, and what is written of them."""

import argparse
import gc
import platform
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Self

from oslogserve.bench import logs, result
from oslogserve.bench.client import Client
from oslogserve.bench.result import Result, Run
from oslogserve.bench.samples import Request, Sample

#: Seconds between two lines of progress.
PROGRESS = 0.5


class Plan(NamedTuple):
    #: What is measured and how, by its name.
    setup: dict[str, str]
    #: Endless, for one run.
    requests: Callable[[], Iterator[Request]]
    #: The requests are of each of so many in turn.
    sources: int = 1


def setup(options: argparse.Namespace) -> dict[str, str]:
    """The set-up's description, as far as all commands share it."""
    return {
        "parallel": str(options.parallel),
        "connections": "one for each request" if options.no_keep_alive else "kept",
        "warm-up": f"{options.warm_up} requests of each source on each connection",
        "begun": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "client": f"{platform.node()}, {platform.machine()}, Python {platform.python_version()}",
    }


def measured(options: argparse.Namespace, plan: Plan, client: Client) -> Result:
    """The result of all runs, or of those until the user interrupted. Closes the client."""
    found = Result(plan.setup, [])
    try:
        for number in range(options.runs):
            unmeasured = options.warm_up * plan.sources * options.parallel
            with interrupted_by_signals(client):
                for _ in client.fetch(logs.limited(plan.requests(), unmeasured)):
                    pass
            count = options.requests and options.requests * plan.sources
            requests = logs.limited(plan.requests(), count, options.duration)
            measure_run(found, client, requests, f"run {number + 1} of {options.runs}")
    except KeyboardInterrupt:
        return found._replace(was_interrupted=True)
    finally:
        client.close()
    return found


def measure_run(found: Result, client: Client, requests: Iterator[Request], what: str) -> None:
    """Adds a run to the result, sample by sample."""
    run = Run([], client.begin_run())
    found.runs.append(run)
    with _without_collections(), interrupted_by_signals(client), Progress(what) as progress:
        for sample in client.fetch(requests):
            run.samples.append(sample)
            progress.add(sample)


@contextmanager
def _without_collections() -> Iterator[None]:
    """Context without garbage collection, which would look through all samples while answers wait."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


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


def exit_status(found: Result) -> int:
    """The exit status: 1 if a request failed, else 0."""
    return 1 if any(sample.error for sample in found.samples) else 0


class Progress:
    """Progress of a run on a terminal; nothing elsewhere."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._is_shown = sys.stderr.isatty()
        self._next = 0.0
        self._requests = self._failures = 0

    def __enter__(self) -> Self:
        return self

    def add(self, sample: Sample) -> None:
        self._requests += 1
        self._failures += bool(sample.error)
        if self._is_shown and sample.started >= self._next:
            self._next = sample.started + PROGRESS
            failed = f", {self._failures} failed" if self._failures else ""
            print(
                f"\r\x1b[K{self._what}: {self._requests} requests{failed}", end="", file=sys.stderr
            )

    def __exit__(self, *_: object) -> None:
        if self._is_shown:
            print("\r\x1b[K", end="", file=sys.stderr)


def report(options: argparse.Namespace, found: Result) -> None:
    try:
        if options.report:
            from oslogserve.bench.report import as_html

            Path(options.report).write_text(as_html(found), "utf-8")
    finally:  # what was measured is not lost with the page
        shown = result.as_json if options.json else result.as_csv if options.csv else result.as_text
        sys.stdout.write(shown(found))
        sys.stdout.flush()
