# SPDX-License-Identifier: Apache-2.0
"""Kept connections to Swift compared with a connection for each log."""

from benchmarks.experiments import figures
from benchmarks.fetch import Plan, fetched, notes, qualified
from benchmarks.lab import Lab
from benchmarks.report import Outcome, decimal_size
from oslogserve.bench.logs import Endpoint
from oslogserve.bench.result import Result

SIZES = (1_000, 1_000_000)
STATES = ("kept", "not kept")
METRICS = ("response", "total")
WITHOUT = "benchmarks.experiments.app_without_idle_connections:application"


def measured(lab: Lab) -> Outcome:
    results: dict[str, Result] = {}
    with lab.server() as keeping, lab.server(WITHOUT) as closing:
        sources = [
            Endpoint(state, server.url, {"source": "swift"})
            for state, server in zip(STATES, (keeping, closing), strict=True)
        ]
        for size in SIZES:
            name = f"keep-alive/{size}.txt"
            lab.write(name, size)
            for at_once in (1, 5):
                plan = Plan(lab.choose(100, 5), runs=lab.choose(3, 2), parallel=at_once)
                results[f"{decimal_size(size)}, {at_once} at once"] = fetched(plan, sources, [name])
    rows = [(name, *figures.cells(result, STATES, METRICS)) for name, result in results.items()]
    kept, closed = (figures.medians(results.values(), state, "response") for state in STATES)
    saved = [more - less for less, more in zip(kept, closed, strict=True)]
    headings = ("Log", *figures.headings(STATES, METRICS))
    figure = figures.bars(results, STATES, ("response",))
    parts = [less / after for less, after in zip(saved, closed, strict=True)]
    answer = (
        f"Without keep-alive nobody waits long enough to notice: it saves {min(parts):.0%} to "
        f"{max(parts):.0%} of the response here."
    )
    answer = qualified(answer, results.values())
    return Outcome([], headings, rows, figure, notes(results), answer)
