# SPDX-License-Identifier: Apache-2.0
"""1 to 64 requests at once: how many a second, and how long each waits."""

from experiments import charts
from experiments.lab import Lab, both_sources
from experiments.outcome import Outcome
from experiments.plan import Plan, digits, fetched, median, milliseconds, notes, rate, values
from experiments.scenarios import swift_itself
from oslogserve.bench import stats
from oslogserve.bench.result import Result

SIZE = 100_000
AT_ONCE = (1, 2, 4, 8, 16, 32, 64)
#: Source, as a table names it.
SHOWN = {"disk": "disk", "swift": "Swift", "itself": "Swift itself"}


def measured(lab: Lab) -> Outcome:
    name = "parallel/log.txt"
    lab.write(name, SIZE)
    results: dict[tuple[int, str], Result] = {}
    with lab.server() as server:
        for at_once in lab.choose(AT_ONCE, (1, 64)):
            plan = Plan(seconds=lab.choose(1.5, 0.4), runs=lab.choose(3, 1), parallel=at_once)
            # One by one, not in turn: in turn the slower would set the pace of both.
            for source in both_sources(server):
                results[at_once, source.name] = fetched(plan, [source], [name])
            results[at_once, "itself"] = swift_itself(lab, plan, [name])
    return _outcome(results)


def _outcome(results: dict[tuple[int, str], Result]) -> Outcome:
    at_onces = sorted({at_once for at_once, _ in results})
    rows = []
    for at_once in at_onces:
        found = [(source, results[at_once, source]) for source in SHOWN]
        failed = [sample for sample in results[at_once, "swift"].samples if sample.error]
        p99s = [stats.described(values(result, name, "response")).p99 for name, result in found]
        rows.append(
            (
                str(at_once),
                *(digits(rate(result, name)) for name, result in found),
                *(milliseconds(median(result, name, "response")) for name, result in found),
                *map(milliseconds, p99s),
                f"{len(failed) / max(1, len(results[at_once, 'swift'].samples)):.0%}",
            )
        )
    headings = (
        "At once",
        *(f"{what}, {name}" for what in ("requests/s", "p50", "p99") for name in SHOWN.values()),
        "refused, Swift",
    )
    panels = [
        (
            title,
            {
                shown: (at_onces, [value(results[each, name], name) for each in at_onces])
                for name, shown in SHOWN.items()
            },
        )
        for title, value in (
            ("Requests a second", rate),
            ("Response, ms (median)", lambda result, name: 1000 * median(result, name, "response")),
        )
    ]
    xticks = {each: str(each) for each in at_onces}
    figure = charts.lines("requests at once", *panels, xticks=xticks)
    shown = {f"{SHOWN[name]}, {each} at once": found for (each, name), found in results.items()}
    return Outcome([_sentence(results, at_onces)], headings, rows, figure, notes(shown))


def _sentence(results: dict[tuple[int, str], Result], at_onces: list[int]) -> str:
    most = {
        name: max((rate(results[each, name], name), each) for each in at_onces) for name in SHOWN
    }
    return (
        f"The most requests a second are {digits(most['disk'][0])} from disk (with "
        f"{most['disk'][1]} at once), {digits(most['swift'][0])} out of Swift (with "
        f"{most['swift'][1]}), and {digits(most['itself'][0])} of this Swift itself (with "
        f"{most['itself'][1]}), whose servers are one process here."
    )
