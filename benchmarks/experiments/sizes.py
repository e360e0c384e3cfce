# SPDX-License-Identifier: Apache-2.0
"""Logs of 1 kB to 1 GB, from disk and from Swift."""

from benchmarks.experiments import figures
from benchmarks.experiments.figures import DISK_AND_SWIFT
from benchmarks.fetch import Plan, fetched, median, notes
from benchmarks.lab import Lab, both_sources
from benchmarks.report import Outcome, decimal_size, digits
from oslogserve.bench.result import Result

#: Requests of each source in each run, by the bytes of a log.
SIZES = {10**3: 100, 10**4: 100, 10**5: 100, 10**6: 60, 10**7: 20, 10**8: 4, 10**9: 1}
QUICK = {10**3: 4, 10**6: 4}


def measured(lab: Lab) -> Outcome:
    results = {}
    with lab.server() as server:
        for size, requests in lab.choose(SIZES, QUICK).items():
            name = f"sizes/{size}.txt"
            lab.write(name, size)
            plan = Plan(requests, runs=lab.choose(3, 2))
            results[size] = fetched(plan, both_sources(server), [name])
            (lab.root / name).unlink()
    rows = [
        (
            decimal_size(size),
            *figures.cells(result, DISK_AND_SWIFT),
            *(digits(size / 1e6 / median(result, name, "total")) for name in DISK_AND_SWIFT),
        )
        for size, result in results.items()
    ]
    named = DISK_AND_SWIFT.values()
    headings = ("Size", *figures.headings(named), *(f"MB/s, {name}" for name in named))
    figure = figures.lines("bytes of the log", results, DISK_AND_SWIFT, decimal_size)
    kept = notes({decimal_size(size): result for size, result in results.items()})
    return Outcome([_sentence(results)], headings, rows, figure, kept)


def _sentence(results: dict[int, Result]) -> str:
    smallest, largest = min(results), max(results)
    first, last = (
        median(results[size], "swift", "total") / median(results[size], "disk", "total")
        for size in (smallest, largest)
    )
    waits = figures.medians(results.values(), "swift", "response")
    return (
        f"From Swift, a log of {decimal_size(smallest)} takes {digits(first)} times as long as from "
        f"disk, and one of {decimal_size(largest)} {digits(last)} times. Swift's "
        f"median response is {digits(min(waits))} to {digits(max(waits))} ms over all sizes."
    )
