# SPDX-License-Identifier: Apache-2.0
"""The four scenarios with which os-loganalyze was timed, and what raw Swift costs alone."""

from collections.abc import Sequence
from dataclasses import replace

from experiments import charts
from experiments.lab import CONTAINER, Lab, RawTimes
from experiments.outcome import Outcome
from experiments.plan import Plan, digits, fetched, median, milliseconds, notes, spread, values
from oslogserve.bench import stats
from oslogserve.bench.logs import Source
from oslogserve.bench.result import Result, sentences

#: One that is fetched again and again, and the largest of the recent ones.
ONE_SIZE, LARGEST = 8_000_000, 4_000_000
#: Sizes of recent logs, as parts of the largest: many small, few large.
SPREAD = (1, 0.5, 0.25, 0.12, 0.06, 0.03, 0.015, 0.008, 0.004, 0.002)
PARALLEL = 5
#: Swift's response may take so many times disk's beside what a raw GET takes; the longest
#: response so many times the 99th percentile.
TIMES_DISK, TIMES_P99 = 1.5, 3

_HEADINGS = (
    "Scenario and source",
    "response, ms",
    "mean*",
    "p99",
    "max",
    "transfer, ms",
    "mean*",
    "outliers",
)


def measured(lab: Lab) -> Outcome:
    return _outcome(_scenarios(lab))


def _scenarios(lab: Lab) -> dict[str, tuple[Result, Result, RawTimes]]:
    """Results by scenario: disk beside Swift, Swift itself, and raw GETs alone."""
    one = ["job/console.txt.gz"]
    lab.write(one[0], lab.choose(ONE_SIZE, ONE_SIZE // 8))
    recent = [f"recent/{number}.txt.gz" for number in range(lab.choose(20, 4))]
    for number, name in enumerate(recent):
        lab.write(name, int(LARGEST * SPREAD[number % len(SPREAD)]), seed=number)
    found = {}
    with lab.server() as server:
        for what, names in (("one file", one), ("recent logs", recent)):
            for how, at_once in (("one by one", 1), (f"{PARALLEL} parallel", PARALLEL)):
                plan = Plan(lab.choose(150, 6), runs=lab.choose(3, 2), parallel=at_once)
                raw = lab.raw(names, lab.choose(50, 4))
                both = lab.disk_and_swift(server, plan, *names)
                itself = swift_itself(lab, plan, names)
                raw += lab.raw(names, lab.choose(50, 4))
                found[f"{what}, {how}"] = both, itself, raw
    return found


def swift_itself(lab: Lab, plan: Plan, names: Sequence[str]) -> Result:
    """The result of fetching the objects from Swift without oslogserve, by the same client."""
    headers = [f"X-Auth-Token: {lab.keystone.session().get_token()}"]
    source = Source("itself", f"{lab.swift.storage_url}/{CONTAINER}", {})
    return fetched(replace(plan, headers=headers), [source], names)


def _outcome(found: dict[str, tuple[Result, Result, RawTimes]]) -> Outcome:
    rows: list[Sequence[str]] = []
    said: list[str] = []
    for scenario, (both, itself, raw) in found.items():
        rows += [
            _row(f"{scenario}: disk", both, "disk"),
            _row(f"{scenario}: Swift", both, "swift"),
            _row(f"{scenario}: Swift itself", itself, "itself"),
            _raw_row(f"{scenario}: swiftclient alone", raw),
        ]
        said.append(_verdict(scenario, both, itself, raw))
    responses = {name: [] for name in ("disk", "Swift", "swiftclient alone")}
    transfers = {name: [] for name in responses}
    for both, _, raw in found.values():
        for shown, metric in ((responses, "response"), (transfers, "transfer")):
            shown["disk"].append(1000 * median(both, "disk", metric))
            shown["Swift"].append(1000 * median(both, "swift", metric))
            shown["swiftclient alone"].append(1000 * stats.described(getattr(raw, metric)).p50)
    figure = charts.bars(
        ("Response, ms (median)", list(found), responses),
        ("Transfer, ms (median)", list(found), transfers),
    )
    kept = notes({name: both for name, (both, _, _) in found.items()}, has_p99=True)
    return Outcome(said, _HEADINGS, rows, figure, kept)


def _row(name: str, result: Result, source: str) -> Sequence[str]:
    response, transfer = (values(result, source, metric) for metric in ("response", "transfer"))
    left = stats.without_outliers(response)
    times = stats.described(response)
    return (
        name,
        spread(result, source, "response"),
        milliseconds(stats.described(left).mean),
        milliseconds(times.p99),
        milliseconds(times.most),
        spread(result, source, "transfer"),
        milliseconds(stats.described(stats.without_outliers(transfer)).mean),
        f"{len(response) - len(left)} of {len(response)}",
    )


def _raw_row(name: str, raw: RawTimes) -> Sequence[str]:
    left = stats.without_outliers(raw.response)
    times, transfer = stats.described(raw.response), stats.described(raw.transfer)
    return (
        name,
        milliseconds(times.p50),
        milliseconds(stats.described(left).mean),
        milliseconds(times.p99),
        milliseconds(times.most),
        milliseconds(transfer.p50),
        milliseconds(stats.described(stats.without_outliers(raw.transfer)).mean),
        f"{len(raw.response) - len(left)} of {len(raw.response)}",
    )


def _verdict(scenario: str, both: Result, itself: Result, raw: RawTimes) -> str:
    disk, swift = (median(both, source, "response") for source in ("disk", "swift"))
    allowed = TIMES_DISK * disk + stats.described(raw.response).p50
    longest = max(
        times.most / times.p99
        for times in (stats.described(values(both, name, "response")) for name in ("disk", "swift"))
    )
    return (
        f"{scenario.capitalize()}: {'; '.join(sentences(both.samples))}. Swift's response of "
        f"{milliseconds(swift)} ms is {_met(swift, allowed)} the {milliseconds(allowed)} ms that "
        f"{TIMES_DISK} of disk's and a raw GET's come to (Swift itself, as many at once: "
        f"{milliseconds(median(itself, 'itself', 'response'))} ms); the longest response is "
        f"{digits(longest)} times the 99th percentile, {_met(longest, TIMES_P99)} {TIMES_P99}."
    )


def _met(value: float, most: float) -> str:
    return "within" if value <= most else "more than"
