# SPDX-License-Identifier: Apache-2.0
"""Chunks of 64 bytes, as the first os-loganalyze had, to 1 MiB."""

import contextlib

from experiments import charts
from experiments.lab import Lab, both_sources
from experiments.outcome import Outcome
from experiments.plan import Plan, digits, fetched, median, notes, spread
from oslogserve.bench.result import Result

SIZE = 5_000_000
CHUNKS = (64, 256, 1024, 4096, 16384, 65536, 262144, 1048576)
QUICK = (64, 65536)
#: The default.
SHIPPED = 65536
APP = "experiments.app_with_small_chunks:application"
METRICS = ("response", "transfer")


def measured(lab: Lab) -> Outcome:
    name = "chunks/log.txt"
    lab.write(name, lab.choose(SIZE, SIZE // 10))
    chunks = lab.choose(CHUNKS, QUICK)
    with contextlib.ExitStack() as servers:
        sources = []
        for chunk in chunks:
            server = servers.enter_context(lab.server(APP, chunk_size=chunk))
            for source in both_sources(server):
                sources.append(source._replace(name=f"{source.name} {chunk}"))
        result = fetched(Plan(lab.choose(15, 2), runs=lab.choose(3, 2)), sources, [name])
    return _outcome(result, chunks)


def _outcome(result: Result, chunks: tuple[int, ...]) -> Outcome:
    rows = [
        (
            shown(chunk),
            *(
                spread(result, f"{source} {chunk}", metric)
                for metric in METRICS
                for source in ("disk", "swift")
            ),
        )
        for chunk in chunks
    ]
    panels = [
        (
            f"{metric.capitalize()}, ms (median)",
            {
                source: (
                    chunks,
                    [1000 * median(result, f"{source} {chunk}", metric) for chunk in chunks],
                )
                for source in ("disk", "swift")
            },
        )
        for metric in METRICS
    ]
    headings = ("Chunk", "response, disk", "response, Swift", "transfer, disk", "transfer, Swift")
    figure = charts.lines("chunk", *panels, xticks={chunk: shown(chunk) for chunk in chunks})
    said = []
    for source in ("disk", "swift"):
        totals = {chunk: median(result, f"{source} {chunk}", "total") for chunk in chunks}
        best = min(totals, key=totals.__getitem__)
        said.append(
            f"From {source}, chunks of 64 bytes take "
            f"{digits(totals[64] / totals[SHIPPED])} times as long as the shipped "
            f"{shown(SHIPPED)}; {shown(best)} are the fastest, in "
            f"{digits(totals[best] / totals[SHIPPED])} of the time."
        )
    return Outcome(said, headings, rows, figure, notes({"all": result}))


def shown(size: int) -> str:
    for unit, name in ((2**20, "MiB"), (2**10, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"
