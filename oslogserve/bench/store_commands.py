# SPDX-License-Identifier: Apache-2.0
"""The commands `oslogserve bench put` and `bench delete`."""

import argparse
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from oslogserve.bench.client import Client
from oslogserve.bench.result import Result
from oslogserve.bench.runs import Plan, exit_status, measure_run, measured, report, setup
from oslogserve.bench.samples import BadPlan
from oslogserve.bench.store import Store, checked_run, new_run, random_data
from oslogserve.errors import SourceError


def put(options: argparse.Namespace) -> int:
    """Measures uploads. Returns the exit status, 1 if a request failed.

    Raises SourceError, and OSError where something is left in Swift.
    """
    run = new_run()
    said = {
        "sources": f"swift, {options.containers} containers of {options.size} bytes an object",
        "run": run,
        **setup(options),
    }
    data = random_data(options.size)
    with _ended_by_sigterm(), closing(Store(options.config)) as store:
        client = _client(options, store)
        try:
            containers = store.make_containers(run, options.containers)
            uploads = store.allowed(store.uploads(containers, data, options.size))
            found = measured(options, Plan(said, lambda: uploads), client)
            report(options, found)
        finally:
            client.close()
            if not options.keep:
                _empty(store, run, options)
    if options.keep:
        print(f"To delete what was put: oslogserve bench delete {run}", file=sys.stderr)
    return exit_status(found)


def delete(options: argparse.Namespace) -> int:
    """Deletes what runs left. Returns the exit status, 1 if a request failed.

    Raises BadPlan, SourceError.
    """
    if bool(options.run_name) == options.all:
        raise BadPlan("give the names of runs, or --all")
    runs = [checked_run(name) for name in options.run_name] or [""]
    with _ended_by_sigterm(), closing(Store(options.config)) as store:
        containers = [name for run in runs for name in store.containers(run)]
        if not containers:
            raise BadPlan("there is nothing to delete")
        said = {"sources": f"swift, {len(containers)} containers", **setup(options)}
        found = _deleted(store, containers, options, Result(said, []))
    report(options, found)
    return exit_status(found)


def _client(options: argparse.Namespace, store: Store) -> Client:
    keeps_connections = not options.no_keep_alive
    return Client(options.parallel, [], keeps_connections, options.timeout, store.ca_file)


def _deleted(
    store: Store, containers: Sequence[str], options: argparse.Namespace, found: Result
) -> Result:
    """Deletes the containers and what they hold. Returns the result, a run for each round of
    deletions."""
    with closing(_client(options, store)) as client:
        try:
            while requests := store.deletions(containers):
                measure_run(found, client, store.allowed(requests), "deleting")
                if all(sample.error for sample in found.runs[-1].samples):
                    return found
            store.remove(containers)
        except KeyboardInterrupt:
            return found._replace(was_interrupted=True)
    return found


def _empty(store: Store, run: str, options: argparse.Namespace) -> None:
    """Cleans up after a run. Raises OSError where that fails, so that something is left."""
    try:
        found = _deleted(store, store.containers(run), options, Result({}, []))
        failed = any(sample.error for sample in found.samples)
        reason = "interrupted" if found.was_interrupted else "not all was deleted" if failed else ""
    except (KeyboardInterrupt, SourceError) as error:
        reason = str(error) or "interrupted"
    if reason:
        raise OSError(f"{reason}; for what is left: oslogserve bench delete {run}")


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Context in which SIGTERM interrupts as Ctrl-C does, so that the run is cleaned up."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
