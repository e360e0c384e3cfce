# SPDX-License-Identifier: Apache-2.0
"""Uploads while containers fill, by `oslogserve bench put`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks import charts
from benchmarks.lab import Lab, oslogserve
from benchmarks.report import Outcome, digits, ranged
from oslogserve.bench import stats

#: Containers that share the uploads.
CONTAINERS = (1, 8)
PARALLEL = 8
#: Bytes of an object.
SIZE = 1000


def measured(lab: Lab) -> Outcome:
    config, count = lab.swift_config(), lab.choose(1500, 300)
    found: dict[str, list[Any]] = {_name(containers): [] for containers in CONTAINERS}
    # The settings take turns, so that a busier machine slows down both.
    for _ in range(lab.choose(3, 1)):
        for containers in CONTAINERS:
            found[_name(containers)].append(_uploaded(config, containers, count))
    rows, shown, said, kept = [], {}, [], []
    for name, results in found.items():
        ratios = [_fading(result) for result in results]
        rows.append((name, *_cells(results), ranged(stats.described(ratios).p50, ratios)))
        shown[name] = _rates(results[-1]["runs"][0]["slices"])
        said.append(f"With {name}, the last fifth of {count:,} uploads took {_range(ratios)}.")
        kept += [f"{name}: {caveat}" for caveat in results[-1]["caveats"]]
    headings = ("Into", "uploads/s", "p50, ms", "p99, ms", "last fifth over first")
    figure = charts.points("Uploads a second", "seconds since the first upload", shown)
    ratios = [_fading(result) for results in found.values() for result in results]
    return Outcome(said, headings, rows, figure, kept, _answer(ratios, count))


def _name(containers: int) -> str:
    return f"{containers} container{'s' if containers > 1 else ''}"


def _uploaded(config: str, containers: int, count: int) -> Any:
    amount = ["--size", str(SIZE), "--parallel", str(PARALLEL), "--containers", str(containers)]
    put = ["bench", "put", "--config", config, "--json", "--requests", str(count)]
    return json.loads(oslogserve(*put, *amount))


def _cells(results: Sequence[Mapping[str, Any]]) -> list[str]:
    """Rate and percentiles, as the median and the range of the runs."""
    runs = [result["runs"][0] for result in results]
    times = [result["sources"]["put"]["total"]["all"] for result in results]
    rates = [run["requests"] / run["seconds"] for run in runs]
    return [
        ranged(stats.described(rates).p50, rates),
        *(
            ranged(stats.described(values).p50, values, 1000)
            for values in ([time[label] for time in times] for label in ("p50", "p99"))
        ),
    ]


def _fading(result: Mapping[str, Any]) -> float:
    (fading,) = result["fading"]
    return float(fading["median"] / fading["over_median"])


def _rates(slices: Sequence[Mapping[str, Any]]) -> tuple[list[float], list[float]]:
    full = [part for part in slices if not part["is_partial"]]
    xs = [part["start"] + part["width"] / 2 for part in full]
    return xs, [part["requests"].get("put", 0) / part["width"] for part in full]


def _range(ratios: Sequence[float]) -> str:
    return f"{digits(min(ratios))} to {digits(max(ratios))} times as long as the first"


def _answer(ratios: Sequence[float], count: int) -> str:
    shows = "" if min(ratios) > 1 else ", so no fading shows"
    return (
        f"Over the first {digits(count * SIZE / 1e6)} MB, the last fifth took {_range(ratios)}{shows}; "
        "this cannot show what hundreds of GB do, whose databases and inodes no cache can hold."
    )
