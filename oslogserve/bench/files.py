# SPDX-License-Identifier: Apache-2.0
"""Results as JSON and CSV, and the union of several clients' results."""

import csv
import dataclasses
import io
import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from oslogserve.bench import stats
from oslogserve.bench.result import Result, Run, caveats
from oslogserve.bench.samples import Sample
from oslogserve.config import ConfigError

FIELDS = [field.name for field in dataclasses.fields(Sample)]
#: Seconds that clients may begin apart: their times have whole seconds.
APART = 1


def as_json(result: Result) -> str:
    """Statistics and samples as JSON, times in seconds."""
    scenarios = {title: _statistics(own) for title, own in result.scenarios().items()}
    found: dict[str, Any] = {
        "setup": result.setup,
        "interrupted": result.was_interrupted,
        "runs": [_run(run) for run in result.runs],
        "deletions": [_run(run) for run in result.deletions],
        **scenarios.get("", {"scenarios": scenarios}),
        "caveats": caveats(result),
    }
    # Each run's samples are in one line, since a line for each number would be millions of lines.
    samples = ",\n".join(json.dumps(_rows(run)) for run in [*result.runs, *result.deletions])
    return f'{json.dumps(found, indent=2)[:-2]},\n  "samples": [\n{samples}\n]\n}}\n'


def _statistics(result: Result) -> dict[str, object]:
    sources = {
        source: {
            metric: {
                "all": stats.described(values)._asdict(),
                "without_outliers": stats.described(stats.without_outliers(values))._asdict(),
            }
            for metric, values in stats.metrics_of(samples).items()
        }
        for source, samples in stats.by_source(result.samples).items()
    }
    return {
        "sources": sources,
        "ratios": [ratio._asdict() for ratio in result.ratios()],
        "fading": [fading._asdict() for fading in result.fading()],
        "workers": stats.workers(result.samples),
    }


def _run(run: Run) -> dict[str, object]:
    return {
        "title": run.title,
        "parallel": run.parallel,
        "seconds": run.seconds,
        "requests": len(run.samples),
        "failures": sum(bool(sample.error) for sample in run.samples),
        "bytes": sum(sample.size for sample in run.samples),
        "slices": [part._asdict() for part in stats.slices(run.samples, run.beats)],
    }


def _rows(run: Run) -> list[list[object]]:
    return [[getattr(sample, name) for name in FIELDS] for sample in run.samples]


def as_csv(result: Result) -> str:
    """The samples as CSV, a row for each request."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["run", *FIELDS])
    for number, run in enumerate(result.runs, 1):
        for row in _rows(run):
            cells = (json.dumps(cell) if isinstance(cell, dict) else cell for cell in row)
            writer.writerow([run.title or number, *cells])
    return out.getvalue()


def merged(paths: Sequence[str]) -> Result:
    """The results of clients that measured at the same time, as that of one. Raises ConfigError.

    One result alone is read as it was written.
    """
    results = [_read(path) for path in paths]
    if len(results) == 1:
        return results[0]
    for path, other in zip(paths, results, strict=True):
        if [run.title for run in other.runs] != [run.title for run in results[0].runs]:
            raise ConfigError(f"{paths[0]} and {path} have different runs")
    begun = [datetime.fromisoformat(result.setup["begun"]) for result in results]
    apart = (max(begun) - min(begun)).total_seconds()
    if apart > APART + min(sum(run.seconds for run in result.runs) for result in results):
        raise ConfigError(f"these clients began {apart:.0f} s apart: measure at the same time")
    notes = [
        f"{path}: {note}" for path, own in zip(paths, results, strict=True) for note in own.notes
    ]
    # The values of all set-ups; each different one once.
    setup = {
        label: "; ".join(dict.fromkeys(result.setup.get(label, "") for result in results))
        for label in results[0].setup
    }
    together = (
        f"{len(paths)} clients, as if they had begun at once. They began within {apart:.0f} s."
    )
    return Result(
        setup | {"clients": str(len(paths)), "begun": min(begun).isoformat()},
        [_union(runs) for runs in zip(*(result.runs for result in results), strict=True)],
        any(result.was_interrupted for result in results),
        [_union(runs) for runs in zip(*(result.deletions for result in results), strict=False)],
        [together, *notes],
        (
            sum(own.merged_slices[0] for own in results),
            sum(own.merged_slices[1] for own in results),
        ),
    )


def _read(path: str) -> Result:
    """A result as as_json() wrote it. Its notes and merged_slices say where the client was the limit."""
    try:
        found = json.loads(Path(path).read_text("utf-8"))
        runs = [
            Run([Sample(*row) for row in rows], [], run["title"], run["parallel"])
            for run, rows in zip(found["runs"] + found["deletions"], found["samples"], strict=True)
        ]
        count = len(found["runs"])
        # The other caveats are computed from the samples again.
        kept = ("client was the limit", "It ended early")
        notes = [one for one in found["caveats"] if any(words in one for words in kept)]
        datetime.fromisoformat(found["setup"]["begun"])
        limits = [bool(part["client_limit"]) for run in found["runs"] for part in run["slices"]]
        slices = sum(limits), len(limits)
        deletions = runs[count:]
        return Result(found["setup"], runs[:count], found["interrupted"], deletions, notes, slices)
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: no JSON of `oslogserve bench`") from error


def _union(runs: Sequence[Run]) -> Run:
    samples = [sample for run in runs for sample in run.samples]
    samples.sort(key=lambda sample: sample.started + sample.total)
    return Run(samples, [], runs[0].title, sum(run.parallel for run in runs))
