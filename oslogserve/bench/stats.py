# SPDX-License-Identifier: Apache-2.0
"""Statistics of samples: by source, between sources, by slice of time, by worker."""

import bisect
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
#: Requests in a fifth of all, with which the last is compared with the first.
LEAST_FADING = 20
#: Slices that a run is shown in, about.
SLICES = 30
#: Widths of a slice, seconds.
WIDTHS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)
#: The client is the limit where it is busy this much of the time, waits this much for a processor, or
#: leaves its connections this much without a request.
BUSY, WAITING, IDLE = 0.80, 0.10, 0.08
#: ... takes this part of the time of requests that are short of bodies,
SHARE, LITTLE_BODY = 0.11, 0.10
#: ... and where this part of the answers may have waited for it (a 99th percentile holds one more),
#: longer than this part of the median response and than LATE.
OFTEN_LATE, VERY_LATE = 0.01, 0.05


class Description(NamedTuple):
    """Statistics of a metric, in seconds; all 0 where there are no values."""

    requests: int
    mean: float
    deviation: float
    p50: float
    p95: float
    p99: float
    most: float


class Ratio(NamedTuple):
    """The ratio of two sources' medians, with its 95 % bootstrap interval."""

    metric: str
    source: str
    over: str
    low: float
    high: float


class Slice(NamedTuple):
    """A slice of a run's time."""

    #: Seconds since the run began, and how long the slice is.
    start: float
    width: float
    #: Requests that succeeded in it, by source, and their median total.
    requests: dict[str, int]
    median: dict[str, float]
    failures: int
    #: Parts of the slice's time: the client used a processor, waited for one, did not sleep, left
    #: its connections without a request, let answers wait longer than client.LATE.
    busy: float
    waiting: float
    awake: float
    idle: float
    late: float
    #: The longest that an answer may have waited for the client, seconds.
    longest: float
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
    """The values within two standard deviations of the mean."""
    all_of_them = described(values)
    return [value for value in values if abs(value - all_of_them.mean) <= 2 * all_of_them.deviation]


def metrics_of(samples: Sequence[Sample]) -> dict[str, list[float]]:
    """The values of each metric, without failures."""
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
    """Ratios of each source over the first, by response and by transfer."""
    (first, base), *others = ((name, metrics_of(own)) for name, own in by_source(samples).items())
    random = numpy.random.default_rng(seed)
    return [
        Ratio(metric, name, first, *_interval(values[metric], base[metric], random))
        for metric in ("response", "transfer")
        for name, values in others
        if values[metric] and base[metric]
    ]


class Fading(NamedTuple):
    """How many times the median of the last fifth of all requests is the first's, in 95 % of all
    resamples."""

    source: str
    low: float
    high: float


def fading(runs: Sequence[Sequence[Sample]], seed: int = 0) -> list[Fading]:
    """The fading of each source's total; empty where requests differ, or are too few to say."""
    random = numpy.random.default_rng(seed)
    good = [s for samples in runs for s in sorted(samples, key=lambda s: s.started) if not s.error]
    found = []
    for name in dict.fromkeys(sample.source for sample in good):
        own = [sample for sample in good if sample.source == name]
        times, fifth = [sample.total for sample in own], len(own) // 5
        if fifth >= LEAST_FADING and len({sample.size for sample in own}) == 1:
            found.append(Fading(name, *_interval(times[-fifth:], times[:fifth], random)))
    return found


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


def slices(samples: Sequence[Sample], beats: Sequence[Beat], most: int = SLICES) -> list[Slice]:
    """The slices of a run, each with the client's part in it."""
    end = max((sample.started + sample.total for sample in samples), default=0.0)
    width = next((width for width in WIDTHS if end / width <= most), WIDTHS[-1])
    good = [sample for sample in samples if not sample.error]
    usual = _Usual(
        described([sample.response for sample in good]).p50,
        described([sample.total for sample in good]).p50,
    )
    ended: list[list[Sample]] = [[] for _ in range(max(1, math.ceil(end / width)))]
    for sample in samples:
        number = math.floor((sample.started + sample.total) / width)
        ended[min(number, len(ended) - 1)].append(sample)
    return [
        _slice(number * width, min(width, end - number * width) or width, own, beats, usual)
        for number, own in enumerate(ended)
    ]


def _slice(
    start: float, width: float, samples: list[Sample], beats: Sequence[Beat], usual: "_Usual"
) -> Slice:
    client = _client(beats, start, start + width)
    good = by_source([sample for sample in samples if not sample.error])
    return Slice(
        start,
        width,
        {name: len(own) for name, own in good.items()},
        {name: described([s.total for s in own]).p50 for name, own in good.items()},
        sum(bool(sample.error) for sample in samples),
        *client,
        _client_limit(client, usual, len(samples) / width),
    )


class _Usual(NamedTuple):
    """The medians of a run, in seconds."""

    response: float
    total: float


class _Client(NamedTuple):
    """The client's part in a slice, as a Slice has it."""

    busy: float
    waiting: float
    awake: float
    idle: float
    late: float
    longest: float


def _client(beats: Sequence[Beat], start: float, end: float) -> _Client:
    """The client's part from the last beat before the slice to the first behind it."""
    ats = [beat.at for beat in beats]
    first = max(0, bisect.bisect_right(ats, start) - 1)
    within = beats[first : bisect.bisect_left(ats, end) + 1]
    if len(within) < 2:
        return _Client(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    before, after = within[0], within[-1]
    seconds = max(after.at - before.at, 1e-9)
    return _Client(
        busy=(after.processor - before.processor) / seconds,
        waiting=(after.waited - before.waited) / seconds,
        awake=(after.awake - before.awake) / seconds,
        idle=(after.idle - before.idle) / seconds,
        late=(after.late - before.late) / seconds,
        longest=max(beat.longest for beat in within[1:]),
    )


def _client_limit(client: _Client, usual: _Usual, rate: float) -> str:
    """rate: requests a second."""
    reasons = []
    # To look for answers takes a processor too; and who does not sleep may yet get none.
    busy = max(client.busy, client.awake)
    if busy > BUSY:
        reasons.append(f"the client was busy {min(1.0, busy):.0%} of the time")
    if client.waiting > WAITING:
        reasons.append(f"the client waited for a processor {client.waiting:.0%} of the time")
    if client.idle > IDLE:
        reasons.append(f"its connections had no request {client.idle:.0%} of the time")
    # The client takes a body while the server sends on: that is no time of the request's.
    share = client.awake / max(rate * usual.total, 1e-9)
    if rate and share > SHARE and usual.response > (1 - LITTLE_BODY) * usual.total:
        reasons.append(f"the client itself took {min(1.0, share):.0%} of a request's time")
    if client.late > OFTEN_LATE and client.longest > VERY_LATE * usual.response:
        reasons.append(f"answers waited up to {client.longest * 1000:.1f} ms for the client")
    return "; ".join(reasons)


def workers(samples: Sequence[Sample]) -> dict[str, int]:
    """Counts of requests by worker, the busiest first; empty where no server says."""
    return dict(Counter(sample.worker for sample in samples if sample.worker).most_common())
