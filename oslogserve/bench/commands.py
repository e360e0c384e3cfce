# SPDX-License-Identifier: Apache-2.0
"""The commands `oslogserve bench get`, `put` and `delete`.

Each returns the exit status, 1 if a request failed, and raises ConfigError, SourceError and OSError.
"""

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from itertools import product
from pathlib import Path

from oslogserve.bench import logs
from oslogserve.bench.client import Client
from oslogserve.bench.containers import Containers, checked_run, new_run
from oslogserve.bench.logs import Endpoint
from oslogserve.bench.result import Result
from oslogserve.bench.runs import measure_run, measured, report, setup
from oslogserve.config import ConfigError
from oslogserve.errors import SourceError


def get(options: argparse.Namespace) -> int:
    endpoints = _endpoints(options)
    names = _logs(options, endpoints)
    for endpoint, name in product(endpoints, names):
        endpoint.request(name)  # raises before anything is measured
    encoding = "gzip" if options.gzip else "identity"
    headers = ["Log-Worker: ?", "Accept: text/plain", f"Accept-Encoding: {encoding}"]
    shared = [f"{k}={v}" for k, v in endpoints[0].parameters.items() if k != "source"]
    described = {
        "sources": ", ".join(f"{one.name} {one.base}".strip() for one in endpoints),
        "logs": names[0] if len(names) == 1 else f"{len(names)}, the first {names[0]}",
        "encoding": encoding,
        "parameters": ", ".join(shared),
        **setup(options),
    }
    client = _client(options, headers)
    requests = partial(logs.alternating, endpoints, names)
    return report(options, measured(options, client, described, requests, len(endpoints)))


def put(options: argparse.Namespace) -> int:
    run = new_run()
    described = {
        "sources": f"swift, {options.containers} containers of {options.size} bytes an object",
        "run": run,
        **setup(options),
    }
    with closing(Containers(options.config)) as containers:
        try:
            names = containers.make(run, options.containers)
            uploads = containers.authorized(containers.uploads(names, options.size))
            client = _client(options, ca_file=containers.ca_file)
            found = measured(options, client, described, lambda: uploads)
            status = report(options, found)
        finally:
            if not options.keep:
                _delete_run(containers, run, options)
    if options.keep:
        print(f"To delete what was put: oslogserve bench delete {run}", file=sys.stderr)
    return status


def delete(options: argparse.Namespace) -> int:
    if bool(options.run_name) == options.all:
        raise ConfigError("give the names of runs, or --all")
    runs = [checked_run(name) for name in options.run_name] or [""]
    with closing(Containers(options.config)) as containers:
        names = [name for run in runs for name in containers.names(run)]
        if not names:
            raise ConfigError("there is nothing to delete")
        described = {"sources": f"swift, {len(names)} containers", **setup(options)}
        found = _deleted(containers, names, options, Result(described, []))
    return report(options, found)


def _endpoints(options: argparse.Namespace) -> list[Endpoint]:
    wanted = {"level": options.level, "format": options.format}
    parameters = {name: value for name, value in wanted.items() if value}
    bases = options.base or [(name, "") for name in options.sources.split(",")]
    names = [name for name, _ in bases]
    if "" in names or len(set(names)) < len(names):
        raise ConfigError(f"{', '.join(names)}: give each source a name of its own")
    return [
        Endpoint(name, base, parameters if base else {**parameters, "source": name})
        for name, base in bases
    ]


def _logs(options: argparse.Namespace, endpoints: Sequence[Endpoint]) -> list[str]:
    found = list(options.url)
    if options.list:
        try:
            is_stdin = options.list == "-"
            text = sys.stdin.read() if is_stdin else Path(options.list).read_text("utf-8")
        except UnicodeDecodeError as error:
            raise ConfigError(f"{options.list}: it is no list of logs: it is not UTF-8") from error
        lines = map(str.strip, text.split("\n"))
        found += [line for line in lines if line and not line.startswith("#")]
    if options.job:
        found += logs.below(options.job, endpoints[0].base)
    if not found:
        raise ConfigError("no log to fetch: give URLs, --list or --job")
    return found


def _client(options: argparse.Namespace, headers: Sequence[str] = (), ca_file: str = "") -> Client:
    keeps_connections = not options.no_keep_alive
    return Client(options.parallel, list(headers), keeps_connections, options.timeout, ca_file)


def _deleted(
    containers: Containers, names: Sequence[str], options: argparse.Namespace, found: Result
) -> Result:
    """Deletes containers and their objects. Returns the result; each round of deletions is a run."""
    with closing(_client(options, ca_file=containers.ca_file)) as client:
        try:
            while requests := containers.deletions(names):
                measure_run(found, client, containers.authorized(requests), "deleting")
                if all(sample.error for sample in found.runs[-1].samples):
                    return found
            containers.delete(names)
        except KeyboardInterrupt:
            return found._replace(was_interrupted=True)
    return found


def _delete_run(containers: Containers, run: str, options: argparse.Namespace) -> None:
    """Cleans up after a run. Raises OSError if something is left."""
    try:
        found = _deleted(containers, containers.names(run), options, Result({}, []))
        failed = any(sample.error for sample in found.samples)
        reason = "interrupted" if found.was_interrupted else "not all was deleted" if failed else ""
    except (KeyboardInterrupt, SourceError) as error:
        reason = str(error) or "interrupted"
    if reason:
        raise OSError(f"{reason}; for what is left: oslogserve bench delete {run}")
