# SPDX-License-Identifier: Apache-2.0
"""The result of measurements as text, JSON and CSV, with caveats."""

import csv
import dataclasses
import io
import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from oslogserve.bench import stats
from oslogserve.bench.samples import Beat, Sample
from oslogserve.bench.stats import Description, Fading, Ratio

#: With fewer samples, a 99th percentile says little.
FEW = 100
#: Slices of time in the text; JSON and the page have more.
SLICES = 10
#: Control characters, which a server or a name may send to a terminal.
_CONTROL = re.compile(r"[^\n\x20-\x7e\xa0-\U0010ffff]")
_RUN_HEADINGS = (
    *("run", "source", "parallel", "executed", "failures"),
    *("rate", "runtime", "requests/s", "MB/s"),
)
_TIME_HEADINGS = ("requests", "mean", "std", "p50", "p95", "p99", "max")


class Run(NamedTuple):
    """The samples of one run, and the client's beats. Both lists grow during the run."""

    samples: list[Sample]
    beats: list[Beat]

    @property
    def seconds(self) -> float:
        """Seconds until the last request ended."""
        return max((sample.started + sample.total for sample in self.samples), default=0.0)


class Result(NamedTuple):
    #: What was measured and how: values by their labels.
    setup: dict[str, str]
    runs: list[Run]
    #: True if the user ended it.
    was_interrupted: bool = False

    @property
    def samples(self) -> list[Sample]:
        return [sample for run in self.runs for sample in run.samples]


def caveats(result: Result) -> list[str]:
    """Sentences that a reader needs so as not to misread the figures."""
    found = []
    if result.was_interrupted:
        found.append("It was interrupted: these are the requests that had ended by then.")
    slices = [part for run in result.runs for part in stats.slices(run.samples, run.beats)]
    limited = [part for part in slices if part.client_limit]
    if limited:
        found.append(
            f"In {len(limited)} of {len(slices)} slices of time the client was the limit, not the "
            f"server: {limited[0].client_limit}."
        )
    for source, own in stats.by_source(result.samples).items():
        failures = [sample.error for sample in own if sample.error]
        if failures:
            usual = max(set(failures), key=failures.count)
            found.append(
                f"{source}: {len(failures)} requests failed and count in no time: {usual}."
            )
        if len(own) - len(failures) < FEW:
            found.append(
                f"{source}: fewer than {FEW} requests say little of its slowest hundredth."
            )
    sizes = {(sample.name, sample.size) for sample in result.samples if not sample.error}
    different = sum(count > 1 for count in Counter(name for name, _ in sizes).values())
    if different:
        found.append(f"Logs that differ in size between sources or over time: {different}.")
    return found


def conclusions(result: Result) -> list[str]:
    """Sentences on how the sources compare, and on whether they faded."""
    return sentences(result.samples) + [
        f"{fading.source}: the last fifth of the requests took {_times(fading)} as long as the first"
        for fading in stats.fading(result.samples)
    ]


def sentences(samples: Sequence[Sample]) -> list[str]:
    """Sentences on the ratios of the sources."""
    verbs = {"response": ("answers", "later than"), "transfer": ("transfers for", "as long as")}
    return [
        f"{ratio.source} {verbs[ratio.metric][0]} {_times(ratio)} {verbs[ratio.metric][1]} {ratio.over}"
        for ratio in stats.ratios(samples)
    ]


def _times(ratio: Ratio | Fading) -> str:
    shown = (f"{x:.0f}" if x >= 100 else f"{x:.2g}" for x in (ratio.low, ratio.high))
    return f"{' to '.join(shown)} times"


def as_text(result: Result) -> str:
    parts = [_table_of_runs(result)]
    for source, samples in stats.by_source(result.samples).items():
        parts.append(_table_of_times(source, samples))
    if workers := stats.workers(result.samples):
        shown = ", ".join(f"{worker}: {count}" for worker, count in workers.items())
        parts.append(f"Requests by worker: {shown}\n")
    if result.runs:
        parts.append(_table_of_slices(result.runs[-1]))
    parts += [f"{sentence} (medians, 95 % of resamples).\n" for sentence in conclusions(result)]
    parts += [f"Note: {caveat}\n" for caveat in caveats(result)]
    return _CONTROL.sub("?", "\n".join(parts))


def _table_of_runs(result: Result) -> str:
    rows: list[Sequence[str]] = [_RUN_HEADINGS]
    for number, run in enumerate(result.runs, 1):
        for source, samples in stats.by_source(run.samples).items():
            good = [sample for sample in samples if not sample.error]
            failures = len(samples) - len(good)
            seconds = run.seconds or 1e-9
            rows.append(
                [
                    str(number),
                    source,
                    result.setup.get("parallel", ""),
                    str(len(samples)),
                    str(failures),
                    f"{failures / len(samples):.1%}",
                    f"{run.seconds:.2f} s",
                    f"{len(good) / seconds:.1f}",
                    f"{sum(sample.size for sample in good) / 1e6 / seconds:.1f}",
                ]
            )
    return _table(rows)


def _table_of_times(source: str, samples: Sequence[Sample]) -> str:
    rows = [[f"{source}, ms", *_TIME_HEADINGS]]
    for metric, values in stats.metrics_of(samples).items():
        rows.append([metric, *_columns(stats.described(values))])
        kept = stats.without_outliers(values)
        if len(kept) < len(values):
            label = f"  without {len(values) - len(kept)} outliers"
            rows.append([label, *_columns(stats.described(kept))])
    return _table(rows)


def _table_of_slices(run: Run) -> str:
    sources = list(stats.by_source(run.samples))
    headings = (f"{source} {what}" for source in sources for what in ("requests/s", "median, ms"))
    rows = [["from second", *headings, "limit"]]
    for part in stats.slices(run.samples, run.beats, SLICES):
        cells = [f"{part.start:g}"]
        for source in sources:
            cells.append(f"{part.requests.get(source, 0) / part.width:.1f}")
            median = part.median.get(source)
            cells.append("-" if median is None else f"{1000 * median:.2f}")
        rows.append([*cells, "client" if part.client_limit else ""])
    return _table(rows)


def _columns(times: Description) -> tuple[str, ...]:
    return str(times.requests), *(f"{seconds * 1000:.2f}" for seconds in times[1:])


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "".join(f"{line.rstrip()}\n" for line in lines)


def as_json(result: Result) -> str:
    """All statistics as JSON, times in seconds. The samples are in as_csv()."""
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
    found = {
        "setup": result.setup,
        "interrupted": result.was_interrupted,
        "runs": [_run(run) for run in result.runs],
        "sources": sources,
        "ratios": [ratio._asdict() for ratio in stats.ratios(result.samples)],
        "fading": [fading._asdict() for fading in stats.fading(result.samples)],
        "workers": stats.workers(result.samples),
        "caveats": caveats(result),
    }
    return json.dumps(found, indent=2) + "\n"


def _run(run: Run) -> dict[str, object]:
    return {
        "seconds": run.seconds,
        "requests": len(run.samples),
        "failures": sum(bool(sample.error) for sample in run.samples),
        "bytes": sum(sample.size for sample in run.samples),
        "slices": [part._asdict() for part in stats.slices(run.samples, run.beats)],
    }


def as_csv(result: Result) -> str:
    """The samples as CSV, a row for each request."""
    out = io.StringIO()
    writer = csv.DictWriter(out, ["run", *(field.name for field in dataclasses.fields(Sample))])
    writer.writeheader()
    for number, run in enumerate(result.runs, 1):
        for sample in run.samples:
            values = {"run": number, **dataclasses.asdict(sample)}
            writer.writerow(values | {"server": json.dumps(sample.server)})
    return out.getvalue()
