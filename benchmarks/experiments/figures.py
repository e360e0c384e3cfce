# SPDX-License-Identifier: Apache-2.0
"""Table cells and charts that experiments share: times by source and metric."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from matplotlib.figure import Figure

from benchmarks import charts
from benchmarks.fetch import median, spread
from oslogserve.bench.result import Result, Run

#: Metrics of a result.
METRICS = ("response", "transfer")
#: Names of sources in headings.
DISK_AND_SWIFT = {"disk": "disk", "swift": "Swift"}


def part(result: Result, label: str) -> Result:
    """The samples of sources that are named "SOURCE, LABEL", as those of SOURCE."""
    runs = []
    for run in result.runs:
        pairs = [(sample, *sample.source.split(", ")) for sample in run.samples]
        own = [replace(sample, source=source) for sample, source, found in pairs if found == label]
        runs.append(Run(own, run.beats))
    return Result({}, runs)


def headings(names: Iterable[str], metrics: Sequence[str] = METRICS) -> list[str]:
    return [f"{metric}, {name}" for metric in metrics for name in names]


def cells(result: Result, sources: Iterable[str], metrics: Sequence[str] = METRICS) -> list[str]:
    """Median and range, in the order of headings()."""
    return [spread(result, source, metric) for metric in metrics for source in sources]


def medians(results: Iterable[Result], source: str, metric: str) -> list[float]:
    """Milliseconds."""
    return [1000 * median(result, source, metric) for result in results]


def bars(
    results: Mapping[str, Result], sources: Iterable[str], metrics: Sequence[str] = METRICS
) -> Figure:
    """A panel for each metric, with a group of bars for each result."""
    panels = [
        (
            f"{metric.capitalize()}, ms (median)",
            list(results),
            {source: medians(results.values(), source, metric) for source in sources},
        )
        for metric in metrics
    ]
    return charts.bars(*panels)


def lines(
    xlabel: str, results: Mapping[int, Result], sources: Iterable[str], shown: Callable[[int], str]
) -> Figure:
    """A panel for each metric, with a line for each source. shown: writes the ticks of x."""
    found = results.values()
    panels = [
        (
            f"{metric.capitalize()}, ms (median)",
            {source: (list(results), medians(found, source, metric)) for source in sources},
        )
        for metric in METRICS
    ]
    return charts.lines(xlabel, *panels, xticks={size: shown(size) for size in results})
