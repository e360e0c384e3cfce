# SPDX-License-Identifier: Apache-2.0
"""Times of logs and folders in Swift, by the number of rows below the same prefix."""

import contextlib

from benchmarks import charts
from benchmarks.fetch import Plan, fetched, median, notes, qualified, run_ratios, spread
from benchmarks.lab import WARM, Lab, write_log
from benchmarks.report import Outcome, digits, ranged
from oslogserve.bench import stats
from oslogserve.bench.logs import Endpoint
from oslogserve.bench.result import Result

#: Rows of a container's database, which are all that a listing reads. They have no objects, which
#: would take half an hour to upload.
COUNTS, QUICK_COUNTS = (1000, 10_000, 100_000), (100, 200)
#: Logs in the job's folder, whose name is between those of the rows.
JOB = 20
#: The path and the metric that is shown, by name.
PATHS = {
    "a log": ("many/050/log-00.txt", "total"),
    f"a folder of {JOB} logs": ("many/050/?format=json", "total"),
    "all rows, first byte": ("many/?format=json", "response"),
}
FLAT = tuple(PATHS)[:2]
#: The most that a ratio may be off 1 in all runs, to call it no difference.
ALIKE = 0.10


def measured(lab: Lab) -> Outcome:
    counts = lab.choose(COUNTS, QUICK_COUNTS)
    write_log(lab.folder / "log.txt", 20_000)
    log = (lab.folder / "log.txt").read_bytes()
    names = [WARM, *(f"many/050/log-{number:02}.txt" for number in range(JOB))]
    results = {}
    with contextlib.ExitStack() as servers:
        sources = []
        for count in counts:
            container = f"many-{count}"
            lab.swift.put(container, dict.fromkeys(names, log))
            lab.swift.list_more(container, "many/", count)
            server = servers.enter_context(lab.server(container=container))
            sources.append(Endpoint(str(count), server.url, {"source": "swift"}))
        # The containers take turns: one after the other, a busier machine would look like more rows.
        for what, (path, _) in PATHS.items():
            plan = Plan(lab.choose(40 if what in FLAT else 8, 2), runs=lab.choose(5, 2))
            results[what] = fetched(plan, sources, [path])
    return _outcome(results, counts)


def _outcome(results: dict[str, Result], counts: tuple[int, ...]) -> Outcome:
    rows = [
        (
            f"{count:,}",
            *(spread(results[what], str(count), metric) for what, (_, metric) in PATHS.items()),
        )
        for count in counts
    ]
    times = {
        what: [1000 * median(results[what], str(count), metric) for count in counts]
        for what, (_, metric) in PATHS.items()
    }
    figure = charts.lines(
        "rows under the prefix",
        ("ms (median)", {what: (counts, shown) for what, shown in times.items()}),
        xticks={count: f"{count:,}" for count in counts},
    )
    few, many = str(counts[0]), str(counts[-1])
    ratios = {what: run_ratios(results[what], many, few, PATHS[what][1]) for what in PATHS}
    said = "; ".join(
        f"{what} {ranged(stats.described(ratios[what]).p50, ratios[what])}" for what in PATHS
    )
    sentence = f"Times with {counts[-1]:,} rows divided by those with {counts[0]:,}: {said}."
    answer = _answer([ratio for what in FLAT for ratio in ratios[what]], counts)
    answer = qualified(answer, results.values())
    # The listings of more rows are longer.
    kept = [note for note in notes(results) if "differ in size" not in note]
    return Outcome([sentence], ("Rows", *PATHS), rows, figure, kept, answer)


def _answer(ratios: list[float], counts: tuple[int, ...]) -> str:
    times = counts[-1] // counts[0]
    found = f"{digits(min(ratios))} to {digits(max(ratios))} times as long over all runs"
    if max(abs(ratio - 1) for ratio in ratios) <= ALIKE:
        said = f"No: with {times} times as many rows, a log and its folder take {found}"
    elif min(ratios) > 1:
        said = f"Yes: with {times} times as many rows, a log and its folder take {found}"
    else:
        said = (
            f"A log and its folder take {found} with {times} times as many rows, so a difference is "
            "smaller than the scatter of the runs"
        )
    return f"{said}; rows have no objects, so nothing is said of a full disk."
