# SPDX-License-Identifier: Apache-2.0
"""Statistics of samples: for each source, time slice and worker, and ratios between sources."""

import bisect
import itertools
import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy

from oslogserve.bench.samples import Beat, Sample

#: Fields of Sample that are metrics. Each duration in Server-Timing is another: "server NAME".
METRICS = ("sent", "response", "transfer", "total")
#: Resamples for a confidence interval, and the most values in a resample.
RESAMPLES, MOST_RESAMPLED = 2000, 5000
#: Resamples of 4 MB.
DRAWN_AT_ONCE = 100
#: Requests that a fifth of the run needs, to compare the last fifth with the first: in all, and for
#: each connection, since the first requests of all connections begin together.
LEAST_FADING, LEAST_FADING_EACH = 20, 5
#: Seconds of a run's start-up, in which connections, containers and caches are new. fading() leaves
#: them out, but at most a fifth of the requests.
START_UP = 10
#: The most slices of a run.
SLICES = 30
#: Possible widths of a slice, in seconds.
WIDTHS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)
# The client is the limit above any of these.
#: Parts of the time in which it is busy, waits for a processor, or has idle connections.
BUSY, WAITING, IDLE = 0.80, 0.10, 0.08
#: Part of the requests' time that it takes, if bodies take less than LITTLE_BODY of that time.
SHARE, LITTLE_BODY = 0.11, 0.10
#: Part of the answers that may have waited for it (a 99th percentile shows 1 %), if the longest wait
#: was more than VERY_LATE of the median response.
OFTEN_LATE, VERY_LATE = 0.01, 0.05


class Description(NamedTuple):
    """Statistics of a metric, in seconds; zeros without values."""

    requests: int
    mean: float
    deviation: float
    p50: float
    p95: float
    p99: float
    most: float


class Ratio(NamedTuple):
    """The ratio of two sources' medians of a metric, as a 95 % bootstrap interval."""

    metric: str
    source: str
    over: str
    low: float
    high: float
    #: The two medians, in seconds.
    median: float
    over_median: float


class TimeSlice(NamedTuple):
    """A slice of a run's time."""

    #: Seconds since the run began, and seconds of the slice.
    start: float
    width: float
    #: Successful requests, and their median total, by source.
    requests: dict[str, int]
    median: dict[str, float]
    failures: int
    #: As in Beat, as parts of the slice's time; `longest` in seconds.
    busy: float
    waiting: float
    awake: float
    idle: float
    late: float
    longest: float
    #: Why the client, not the server, was the limit, or "".
    client_limit: str
    #: True for a last slice that is shorter than the others. In it, no more requests began, so it has
    #: no rate.
    is_partial: bool


def described(values: Sequence[float]) -> Description:
    if not values:
        return Description(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    array = numpy.asarray(values, dtype=float)
    deviation = array.std(ddof=1) if len(array) > 1 else 0.0
    found = (array.mean(), deviation, *numpy.percentile(array, (50, 95, 99)), array.max())
    return Description(len(array), *map(float, found))


def without_outliers(values: Sequence[float]) -> list[float]:
    """The values within two standard deviations of the mean."""
    all_of_them = described(values)
    return [value for value in values if abs(value - all_of_them.mean) <= 2 * all_of_them.deviation]


def metrics_of(samples: Sequence[Sample]) -> dict[str, list[float]]:
    """The values of each metric, in seconds, without failed requests.

    "sent" is only there for requests that opened a connection or uploaded.
    """
    good = _succeeded(samples)
    found = {metric: [getattr(sample, metric) for sample in good] for metric in METRICS}
    found["sent"] = [sent for sent in found["sent"] if sent]
    if not found["sent"]:
        del found["sent"]
    for name in sorted({name for sample in good for name in sample.server}):
        found[f"server {name}"] = [s.server[name] for s in good if name in s.server]
    return found


def by_source(samples: Sequence[Sample]) -> dict[str, list[Sample]]:
    """Samples by source; the sources are in the order of their first requests."""
    found: dict[str, list[Sample]] = {}
    for sample in sorted(samples, key=lambda sample: sample.started):
        found.setdefault(sample.source, []).append(sample)
    return found


def ratios(samples: Sequence[Sample]) -> list[Ratio]:
    """The ratios of each other source over the first, for response and transfer."""
    random = numpy.random.default_rng(0)
    values = {name: metrics_of(own) for name, own in by_source(samples).items()}
    first = next(iter(values), "")
    return [
        _ratio(metric, (name, values[name][metric]), (first, values[first][metric]), random)
        for metric in ("response", "transfer")
        for name in values
        if name != first and values[name][metric] and values[first][metric]
    ]


def fading(samples: Sequence[Sample], parallel: int) -> list[Ratio]:
    """The ratio of each source's last fifth of requests over its first, between start-up and end.

    Leaves out few requests, and those of different sizes. parallel: requests at once.
    """
    least = max(LEAST_FADING, LEAST_FADING_EACH * parallel)
    random = numpy.random.default_rng(0)
    found = []
    good = _succeeded(samples)
    for name in dict.fromkeys(sample.source for sample in good):
        own = _steady([sample for sample in good if sample.source == name], parallel)
        times, fifth = [sample.total for sample in own], len(own) // 5
        if fifth >= least and len({sample.size for sample in own}) == 1:
            first, last = times[:fifth], times[-fifth:]
            found.append(_ratio("total", (name, last), (name, first), random))
    return found


def _steady(samples: Sequence[Sample], parallel: int) -> Sequence[Sample]:
    """The samples without the start-up, and without the last ones, next to which no more began."""
    of_start_up = itertools.takewhile(lambda sample: sample.started < START_UP, samples)
    first = min(sum(1 for _ in of_start_up), len(samples) // 5)
    return samples[first : max(first, len(samples) - parallel)]


def _succeeded(samples: Sequence[Sample]) -> list[Sample]:
    return [sample for sample in samples if not sample.error]


def _ratio(
    metric: str,
    above: tuple[str, Sequence[float]],
    below: tuple[str, Sequence[float]],
    random: numpy.random.Generator,
) -> Ratio:
    """The ratio of two medians. above, below: a source and its values."""
    medians = []
    for values in (numpy.asarray(above[1]), numpy.asarray(below[1])):
        shape = (DRAWN_AT_ONCE, min(len(values), MOST_RESAMPLED))
        drawn = (random.choice(values, shape) for _ in range(RESAMPLES // DRAWN_AT_ONCE))
        medians.append(numpy.concatenate([numpy.median(some, axis=1) for some in drawn]))
    low, high = numpy.percentile(medians[0] / numpy.maximum(medians[1], 1e-9), (2.5, 97.5))
    middles = (described(values).p50 for _, values in (above, below))
    return Ratio(metric, above[0], below[0], float(low), float(high), *middles)


def slices(samples: Sequence[Sample], beats: Sequence[Beat], most: int = SLICES) -> list[TimeSlice]:
    """The time slices of a run, at most `most`, with the client's part in each."""
    end = max((sample.started + sample.total for sample in samples), default=0.0)
    width = next((width for width in WIDTHS if end / width <= most), WIDTHS[-1])
    usual = {name: described(values).p50 for name, values in metrics_of(samples).items()}
    ended: list[list[Sample]] = [[] for _ in range(max(1, math.ceil(end / width)))]
    for sample in samples:
        number = math.floor((sample.started + sample.total) / width)
        ended[min(number, len(ended) - 1)].append(sample)
    found = []
    for number, own in enumerate(ended):
        start = number * width
        seconds = min(width, end - start) or width
        client = _client_part(beats, start, start + seconds)
        totals = {
            name: [sample.total for sample in good]
            for name, good in by_source(_succeeded(own)).items()
        }
        found.append(
            TimeSlice(
                start,
                seconds,
                {name: len(times) for name, times in totals.items()},
                {name: described(times).p50 for name, times in totals.items()},
                sum(bool(sample.error) for sample in own),
                *client[1:],
                _client_limit(client, usual, len(own) / seconds),
                is_partial=number > 0 and seconds < width,
            )
        )
    return found


def _client_part(beats: Sequence[Beat], start: float, end: float) -> Beat:
    """The client's state per second from `start` to `end`; zeros without two beats."""
    ats = [beat.at for beat in beats]
    first = max(0, bisect.bisect_right(ats, start) - 1)
    within = beats[first : bisect.bisect_left(ats, end) + 1]
    if len(within) < 2:
        return Beat(*[0.0] * len(Beat._fields))
    added = numpy.subtract(within[-1], within[0])
    parts = (added / max(added[0], 1e-9)).tolist()
    return Beat(*parts)._replace(longest=max(beat.longest for beat in within[1:]))


def _client_limit(client: Beat, usual: dict[str, float], rate: float) -> str:
    """Why the client was the limit, or "". usual: the run's medians. rate: requests a second."""
    reasons = []
    # Looking for answers takes a processor too, and a client that is awake may get none.
    busy = max(client.processor, client.awake)
    if busy > BUSY:
        reasons.append(f"the client was busy {min(1.0, busy):.0%} of the time")
    if client.waited > WAITING:
        reasons.append(f"the client waited for a processor {client.waited:.0%} of the time")
    if client.idle > IDLE:
        reasons.append(f"its connections had no request {client.idle:.0%} of the time")
    # Bodies are left out: the client reads them while the server still sends.
    share = client.awake / max(rate * usual["total"], 1e-9)
    if rate and share > SHARE and usual["response"] > (1 - LITTLE_BODY) * usual["total"]:
        reasons.append(f"the client itself took {min(1.0, share):.0%} of a request's time")
    if client.late > OFTEN_LATE and client.longest > VERY_LATE * usual["response"]:
        reasons.append(f"answers waited up to {client.longest * 1000:.1f} ms for the client")
    return "; ".join(reasons)


def workers(samples: Sequence[Sample]) -> dict[str, int]:
    """Requests by worker, the busiest first; empty if no server names them."""
    return dict(Counter(sample.worker for sample in samples if sample.worker).most_common())
