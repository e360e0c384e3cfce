# SPDX-License-Identifier: Apache-2.0
"""Logs and folders in Swift, beside how many objects it holds under the same prefix."""

from experiments import charts
from experiments.lab import CONTAINER, Lab
from experiments.outcome import Outcome
from experiments.plan import Plan, digits, fetched, median, notes, spread
from oslogserve.bench.logs import Source
from oslogserve.bench.result import Result

#: Rows of the container's database, which are all that a listing reads: no objects, which would
#: take half an hour to upload.
COUNTS, QUICK_COUNTS = (1000, 10_000, 100_000), (100, 200)
#: Logs of the job's folder, which lies between the objects.
JOB = 20
PATHS = {
    "a log": ("many/050/log-00.txt", "total"),
    f"a folder of {JOB} logs": ("many/050/?format=json", "total"),
    "all objects, first byte": ("many/?format=json", "response"),
}
FLAT = tuple(PATHS)[:2]


def measured(lab: Lab) -> Outcome:
    for number in range(JOB):
        lab.write(f"many/050/log-{number:02}.txt", 20_000)
    results: dict[tuple[int, str], Result] = {}
    counts = lab.choose(COUNTS, QUICK_COUNTS)
    with lab.server() as server:
        source = Source("swift", server.url, {"source": "swift"})
        for count in counts:
            lab.swift.list_more(CONTAINER, "many/", count)
            for what, (path, _) in PATHS.items():
                plan = Plan(lab.choose(100 if what in FLAT else 10, 2), runs=lab.choose(3, 2))
                results[count, what] = fetched(plan, [source], [path])
    rows = [
        (f"{count:,}", *(spread(results[count, what], "swift", when) for what, when in shown()))
        for count in counts
    ]
    figure = charts.lines(
        "objects under the prefix",
        (
            "ms (median)",
            {what: (counts, _medians(results, counts, what, when)) for what, when in shown()},
        ),
        xticks={count: f"{count:,}" for count in counts},
    )
    most = {
        what: _medians(results, counts, what, PATHS[what][1])[-1]
        / _medians(results, counts, what, PATHS[what][1])[0]
        for what in FLAT
    }
    said = "; ".join(f"{what} takes {digits(times)} times as long" for what, times in most.items())
    sentence = (
        f"From {counts[0]:,} to {counts[-1]:,} objects, {said}. The listing of all begins when Swift "
        "has sent its first 10,000 names."
    )
    named = {f"{count:,} objects, {what}": found for (count, what), found in results.items()}
    return Outcome([sentence], ("Objects", *PATHS), rows, figure, notes(named))


def shown() -> list[tuple[str, str]]:
    """The measured paths, each with the metric that is shown of it."""
    return [(what, when) for what, (_, when) in PATHS.items()]


def _medians(
    results: dict[tuple[int, str], Result], counts: tuple[int, ...], what: str, when: str
) -> list[float]:
    return [1000 * median(results[count, what], "swift", when) for count in counts]
