# SPDX-License-Identifier: Apache-2.0
"""A log as HTML, as text and filtered."""

from benchmarks.experiments import figures
from benchmarks.experiments.figures import DISK_AND_SWIFT, METRICS
from benchmarks.fetch import Plan, fetched, notes, qualified
from benchmarks.lab import Lab
from benchmarks.report import Outcome, decimal_size, digits
from oslogserve.bench import stats
from oslogserve.bench.logs import Endpoint
from oslogserve.bench.result import Result

SIZE = 10_000_000
#: Parameters by what is shown.
SHOWN = {
    "text": {"format": "text"},
    "HTML": {"format": "html"},
    "level=ERROR": {"format": "text", "level": "ERROR"},
}


def measured(lab: Lab) -> Outcome:
    name = "formats/log.txt.gz"
    lab.write(name, lab.choose(SIZE, SIZE // 10))
    with lab.server() as server:
        sources = [
            Endpoint(f"{source}, {shown}", server.url, {**parameters, "source": source})
            for shown, parameters in SHOWN.items()
            for source in DISK_AND_SWIFT
        ]
        result = fetched(Plan(lab.choose(40, 3), runs=lab.choose(3, 2)), sources, [name])
    return _outcome(result)


def _outcome(result: Result) -> Outcome:
    results = {shown: figures.part(result, shown) for shown in SHOWN}
    rows = [
        (
            f"{shown}, {source}",
            *figures.cells(found, [source], (*METRICS, "total")),
            digits(max(sample.size for sample in samples) / 1e6),
        )
        for shown, found in results.items()
        for source, samples in stats.by_source(found.samples).items()
    ]
    said, more = [], []
    for source in DISK_AND_SWIFT:
        text, html, errors = figures.medians(results.values(), source, "total")
        said.append(
            f"From {source}, HTML takes {digits(html / text)} times as long as text, and errors alone "
            f"{digits(errors / text)} times."
        )
        more.append(f"{digits(html - text)} ms from {DISK_AND_SWIFT[source]}")
    answer = f"Rendering {decimal_size(SIZE)} of text as HTML adds {' and '.join(more)}."
    headings = ("Shown and source", "response, ms", "transfer, ms", "total, ms", "MB sent")
    # The sizes differ because the views do.
    kept = [note for note in notes({"all": result}) if "differ in size" not in note]
    figure = figures.bars(results, DISK_AND_SWIFT)
    answer = qualified(answer, [result])
    return Outcome(said, headings, rows, figure, kept, answer)
