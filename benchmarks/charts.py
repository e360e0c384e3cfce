# SPDX-License-Identifier: Apache-2.0
"""Charts of measurements, as small SVG files."""

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from oslogserve.bench.report import COLOURS, slowest, with_plain_numbers

#: Points of a line; more would not be visible.
MOST_POINTS = 400
#: Colours of bars by Bar.kind, and of targets.
KINDS = {"oslogserve": COLOURS[0], "other": "#818b98"}
TARGET = COLOURS[1]

#: Text stays text, and the same figure gives the same file.
SVG = {"svg.fonttype": "none", "svg.hashsalt": "oslogserve", "text.parse_math": False}

#: Name of a line -> (x, y) of its points.
Lines = Mapping[str, tuple[Sequence[float], Sequence[float]]]


def lines(xlabel: str, *panels: tuple[str, Lines], xticks: Mapping[float, str]) -> Figure:
    """A figure with a panel of lines for each title; both axes are logarithmic. xticks: labels of x."""
    figure = _figure()
    for axes, (title, shown) in zip(_panels(figure, len(panels)), panels, strict=True):
        for (name, (xs, ys)), colour in zip(shown.items(), itertools.cycle(COLOURS), strict=False):
            axes.plot(xs, ys, "o-", color=colour, label=name, markersize=4)
        axes.set(title=title, xlabel=xlabel, xscale="log", yscale="log")
        axes.set_xticks(list(xticks), list(xticks.values()))
        axes.set_xticks([], minor=True)
        _finish(axes)
    return _with_legend(figure)


def bars(*panels: tuple[str, Sequence[str], Mapping[str, Sequence[float]]]) -> Figure:
    """A figure with panels of grouped horizontal bars. A panel: title, groups, values by a bar's name."""
    figure = _figure(2 + 0.22 * sum(len(values) for values in panels[0][2].values()))
    for axes, (title, groups, shown) in zip(
        _panels(figure, len(panels), True), panels, strict=True
    ):
        height = 0.8 / len(shown)
        for number, ((name, values), colour) in enumerate(
            zip(shown.items(), itertools.cycle(COLOURS), strict=False)
        ):
            places = [group + number * height for group in range(len(groups))]
            axes.barh(places, values, height, color=colour, label=name)
        axes.set_yticks([group + 0.4 - height / 2 for group in range(len(groups))], groups)
        axes.set(title=title)
        _finish(axes)
    figure.axes[0].invert_yaxis()
    return _with_legend(figure)


def points(title: str, xlabel: str, shown: Lines) -> Figure:
    """A figure with one panel of points; x is linear."""
    figure = _figure()
    axes = figure.subplots()
    for (name, (xs, ys)), colour in zip(shown.items(), itertools.cycle(COLOURS), strict=False):
        at = slowest(ys, MOST_POINTS)
        axes.plot(
            [xs[i] for i in at], [ys[i] for i in at], ".", color=colour, label=name, markersize=3
        )
    axes.set(title=title, xlabel=xlabel, yscale="log")
    _finish(axes)
    return _with_legend(figure)


class Bar(NamedTuple):
    """A ratio, drawn as a bar with a colour and a note."""

    name: str
    value: float
    #: One of KINDS.
    kind: str
    note: str
    target: float | None = None


def ratios(title: str, xlabel: str, shown: Sequence[Bar]) -> Figure:
    """A figure with one panel of bars, a line at 1 and a mark at each target."""
    figure = _figure(1.4 + 0.28 * len(shown))
    axes = figure.subplots()
    for kind in dict.fromkeys(bar.kind for bar in shown):
        own = {place: bar for place, bar in enumerate(shown) if bar.kind == kind}
        label = None if kind == "other" else kind
        widths = [bar.value for bar in own.values()]
        drawn = axes.barh(list(own), widths, 0.6, color=KINDS[kind], label=label)
        notes = [f"{bar.value:.2f} ({bar.note})" for bar in own.values()]
        axes.bar_label(drawn, notes, padding=8)
    targets = {place: bar.target for place, bar in enumerate(shown) if bar.target is not None}
    if targets:
        style = {"markersize": 14, "markeredgewidth": 2, "color": TARGET}
        axes.plot(list(targets.values()), list(targets), "|", label="target", **style)
    axes.axvline(1, color="#b0b8c0", linestyle=":", zorder=0)
    axes.set_yticks(range(len(shown)), [bar.name for bar in shown])
    axes.set(title=title, xlabel=xlabel)
    axes.margins(x=0.2, y=0.02)
    axes.invert_yaxis()
    _finish(axes)
    return _with_legend(figure)


def write(figure: Figure, path: Path) -> None:
    with matplotlib.rc_context(SVG):
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


def _figure(height: float = 3.2) -> Figure:
    return Figure(figsize=(9.5, height), layout="constrained")


def _panels(figure: Figure, count: int, shares_y: bool = False) -> list[Axes]:
    return list(figure.subplots(1, count, squeeze=False, sharey=shares_y)[0])


def _with_legend(figure: Figure) -> Figure:
    """The figure with one legend for all panels, which show the same names."""
    drawn, names = figure.axes[0].get_legend_handles_labels()
    figure.legend(drawn, names, loc="outside lower center", ncols=len(names), frameon=False)
    return figure


def _finish(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    if axes.get_yscale() == "log":
        with_plain_numbers(axes.yaxis)
