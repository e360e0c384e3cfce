# SPDX-License-Identifier: Apache-2.0
"""The chart of a run: times with one log, by the time that nginx takes to unpack and send it."""

import statistics
from collections.abc import Sequence

from benchmarks import cases, chart
from benchmarks.logs import Log
from benchmarks.report import Everything, Result, Sample
from benchmarks.targets import LARGE, TIMES_AT_MOST, main_log


def drawn(run: Everything) -> str:
    log = main_log(run.logs())
    results = run.of(log)
    times = _neighbours(results)
    unit = times[cases.NGINX]
    others = [
        chart.Bar(_NAMES.get(name, name), time / unit, "other", _seconds(time))
        for name, time in times.items()
    ]
    others += [
        chart.Bar(x.case.name, _median(x.ours) / unit, "other", _seconds(_median(x.ours)))
        for x in results
        if not x.case.renderer
    ]
    ours = [_bar(x, log, times, unit) for x in results if _is_drawn(x)]
    return chart.svg(
        f"Time to send a log of {log.size / 1e6:.0f} MB",
        f"1 = nginx unpacks it and sends it as text; median of {len(results[0].rounds)} rounds;"
        " stored gzipped, on loopback",
        [*others, *ours],
    )


_NAMES = {cases.NGINX: "nginx, unpacking: text", cases.NGINX_AS_STORED: "nginx, as stored: gzip"}


def _neighbours(results: Sequence[Result]) -> dict[str, float]:
    """The median time of each neighbour, with nginx's first."""
    samples: dict[str, list[Sample]] = {cases.NGINX: []}
    for result in results:
        samples.setdefault(result.case.beside, []).extend(result.beside)
    return {name: _median(found) for name, found in samples.items()}


def _is_drawn(result: Result) -> bool:
    """True for all cases from disk; from Swift only for the page: the rest shows the same."""
    case = result.case
    if not case.renderer or not result.is_sent_as_named:
        return False
    return case.source == "disk" or (case.view, case.encoding) == ("html", "identity")


def _bar(result: Result, log: Log, times: dict[str, float], unit: float) -> chart.Bar:
    case, time = result.case, _median(result.ours)
    limit = TIMES_AT_MOST.get(case.name) if log.megabytes == LARGE else None
    target = None if limit is None else limit * times[case.beside] / unit
    name = case.name.replace(f", {case.renderer}", "")
    return chart.Bar(name, time / unit, case.renderer, _seconds(time), target)


def _median(samples: Sequence[Sample]) -> float:
    return statistics.median(sample.total for sample in samples)


def _seconds(time: float) -> str:
    return f"{time:.2f} s" if time >= 1 else f"{time * 1e3:.0f} ms"
