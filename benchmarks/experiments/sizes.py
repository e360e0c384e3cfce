# SPDX-License-Identifier: Apache-2.0
"""Logs of 1 kB to 1 GB, and large objects of some GiB, from disk and from Swift."""

from benchmarks.experiments import figures
from benchmarks.experiments.figures import DISK_AND_SWIFT
from benchmarks.fetch import Plan, fetched, median, notes, qualified, run_ratios
from benchmarks.lab import Lab, both_sources
from benchmarks.report import Outcome, binary_size, decimal_size, digits, ranged
from oslogserve.bench import stats
from oslogserve.bench.result import Result

#: Requests of each source in each run, by the bytes of a log.
SIZES = {10**3: 100, 10**4: 100, 10**5: 100, 10**6: 60, 10**7: 20, 10**8: 4, 10**9: 1}
QUICK = {10**3: 4, 10**6: 4}
#: Bytes of large objects: those that `--largest` allows.
LARGE = (2**30, 2 * 2**30, 4 * 2**30)
RATIO = "total, Swift / disk"
#: From here on, the largest ratio over the smallest, it depends on the size.
DEPENDS = 1.5
#: With fewer requests of a source, a row says how few.
FEW = 20


def measured(lab: Lab) -> Outcome:
    results = {}
    with lab.server() as server:
        large = {size: 1 for size in LARGE if size <= lab.largest}
        for size, requests in (lab.choose(SIZES, QUICK) | large).items():
            name = f"sizes/{size}.txt"
            lab.write(name, size, is_large=size in large)
            plan = Plan(requests, runs=lab.choose(3, 2))
            results[size] = fetched(plan, both_sources(server), [name])
            (lab.root / name).unlink()
    rows = [
        (
            _shown(size, result),
            *figures.cells(result, DISK_AND_SWIFT),
            *(digits(size / 1e6 / median(result, name, "total")) for name in DISK_AND_SWIFT),
            _ratio(result),
        )
        for size, result in results.items()
    ]
    named = DISK_AND_SWIFT.values()
    headings = ("Size", *figures.headings(named), *(f"MB/s, {name}" for name in named), RATIO)
    figure = figures.lines("bytes of the log", results, DISK_AND_SWIFT, _tick)
    kept = notes({_label(size): result for size, result in results.items()})
    answer = qualified(_answer(results), results.values())
    return Outcome([_sentence(results)], headings, rows, figure, kept, answer)


def _label(size: int) -> str:
    return f"{binary_size(size)} SLO" if size in LARGE else decimal_size(size)


def _tick(size: int) -> str:
    """Shorter than _label(); "" for 1 GiB, which is next to 1 GB."""
    return "" if size == LARGE[0] else _label(size).removesuffix(" SLO")


def _shown(size: int, result: Result) -> str:
    samples = len(result.samples) // len(DISK_AND_SWIFT)
    return _label(size) + (f" ({samples} samples)" if samples < FEW else "")


def _ratio(result: Result) -> str:
    ratios = run_ratios(result, "swift", "disk")
    return ranged(stats.described(ratios).p50, ratios)


def _sentence(results: dict[int, Result]) -> str:
    waits = figures.medians(results.values(), "swift", "response")
    return f"Swift's median response is {digits(min(waits))} to {digits(max(waits))} ms over all sizes."


def _answer(results: dict[int, Result]) -> str:
    ratios = {size: run_ratios(result, "swift", "disk") for size, result in results.items()}
    middles = {size: stats.described(found).p50 for size, found in ratios.items()}
    least, most = min(middles, key=middles.__getitem__), max(middles, key=middles.__getitem__)
    # Ranges that overlap show nothing.
    depends = min(ratios[most]) > max(DEPENDS * middles[least], *ratios[least])
    return (
        f"{'Yes' if depends else 'Hardly'}: Swift takes {digits(middles[least])} times as long as disk "
        f"for a log of {_label(least)}, and {digits(middles[most])} times for one of {_label(most)}."
    )
