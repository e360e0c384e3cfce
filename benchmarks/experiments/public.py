# SPDX-License-Identifier: Apache-2.0
"""A container read with tokens, without them because everybody may read it, and through a cache."""

import contextlib

from benchmarks.experiments import figures
from benchmarks.fetch import Plan, fetched, notes, qualified
from benchmarks.lab import CONTAINER, Lab
from benchmarks.report import Outcome, decimal_size, digits
from oslogserve.bench.logs import Endpoint
from oslogserve.bench.result import Result
from tests.servers.nginx import CachingNginx

SIZES = (1_000, 1_000_000)
STATES = ("token", "public", "cache")
METRICS = ("response", "total")
#: Less than this part of the time with tokens is a saving that shows.
SAVES = 0.9


def measured(lab: Lab) -> Outcome:
    names = {size: f"public/{size}.txt" for size in SIZES}
    for size, name in names.items():
        lab.write(name, size)
    readable = {"X-Container-Read": ".r:*,.rlistings"}
    with contextlib.closing(lab.swift.connection()) as connection:
        connection.post_container(CONTAINER, readable)
    with contextlib.ExitStack() as servers:
        cache = servers.enter_context(CachingNginx(lab.swift.url))
        cached_url = lab.swift.storage_url.replace(lab.swift.url, cache.url)
        urls = {
            "token": servers.enter_context(lab.server()).url,
            "public": servers.enter_context(lab.server(storage_url=lab.swift.storage_url)).url,
            "cache": servers.enter_context(lab.server(storage_url=cached_url)).url,
        }
        sources = [Endpoint(state, urls[state], {"source": "swift"}) for state in STATES]
        results = {}
        for size, name in names.items():
            for at_once in (1, 5):
                plan = Plan(lab.choose(200, 5), runs=lab.choose(5, 2), parallel=at_once)
                label = f"{decimal_size(size)}, {at_once} at once"
                results[label] = fetched(plan, sources, [name])
    return _outcome(results)


def _outcome(results: dict[str, Result]) -> Outcome:
    rows = [(name, *figures.cells(result, STATES, METRICS)) for name, result in results.items()]
    token, public, cache = (
        figures.medians(results.values(), state, "response") for state in STATES
    )
    headings = ("Log", *figures.headings(STATES, METRICS))
    figure = figures.bars(results, STATES, ("response",))
    saves = min(one / other for one, other in zip(public, token, strict=True)) < SAVES
    answer = (
        f"Reading without tokens saves {'some time' if saves else 'nothing that shows'}; a log in a cache "
        f"takes {_ratios(cache, token)} of the time."
    )
    answer = qualified(answer, results.values())
    return Outcome([], headings, rows, figure, notes(results), answer)


def _ratios(some: list[float], others: list[float]) -> str:
    """The range of their ratios."""
    found = [one / other for one, other in zip(some, others, strict=True)]
    return f"{digits(min(found))} to {digits(max(found))}"
