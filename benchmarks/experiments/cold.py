# SPDX-License-Identifier: Apache-2.0
"""Logs that the kernel has in its cache, and logs that it has to read."""

from benchmarks.experiments import figures, page_cache
from benchmarks.experiments.figures import DISK_AND_SWIFT
from benchmarks.fetch import Plan, fetched, median
from benchmarks.lab import Lab, both_sources
from benchmarks.report import Outcome, decimal_size, digits
from oslogserve.bench.result import Result

SIZES = (10_000, 1_000_000, 20_000_000)
QUICK = (1_000_000,)


def measured(lab: Lab) -> Outcome:
    results: dict[tuple[int, str], Result] = {}
    with lab.server() as server:
        for size in lab.choose(SIZES, QUICK):
            name = f"cold/{size}.txt"
            before = lab.objects()
            lab.write(name, size)
            files = {"disk": lab.root / name}
            new = lab.objects() - before
            if len(new) != 1:
                return Outcome(["Not measured: this Swift keeps no object in a file of its own."])
            files["swift"] = new.pop()
            cold = page_cache.dropping(lambda request: [files[request.source]])  # noqa: B023
            for state, prepare in (("cold", cold), ("warm", page_cache.kept)):
                plan = Plan(lab.choose(30, 3), runs=lab.choose(3, 2), before=prepare)
                results[size, state] = fetched(plan, both_sources(server), [name])
    return _outcome(results)


def _outcome(results: dict[tuple[int, str], Result]) -> Outcome:
    named = {f"{decimal_size(size)}, {state}": found for (size, state), found in results.items()}
    rows = [(name, *figures.cells(result, DISK_AND_SWIFT)) for name, result in named.items()]
    headings = ("Log", *figures.headings(DISK_AND_SWIFT.values()))
    figure = figures.bars(named, DISK_AND_SWIFT)
    return Outcome([], headings, rows, figure, answer=_answer(results))


def _answer(results: dict[tuple[int, str], Result]) -> str:
    ratios = [
        median(found, "swift", "total") / median(found, "disk", "total")
        for (_, state), found in results.items()
        if state == "cold"
    ]
    shown = f"cold logs too take {digits(min(ratios))} to {digits(max(ratios))} times as long from Swift"
    return f"No: {shown}." if min(ratios) > 1 else f"In part: {shown}."
