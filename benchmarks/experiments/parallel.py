# SPDX-License-Identifier: Apache-2.0
"""1 to 64 requests at once: requests a second, and their response."""

from dataclasses import replace

from benchmarks import charts
from benchmarks.experiments.figures import medians
from benchmarks.fetch import Plan, failures, fetched, median, notes, rate, values
from benchmarks.lab import Lab, both_sources
from benchmarks.report import Outcome, digits, milliseconds
from oslogserve.bench import stats
from oslogserve.bench.result import Result

SIZE = 100_000
AT_ONCE = (1, 2, 4, 8, 16, 32, 64)
#: Names of the sources in the table.
SHOWN = {"disk": "disk", "swift": "Swift", "Swift itself": "Swift itself"}

#: The part of the most answers a second, from which on more requests at once gain little.
NEARLY = 0.9

#: Results for each count of requests at once, by source.
Results = dict[str, dict[int, Result]]


def measured(lab: Lab) -> Outcome:
    name = "parallel/log.txt"
    lab.write(name, SIZE)
    results: Results = {source: {} for source in SHOWN}
    with lab.server() as server:
        for at_once in lab.choose(AT_ONCE, (1, 64)):
            plan = Plan(seconds=lab.choose(1.5, 0.4), runs=lab.choose(3, 1), parallel=at_once)
            # Each source alone: in turn, the slower one would set the pace of all.
            for source in both_sources(server):
                results[source.name][at_once] = fetched(plan, [source], [name])
            plan = replace(plan, headers=[lab.token_header()])
            results["Swift itself"][at_once] = fetched(plan, [lab.objects_source], [name])
    return _outcome(results)


def _outcome(results: Results) -> Outcome:
    at_onces = list(results["disk"])
    rows = []
    for at_once in at_onces:
        found = [(source, results[source][at_once]) for source in SHOWN]
        p99s = [stats.described(values(result, name, "response")).p99 for name, result in found]
        swift = results["swift"][at_once]
        rows.append(
            (
                str(at_once),
                *(digits(rate(result, name)) for name, result in found),
                *(milliseconds(median(result, name, "response")) for name, result in found),
                *map(milliseconds, p99s),
                f"{failures(swift) / max(1, len(swift.samples)):.0%}",
            )
        )
    headings = (
        "At once",
        *(f"{what}, {name}" for what in ("requests/s", "p50", "p99") for name in SHOWN.values()),
        "refused, Swift",
    )
    rates = {name: [rate(found, name) for found in own.values()] for name, own in results.items()}
    waits = {name: medians(own.values(), name, "response") for name, own in results.items()}
    panels = [
        (title, {SHOWN[name]: (at_onces, ys) for name, ys in shown.items()})
        for title, shown in (("Requests a second", rates), ("Response, ms (median)", waits))
    ]
    figure = charts.lines("requests at once", *panels, xticks={n: str(n) for n in at_onces})
    named = {f"{SHOWN[name]}, {n} at once": results[name][n] for n in at_onces for name in SHOWN}
    refused = {n: failures(found) / len(found.samples) for n, found in results["swift"].items()}
    answer = _answer(results, rates, refused)
    return Outcome([], headings, rows, figure, notes(named), answer)


def _answer(results: Results, rates: dict[str, list[float]], refused: dict[int, float]) -> str:
    disk, swift = (_end(results[name], rates[name]) for name in ("disk", "swift"))
    none = max((n for n, part in refused.items() if not part), default=0)
    some = f"of more than {none} requests to Swift at once, some are refused"
    said = some if none < max(refused) else "no request to Swift was refused"
    return f"Disk {disk}. Swift {swift}; {said}."


def _end(results: dict[int, Result], rates: list[float]) -> str:
    """Up to where a source scales, as far as the client lets it show."""
    reached = [n for n, one in zip(results, rates, strict=True) if one >= NEARLY * max(rates)]
    if any(results[n].is_limited for n in results if n >= reached[0]):
        return (
            f"gives at least {digits(max(rates))} answers a second: then the client was the limit"
        )
    return f"scales to {reached[0]} at once, where it has {NEARLY:.0%} of its most"
