# SPDX-License-Identifier: Apache-2.0
"""The comparison with other programs: its cases, logs, figures, targets and chart. Nothing is timed."""

import gzip
from functools import partial
from xml.etree import ElementTree

import pytest

from benchmarks import charts
from benchmarks.comparison import cases, logs, measure, picture, renderer, small, targets
from benchmarks.comparison.rows import Rounds
from benchmarks.fetch import BadAnswer, fetched_once
from oslogserve.bench.samples import Request
from tests.servers.delays import Delays

LOG = logs.Log("219 MB", "219.txt.gz", 219_000_000, 11_000_000, 840_000)
TABLE = cases.table(cases.RENDERERS, cases.SOURCES)
CASES = {case.name: case for case in TABLE}


def rounds_of(*totals, name="HTML, native", table=LOG.name):
    """Rounds of these totals; the neighbour always takes a second."""
    rounds = Rounds(len(totals))
    for number in rounds.each("test"):
        ours = {"total": totals[number]}
        rounds.compare(table, name, lambda: ours, cases.NGINX, lambda: {"total": 1.0})  # noqa: B023
    return rounds


def test_every_case_has_a_name_of_its_own_and_a_neighbour_of_its_source():
    assert len(CASES) == len(TABLE)
    for case in TABLE:
        assert (case.neighbour == cases.SWIFT_DOWNLOAD) == (case.source == "swift")


def test_a_request_asks_for_the_view_in_its_encoding():
    request = CASES["HTML, gzipped, native"].request("http://a", LOG)
    assert request.url == "http://a/219.txt.gz?source=disk"
    assert request.headers == ("Accept: text/html", "Accept-Encoding: gzip")
    end = CASES["lines= at the end, pure from Swift"].request("http://a", LOG)
    assert end.url == "http://a/219.txt.gz?lines=839901-&source=swift"


def test_a_ratio_is_of_the_same_round_and_the_neighbour_comes_first_in_every_second():
    order, rounds = [], Rounds(2)
    totals = iter((1.0, 2.0, 10.0, 9.0))

    def measured(name):
        order.append(name)
        return {"total": next(totals)}

    for _ in rounds.each("test"):
        rounds.compare("t", "a", partial(measured, "a"), "b", partial(measured, "b"))
    assert order == ["a", "b", "b", "a"]
    assert rounds.find("t", "a", "ratio") == [0.5, 0.9]


def test_a_table_has_the_median_and_the_range_of_the_rounds():
    rounds = rounds_of(0.3, 0.1, 0.2)
    rounds.describe(LOG.name, f"A log of {LOG}")
    (outcome,) = rounds.outcomes()
    log = "A log of 219.0 MB, gzipped 11.00 MB (1:19.9)"
    assert outcome.sentences == [f"{log}; rounds: 3; median (range)."]
    shown = ["HTML, native", "200 (100-300)", "0.20 (0.10-0.30)", "nginx, unpacking"]
    assert outcome.rows[1] == shown


def test_every_target_is_about_a_case():
    known = {*CASES, *measure.JOB_QUERIES, *(f"{task}, native" for task in renderer.TASKS)}
    assert {name for own in targets.RATIOS.values() for name in own} <= known
    assert {name for _, name in targets.LIMITS} <= known


def test_a_target_is_compared_with_the_median():
    met, missed = (targets.outcome(rounds_of(x, x, 5.0)).rows[0][-2:] for x in (1.05, 1.06))
    assert (met, missed) == (("<= 1.05", "met"), ("<= 1.05", "MISSED"))
    rounds = Rounds(1)
    rounds.add(renderer.RENDERERS_ALONE, "HTML, native", {"speed": 1e9})
    assert targets.outcome(rounds).rows[0][-2:] == (">= 1,100", "MISSED")


def test_the_chart_has_a_bar_for_each_case_and_its_target(tmp_path):
    figure = picture.drawn(rounds_of(0.5), [CASES["HTML, native"]], LOG)
    charts.write(figure, tmp_path / "chart.svg")
    texts = {text.text for text in ElementTree.parse(tmp_path / "chart.svg").iter() if text.text}
    assert {"Time to send a log of 219 MB", "1.00 (1.00 s)", "0.50 (500 ms)", "target"} <= texts


def test_real_logs_are_taken_gzipped(tmp_path):
    source, root = tmp_path / "source", tmp_path / "root"
    source.mkdir()
    root.mkdir()
    (source / "a.txt").write_bytes(b"one\n" * 1000)
    (source / "b.log.gz").write_bytes(gzip.compress(b"two\n") + gzip.compress(b"two\n"))
    (source / "c.png").write_bytes(b"no log")
    taken = logs.real(root, source)
    assert [(log.name, log.size) for log in taken] == [("a.txt", 4000), ("b.log.gz", 8)]
    for log, line in zip(taken, (b"one", b"two"), strict=True):
        assert gzip.decompress((root / log.file).read_bytes())[:3] == line
        assert (root / log.file).stat().st_size == log.stored
    with pytest.raises(logs.NoLogs, match=r"no file in it ends in"):
        logs.real(root, tmp_path / "none")


def test_the_logs_of_a_job_begin_together_and_one_has_the_request(tmp_path, monkeypatch):
    monkeypatch.setattr(logs, "JOB_LOGS", 3)
    monkeypatch.setattr(logs, "JOB_SIZE", 100_000)
    job = logs.write_job(tmp_path)
    contents = [gzip.decompress((tmp_path / file).read_bytes()) for file in job.files]
    assert len({content[:19] for content in contents}) == 1
    assert [job.request_id.encode() in content for content in contents] == [False, True, False]


def test_no_two_of_the_small_logs_are_alike(tmp_path):
    logs.write_small(tmp_path)
    names = map(logs.small_name, range(logs.SMALL_COUNT))
    contents = {(tmp_path / name).read_bytes() for name in names}
    assert len(contents) == logs.SMALL_COUNT
    assert all(0 <= len(content) - logs.SMALL_SIZE <= 400 for content in contents)


def test_an_answer_that_failed_does_not_count():
    with Delays() as server, pytest.raises(BadAnswer, match="a: status 503"):
        fetched_once(iter([Request("test", "a", f"{server.url}/503")]))


def test_a_round_in_which_one_worker_had_it_all_does_not_count(monkeypatch):
    rates = iter((900.0, 1500.0))
    spent = iter(([1.0, 1.0], [4.0, 1.0], [4.0, 1.0], [6.0, 2.5]))

    class Subject:
        name = "server"
        workers = type("Workers", (), {"processor_seconds": lambda _: next(spent)})()

    monkeypatch.setattr(small, "_rate", lambda subject, connections: next(rates))
    assert small._rate_of_all_workers(Subject(), 8) == {"rate": 1500.0}


def test_the_renderers_have_to_give_the_same_bytes():
    def two(pieces, wanted):
        yield b"".join(pieces)

    def three(pieces, wanted):
        yield b"".join(pieces) + b"!"

    with pytest.raises(BadAnswer, match="the renderers give"):
        renderer.measure({"native": two, "pure": three}, 1, Rounds(1))
