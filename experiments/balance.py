# SPDX-License-Identifier: Apache-2.0
"""Which worker answers, with one socket for all and with one for each (SO_REUSEPORT)."""

import contextlib
from collections.abc import Iterator

from matplotlib.figure import Figure

from experiments import charts
from experiments.lab import Lab, half_sent_request
from experiments.outcome import Outcome
from experiments.plan import Plan, digits, fetched, milliseconds, notes, rate, values
from oslogserve.bench import stats
from oslogserve.bench.logs import Source
from oslogserve.bench.result import Result

SIZE = 20_000
NAME = "balance/log.txt"
SETTINGS = {"one socket": (), "reuse_port": ("--reuse-port",)}
#: Of the 32 threads, as many as half-sent requests take. With one socket two are left, whichever
#: worker has them.
TAKEN = 30
#: Seconds without a byte after which a request has failed.
PATIENCE = 1


def measured(lab: Lab) -> Outcome:
    lab.write(NAME, SIZE)
    results: dict[tuple[str, str], Result] = {}
    for setting, options in SETTINGS.items():
        with lab.server(*options, with_swift=False) as server:
            source = [Source(setting, server.url, {})]
            for how, plan in _plans(lab).items():
                results[how, setting] = Result({}, [])
                for _ in range(lab.choose(4, 2)):
                    # Anew for each run: the kernel shares them out as it happens.
                    with _taken(server.url, TAKEN if "full" in how else 0):
                        found = fetched(plan, source, [NAME])
                    results[how, setting].runs.extend(found.runs)
    return _outcome(results)


def _plans(lab: Lab) -> dict[str, Plan]:
    seconds = lab.choose(2.0, 0.3)
    return {
        "8 kept connections": Plan(seconds=seconds, runs=1, parallel=8),
        "8 at once, a connection each": Plan(
            seconds=seconds, runs=1, parallel=8, keeps_connections=False
        ),
        "one at once, nearly full": Plan(
            lab.choose(15, 4), runs=1, keeps_connections=False, timeout=PATIENCE
        ),
    }


@contextlib.contextmanager
def _taken(url: str, count: int) -> Iterator[None]:
    """Context in which so many threads wait for the rest of a request."""
    with contextlib.ExitStack() as connections:
        for _ in range(count):
            connections.enter_context(half_sent_request(url))
        yield


def _outcome(results: dict[tuple[str, str], Result]) -> Outcome:
    rows = []
    for (how, setting), result in results.items():
        times = stats.described(values(result, setting, "total"))
        samples = result.samples
        failed = sum(bool(sample.error) for sample in samples)
        rows.append(
            (
                how,
                setting,
                _percent(*shares(result)),
                digits(rate(result, setting)),
                *map(milliseconds, (times.p50, times.p99, times.most)),
                f"{failed} of {len(samples)}",
            )
        )
    headings = (
        "Requests",
        "setting",
        "busiest worker",
        "requests/s",
        "total p50, ms",
        "p99",
        "max",
        f"none in {PATIENCE} s",
    )
    shown = {f"{how}, {setting}": found for (how, setting), found in results.items()}
    return Outcome([_sentence(results)], headings, rows, _figure(results), notes(shown))


def _figure(results: dict[tuple[str, str], Result]) -> Figure:
    hows = list(dict.fromkeys(how for how, _ in results))
    p99s = {
        setting: [
            1000 * stats.described(values(results[how, setting], setting, "total")).p99
            for how in hows
        ]
        for setting in SETTINGS
    }
    busiest = {
        setting: [100 * max(shares(results[how, setting])) for how in hows] for setting in SETTINGS
    }
    return charts.bars(
        ("Share of the busier worker, %", hows, busiest), ("Total, 99th percentile, ms", hows, p99s)
    )


def shares(result: Result) -> list[float]:
    """The busiest worker's share of the requests, run by run."""
    found = []
    for run in result.runs:
        workers = stats.workers(run.samples)
        found.append(max(workers.values(), default=0) / max(1, sum(workers.values())))
    return found


def _percent(*parts: float) -> str:
    return f"{stats.described(parts).p50:.0%} ({min(parts):.0%}-{max(parts):.0%})"


def _sentence(results: dict[tuple[str, str], Result]) -> str:
    kept = {name: _percent(*shares(results["8 kept connections", name])) for name in SETTINGS}
    failed = {
        name: sum(
            bool(sample.error)
            for (how, setting), result in results.items()
            for sample in result.samples
            if "full" in how and setting == name
        )
        for name in SETTINGS
    }
    rates = {name: rate(results["8 kept connections", name], name) for name in SETTINGS}
    return (
        f"Of 8 kept connections' requests the busier worker answers {kept['one socket']} with one "
        f"socket and {kept['reuse_port']} with reuse_port, "
        f"{digits(rates['one socket'])} and {digits(rates['reuse_port'])} a second. Where "
        f"{TAKEN} of 32 threads are taken, {failed['one socket']} requests are not answered in "
        f"{PATIENCE} s with one socket, {failed['reuse_port']} with reuse_port."
    )
