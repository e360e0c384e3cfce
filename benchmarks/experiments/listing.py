# SPDX-License-Identifier: Apache-2.0
"""Times of logs and folders in Swift, by the number of objects below the same prefix."""

from benchmarks import charts
from benchmarks.experiments.figures import medians
from benchmarks.fetch import Plan, fetched, notes, spread
from benchmarks.lab import CONTAINER, Lab
from benchmarks.report import Outcome, digits
from oslogserve.bench.logs import Endpoint
from oslogserve.bench.result import Result

#: Rows of the container's database, which are all that a listing reads. The objects themselves
#: would take half an hour to upload.
COUNTS, QUICK_COUNTS = (1000, 10_000, 100_000), (100, 200)
#: Logs in the job's folder, whose name is between those of the objects.
JOB = 20
#: The path and the metric that is shown, by name.
PATHS = {
    "a log": ("many/050/log-00.txt", "total"),
    f"a folder of {JOB} logs": ("many/050/?format=json", "total"),
    "all objects, first byte": ("many/?format=json", "response"),
}
FLAT = tuple(PATHS)[:2]


def measured(lab: Lab) -> Outcome:
    for number in range(JOB):
        lab.write(f"many/050/log-{number:02}.txt", 20_000)
    #: Results for each count, by what is fetched.
    results: dict[str, dict[int, Result]] = {what: {} for what in PATHS}
    counts = lab.choose(COUNTS, QUICK_COUNTS)
    with lab.server() as server:
        source = Endpoint("swift", server.url, {"source": "swift"})
        for count in counts:
            lab.swift.list_more(CONTAINER, "many/", count)
            for what, (path, _) in PATHS.items():
                plan = Plan(lab.choose(100 if what in FLAT else 10, 2), runs=lab.choose(3, 2))
                results[what][count] = fetched(plan, [source], [path])
    return _outcome(results, counts)


def _outcome(results: dict[str, dict[int, Result]], counts: tuple[int, ...]) -> Outcome:
    rows = [
        (
            f"{count:,}",
            *(spread(results[what][count], "swift", metric) for what, (_, metric) in PATHS.items()),
        )
        for count in counts
    ]
    times = {
        what: medians(results[what].values(), "swift", metric)
        for what, (_, metric) in PATHS.items()
    }
    figure = charts.lines(
        "objects under the prefix",
        ("ms (median)", {what: (counts, shown) for what, shown in times.items()}),
        xticks={count: f"{count:,}" for count in counts},
    )
    said = "; ".join(
        f"{what} takes {digits(times[what][-1] / times[what][0])} times as long" for what in FLAT
    )
    sentence = (
        f"From {counts[0]:,} to {counts[-1]:,} objects, {said}. The listing of all begins when Swift "
        "has sent its first 10,000 names."
    )
    named = {f"{n:,} objects, {what}": results[what][n] for n in counts for what in PATHS}
    return Outcome([sentence], ("Objects", *PATHS), rows, figure, notes(named))
