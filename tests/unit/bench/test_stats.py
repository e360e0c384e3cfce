# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.bench import stats
from oslogserve.bench.samples import Beat

from .made import sample


def test_a_description_has_the_usual_figures():
    found = stats.described([float(value) for value in range(1, 102)])
    assert (found.requests, found.mean, found.p50, found.most) == (101, 51, 51, 101)
    assert (found.p95, found.p99) == (96, 100)
    assert found.deviation == pytest.approx(29.3, abs=0.01)
    assert stats.described([]).requests == 0
    assert stats.described([2.0])[1:] == (2, 0, 2, 2, 2, 2)


def test_what_lies_beyond_two_deviations_is_an_outlier():
    assert stats.without_outliers([1.0] * 99 + [100.0]) == [1.0] * 99
    assert stats.without_outliers([5.0, 5.0]) == [5.0, 5.0]


def test_a_failure_counts_in_no_time():
    samples = [sample(response=0.5), sample(response=9.0, error="status 503")]
    assert stats.metrics_of(samples)["response"] == [0.5]


def test_what_the_server_says_is_a_metric_of_its_own():
    samples = [sample(server={"disk": 0.001}), sample(server={"disk": 0.002, "begin": 0.003})]
    metrics = stats.metrics_of(samples)
    assert metrics["server disk"] == [0.001, 0.002]
    assert metrics["server begin"] == [0.003]


def test_the_ratio_of_two_sources_holds_the_true_one():
    samples = [sample("disk", response=0.010 + number % 7 / 1000) for number in range(200)]
    samples += [sample("swift", response=0.039 + number % 7 / 1000) for number in range(200)]
    response = next(ratio for ratio in stats.ratios(samples) if ratio.metric == "response")
    assert (response.source, response.over) == ("swift", "disk")
    assert 3.0 < response.low <= 42 / 13 <= response.high < 3.5


def beats(awake=0.1, waiting=0.0, idle=0.02, late=0.0, longest=0.0005):
    return [
        Beat(at, at * 0.1, at * waiting, at * awake, at * idle, at * late, longest)
        for at in (number / 10 for number in range(32))
    ]


@pytest.mark.parametrize(
    ("client", "reason"),
    [
        (beats(), ""),
        (beats(awake=0.97), "the client was busy 97% of the time"),
        (beats(waiting=0.5), "the client waited for a processor 50% of the time"),
        (beats(idle=0.2), "its connections had no request 20% of the time"),
        (beats(late=0.02, longest=0.03), "answers waited up to 30.0 ms for the client"),
        # Once, of thousands; or so short that 5 % of the response are more.
        (beats(late=0.001, longest=0.03), ""),
        (beats(late=0.5, longest=0.002), ""),
    ],
)
def test_a_slice_says_when_the_client_was_the_limit(client, reason):
    samples = [sample(started=n / 100, response=0.05, total=0.2) for n in range(300)]
    parts = stats.slices(samples, client)
    assert {part.client_limit for part in parts} - {""} == ({reason} if reason else set())


@pytest.mark.parametrize(
    ("total", "awake", "reason"),
    [
        (0.0100, 0.02, "the client itself took 20% of a request's time"),
        (0.0100, 0.005, ""),
        (0.0200, 0.06, ""),  # half of it is a body
    ],
)
def test_a_slice_says_what_part_of_a_short_request_was_the_clients(total, awake, reason):
    samples = [sample(started=n / 10 + 0.01, response=0.01, total=total) for n in range(30)]
    *parts, _ = stats.slices(samples, beats(awake=awake))
    assert {part.client_limit for part in parts} == {reason}


def test_slices_hold_every_request_once():
    samples = [sample(started=number / 10, total=0.05) for number in range(100)]
    samples.append(sample("swift", started=3.0, total=0.2, error="status 500"))
    parts = stats.slices(samples, [])
    assert sum(part.requests.get("disk", 0) for part in parts) == 100
    assert sum(part.requests.get("swift", 0) for part in parts) == 0
    assert sum(part.failures for part in parts) == 1
    assert len(parts) <= stats.SLICES + 1
    assert stats.slices([], []) == [stats.slices([], [])[0]]


def test_the_last_slice_is_as_long_as_its_run_was():
    samples = [sample(started=number / 10, total=0.05) for number in range(72)]
    *others, last = stats.slices(samples, [])
    assert (others[0].width, round(last.width, 6)) == (0.5, 0.15)
    assert [part.is_partial for part in (others[0], others[-1], last)] == [False, False, True]
    assert sum(part.width for part in [*others, last]) == pytest.approx(7.15)


def slower(seconds):
    """Some requests, each later one slower by so much."""
    return [sample(started=number, total=0.1 + number * seconds) for number in range(120)]


def test_a_store_that_fades_is_seen_across_runs():
    (found,) = stats.fading(slower(0.001), 4)
    assert 1.5 < found.low <= found.high < 2
    (found,) = stats.fading([*slower(0), *[sample(started=1, total=0.3)] * 120], 4)
    assert (found.low, found.high) == (pytest.approx(3), pytest.approx(3))
    assert (found.median, found.over_median) == (0.3, 0.1)


def test_neither_start_up_nor_end_counts_as_fading():
    start_up = [sample(started=number / 10, total=0.9) for number in range(60)]
    steady = [sample(started=20 + number / 10, total=0.1) for number in range(300)]
    end = [sample(started=50, total=0.01) for _ in range(8)]
    (found,) = stats.fading([*start_up, *steady, *end], 8)
    assert (found.low, found.high) == (1, 1)


def test_nothing_fades_where_a_fifth_is_little_more_than_the_requests_at_once():
    # All connections begin together, so the first answers are of requests that did not wait.
    begin = [sample(started=0.0, total=0.01 + number / 1000) for number in range(64)]
    rest = [sample(started=number / 1000, total=0.074) for number in range(136)]
    assert stats.fading([*begin, *rest], 64) == []
    assert stats.fading([*begin, *rest], 1)[0].low > 1
    assert [found.source for found in stats.fading(rest * 16, 64)] == ["disk"]
