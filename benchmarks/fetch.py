# SPDX-License-Identifier: Apache-2.0
"""Fetches logs with the client of `oslogserve bench`, and computes figures of the results."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.report import milliseconds, ranged
from oslogserve.bench import logs, stats
from oslogserve.bench.client import Client
from oslogserve.bench.logs import Endpoint
from oslogserve.bench.result import Result, Run, caveats
from oslogserve.bench.samples import Request, Sample

HEADERS = ["Log-Worker: ?", "Accept: text/plain", "Accept-Encoding: identity"]


class BadAnswer(Exception):
    """Raised for a failed or wrong answer, whose time would mislead."""


@dataclass(frozen=True)
class Plan:
    """The requests of a measurement."""

    #: Requests to each endpoint in each run; None for as many as there is time for.
    requests: int | None = None
    #: Seconds of each run; None for no limit.
    seconds: float | None = None
    runs: int = 3
    parallel: int = 1
    keeps_connections: bool = True
    headers: Sequence[str] = ()
    #: Seconds without a byte after which a request has failed.
    timeout: float = 60
    #: Called before each request, outside of the measured time; needs parallel = 1.
    before: Callable[[Request], None] | None = None


def fetched(plan: Plan, endpoints: Sequence[Endpoint], names: Sequence[str]) -> Result:
    """The result of fetching each log from each endpoint in turn."""
    return Result({}, [_run(plan, endpoints, names) for _ in range(plan.runs)])


def _run(plan: Plan, endpoints: Sequence[Endpoint], names: Sequence[str]) -> Run:
    """A run with new connections, which are warmed up first."""
    headers = [*HEADERS, *plan.headers]
    client = Client(plan.parallel, headers, plan.keeps_connections, plan.timeout)
    with contextlib.closing(client):
        unmeasured = plan.parallel * len(endpoints)
        for _ in client.fetch(logs.limited(logs.alternating(endpoints, names), unmeasured)):
            pass
        beats = client.begin_run()
        count = plan.requests and plan.requests * len(endpoints)
        requests = logs.limited(logs.alternating(endpoints, names), count, plan.seconds)
        if plan.before:
            # Pauses before requests would count as delays by the client, so there are no beats.
            return Run(list(_one_by_one(client, requests, plan.before)), [])
        return Run(list(client.fetch(requests)), beats)


def _one_by_one(
    client: Client, requests: Iterator[Request], before: Callable[[Request], None]
) -> Iterator[Sample]:
    for request in requests:
        before(request)
        yield from client.fetch(iter([request]))


def fetched_once(requests: Iterator[Request], parallel: int = 1) -> Run:
    """A run of requests with a new connection for each. Raises BadAnswer if one fails."""
    with contextlib.closing(Client(parallel, HEADERS, keeps_connections=False)) as client:
        beats = client.begin_run()
        run = Run(list(client.fetch(requests)), beats)
    for sample in run.samples:
        if sample.error:
            raise BadAnswer(f"{sample.name}: {sample.error}")
    return run


def values(result: Result, source: str, metric: str) -> list[float]:
    """A metric's values in all runs, in seconds, without failures."""
    return stats.metrics_of(stats.by_source(result.samples).get(source, []))[metric]


def median(result: Result, source: str, metric: str) -> float:
    return stats.described(values(result, source, metric)).p50


def spread(result: Result, source: str, metric: str) -> str:
    """The median of all runs and the range of the runs' medians, in milliseconds."""
    of_runs = [median(Result({}, [run]), source, metric) for run in result.runs]
    return ranged(median(result, source, metric), of_runs, 1000)


def run_ratios(result: Result, above: str, below: str, metric: str = "total") -> list[float]:
    """The ratio of two sources' medians, run by run."""
    return [
        median(own, above, metric) / median(own, below, metric)
        for own in (Result({}, [run]) for run in result.runs)
    ]


def percentiles(seconds: Sequence[float]) -> list[str]:
    """The 50th and 99th percentile and the maximum, in milliseconds."""
    times = stats.described(seconds)
    return [milliseconds(value) for value in (times.p50, times.p99, times.most)]


def rate(result: Result, source: str) -> float:
    """The median of the runs' requests a second, without failures."""
    rates = [
        sum(not s.error for s in stats.by_source(run.samples).get(source, [])) / (run.seconds or 1)
        for run in result.runs
    ]
    return stats.described(rates).p50


def failures(result: Result) -> int:
    return sum(bool(sample.error) for sample in result.samples)


def client_limited(run: Run) -> float:
    """The share of a run's time in which the client was the limit."""
    slices = stats.slices(run.samples, run.beats)
    return sum(bool(part.client_limit) for part in slices) / len(slices)


def qualified(answer: str, results: Iterable[Result]) -> str:
    """The answer, and whether the client had a part in its figures."""
    limited = [result.is_limited for result in results]
    if not any(limited):
        return answer
    shown = f"in {sum(limited)} of {len(limited)} measurements"
    return (
        f"{answer} The client was the limit most of the time {shown}: these times are its own too."
    )


def notes(results: Mapping[str, Result], has_p99: bool = False) -> list[str]:
    """Reasons to be careful with the figures. has_p99: these include a p99 or a maximum."""
    return [
        f"{name}: {caveat}"
        for name, result in results.items()
        for caveat in caveats(result)
        if has_p99 or "slowest hundredth" not in caveat
    ]
