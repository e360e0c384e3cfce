# SPDX-License-Identifier: Apache-2.0
"""Chunks of 64 bytes, as the first os-loganalyze had, to 1 MiB."""

import contextlib

from benchmarks.experiments import figures
from benchmarks.experiments.figures import DISK_AND_SWIFT
from benchmarks.fetch import Plan, fetched, median, notes, qualified
from benchmarks.lab import Lab, both_sources
from benchmarks.report import Outcome, binary_size, digits
from oslogserve.bench.result import Result

SIZE = 5_000_000
CHUNKS = (64, 256, 1024, 4096, 16384, 65536, 262144, 1048576)
QUICK = (64, 65536)
#: The default.
SHIPPED = 65536
APP = "benchmarks.experiments.app_with_small_chunks:application"


def measured(lab: Lab) -> Outcome:
    name = "chunks/log.txt"
    lab.write(name, lab.choose(SIZE, SIZE // 10))
    chunks = lab.choose(CHUNKS, QUICK)
    with contextlib.ExitStack() as servers:
        sources = []
        for chunk in chunks:
            server = servers.enter_context(lab.server(APP, env={"CHUNK_SIZE": str(chunk)}))
            for source in both_sources(server):
                sources.append(source._replace(name=f"{source.name}, {chunk}"))
        result = fetched(Plan(lab.choose(15, 2), runs=lab.choose(3, 2)), sources, [name])
    results = {chunk: figures.part(result, str(chunk)) for chunk in chunks}
    rows = [
        (binary_size(chunk), *figures.cells(found, DISK_AND_SWIFT))
        for chunk, found in results.items()
    ]
    headings = ("Chunk", *figures.headings(DISK_AND_SWIFT.values()))
    figure = figures.lines("chunk", results, DISK_AND_SWIFT, binary_size)
    answer = qualified(_answer(results), [result])
    return Outcome([], headings, rows, figure, notes({"all": result}), answer)


def _totals(results: dict[int, Result], source: str) -> dict[int, float]:
    return {chunk: median(result, source, "total") for chunk, result in results.items()}


def _answer(results: dict[int, Result]) -> str:
    found = [_totals(results, source) for source in DISK_AND_SWIFT]
    disk, swift = (digits(totals[64] / totals[SHIPPED]) for totals in found)
    gained = max(1 - min(totals.values()) / totals[SHIPPED] for totals in found)
    return (
        f"Chunks of 64 bytes made a log {disk} times slower from disk and {swift} times from Swift; no "
        f"other size saves more than {gained:.0%} of the time with {binary_size(SHIPPED)}."
    )
