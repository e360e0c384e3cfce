# SPDX-License-Identifier: Apache-2.0
"""The four scenarios with which os-loganalyze was timed, and the time of raw Swift alone."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from benchmarks import charts
from benchmarks.experiments.figures import METRICS
from benchmarks.fetch import Plan, fetched, median, notes, percentiles, qualified, values
from benchmarks.lab import Lab, both_sources
from benchmarks.report import Outcome, digits, milliseconds
from oslogserve.bench import stats
from oslogserve.bench.result import Result, sentences
from oslogserve.bench.text import PASSES, passes

#: Bytes of the log that is fetched again and again, and of the largest recent log. Its mean is that
#: of the recent logs: the original's logs had 1,226 and 1,232 KB.
ONE_SIZE, LARGEST = 1_230_000, 6_200_000
#: Sizes of recent logs, as parts of the largest: many small, few large.
SPREAD = (1, 0.5, 0.25, 0.12, 0.06, 0.03, 0.015, 0.008, 0.004, 0.002)
PARALLEL = 5
#: The targets. Swift's response: so many times disk's, plus that of a raw GET. The longest response: so
#: many times the 99th percentile.
TIMES_DISK, TIMES_P99 = 1.5, 3

OF_METRICS = [f"{metric} {name}" for metric in METRICS for name in PASSES]
HEADINGS = ("Scenario and source", "kB", *OF_METRICS, "outliers", "response p99", "max")
#: A log that is fetched again and again gains if it takes at most this part of the time of others.
GAINS = 0.9
#: Sources in the chart.
DRAWN = ("disk", "Swift", "swiftclient alone")


class Scenario(NamedTuple):
    """Results of disk and Swift in turn, of Swift itself, and of swiftclient alone."""

    both: Result
    itself: Result
    alone: Result

    def sources(self) -> dict[str, tuple[Result, str]]:
        """Results with their source, by the shown name."""
        return {
            "disk": (self.both, "disk"),
            "Swift": (self.both, "swift"),
            "Swift itself": (self.itself, "Swift itself"),
            "swiftclient alone": (self.alone, "alone"),
        }


def measured(lab: Lab) -> Outcome:
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
                alone = [lab.fetched_by_swiftclient(names, lab.choose(50, 4))]
                both = fetched(plan, both_sources(server), names)
                plan = replace(plan, headers=[lab.token_header()])
                itself = fetched(plan, [lab.objects_source], names)
                alone.append(lab.fetched_by_swiftclient(names, lab.choose(50, 4)))
                found[f"{what}, {how}"] = Scenario(both, itself, Result({}, alone))
    return _outcome(found)


def _outcome(found: dict[str, Scenario]) -> Outcome:
    rows = [
        _row(f"{name}: {shown}", *measured)
        for name, scenario in found.items()
        for shown, measured in scenario.sources().items()
    ]
    panels = [
        (
            f"{metric.capitalize()}, ms (median)",
            list(found),
            {
                shown: [1000 * median(*each.sources()[shown], metric) for each in found.values()]
                for shown in DRAWN
            },
        )
        for metric in METRICS
    ]
    said = [_verdict(name, scenario) for name, scenario in found.items()]
    kept = notes({name: scenario.both for name, scenario in found.items()}, has_p99=True)
    answer = qualified(_answer(found), [scenario.both for scenario in found.values()])
    return Outcome(said, HEADINGS, rows, charts.bars(*panels), kept, answer)


def _row(name: str, result: Result, source: str) -> Sequence[str]:
    samples = stats.by_source(result.samples)[source]
    return name, *passes(samples), *percentiles(values(result, source, "response"))[1:]


def _verdict(name: str, scenario: Scenario) -> str:
    both = scenario.both
    disk, swift, itself, alone = (
        median(*measured, "response") for measured in scenario.sources().values()
    )
    allowed = TIMES_DISK * disk + alone
    described = [stats.described(values(both, source, "response")) for source in ("disk", "swift")]
    longest = max(times.most / times.p99 for times in described)
    compared = "; ".join(sentences(stats.ratios(both.samples), both.is_limited))
    return (
        f"{name.capitalize()}: {compared}. Swift's response took {milliseconds(swift)} ms; "
        f"{milliseconds(allowed)} are allowed ({_met(swift, allowed, both)}). "
        f"Swift itself, with as many at once, took {milliseconds(itself)} ms. The longest response "
        f"was {digits(longest)} times the 99th percentile; {TIMES_P99} are allowed "
        f"({_met(longest, TIMES_P99, both)})."
    )


def _answer(found: dict[str, Scenario]) -> str:
    response = {
        source: [median(scenario.both, source, "response") for scenario in found.values()]
        for source in ("disk", "swift")
    }
    times = [swift / disk for disk, swift in zip(*response.values(), strict=True)]
    again = [one / others for one, others in ((own[0], own[2]) for own in response.values())]
    gain = "gains from a cache" if max(again) <= GAINS else "gains nothing that shows"
    return (
        f"Swift answers {digits(min(times))} to {digits(max(times))} times later than disk. One log, "
        f"again and again, {gain}: its response takes {digits(again[0])} times as long as that of "
        f"recent logs from disk, and {digits(again[1])} times from Swift."
    )


def _met(value: float, most: float, result: Result) -> str:
    met = "met" if value <= most else "missed"
    return f"{met}, but the client was the limit" if result.is_limited else met
