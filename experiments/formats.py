# SPDX-License-Identifier: Apache-2.0
"""A log as HTML, as text and filtered."""

from experiments import charts
from experiments.lab import Lab
from experiments.outcome import Outcome
from experiments.plan import Plan, digits, fetched, median, notes, spread
from oslogserve.bench import stats
from oslogserve.bench.logs import Source
from oslogserve.bench.result import Result

SIZE = 10_000_000
#: What is shown -> its parameters.
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
            Source(f"{shown}, {source}", server.url, {**parameters, "source": source})
            for shown, parameters in SHOWN.items()
            for source in ("disk", "swift")
        ]
        result = fetched(Plan(lab.choose(40, 3), runs=lab.choose(3, 2)), sources, [name])
    return _outcome(result)


def _outcome(result: Result) -> Outcome:
    by_source = stats.by_source(result.samples)
    rows = [
        (
            name,
            spread(result, name, "response"),
            spread(result, name, "transfer"),
            spread(result, name, "total"),
            digits(max(sample.size for sample in samples) / 1e6),
        )
        for name, samples in by_source.items()
    ]
    panels = [
        (
            f"{metric.capitalize()}, ms (median)",
            list(SHOWN),
            {
                source: [1000 * median(result, f"{shown}, {source}", metric) for shown in SHOWN]
                for source in ("disk", "swift")
            },
        )
        for metric in ("response", "transfer")
    ]
    totals = {name: median(result, name, "total") for name in by_source}
    said = [
        f"From {source}, HTML takes {digits(totals[f'HTML, {source}'] / totals[f'text, {source}'])} "
        f"times as long as text, and errors alone "
        f"{digits(totals[f'level=ERROR, {source}'] / totals[f'text, {source}'])} times."
        for source in ("disk", "swift")
    ]
    headings = ("Shown and source", "response, ms", "transfer, ms", "total, ms", "MB sent")
    # Sizes differ as they must: they are of different views.
    kept = [note for note in notes({"all": result}) if "same size" not in note]
    return Outcome(said, headings, rows, charts.bars(*panels), kept)
