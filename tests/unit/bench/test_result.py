# SPDX-License-Identifier: Apache-2.0
import json

from oslogserve.bench import result, stats
from oslogserve.bench.result import Result, Run

from .made import sample


def both(count=200):
    samples = [
        sample(source, started=number / 100, response=response, worker=str(number % 2))
        for number in range(count)
        for source, response in (("disk", 0.010), ("swift", 0.030))
    ]
    return Result({"parallel": "4"}, [Run(samples, [])])


def test_the_text_has_what_was_executed_and_how_the_sources_compare():
    text = result.as_text(both())
    rows = [line.split() for line in text.splitlines()]
    assert ["1", "swift", "4", "200", "0", "0.0%"] in [row[:6] for row in rows]
    assert ["response", "200", "30.00", "0.00", "30.00", "30.00", "30.00", "30.00"] in rows
    assert "swift answers 3 to 3 times later than disk" in text
    assert "swift transfers for 1 to 1 times as long as disk" in text
    assert "Requests by worker: 0: 200, 1: 200" in text


def test_the_text_has_rate_and_latency_by_slice_and_whether_they_fade():
    samples = [sample("put", started=number / 100 + 0.005, total=0.02) for number in range(100)]
    text = result.as_text(Result({}, [Run(samples, [])]))
    rows = [line.split() for line in text.splitlines()]
    assert ["0.2", "100.0", "20.00"] in rows
    assert "put: the last fifth of the requests took 1 to 1 times as long as the first" in text


def test_failures_count_in_no_rate_and_in_no_median():
    failures = [sample(error="status 503", started=0.05, total=0.0001) for _ in range(9)]
    (part, *_) = stats.slices([sample(started=0.05, total=0.02), *failures], [])
    assert (part.requests, part.median, part.failures) == ({"disk": 1}, {"disk": 0.02}, 9)
    text = result.as_text(Result({}, [Run(failures, [])]))
    assert [line.split()[2] for line in text.splitlines() if line.startswith("0  ")] == ["-"]
    assert text.splitlines()[1].split()[-2:] == ["0.0", "0.0"]


def test_no_control_character_of_a_server_reaches_a_terminal():
    found = sample(worker="\x1b]0;\x9b2J", server={"\x1b[2J": 1.0}, error="\x07")
    text = result.as_text(Result({}, [Run([found, sample("Grüße", server={"\x1b[2J": 1.0})], [])]))
    assert text.replace("\n", "").isprintable()
    assert "Grüße" in text


def test_outliers_are_left_out_in_a_second_row_and_counted():
    samples = [sample(response=0.01) for _ in range(150)] + [sample(response=3.0)]
    text = result.as_text(Result({}, [Run(samples, [])]))
    assert "without 1 outliers" in text


def test_caveats_name_few_requests_an_interruption_and_different_sizes():
    found = Result({}, [Run([sample(size=1), sample("swift", size=2)], [])], was_interrupted=True)
    told = " ".join(result.caveats(found))
    assert "interrupted" in told
    assert "fewer than 100 requests" in told
    assert "Logs that differ in size between sources or over time: 1." in told


def test_a_result_without_a_run_is_written_too():
    empty = Result({}, [], was_interrupted=True)
    assert "interrupted" in result.as_text(empty)
    assert json.loads(result.as_json(empty))["runs"] == []
