# SPDX-License-Identifier: Apache-2.0
"""Draws the chart of a run: times with one log, relative to nginx, which unpacks and sends it."""

from matplotlib.figure import Figure

from benchmarks import charts
from benchmarks.comparison import cases
from benchmarks.comparison.cases import Case
from benchmarks.comparison.logs import Log
from benchmarks.comparison.rows import Rounds, Row
from benchmarks.comparison.targets import RATIOS


def drawn(rounds: Rounds, table: list[Case], log: Log) -> Figure:
    by_name = {row.name: row for row in rounds.of(log.name)}
    unit = by_name[cases.NGINX].median("total")
    ours = {case.name: case for case in table if case.is_ours}
    others = [
        _bar(row, row.name, "other", unit) for row in by_name.values() if row.name not in ours
    ]
    targets = RATIOS.get(log.name, {})
    bars = []
    for case in ours.values():
        if case.source == "swift" and (case.view != "html" or case.is_gzipped):
            continue  # the other views from Swift show the same
        bar = _bar(by_name[case.name], case.name, "oslogserve", unit)
        if limit := targets.get(case.name):
            bar = bar._replace(target=limit * by_name[case.neighbour].median("total") / unit)
        bars.append(bar)
    return charts.ratios(
        f"Time to send a log of {log.size / 1e6:.0f} MB",
        f"1 = nginx unpacks it and sends it as text; median of {rounds.count} rounds; stored gzipped, on loopback",
        sorted(others, key=lambda bar: bar.name != cases.NGINX) + bars,
    )


def _bar(row: Row, name: str, kind: str, unit: float) -> charts.Bar:
    time = row.median("total")
    note = f"{time:.2f} s" if time >= 1 else f"{time * 1e3:.0f} ms"
    return charts.Bar(name, time / unit, kind, note)
