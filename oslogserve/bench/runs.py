# SPDX-License-Identifier: Apache-2.0
"""Runs of a client, with progress, and their result."""

import argparse
import platform
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from oslogserve.bench import files, logs
from oslogserve.bench.client import Client
from oslogserve.bench.result import Result, Run
from oslogserve.bench.samples import Request, Sample
from oslogserve.bench.text import as_text
from oslogserve.errors import SourceError

#: Requests to each source, if neither --requests nor --duration is given.
REQUESTS = 100
#: Seconds between two updates of the progress, on a terminal and elsewhere.
PROGRESS, PROGRESS_IN_LINES = 0.5, 5.0
#: The exit status after an interruption, as shells have it.
INTERRUPTED = 130


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
    found: Result,
    requests: Callable[[], Iterator[Request]],
    sources: int = 1,
    title: str = "",
) -> Result:
    """`found` with all runs, or those before an interruption or a failure. Closes the client.

    requests: returns a run's endless requests, to each source in turn. sources: their number.
    title: the scenario.
    """
    count = options.requests or (None if options.duration else REQUESTS)
    count = count and count * sources
    try:
        for number in range(options.runs):
            unmeasured = options.warm_up * sources * options.parallel
            with interrupted_by_signals(client):
                for _ in client.fetch(logs.limited(requests(), unmeasured)):
                    pass
            limited = logs.limited(requests(), count, options.duration)
            label = ", ".join(filter(None, (title, f"run {number + 1} of {options.runs}")))
            measure_run(options, client, found, limited, label, title)
    except KeyboardInterrupt:
        return found._replace(was_interrupted=True)
    except SourceError as error:  # such as no new token: hours of measurements are not lost
        if not found.samples:
            raise
        return found._replace(notes=[*found.notes, f"It ended early: {error.source}: {error}."])
    finally:
        client.close()
    return found


def measure_run(
    options: argparse.Namespace,
    client: Client,
    found: Result,
    requests: Iterator[Request],
    label: str,
    title: str = "",
) -> None:
    """Adds a run to `found`, sample by sample. label: shown with the progress."""
    run = Run([], client.begin_run(), title, options.parallel)
    found.runs.append(run)
    with interrupted_by_signals(client):
        for sample in _with_progress(client.fetch(requests), label, options.verbose):
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


def _with_progress(samples: Iterator[Sample], label: str, is_verbose: bool) -> Iterator[Sample]:
    """Yields the samples. Shows their number on a terminal; elsewhere in lines, if `is_verbose`."""
    is_terminal = sys.stderr.isatty()
    if not is_terminal and not is_verbose:
        yield from samples
        return
    begin, end = ("\r\x1b[K", "") if is_terminal else ("", "\n")
    number, failures, next_at = 0, 0, 0.0

    def show() -> None:
        failed = f", {failures} failed" if failures else ""
        print(f"{begin}{label}: {number} requests{failed}", end=end, file=sys.stderr, flush=True)

    try:
        for number, sample in enumerate(samples, 1):  # noqa: B007 - shown
            failures += bool(sample.error)
            if sample.started >= next_at:
                next_at = sample.started + (PROGRESS if is_terminal else PROGRESS_IN_LINES)
                show()
            yield sample
    finally:
        if is_verbose:
            show()
        print(begin, end="", file=sys.stderr)


def report(options: argparse.Namespace, found: Result) -> int:
    """Writes the result. Returns the exit status: 1 if a request failed, 130 if interrupted, else 0."""
    try:
        if options.report:
            from oslogserve.bench.report import as_html

            Path(options.report).write_text(as_html(found), "utf-8")
    finally:  # if the page fails, the figures are not lost
        shown = files.as_json if options.json else files.as_csv if options.csv else as_text
        sys.stdout.write(shown(found))
        sys.stdout.flush()
    if found.was_interrupted:
        return INTERRUPTED
    return 1 if any(sample.error for sample in found.samples) else 0
