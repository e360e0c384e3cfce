# SPDX-License-Identifier: Apache-2.0
"""A result as one page that needs nothing else: charts, tables, set-up and caveats."""

import io
from collections.abc import Mapping, Sequence

import matplotlib
import numpy
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from oslogserve.bench import stats
from oslogserve.bench.result import Result, as_text, caveats, conclusions
from oslogserve.bench.samples import Sample

#: Metrics that have charts, with what is said of them.
CHARTS = {
    "response": "From the connection, or an upload's last byte, to the first byte of the answer",
    "transfer": "From the first byte of the answer to its last",
    "total": "From the beginning of the request to the answer's last byte",
}
#: Samples of a rolling mean; points of a chart, of which more say nothing more.
ROLLING, MOST_POINTS = 50, 4000
#: Colours that the colour-blind tell apart, from Okabe and Ito.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")

_PAGE = Markup("""<!doctype html>
<html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width">
<title>Benchmark of {title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em }}
pre {{ overflow: auto; background: #f4f4f4; padding: 1em }}
svg {{ max-width: 100%; height: auto }}
th {{ text-align: left; padding-right: 2em; font-weight: normal; color: #555 }}
h1, td {{ overflow-wrap: anywhere }}
</style>
<h1>Benchmark of {title}</h1>
{conclusions}
<h2>Set-up</h2>
<table>{setup}</table>
<h2>To be kept in mind</h2>
<ul>{caveats}</ul>
<h2>Figures</h2>
<pre>{text}</pre>
{charts}
</html>
""")
_CONCLUSION = Markup("<p><strong>{}.</strong> Medians; 95 % of resamples.</p>\n")
_ROW = Markup("<tr><th>{}<td>{}\n")
_ITEM = Markup("<li>{}\n")
_CHART = Markup("<h2>{}</h2>\n<p>{}.</p>\n{}\n")


def as_html(result: Result) -> str:
    values = {
        source: stats.metrics_of(samples)
        for source, samples in stats.by_source(result.samples).items()
    }
    charts = [
        _CHART.format(metric.capitalize(), said, _distribution(metric, values))
        for metric, said in CHARTS.items()
    ]
    charts.append(_CHART.format("Over time", _OVER_TIME, _over_time(result)))
    return _PAGE.format(
        title=result.setup.get("sources", ""),
        conclusions=_joined(_CONCLUSION, conclusions(result)),
        setup=Markup("").join(_ROW.format(*pair) for pair in result.setup.items()),
        caveats=_joined(_ITEM, caveats(result)),
        text=as_text(result),
        charts=Markup("").join(charts),
    )


_OVER_TIME = (
    f"The requests of the last run (of more than {MOST_POINTS} the slowest of each few), the mean of "
    f"{ROLLING} around each, and requests a second; "
    "grey where the client was the limit"
)


def _joined(template: Markup, texts: Sequence[str]) -> Markup:
    return Markup("").join(map(template.format, texts))


def _distribution(metric: str, values: Mapping[str, Mapping[str, Sequence[float]]]) -> Markup:
    figure = Figure(figsize=(11, 3.2), layout="constrained")
    histogram, distribution = figure.subplots(1, 2)
    for (source, metrics), colour in zip(values.items(), _colours(len(values)), strict=True):
        times = 1000 * numpy.asarray(metrics[metric])
        if not len(times):
            continue
        shown = times[times <= numpy.percentile(times, 99)]
        histogram.hist(shown, bins=50, alpha=0.6, color=colour, label=source)
        distribution.ecdf(_thinned(numpy.sort(times)[::-1]), color=colour, label=source)
    histogram.set(title="Histogram, up to the 99th percentile", xlabel="ms", ylabel="requests")
    distribution.set(title="Part of the requests that took at most", xlabel="ms")
    distribution.set_xscale("log")
    with_plain_numbers(distribution.xaxis)
    _with_legend(histogram, distribution)
    return _svg(figure)


def _over_time(result: Result) -> Markup:
    figure = Figure(figsize=(11, 5), layout="constrained")
    times, rate = figure.subplots(2, 1, sharex=True)
    run = result.runs[-1] if result.runs else None
    by_source = stats.by_source(run.samples) if run else {}
    parts = stats.slices(run.samples, run.beats) if run else []
    for (source, samples), colour in zip(by_source.items(), _colours(len(by_source)), strict=True):
        _points(times, [sample for sample in samples if not sample.error], source, colour)
        middles = [part.start + part.width / 2 for part in parts]
        rates = [part.requests.get(source, 0) / part.width for part in parts]
        rate.plot(middles, rates, color=colour, label=source)
    for part in parts:
        if part.client_limit:
            for axes in (times, rate):
                axes.axvspan(part.start, part.start + part.width, color="#ddd")
    times.set(title="Response", ylabel="ms", yscale="log")
    with_plain_numbers(times.yaxis)
    rate.set(title="Requests a second", xlabel="seconds since the run began")
    _with_legend(times, rate)
    return _svg(figure)


def _points(axes: Axes, samples: Sequence[Sample], source: str, colour: str) -> None:
    if not samples:
        return
    at = numpy.array([sample.started for sample in samples])
    response = 1000 * numpy.array([sample.response for sample in samples])
    shown = slowest(response.tolist(), MOST_POINTS)
    axes.plot(at[shown], response[shown], ".", markersize=2, alpha=0.4, color=colour)
    if len(response) > ROLLING:
        mean = numpy.convolve(response, numpy.ones(ROLLING) / ROLLING, "valid")
        middle = at[ROLLING // 2 :][: len(mean)]
        axes.plot(_thinned(middle), _thinned(mean), color=colour, label=source)


def _colours(count: int) -> list[str]:
    return [COLOURS[number % len(COLOURS)] for number in range(count)]


def slowest(times: Sequence[float], most: int) -> list[int]:
    """The place of the largest time in each of about `most` bundles: what stands out is looked for."""
    step = max(1, len(times) // most)
    bundles = (range(i, min(i + step, len(times))) for i in range(0, len(times), step))
    return [max(bundle, key=times.__getitem__) for bundle in bundles]


def _thinned(values: numpy.ndarray) -> numpy.ndarray:
    return values[:: max(1, len(values) // MOST_POINTS)]


def with_plain_numbers(axis: Axis) -> None:
    """Numbers on a logarithmic axis; by default they are formulas, and none is parsed."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def _with_legend(*all_axes: Axes) -> None:
    for axes in all_axes:
        axes.spines[["top", "right"]].set_visible(False)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False)


def _svg(figure: Figure) -> Markup:
    out = io.StringIO()
    with matplotlib.rc_context(
        {"svg.fonttype": "none", "svg.hashsalt": "oslogserve", "text.parse_math": False}
    ):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return Markup("<svg" + out.getvalue().partition("<svg")[2])  # noqa: S704 - labels are escaped
