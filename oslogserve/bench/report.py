# SPDX-License-Identifier: Apache-2.0
"""A result as one self-contained page: charts, tables, set-up and caveats."""

import io
from collections.abc import Mapping, Sequence
from itertools import cycle

import matplotlib
import numpy
from markupsafe import Markup
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from oslogserve.bench import stats
from oslogserve.bench.result import Result, Run, caveats, conclusions
from oslogserve.bench.text import sizes, tables
from oslogserve.templates import template

#: Metrics with charts, and an explanation of each.
CHARTS = {
    "response": "From the connection, or an upload's last byte, to the first byte of the answer",
    "transfer": "From the first byte of the answer to its last",
    "total": "From the beginning of the request to the answer's last byte",
}
#: Points of a chart; more would not be visible.
MOST_POINTS = 4000
OVER_TIME = (
    f"Each request of the last run (of more than {MOST_POINTS}, the slowest of each few), the median by "
    "slice of time, and requests a second; grey where the client was the limit"
)
#: Colours that colour-blind people can tell apart, by Okabe and Ito.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")


def as_html(result: Result) -> str:
    charts = [
        (f"{title}: {name}" if title else name, explanation, chart)
        for title, own in result.scenarios().items()
        for name, explanation, chart in _charts(own)
    ]
    return template("bench_report.html").render(
        title=result.setup.get("sources", ""),
        conclusions=conclusions(result),
        setup={**result.setup, "bytes of a body": sizes(result.samples)},
        caveats=caveats(result),
        text=tables(result),
        charts=charts,
    )


def _charts(result: Result) -> list[tuple[str, str, Markup]]:
    values = {
        source: stats.metrics_of(samples)
        for source, samples in stats.by_source(result.samples).items()
    }
    distributions = [
        (metric.capitalize(), explanation, _distribution(metric, values))
        for metric, explanation in CHARTS.items()
    ]
    return [*distributions, ("Over time", OVER_TIME, _over_time(result))]


def _distribution(metric: str, values: Mapping[str, Mapping[str, Sequence[float]]]) -> Markup:
    figure = Figure(figsize=(11, 3.2), layout="constrained")
    histogram, distribution = figure.subplots(1, 2)
    for (source, metrics), colour in zip(values.items(), cycle(COLOURS), strict=False):
        times = 1000 * numpy.asarray(metrics[metric])
        if not len(times):
            continue
        shown = times[times <= numpy.percentile(times, 99)]
        histogram.hist(shown, bins=50, alpha=0.6, color=colour, label=source)
        thinned = numpy.sort(times)[:: -max(1, len(times) // MOST_POINTS)]
        distribution.ecdf(thinned, color=colour, label=source)
    histogram.set(title="Histogram, up to the 99th percentile", xlabel="ms", ylabel="requests")
    distribution.set(title="Part of the requests that took at most", xlabel="ms", xscale="log")
    with_plain_numbers(distribution.xaxis)
    return _svg(figure)


def _over_time(result: Result) -> Markup:
    figure = Figure(figsize=(11, 5), layout="constrained")
    times, rate = figure.subplots(2, 1, sharex=True)
    run = result.runs[-1] if result.runs else Run([], [])
    parts = stats.slices(run.samples, run.beats)
    middles = [part.start + part.width / 2 for part in parts]
    by_source = stats.by_source(run.samples)
    for (source, samples), colour in zip(by_source.items(), cycle(COLOURS), strict=False):
        good = [sample for sample in samples if not sample.error]
        shown = [good[i] for i in slowest([sample.total for sample in good], MOST_POINTS)]
        ended = [sample.started + sample.total for sample in shown]
        totals = [1000 * sample.total for sample in shown]
        times.plot(ended, totals, ".", markersize=2, alpha=0.4, color=colour)
        medians = [1000 * part.median.get(source, numpy.nan) for part in parts]
        times.plot(middles, medians, color=colour, label=source)
        full = [part for part in parts if not part.is_partial]
        rates = [part.requests.get(source, 0) / part.width for part in full]
        rate.plot(middles[: len(full)], rates, color=colour, label=source)
    for part in parts:
        if part.client_limit:
            for axes in (times, rate):
                axes.axvspan(part.start, part.start + part.width, color="#ddd")
    times.set(title="Total", ylabel="ms", yscale="log")
    with_plain_numbers(times.yaxis)
    rate.set(title="Requests a second", xlabel="seconds since the run began")
    return _svg(figure)


def slowest(times: Sequence[float], most: int) -> list[int]:
    """Indexes of the largest time in each of about `most` groups of neighbours."""
    step = max(1, len(times) // most)
    groups = (range(i, min(i + step, len(times))) for i in range(0, len(times), step))
    return [max(group, key=times.__getitem__) for group in groups]


def with_plain_numbers(axis: Axis) -> None:
    """Writes the numbers of a logarithmic axis as 20, not as a formula."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def _svg(figure: Figure) -> Markup:
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False)
    # A formula in a name ("$x$") is not parsed; the same result gives the same bytes.
    out = io.StringIO()
    with matplotlib.rc_context(
        {"svg.fonttype": "none", "svg.hashsalt": "oslogserve", "text.parse_math": False}
    ):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return Markup("<svg" + out.getvalue().partition("<svg")[2])  # noqa: S704 - labels are escaped
