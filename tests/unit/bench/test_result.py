# SPDX-License-Identifier: Apache-2.0
import json
import re

import pytest

from oslogserve.bench import files, result, stats
from oslogserve.bench.result import Result, Run
from oslogserve.bench.text import as_text
from oslogserve.config import ConfigError

from .made import sample

SETUP = {
    "sources": "disk, swift",
    "logs": "http://logs/a.txt",
    "order": "in turn",
    "begun": "2026-01-02T03:04:05Z",
}


def both(count=200):
    samples = [
        sample(source, started=number / 100, response=response, worker=str(number % 2))
        for number in range(count)
        for source, response in (("disk", 0.010), ("swift", 0.030))
    ]
    return Result(SETUP, [Run(samples, [], parallel=4)])


def test_the_text_has_what_was_executed_and_how_the_sources_compare():
    text = as_text(both())
    rows = [line.split() for line in text.splitlines()]
    assert ["1", "swift", "4", "200", "0", "0.0%"] in [row[:6] for row in rows]
    assert ["response", "200", "30.00", "0.00", "30.00", "30.00", "30.00", "30.00"] in rows
    assert "swift answers 3 to 3 times later than disk" in text
    assert "swift transfers for 1 to 1 times as long as disk" in text
    assert "Requests by worker: 0: 200, 1: 200" in text


def test_the_text_has_rate_and_latency_by_slice_and_whether_they_fade():
    samples = [sample("put", started=number / 100 + 0.005, total=0.02) for number in range(140)]
    text = as_text(Result({}, [Run(samples, [])]))
    rows = [line.split() for line in text.splitlines()]
    assert ["0.2", "100.0", "20.00"] in rows
    assert (
        "put: after the start-up, the last fifth of the requests took 1 to 1 times as long as the "
        "first, so no difference shows (medians of 20.00 and 20.00 ms, 95 % of resamples)." in text
    )


def test_a_slice_of_time_that_is_shorter_than_the_others_is_marked():
    samples = [sample("put", started=number / 100, total=0.02) for number in range(193)]
    *full, last = as_text(Result({}, [Run(samples, [])])).split("\n\n")[-1].strip().splitlines()
    assert last.endswith("partial: 15 requests in 0.14 of 0.2 s")
    assert "partial" not in " ".join(full)
    assert last.split()[1] == "-"  # requests that were under way at the end are no rate


@pytest.fixture
def limited():
    """A result whose client was busy all the time."""
    beats = [stats.Beat(at / 10, at / 10, 0.0, at / 10) for at in range(32)]
    return both()._replace(runs=[both().runs[0]._replace(beats=beats)])


def test_a_ratio_is_only_a_bound_where_the_client_was_the_limit(limited):
    text = as_text(limited)
    figures = "(medians of 30.00 and 10.00 ms, 95 % of resamples)"
    assert f"swift answers at least 3 times later than disk {figures}." in text
    assert "swift transfers for 1 to 1 times as long as disk, so no difference shows" in text


def test_nothing_is_said_of_fading_where_the_client_was_the_limit(limited):
    text = as_text(limited)
    assert "disk: nothing can be said of fading: the client was the limit in most slices" in text
    assert "the last fifth" not in text


def test_a_limit_of_merged_clients_bounds_a_ratio_too(clients, limited):
    assert "at least" not in as_text(files.merged(clients(both(), both())))
    assert "swift answers at least 3 times" in as_text(files.merged(clients(limited, limited)))


def test_a_connection_that_was_kept_has_no_time_to_connect():
    kept = [sample(sent=0.0) for _ in range(3)]
    assert "\nsent" not in as_text(Result({}, [Run(kept, [])]))
    text = as_text(Result({}, [Run([*kept, sample(sent=0.004)], [])]))
    assert ["sent", "1", "4.00"] in [line.split()[:3] for line in text.splitlines()]


def test_failures_count_in_no_rate_and_in_no_median():
    failures = [sample(error="status 503", started=0.05, total=0.0001) for _ in range(9)]
    (part, *_) = stats.slices([sample(started=0.05, total=0.02), *failures], [])
    assert (part.requests, part.median, part.failures) == ({"disk": 1}, {"disk": 0.02}, 9)
    text = as_text(Result({}, [Run([*failures, sample(started=5.0)], [])]))
    assert [line.split()[2] for line in text.splitlines() if line.startswith("0  ")] == ["-"]
    assert ["1", "disk", "1", "10", "9", "90.0%"] in [row.split()[:6] for row in text.splitlines()]


def test_where_each_request_failed_no_figure_is_shown_but_why():
    failed = [sample(error="status 404") for _ in range(3)]
    text = as_text(Result({"sources": "disk"}, [Run(failed, [])]))
    assert "Note: disk: 3 requests failed and count in no time: status 404.\n" in text
    assert "0.0" not in text


def test_a_source_of_which_each_request_failed_has_no_times():
    failed = [sample("swift", error="status 404") for _ in range(3)]
    text = as_text(Result({}, [Run([*failed, *[sample(total=0.5)] * 3], [])]))
    assert "disk, ms" in text
    assert "swift, ms" not in text
    assert re.search(r"swift +0? *1? *3 +3 +100\.0%.* -  +-\n", text)


def test_no_control_character_of_a_server_reaches_a_terminal():
    found = sample(worker="\x1b]0;\x9b2J", server={"\x1b[2J": 1.0}, error="\x07")
    text = as_text(Result({}, [Run([found, sample("Grüße", server={"\x1b[2J": 1.0})], [])]))
    assert text.replace("\n", "").isprintable()
    assert "Grüße" in text


def test_outliers_are_left_out_in_a_second_row_and_counted():
    samples = [sample(response=0.01) for _ in range(150)] + [sample(response=3.0)]
    text = as_text(Result({}, [Run(samples, [])]))
    assert "without 1 outliers" in text


def test_caveats_name_few_requests_an_interruption_and_different_sizes():
    found = Result({}, [Run([sample(size=1), sample("swift", size=2)], [])], was_interrupted=True)
    told = " ".join(result.caveats(found))
    assert "interrupted" in told
    assert "fewer than 100 requests" in told
    assert "Logs that differ in size between sources or over time: 1." in told


@pytest.mark.parametrize(("measured", "is_few"), [(99, True), (100, False)])
def test_failures_do_not_make_few_requests_many(measured, is_few):
    samples = [sample() for _ in range(measured)] + [sample(error="status 503") for _ in range(9)]
    told = " ".join(result.caveats(Result({}, [Run(samples, [])])))
    assert ("fewer than 100 requests" in told) is is_few


def test_a_result_without_a_run_is_written_too():
    empty = Result({}, [], was_interrupted=True)
    assert "interrupted" in as_text(empty)
    assert json.loads(files.as_json(empty))["runs"] == []


def test_the_text_begins_with_the_conclusion_and_names_url_and_sizes():
    lines = as_text(both()).split("\n")
    assert lines[0].startswith("swift answers 3 to 3 times later than disk")
    assert lines[5:8] == [
        "sources: disk, swift",
        "logs: http://logs/a.txt",
        "bytes of a body: 1,000",
    ]
    alone = Result({}, [Run([sample(size=10), sample(size=20), sample(error="status 503")], [])])
    lines = as_text(alone).split("\n")
    assert lines[0] == "disk: 2 requests succeeded, half of them within 31.00 ms; 1 failed."
    assert "bytes of a body: 10 to 20, 15 on average" in lines


def test_rates_of_sources_that_take_turns_say_so():
    text = as_text(both())
    assert "requests/s in turn  MB/s in turn" in text
    assert "swift requests/s in turn" in text
    assert text.count(result.IN_TURN) == 1
    alone = as_text(Result({}, [Run([sample()], [])]))
    assert "in turn" not in alone
    assert "took turns" not in alone


def scenarios():
    """Two scenarios; in the second one, Swift takes three times as long, but for an outlier."""
    runs = []
    for title, parallel, swift in (("one log", 1, 0.010), ("3 logs", 5, 0.030)):
        samples = [
            sample(source, started=n / 100) for n in range(99) for source in ("disk", "swift")
        ]
        slower = [
            one if one.source == "disk" else sample("swift", response=swift) for one in samples
        ]
        runs.append(Run([*slower, sample("swift", response=3.0)], [], title, parallel))
    return Result(SETUP, runs)


def test_scenarios_have_one_table_with_sizes_and_both_passes():
    text = as_text(scenarios())
    rows = [line.split() for line in text.splitlines()]
    assert "response p50  response mean  response std  response mean*  response std*" in text
    assert ["3", "logs", "swift", "1.0", "30.00", "59.70", "297.00", "30.00", "0.00"] in [
        r[:9] for r in rows
    ]
    transfer = ["20.00", "20.00", "0.00", "20.00", "0.00"]
    assert [*transfer, "1", "of", "100"] in [row[-8:] for row in rows]
    # The medians that it compares are in the table.
    assert "3 logs: swift answers 3 to 3 times later than disk (medians of 30.00 and 10.00" in text
    found = json.loads(files.as_json(scenarios()))
    assert found["scenarios"]["3 logs"]["sources"]["disk"]["total"]["all"]["requests"] == 99
    assert {row.partition(",")[0] for row in files.as_csv(scenarios()).splitlines()[1:]} == {
        "one log",
        "3 logs",
    }


def test_a_mix_is_some_lines_and_its_operations_are_not_compared():
    samples = [
        sample(source, started=number / 100, status=204 if source == "delete" else 200)
        for number in range(100)
        for source in ("put", "get", "delete")
    ]
    text = as_text(Result({"mix": "1 put, 1 get, 1 delete"}, [Run(samples, [])]))
    assert len(text.splitlines()) <= 15
    assert [row.split()[:6] for row in text.splitlines() if row.startswith("1 ")] == [
        ["1", source, "1", "100", "0", "0.0%"] for source in ("put", "get", "delete")
    ]
    assert "later than" not in text


def test_deletions_are_in_the_table_of_what_was_put():
    deleted = Run([sample("delete", status=204, size=0)], [])
    found = Result({}, [Run([sample("put")] * 2, [])], deletions=[deleted])
    rows = [row.split()[:5] for row in as_text(found).splitlines() if row[:2] in ("1 ", "2 ")]
    assert rows == [["1", "put", "1", "2", "0"], ["2", "delete", "1", "1", "0"]]
    assert "differ in size" not in as_text(found)


@pytest.fixture
def clients(tmp_path):
    """Writes results of several clients; returns their paths."""

    def write(*results):
        paths = []
        for number, found in enumerate(results):
            path = tmp_path / f"{number}.json"
            path.write_text(files.as_json(found))
            paths.append(str(path))
        return paths

    return write


def test_results_of_several_clients_become_one(clients):
    found = files.merged(clients(both(), both()))
    (run,) = found.runs
    assert (run.parallel, len(run.samples), run.seconds) == (8, 800, both().runs[0].seconds)
    assert run.samples[0] == run.samples[2] == both().samples[0]
    assert found.setup["clients"] == "2"
    assert found.setup["logs"] == "http://logs/a.txt"
    assert found.ratios() == both().ratios()
    assert "2 clients, as if they had begun at once." in result.caveats(found)[0]


def test_one_result_is_read_as_it_was_written(clients, limited):
    early = limited._replace(notes=["It ended early: swift: no token came in time."])
    text = as_text(files.merged(clients(early)))
    assert text.startswith(as_text(early).partition("Note: ")[0].partition("\nfrom second")[0])
    assert "Note: It ended early: swift: no token came in time." in text
    assert "client was the limit" in text
    assert "clients" not in text


def test_a_limit_of_one_client_is_still_said_after_the_union(clients, limited):
    paths = clients(both(), limited)
    told = [caveat for caveat in result.caveats(files.merged(paths)) if "was the limit" in caveat]
    assert [caveat.partition(": ")[0] for caveat in told] == paths[1:]


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (both()._replace(setup=SETUP | {"begun": "2026-01-02T03:05:05Z"}), "began 60 s apart"),
        (scenarios(), "have different runs"),
    ],
)
def test_results_that_do_not_belong_together_are_refused(clients, other, sentence):
    with pytest.raises(ConfigError, match=sentence):
        files.merged(clients(both(), other))


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"runs": [], "deletions": [], "samples": [1]}'])
def test_what_is_no_result_is_refused_in_one_sentence(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"a.json: no JSON of `oslogserve bench`"):
        files.merged([str(path)])
