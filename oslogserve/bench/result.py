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
#: From this part of the slices of time on in which the client was the limit, a ratio of sources is
#: only a bound, and nothing is said of fading.
MOSTLY = 0.5
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
    #: Slices of merged clients: those in which one was the limit, and all.
    merged_slices: tuple[int, int] = (0, 0)

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

    def limited(self) -> tuple[int, int]:
        """The slices of time in which the client was the limit, and all in which it was watched."""
        watched = [run for run in self.runs if run.beats]
        slices = [part for run in watched for part in stats.slices(run.samples, run.beats)]
        limited = sum(bool(part.client_limit) for part in slices)
        return limited + self.merged_slices[0], len(slices) + self.merged_slices[1]

    @property
    def is_limited(self) -> bool:
        """True if the client was the limit in most slices of time."""
        limited, slices = self.limited()
        return limited > MOSTLY * slices


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
        if 0 < len(own) - len(failures) < FEW:
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
    is_limited = result.is_limited
    compared = sentences(result.ratios(), is_limited)
    return (compared or _medians(result.samples)) + _faded(result.fading(), is_limited)


def _faded(ratios: Sequence[Ratio], is_limited: bool) -> list[str]:
    if is_limited:
        why = "the client was the limit in most slices of time"
        return [f"{ratio.source}: nothing can be said of fading: {why}" for ratio in ratios]
    return [
        f"{ratio.source}: after the start-up, the last fifth of the requests took {_times(ratio)} as "
        f"long as the first{_doubt(ratio)} {_figures(ratio)}"
        for ratio in ratios
    ]


def _medians(samples: Sequence[Sample]) -> list[str]:
    found = []
    for source, own in stats.by_source(samples).items():
        times = stats.described(stats.metrics_of(own)["total"])
        within = f", half of them within {times.p50 * 1000:.2f} ms" if times.requests else ""
        failures = len(own) - times.requests
        found.append(f"{source}: {times.requests} requests succeeded{within}; {failures} failed")
    return found


def sentences(ratios: Sequence[Ratio], is_limited: bool) -> list[str]:
    """How sources compare, each with its figures.

    is_limited: the client was the limit most of the time. Its delays are those of all sources, so
    these seem more alike than they are.
    """
    verbs = {"response": ("answers", "later than"), "transfer": ("transfers for", "as long as")}
    found = []
    for ratio in ratios:
        verb, than = verbs[ratio.metric]
        times = _bound(ratio) if is_limited else _times(ratio)
        found.append(
            f"{ratio.source} {verb} {times} {than} {ratio.over}{_doubt(ratio)} {_figures(ratio)}"
        )
    return found


def _times(ratio: Ratio) -> str:
    return f"{_shown(ratio.low)} to {_shown(ratio.high)} times"


def _bound(ratio: Ratio) -> str:
    """The end of the interval next to 1, or the interval if it holds 1."""
    if ratio.low > 1:
        return f"at least {_shown(ratio.low)} times"
    return f"at most {_shown(ratio.high)} times" if ratio.high < 1 else _times(ratio)


def _shown(times: float) -> str:
    # Next to 1, the third digit tells more from less.
    return f"{times:.0f}" if times >= 100 else f"{times:.{3 if times < 2 else 2}g}"


def _doubt(ratio: Ratio) -> str:
    return ", so no difference shows" if ratio.low <= 1 <= ratio.high else ""


def _figures(ratio: Ratio) -> str:
    medians = f"{ratio.median * 1000:.2f} and {ratio.over_median * 1000:.2f} ms"
    return f"(medians of {medians}, 95 % of resamples)"
