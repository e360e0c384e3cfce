# SPDX-License-Identifier: Apache-2.0
"""Logs that the kernel has in its cache, beside those that it has to read."""

from pathlib import Path

from experiments import charts, page_cache
from experiments.lab import Lab
from experiments.outcome import Outcome
from experiments.plan import Plan, digits, median, spread
from experiments.sizes import shown
from oslogserve.bench.result import Result
from oslogserve.bench.samples import Request

SIZES = (10_000, 1_000_000, 20_000_000)
QUICK = (1_000_000,)
METRICS = ("response", "transfer")


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
            try:
                for state, prepare in (("cold", _dropping(files)), ("warm", _nothing)):
                    plan = Plan(lab.choose(30, 3), runs=lab.choose(3, 2), before=prepare)
                    results[size, state] = lab.disk_and_swift(server, plan, name)
            except page_cache.NotDropped as error:
                return Outcome([f"Not measured, for the cache could not be emptied: {error}."])
    return _outcome(results)


def _dropping(files: dict[str, Path]):
    def drop(request: Request) -> None:
        page_cache.drop(files[request.source])

    return drop


def _nothing(_: Request) -> None:
    pass


def _outcome(results: dict[tuple[int, str], Result]) -> Outcome:
    rows = [
        (
            f"{shown(size)}, {state}",
            *(spread(result, source, metric) for metric in METRICS for source in ("disk", "swift")),
        )
        for (size, state), result in results.items()
    ]
    groups = [f"{shown(size)}, {state}" for size, state in results]
    panels = [
        (
            f"{metric.capitalize()}, ms (median)",
            groups,
            {
                source: [1000 * median(result, source, metric) for result in results.values()]
                for source in ("disk", "swift")
            },
        )
        for metric in METRICS
    ]
    headings = ("Log", "response, disk", "response, Swift", "transfer, disk", "transfer, Swift")
    said = [_sentence(results, size) for size in sorted({size for size, _ in results})]
    return Outcome(said, headings, rows, charts.bars(*panels))


def _sentence(results: dict[tuple[int, str], Result], size: int) -> str:
    more = {
        source: 1000
        * (
            median(results[size, "cold"], source, "total")
            - median(results[size, "warm"], source, "total")
        )
        for source in ("disk", "swift")
    }
    return (
        f"A log of {shown(size)} that is cold takes {_compared(more['disk'])} from disk and "
        f"{_compared(more['swift'])} out of Swift."
    )


def _compared(more: float) -> str:
    return f"{digits(abs(more))} ms {'longer' if more > 0 else 'less'}"
