# SPDX-License-Identifier: Apache-2.0
"""The commands `oslogserve bench ...`."""

import argparse
import gc
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from oslogserve.bench import logs, result
from oslogserve.bench.client import Client
from oslogserve.bench.logs import Source
from oslogserve.bench.result import Result, Run
from oslogserve.bench.samples import BadPlan, Sample

#: Seconds between two lines of progress.
PROGRESS = 0.5


def get(options: argparse.Namespace) -> int:
    """The exit status. 1: a request failed. Raises BadPlan."""
    sources = _sources(options)
    names = _logs(options)
    for source in sources:
        source.request(names[0])  # before anything is measured
    found = _measured(options, sources, names)
    _report(options, found)
    return 1 if any(sample.error for sample in found.samples) else 0


def _sources(options: argparse.Namespace) -> list[Source]:
    wanted = {"level": options.level, "format": options.format}
    parameters = {name: value for name, value in wanted.items() if value}
    if options.base:
        pairs = [base.partition("=") for base in options.base]
        return [Source(name, base, parameters) for name, _, base in pairs]
    return [Source(name, "", {**parameters, "source": name}) for name in options.sources.split(",")]


def _logs(options: argparse.Namespace) -> list[str]:
    found = list(options.url)
    if options.list:
        text = sys.stdin.read() if options.list == "-" else Path(options.list).read_text("utf-8")
        found += logs.listed(text)
    if options.job:
        found += logs.below(options.job)
    if not found:
        raise BadPlan("no log to fetch: give URLs, --list or --job")
    return found


def _measured(
    options: argparse.Namespace, sources: Sequence[Source], names: Sequence[str]
) -> Result:
    found = Result(_setup(options, sources, names), [])
    encoding = f"Accept-Encoding: {'gzip' if options.gzip else 'identity'}"
    headers = ["Log-Worker: ?", "Accept: text/plain", encoding]
    client = Client(options.parallel, headers, not options.no_keep_alive, options.timeout)
    gc.disable()  # it would look through all samples, while answers wait
    try:
        for number in range(options.runs):
            warming = logs.alternating(sources, names)
            unmeasured = options.warm_up * len(sources) * options.parallel
            for _ in client.fetch(logs.limited(warming, unmeasured)):
                pass
            count = options.requests and options.requests * len(sources)
            requests = logs.alternating(sources, names)
            found.runs.append(Run([], client.begin_run()))
            limited = logs.limited(requests, count, options.duration)
            with _Progress(f"run {number + 1} of {options.runs}") as progress:
                for sample in client.fetch(limited):
                    found.runs[-1].samples.append(sample)
                    progress.add(sample)
    except KeyboardInterrupt:
        return found._replace(was_interrupted=True)
    finally:
        gc.enable()
        client.close()
    return found


def _setup(
    options: argparse.Namespace, sources: Sequence[Source], names: Sequence[str]
) -> dict[str, str]:
    return {
        "sources": ", ".join(f"{source.name} {source.base}".strip() for source in sources),
        "logs": names[0] if len(names) == 1 else f"{len(names)}, the first {names[0]}",
        "parallel": str(options.parallel),
        "connections": "one for each request" if options.no_keep_alive else "kept",
        "warm-up": f"{options.warm_up} requests of each source on each connection",
        "encoding": "gzip" if options.gzip else "identity",
        "parameters": ", ".join(
            f"{k}={v}" for k, v in sources[0].parameters.items() if k != "source"
        ),
        "begun": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "client": f"{platform.node()}, {platform.machine()}, Python {platform.python_version()}",
    }


class _Progress:
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


def _report(options: argparse.Namespace, found: Result) -> None:
    if options.report:
        from oslogserve.bench.report import as_html

        Path(options.report).write_text(as_html(found), "utf-8")
    shown = result.as_json if options.json else result.as_csv if options.csv else result.as_text
    sys.stdout.write(shown(found))
    sys.stdout.flush()
