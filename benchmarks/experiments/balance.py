# SPDX-License-Identifier: Apache-2.0
"""Which worker answers, if all share one socket, and if each has its own (SO_REUSEPORT)."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace

from benchmarks import charts
from benchmarks.fetch import Plan, failures, fetched, notes, percentiles, qualified, rate, values
from benchmarks.lab import Lab, half_sent_request
from benchmarks.report import Outcome, digits
from oslogserve.bench import stats
from oslogserve.bench.logs import Endpoint
from oslogserve.bench.result import Result

SIZE = 20_000
NAME = "balance/log.txt"
#: gunicorn's options, by the setting's name.
SETTINGS = {"one socket": (), "reuse_port": ("--reuse-port",)}
#: Seconds without a byte after which a request has failed.
PATIENCE = 1
#: Half-sent requests, each of which holds one of the 32 threads. With one socket, requests reach the two
#: threads that are left, whichever worker has them.
TAKEN = 30
#: A worker with this part of a run's requests did nearly all the work.
ALL = 0.9
KEPT, NEARLY_FULL = "8 kept connections", "one at once, nearly full"

#: Results by setting, for each kind of requests.
Results = dict[str, dict[str, Result]]


def measured(lab: Lab) -> Outcome:
    lab.write(NAME, SIZE)
    plans = _plans(lab)
    results: Results = {how: {} for how in plans}
    for setting, options in SETTINGS.items():
        with lab.server(*options, with_swift=False) as server:
            source = [Endpoint(setting, server.url, {})]
            for how, plan in plans.items():
                found = results[how][setting] = Result({}, [])
                for _ in range(lab.choose(4, 2)):
                    # The kernel shares connections out by chance, so each run has new ones.
                    with _taken(server.url, TAKEN if how == NEARLY_FULL else 0):
                        found.runs.extend(fetched(plan, source, [NAME]).runs)
    return _outcome(results)


def _plans(lab: Lab) -> dict[str, Plan]:
    eight = Plan(seconds=lab.choose(2.0, 0.3), runs=1, parallel=8)
    return {
        KEPT: eight,
        "8 at once, a connection each": replace(eight, keeps_connections=False),
        NEARLY_FULL: Plan(lab.choose(15, 4), runs=1, keeps_connections=False, timeout=PATIENCE),
    }


@contextlib.contextmanager
def _taken(url: str, count: int) -> Iterator[None]:
    """Context in which so many threads wait for the rest of a request."""
    with contextlib.ExitStack() as connections:
        for _ in range(count):
            connections.enter_context(half_sent_request(url))
        yield


def _outcome(results: Results) -> Outcome:
    named = {(how, name): results[how][name] for name in SETTINGS for how in results}
    rows = [
        (
            how,
            setting,
            _percent(shares(result)),
            digits(rate(result, setting)),
            *percentiles(values(result, setting, "total")),
            f"{failures(result)} of {len(result.samples)}",
        )
        for (how, setting), result in named.items()
    ]
    headings = (
        "Requests",
        "setting",
        "busiest worker",
        "requests/s",
        "total p50, ms",
        "p99",
        "max",
    )
    p99s, busiest = (
        {name: [value(own[name], name) for own in results.values()] for name in SETTINGS}
        for value in (_p99, lambda result, _: 100 * max(shares(result)))
    )
    figure = charts.bars(
        ("Share of the busier worker, %", list(results), busiest),
        ("Total, 99th percentile, ms", list(results), p99s),
    )
    kept = notes({", ".join(names): result for names, result in named.items()})
    headings = (*headings, f"none in {PATIENCE} s")
    answer = qualified(_answer(results), named.values())
    return Outcome([], headings, rows, figure, kept, answer)


def _answer(results: Results) -> str:
    one, own = (
        [share for found in results.values() for share in shares(found[name])] for name in SETTINGS
    )
    alone = "in some runs it did" if max(*one, *own) >= ALL else "in no run it did"
    return (
        f"The busier of two workers answered {min(one):.0%} to {max(one):.0%} of a run's requests with "
        f"one socket, and {min(own):.0%} to {max(own):.0%} with reuse_port: {alone} all "
        "the work, or nearly."
    )


def shares(result: Result) -> list[float]:
    """The busiest worker's share of the requests, run by run."""
    workers = [stats.workers(run.samples).values() for run in result.runs]
    return [max(counts, default=0) / max(1, sum(counts)) for counts in workers]


def _p99(result: Result, setting: str) -> float:
    """Milliseconds."""
    return 1000 * stats.described(values(result, setting, "total")).p99


def _percent(parts: list[float]) -> str:
    return f"{stats.described(parts).p50:.0%} ({min(parts):.0%}-{max(parts):.0%})"
