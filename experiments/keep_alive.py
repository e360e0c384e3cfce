# SPDX-License-Identifier: Apache-2.0
"""Connections to Swift that are kept, beside one for each log."""

from experiments import charts
from experiments.lab import Lab
from experiments.outcome import Outcome
from experiments.plan import Plan, digits, fetched, median, notes, spread
from experiments.sizes import shown
from oslogserve.bench.logs import Source
from oslogserve.bench.result import Result

SIZES = (1_000, 1_000_000)
STATES = ("kept", "not kept")
WITHOUT = "experiments.app_without_idle_connections:application"


def measured(lab: Lab) -> Outcome:
    results: dict[str, Result] = {}
    with lab.server() as keeping, lab.server(WITHOUT) as closing:
        sources = [
            Source(state, server.url, {"source": "swift"})
            for state, server in zip(STATES, (keeping, closing), strict=True)
        ]
        for size in SIZES:
            name = f"keep-alive/{size}.txt"
            lab.write(name, size)
            for at_once in (1, 5):
                plan = Plan(lab.choose(100, 5), runs=lab.choose(3, 2), parallel=at_once)
                results[f"{shown(size)}, {at_once} at once"] = fetched(plan, sources, [name])
    rows = [
        (
            name,
            *(
                spread(result, state, metric)
                for metric in ("response", "total")
                for state in STATES
            ),
        )
        for name, result in results.items()
    ]
    medians = {
        state: [1000 * median(result, state, "response") for result in results.values()]
        for state in STATES
    }
    saved = [more - less for less, more in zip(*medians.values(), strict=True)]
    headings = (
        "Log",
        *(f"{metric}, {state}" for metric in ("response", "total") for state in STATES),
    )
    said = (
        f"A kept connection saves {digits(min(saved))} to {digits(max(saved))} ms of the response "
        "without TLS and within one machine; over a network it saves a round trip, with TLS two or "
        "three."
    )
    figure = charts.bars(("Response, ms (median)", list(results), medians))
    return Outcome([said], headings, rows, figure, notes(results))
