# SPDX-License-Identifier: Apache-2.0
"""Logs of 1 kB to 1 GB, from disk and from Swift."""

from experiments import charts
from experiments.lab import Lab
from experiments.outcome import Outcome
from experiments.plan import Plan, digits, median, notes, spread
from oslogserve.bench.result import Result

#: Bytes of a log, and requests of each source in each run.
SIZES = {10**3: 100, 10**4: 100, 10**5: 100, 10**6: 60, 10**7: 20, 10**8: 4, 10**9: 1}
QUICK = {10**3: 4, 10**6: 4}


def measured(lab: Lab) -> Outcome:
    sizes = lab.choose(SIZES, QUICK)
    results = {}
    with lab.server() as server:
        for size, requests in sizes.items():
            name = f"sizes/{size}.txt"
            lab.write(name, size)
            plan = Plan(requests, runs=lab.choose(3, 2))
            results[size] = lab.disk_and_swift(server, plan, name)
            (lab.root / name).unlink()
    return _outcome(results)


def _outcome(results: dict[int, Result]) -> Outcome:
    rows = [
        (
            shown(size),
            *(spread(result, source, metric) for metric in ("response", "transfer")
              for source in ("disk", "swift")),
            *(digits(_speed(size, median(result, source, "total"))) for source in ("disk", "swift")),
        )
        for size, result in results.items()
    ]  # fmt: skip
    panels = [
        (
            f"{metric.capitalize()}, ms",
            {
                source: (
                    list(results),
                    [1000 * median(result, source, metric) for result in results.values()],
                )
                for source in ("disk", "swift")
            },
        )
        for metric in ("response", "transfer")
    ]
    headings = (
        "Size",
        "response, disk",
        "response, Swift",
        "transfer, disk",
        "transfer, Swift",
        "MB/s, disk",
        "MB/s, Swift",
    )
    figure = charts.lines(
        "bytes of the log", *panels, xticks={size: shown(size) for size in results}
    )
    kept = notes({shown(size): result for size, result in results.items()})
    return Outcome([_sentence(results)], headings, rows, figure, kept)


def _sentence(results: dict[int, Result]) -> str:
    smallest, largest = min(results), max(results)
    first, last = results[smallest], results[largest]
    ratios = [
        median(result, "swift", metric) / median(result, "disk", metric)
        for result, metric in ((first, "total"), (last, "total"))
    ]
    waits = [1000 * median(result, "swift", "response") for result in results.values()]
    return (
        f"A log of {shown(smallest)} out of Swift takes {digits(ratios[0])} times as long as from "
        f"disk, one of {shown(largest)} {digits(ratios[1])} times. Swift's "
        f"median response is {digits(min(waits))} to {digits(max(waits))} ms over all sizes."
    )


def _speed(size: int, seconds: float) -> float:
    return size / 1e6 / seconds if seconds else 0.0


def shown(size: int) -> str:
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"
