# SPDX-License-Identifier: Apache-2.0
"""The result of measurements: runs, conclusions and caveats."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from oslogserve.bench import stats
from oslogserve.bench.samples import Beat, Sample
from oslogserve.bench.stats import Ratio

#: With fewer samples, a 99th percentile says little.
FEW = 100
#: The part of Result.setup that says that sources take turns.
TURNS = "order"
IN_TURN = (
    "The sources took turns, so requests/s and MB/s of each are those of the slowest. For the speed of "
    "one, measure it alone."
)
RESAMPLED = "(medians, 95 % of resamples)"
#: Status of a deletion's answer, which has no body.
NO_CONTENT = 204


class Run(NamedTuple):
    """The samples of one run, and the client's beats. Both lists grow during the run."""

    samples: list[Sample]
    beats: list[Beat]
    #: The scenario, or "".
    title: str = ""
    #: Requests at once.
    parallel: int = 1

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
    #: Deletions of what the runs had put.
    deletions: Sequence[Run] = ()
    #: Caveats in addition to caveats().
    notes: Sequence[str] = ()

    @property
    def samples(self) -> list[Sample]:
        return [sample for run in self.runs for sample in run.samples]

    def scenarios(self) -> dict[str, "Result"]:
        """The results by title; one without a title if no scenarios were measured."""
        titles = dict.fromkeys(run.title for run in self.runs) or [""]
        return {
            title: self._replace(runs=[run for run in self.runs if run.title == title])
            for title in titles
        }

    def ratios(self) -> list[Ratio]:
        """The ratios of sources; none if they are operations, which are not compared."""
        return stats.ratios(self.samples) if TURNS in self.setup else []

    def fading(self) -> list[Ratio]:
        return stats.fading(self.samples, max((run.parallel for run in self.runs), default=1))


def caveats(result: Result) -> list[str]:
    """Sentences that a reader needs so as not to misread the figures."""
    found = [*result.notes]
    if result.was_interrupted:
        found.append("It was interrupted: these are the requests that had ended by then.")
    if TURNS in result.setup:
        found.append(IN_TURN)
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
    sizes = {(sample.name, sample.size) for sample in with_body(result.samples)}
    different = sum(count > 1 for count in Counter(name for name, _ in sizes).values())
    if different:
        found.append(f"Logs that differ in size between sources or over time: {different}.")
    return found


def with_body(samples: Sequence[Sample]) -> list[Sample]:
    """The samples without failures and deletions."""
    return [sample for sample in samples if not sample.error and sample.status != NO_CONTENT]


def conclusions(result: Result) -> list[str]:
    """Sentences on how the sources compare or what they did, and on whether they faded."""
    return [
        f"{title}: {sentence}" if title else sentence
        for title, own in result.scenarios().items()
        for sentence in _conclusions(own)
    ]


def _conclusions(result: Result) -> list[str]:
    compared = [f"{sentence} {RESAMPLED}" for sentence in sentences(result.ratios())]
    return (compared or _medians(result.samples)) + [
        f"{fading.source}: the last fifth of the requests took {_times(fading)} as long as the first "
        f"{RESAMPLED}"
        for fading in result.fading()
    ]


def _medians(samples: Sequence[Sample]) -> list[str]:
    found = []
    for source, own in stats.by_source(samples).items():
        times = stats.described(stats.metrics_of(own)["total"])
        within = f", half of them within {times.p50 * 1000:.2f} ms" if times.requests else ""
        failures = len(own) - times.requests
        found.append(f"{source}: {times.requests} requests succeeded{within}; {failures} failed")
    return found


def sentences(ratios: Sequence[Ratio]) -> list[str]:
    verbs = {"response": ("answers", "later than"), "transfer": ("transfers for", "as long as")}
    return [
        f"{ratio.source} {verbs[ratio.metric][0]} {_times(ratio)} {verbs[ratio.metric][1]} {ratio.over}"
        for ratio in ratios
    ]


def _times(ratio: Ratio) -> str:
    shown = (f"{x:.0f}" if x >= 100 else f"{x:.2g}" for x in (ratio.low, ratio.high))
    return f"{' to '.join(shown)} times"
