# SPDX-License-Identifier: Apache-2.0
"""Statistics of samples: each source by itself, beside the others, by slices of time, by worker."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy

from oslogserve.bench.samples import Beat, Sample

#: Of a sample; what a server says of itself comes behind them, as "server NAME".
METRICS = ("sent", "response", "transfer", "total")
#: Times that samples are drawn anew for a confidence interval, and the most that are drawn.
RESAMPLES, MOST_RESAMPLED = 2000, 5000
#: Slices that a run is shown in, about.
SLICES = 30
#: Widths of a slice, seconds.
WIDTHS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)
#: The client is the limit where it uses this much of a processor, or waits this much for one.
BUSY, WAITING = 0.85, 0.10
#: ... and where answers waited longer for it than this part of the median response, seconds at least.
LATE, LEAST_LATE = 0.25, 0.002


class Description(NamedTuple):
    """Values of a metric. Seconds; all 0 where there are none."""

    requests: int
    mean: float
    deviation: float
    p50: float
    p95: float
    p99: float
    most: float


class Ratio(NamedTuple):
    """How many times the median of one source is another's, in 95 % of all resamples."""

    metric: str
    source: str
    over: str
    low: float
    high: float


class Slice(NamedTuple):
    """Part of a run."""

    #: Seconds since the run began, and how long the slice is.
    start: float
    width: float
    #: Requests that ended in it, by source, and their median total.
    requests: dict[str, int]
    median: dict[str, float]
    failures: int
    #: The client's own use of a processor and its wait for one, parts of the slice's time.
    busy: float
    waiting: float
    #: The longest time in which no answer could be looked at, seconds.
    late: float
    #: Why the client, not the server, was the limit; "" where it was not.
    client_limit: str


def described(values: Sequence[float]) -> Description:
    if not values:
        return Description(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    array = numpy.asarray(values, dtype=float)
    p50, p95, p99 = (float(value) for value in numpy.percentile(array, (50, 95, 99)))
    deviation = float(array.std(ddof=1)) if len(array) > 1 else 0.0
    return Description(
        len(array), float(array.mean()), deviation, p50, p95, p99, float(array.max())
    )


def without_outliers(values: Sequence[float]) -> list[float]:
    """Those within two standard deviations of the mean."""
    all_of_them = described(values)
    return [value for value in values if abs(value - all_of_them.mean) <= 2 * all_of_them.deviation]


def metrics_of(samples: Sequence[Sample]) -> dict[str, list[float]]:
    """Values by metric, of samples that are no failures."""
    good = [sample for sample in samples if not sample.error]
    found = {metric: [getattr(sample, metric) for sample in good] for metric in METRICS}
    for name in sorted({name for sample in good for name in sample.server}):
        found[f"server {name}"] = [s.server[name] for s in good if name in s.server]
    return found


def by_source(samples: Sequence[Sample]) -> dict[str, list[Sample]]:
    """Samples by their sources, in the order in which these were asked first."""
    found: dict[str, list[Sample]] = {}
    for sample in sorted(samples, key=lambda sample: sample.started):
        found.setdefault(sample.source, []).append(sample)
    return found


def ratios(samples: Sequence[Sample], seed: int = 0) -> list[Ratio]:
    """Of each source over the first, by response and by transfer."""
    (first, base), *others = ((name, metrics_of(own)) for name, own in by_source(samples).items())
    random = numpy.random.default_rng(seed)
    return [
        Ratio(metric, name, first, *_interval(values[metric], base[metric], random))
        for metric in ("response", "transfer")
        for name, values in others
        if values[metric] and base[metric]
    ]


def _interval(
    above: Sequence[float], below: Sequence[float], random: numpy.random.Generator
) -> tuple[float, float]:
    medians = [_resampled_medians(values, random) for values in (above, below)]
    found = medians[0] / numpy.maximum(medians[1], 1e-9)
    low, high = numpy.percentile(found, (2.5, 97.5))
    return float(low), float(high)


def _resampled_medians(values: Sequence[float], random: numpy.random.Generator) -> numpy.ndarray:
    array = numpy.asarray(values, dtype=float)
    drawn = min(len(array), MOST_RESAMPLED)
    return numpy.array([numpy.median(random.choice(array, drawn)) for _ in range(RESAMPLES)])


def slices(samples: Sequence[Sample], beats: Sequence[Beat]) -> list[Slice]:
    """A run by slices of time, each with what the client took in it."""
    end = max((sample.started + sample.total for sample in samples), default=0.0)
    width = next((width for width in WIDTHS if end / width <= SLICES), WIDTHS[-1])
    usual = described([sample.response for sample in samples if not sample.error]).p50
    ended: list[list[Sample]] = [[] for _ in range(math.floor(end / width) + 1)]
    for sample in samples:
        ended[math.floor((sample.started + sample.total) / width)].append(sample)
    return [_slice(number * width, width, own, beats, usual) for number, own in enumerate(ended)]


def _slice(
    start: float, width: float, samples: list[Sample], beats: Sequence[Beat], usual: float
) -> Slice:
    within = [beat for beat in beats if start - 1e-9 <= beat.at <= start + width]
    busy = waiting = late = 0.0
    if len(within) > 1:
        first, last = within[0], within[-1]
        seconds = max(last.at - first.at, 1e-9)
        busy = (last.processor - first.processor) / seconds
        waiting = (last.waited - first.waited) / seconds
        late = max(beat.longest for beat in within[1:])
    return Slice(
        start,
        width,
        {name: len(own) for name, own in by_source(samples).items()},
        {name: described([s.total for s in own]).p50 for name, own in by_source(samples).items()},
        sum(bool(sample.error) for sample in samples),
        busy,
        waiting,
        late,
        _client_limit(busy, waiting, late, usual),
    )


def _client_limit(busy: float, waiting: float, late: float, usual: float) -> str:
    reasons = []
    if busy > BUSY:
        reasons.append(f"the client used {busy:.0%} of a processor")
    if waiting > WAITING:
        reasons.append(f"the client waited for a processor {waiting:.0%} of the time")
    if late > max(LEAST_LATE, LATE * usual):
        reasons.append(f"answers waited up to {late * 1000:.1f} ms for the client")
    return "; ".join(reasons)


def workers(samples: Sequence[Sample]) -> dict[str, int]:
    """How many requests each worker answered, the busiest first; empty where no server says."""
    return dict(Counter(sample.worker for sample in samples if sample.worker).most_common())
