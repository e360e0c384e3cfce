# SPDX-License-Identifier: Apache-2.0
"""The command `oslogserve bench get`."""

import argparse
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from oslogserve.bench import logs
from oslogserve.bench.client import Client
from oslogserve.bench.logs import Source
from oslogserve.bench.runs import Plan, exit_status, measured, report, setup
from oslogserve.bench.samples import BadPlan


def get(options: argparse.Namespace) -> int:
    """Measures GETs. Returns the exit status, 1 if a request failed. Raises BadPlan."""
    sources = _sources(options)
    names = _logs(options, sources)
    for source, name in product(sources, names):
        source.request(name)  # raises before anything is measured
    encoding = f"Accept-Encoding: {'gzip' if options.gzip else 'identity'}"
    headers = ["Log-Worker: ?", "Accept: text/plain", encoding]
    client = Client(options.parallel, headers, not options.no_keep_alive, options.timeout)
    plan = Plan(
        _setup(options, sources, names), lambda: logs.alternating(sources, names), len(sources)
    )
    found = measured(options, plan, client)
    report(options, found)
    return exit_status(found)


def _sources(options: argparse.Namespace) -> list[Source]:
    wanted = {"level": options.level, "format": options.format}
    parameters = {name: value for name, value in wanted.items() if value}
    pairs = [base.partition("=") for base in options.base or ()]
    names = [name for name, _, _ in pairs] or options.sources.split(",")
    if "" in names or len(set(names)) < len(names):
        raise BadPlan(f"{', '.join(names)}: give each source a name of its own")
    if pairs:
        return [Source(name, base, parameters) for name, _, base in pairs]
    return [Source(name, "", {**parameters, "source": name}) for name in names]


def _logs(options: argparse.Namespace, sources: Sequence[Source]) -> list[str]:
    found = list(options.url)
    if options.list:
        try:
            is_stdin = options.list == "-"
            text = sys.stdin.read() if is_stdin else Path(options.list).read_text("utf-8")
        except UnicodeDecodeError as error:
            raise BadPlan(f"{options.list}: {error}") from error
        found += logs.listed(text)
    if options.job:
        found += logs.below(options.job, sources[0].base)
    if not found:
        raise BadPlan("no log to fetch: give URLs, --list or --job")
    return found


def _setup(
    options: argparse.Namespace, sources: Sequence[Source], names: Sequence[str]
) -> dict[str, str]:
    return {
        "sources": ", ".join(f"{source.name} {source.base}".strip() for source in sources),
        "logs": names[0] if len(names) == 1 else f"{len(names)}, the first {names[0]}",
        "encoding": "gzip" if options.gzip else "identity",
        "parameters": ", ".join(
            f"{k}={v}" for k, v in sources[0].parameters.items() if k != "source"
        ),
        **setup(options),
    }
