# SPDX-License-Identifier: Apache-2.0
"""The commands `oslogserve bench get`, `scenarios`, `put`, `mix`, `delete` and `merge`.

Each returns the exit status, see report(), and raises ConfigError, SourceError and OSError.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import product
from pathlib import Path

from oslogserve.bench import files, logs
from oslogserve.bench.client import Client
from oslogserve.bench.containers import OPERATIONS, Containers, mixed, new_run
from oslogserve.bench.logs import Endpoint
from oslogserve.bench.result import TURNS, Result
from oslogserve.bench.runs import measure_run, measured, report, setup
from oslogserve.bench.samples import Request
from oslogserve.config import STORE_NAME, ConfigError
from oslogserve.errors import SourceError


def get(options: argparse.Namespace) -> int:
    endpoints = _endpoints(options)
    names = _logs(options, endpoints)
    found = Result(_described(options, endpoints, names), [])
    return report(options, _fetched(options, found, endpoints, names))


def scenarios(options: argparse.Namespace) -> int:
    endpoints = _endpoints(options)
    names = _logs(options, endpoints)
    if len(names) == 1:
        raise ConfigError(f"{names[0]}: give more than one log")
    one = options.log or logs.console(names) or _first_given(options, names)
    described = _described(options, endpoints, [one, *names])
    found = Result({**described, "logs": f"{len(names)}; one log: {one}"}, [])
    cases = product((("one log", [one]), (f"{len(names)} logs", names)), (1, options.parallel))
    for (what, own), parallel in cases:
        title = f"{what}, {'one by one' if parallel == 1 else f'{parallel} parallel'}"
        of_scenario = argparse.Namespace(**{**vars(options), "parallel": parallel})
        if not found.was_interrupted:
            found = _fetched(of_scenario, found, endpoints, own, title)
    return report(options, found)


def _first_given(options: argparse.Namespace, names: Sequence[str]) -> str:
    """The first of the logs that the user chose. Raises ConfigError if a folder was given."""
    if options.url or options.list:
        return names[0]
    raise ConfigError(f"{options.job}: no console is below it: name one of its logs with --log")


def _fetched(
    options: argparse.Namespace,
    found: Result,
    endpoints: Sequence[Endpoint],
    names: Sequence[str],
    title: str = "",
) -> Result:
    encoding = "gzip" if options.gzip else "identity"
    headers = ["Log-Worker: ?", "Accept: text/plain", f"Accept-Encoding: {encoding}"]
    requests = partial(logs.alternating, endpoints, names)
    return measured(options, _client(options, headers), found, requests, len(endpoints), title)


def _described(
    options: argparse.Namespace, endpoints: Sequence[Endpoint], names: Sequence[str]
) -> dict[str, str]:
    """The set-up. Raises ConfigError if a log has no URL."""
    for endpoint, name in product(endpoints, names):
        endpoint.request(name)  # raises before anything is measured
    shared = [f"{k}={v}" for k, v in endpoints[0].parameters.items() if k != "source"]
    return {
        "sources": ", ".join(f"{one.name} {one.base}".strip() for one in endpoints),
        "logs": names[0] if len(names) == 1 else f"{len(names)}, the first {names[0]}",
        "encoding": "gzip" if options.gzip else "identity",
        "parameters": ", ".join(shared),
        **({TURNS: "each log from each source in turn"} if len(endpoints) > 1 else {}),
        **setup(options),
    }


def put(options: argparse.Namespace) -> int:
    return _on_containers(options, {}, lambda uploads: uploads)


def mix(options: argparse.Namespace) -> int:
    if len(options.mix) != len(OPERATIONS) or not any(options.mix):
        raise ConfigError("--mix: give three shares, such as 2,7,1")
    shares = zip(options.mix, OPERATIONS, strict=True)
    described = {"mix": ", ".join(f"{share} {name}" for share, name in shares)}
    first = options.warm_up * options.parallel
    return _on_containers(options, described, lambda uploads: mixed(uploads, options.mix, first))


def merge(options: argparse.Namespace) -> int:
    return report(options, files.merged(options.file))


def _on_containers(
    options: argparse.Namespace,
    described: dict[str, str],
    requests: Callable[[Iterator[Request]], Iterator[Request]],
) -> int:
    """Measures requests to new containers, deletes these, and reports.

    requests: makes them of uploads.
    """
    run, deleted = new_run(), Result({}, [])
    with closing(Containers(options.config)) as containers:
        try:
            names = containers.make(run, options.containers)
            sources = {"sources": f"{containers.url}, {len(names)} containers", "run": run}
            found = Result({**sources, **described, **setup(options)}, [])
            endless = containers.authorized(requests(containers.uploads(names, options.sizes)))
            client = _client(options, ca_file=containers.ca_file)
            found = measured(options, client, found, lambda: endless)
        finally:
            if not options.keep:
                deleted = _delete_run(containers, run, options)
    if options.keep:
        print(f"To delete what was put: oslogserve bench delete {run}", file=sys.stderr)
    found = found._replace(
        was_interrupted=found.was_interrupted or deleted.was_interrupted,
        deletions=[] if "mix" in described else deleted.runs,
    )
    return max(report(options, found), 2 if deleted.notes or found.notes else 0)


def delete(options: argparse.Namespace) -> int:
    if bool(options.run_name) == options.all:
        raise ConfigError("give the names of runs, or --all")
    with closing(Containers(options.config)) as containers:
        names = [name for run in options.run_name or [""] for name in containers.names(run)]
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
    unknown = [name for name in names if not (options.base or STORE_NAME.fullmatch(name))]
    if unknown:
        raise ConfigError(f"--sources: {unknown[0]!r}: give disk, swift, or names of stores")
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
                authorized = containers.authorized(requests)
                measure_run(options, client, found, authorized, "deleting")
                if all(sample.error for sample in found.runs[-1].samples):
                    return found
            containers.delete(names)
        except KeyboardInterrupt:
            return found._replace(was_interrupted=True)
    return found


def _delete_run(containers: Containers, run: str, options: argparse.Namespace) -> Result:
    """Cleans up after a run. Prints and notes how to delete what is left."""
    found, reason = Result({}, []), ""
    try:
        found = _deleted(containers, containers.names(run), options, found)
        reason = "not all was deleted" if any(sample.error for sample in found.samples) else ""
    except SourceError as error:
        reason = str(error)
    except KeyboardInterrupt:
        found = found._replace(was_interrupted=True)
    if found.was_interrupted:
        reason = "interrupted"
    left = f"{reason}; for what is left: oslogserve bench delete {run}"
    if reason:
        print(f"oslogserve: {left}", file=sys.stderr)
    return found._replace(notes=[left] if reason else [])
