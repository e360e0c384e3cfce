# SPDX-License-Identifier: Apache-2.0
"""A result as text: conclusions, what was measured, tables, caveats."""

import re
from collections.abc import Sequence

from oslogserve.bench import stats
from oslogserve.bench.result import TURNS, Result, Run, caveats, conclusions, with_body
from oslogserve.bench.samples import Sample
from oslogserve.bench.stats import Description

#: Slices of time in the text; JSON and the page have more.
SLICES = 10
#: Parts of Result.setup that are in the text; JSON and the page have all.
_SHOWN = ("sources", "mix", "logs", "clients")
#: Control characters, which a server or a name may send to a terminal.
_CONTROL = re.compile(r"[^\n\x20-\x7e\xa0-\U0010ffff]")
_TIME_HEADINGS = ("requests", "mean", "std", "p50", "p95", "p99", "max")
#: Headings of passes() for each metric.
PASSES = ("p50", "mean", "std", "mean*", "std*")
STARRED = "* Without requests beyond two standard deviations of the mean.\n"


def as_text(result: Result) -> str:
    said = "".join(f"{sentence}.\n" for sentence in conclusions(result))
    described = {label: result.setup.get(label) for label in _SHOWN}
    described["bytes of a body"] = sizes(result.samples)
    measured = "".join(f"{label}: {text}\n" for label, text in described.items() if text)
    notes = "".join(f"Note: {caveat}\n" for caveat in caveats(result))
    return "\n".join(
        filter(None, (printable(said), printable(measured), tables(result), printable(notes)))
    )


def printable(text: str) -> str:
    return _CONTROL.sub("?", text)


def sizes(samples: Sequence[Sample]) -> str:
    """The range of the bodies' sizes and their mean; "" without bodies."""
    found = [sample.size for sample in with_body(samples)]
    if not found:
        return ""
    mean = f" to {max(found):,}, {sum(found) / len(found):,.0f} on average"
    return f"{min(found):,}{mean if min(found) < max(found) else ''}"


def tables(result: Result) -> str:
    if not any(not sample.error for sample in result.samples):
        return ""  # a caveat says why
    if len(result.scenarios()) > 1:
        parts = [_table_of_scenarios(result), STARRED, _table_of_runs(result)]
    elif "mix" in result.setup:
        parts = [_table_of_runs(result)]
    else:
        parts = [_table_of_runs(result), *_tables_of_times(result)]
    return printable("\n".join(parts))


def _tables_of_times(result: Result) -> list[str]:
    by_source = stats.by_source(result.samples)
    parts = [
        _table_of_times(source, samples)
        for source, samples in by_source.items()
        if not all(sample.error for sample in samples)
    ]
    if workers := stats.workers(result.samples):
        shown = ", ".join(f"{worker}: {count}" for worker, count in workers.items())
        parts.append(f"Requests by worker: {shown}\n")
    if result.runs:
        parts.append(_table_of_slices(result.runs[-1], _in_turn(result)))
    return parts


def _in_turn(result: Result) -> str:
    """Added to headings of rates."""
    return " in turn" if TURNS in result.setup else ""


def _table_of_runs(result: Result) -> str:
    turn = _in_turn(result)
    headings = ("source", "parallel", "executed", "failures", "rate", "runtime")
    speeds = (f"requests/s{turn}", f"MB/s{turn}", "p50, ms", "p99, ms")
    rows: list[Sequence[str]] = [("run", *headings, *speeds)]
    for number, run in enumerate([*result.runs, *result.deletions], 1):
        for source, samples in stats.by_source(run.samples).items():
            good = [sample for sample in samples if not sample.error]
            failures = len(samples) - len(good)
            seconds = run.seconds or 1e-9
            times = stats.described([sample.total for sample in good])
            rows.append(
                [
                    run.title or str(number),
                    source,
                    str(run.parallel),
                    str(len(samples)),
                    str(failures),
                    f"{failures / len(samples):.1%}",
                    f"{run.seconds:.2f} s",
                    f"{len(good) / seconds:.1f}",
                    f"{sum(sample.size for sample in good) / 1e6 / seconds:.1f}",
                    *(f"{time * 1000:.2f}" if good else "-" for time in (times.p50, times.p99)),
                ]
            )
    return _table(rows)


def _table_of_scenarios(result: Result) -> str:
    headings = (f"{metric} {name}" for metric in ("response", "transfer") for name in PASSES)
    rows: list[Sequence[str]] = [("scenario, ms", "source", "kB", *headings, "outliers")]
    for title, own in result.scenarios().items():
        for source, samples in stats.by_source(own.samples).items():
            rows.append((title, source, *passes(samples)))
    return _table(rows)


def passes(samples: Sequence[Sample]) -> tuple[str, ...]:
    """The mean size, in kB, each metric's PASSES, and the number of outliers."""
    bodies = [sample.size for sample in with_body(samples)]
    metrics = stats.metrics_of(samples)
    kept = {name: stats.without_outliers(metrics[name]) for name in ("response", "transfer")}
    cells = []
    for name, values in kept.items():
        cells.append(f"{stats.described(metrics[name]).p50 * 1000:.2f}")
        for times in map(stats.described, (metrics[name], values)):
            cells += [f"{times.mean * 1000:.2f}", f"{times.deviation * 1000:.2f}"]
    outliers = len(metrics["response"]) - len(kept["response"])
    size = f"{sum(bodies) / max(1, len(bodies)) / 1000:,.1f}"
    return size, *cells, f"{outliers} of {len(bodies)}"


def _table_of_times(source: str, samples: Sequence[Sample]) -> str:
    rows = [[f"{source}, ms", *_TIME_HEADINGS]]
    for metric, values in stats.metrics_of(samples).items():
        rows.append([metric, *_columns(stats.described(values))])
        kept = stats.without_outliers(values)
        if len(kept) < len(values):
            label = f"  without {len(values) - len(kept)} outliers"
            rows.append([label, *_columns(stats.described(kept))])
    return _table(rows)


def _table_of_slices(run: Run, turn: str) -> str:
    sources = list(stats.by_source(run.samples))
    names = (f"requests/s{turn}", "median, ms")
    headings = (f"{source} {what}" for source in sources for what in names)
    rows = [["from second", *headings, "notes"]]
    parts = stats.slices(run.samples, run.beats, SLICES)
    for part in parts:
        cells = [f"{part.start:g}"]
        for source in sources:
            rate = part.requests.get(source, 0) / part.width
            cells.append("-" if part.is_partial else f"{rate:.1f}")
            median = part.median.get(source)
            cells.append("-" if median is None else f"{1000 * median:.2f}")
        notes = ["limited by the client"] if part.client_limit else []
        if part.is_partial:
            ended = f"{sum(part.requests.values())} requests in {part.width:.2g}"
            notes.append(f"partial: {ended} of {parts[0].width:g} s")
        rows.append([*cells, ", ".join(notes)])
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
