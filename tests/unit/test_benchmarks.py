# SPDX-License-Identifier: Apache-2.0
"""What the benchmark makes of its measurements; nothing here is timed."""

import gzip
import json
from xml.etree import ElementTree

import pytest

from benchmarks import cases, chart, client, logs, measure, picture, renderer, targets
from benchmarks.report import (
    Busy,
    Everything,
    JobCase,
    Page,
    Pair,
    Rendered,
    Result,
    Sample,
    Small,
    Spread,
    Visit,
    percentile,
)

LOG = logs.Log("219 MB", "219.txt.gz", 219_000_000, 11_000_000, 840_000, 219)
TABLE = cases.table(cases.VIEWS, cases.ENCODINGS, cases.RENDERERS, cases.SOURCES)
CASES = {case.name: case for case in TABLE}
SVG = "{http://www.w3.org/2000/svg}"


def result(name, *totals, beside=1.0, log=LOG, encoding=None, received=22_000_000):
    """Rounds of these totals, and of one neighbour."""
    case = CASES[name]
    if encoding is None:
        encoding = "gzip" if case.encoding == "gzip" else ""
    other = Sample(beside, 0.0001, log.size)
    ours = [Sample(total, 0.002, received, encoding, 1 << 20) for total in totals]
    return Result(log, case, [Pair(one, other) for one in ours])


def verdicts(*results, **more):
    run = Everything(2e9, list(results), **more)
    found = [target.verdict(run) for target in targets.TARGETS]
    return {verdict.target.what: verdict for verdict in found if verdict}


def test_a_spread_is_the_median_and_the_range():
    assert Spread.of([3, 1, 2]) == Spread(2, 1, 3)
    assert Spread.of([0.5, 0.25]).text(1e3, 0) == "375 (250-500)"


@pytest.mark.parametrize(("share", "expected"), [(50, 100), (99, 198), (100, 200), (1, 2)])
def test_a_percentile_is_a_value_that_was_measured(share, expected):
    assert percentile(list(range(200, 0, -1)), share) == expected


def test_a_ratio_is_of_the_same_round():
    pairs = [Pair(Sample(1.0), Sample(2.0)), Pair(Sample(9.0), Sample(10.0))]
    assert Result(LOG, CASES["HTML, native"], pairs).ratio == Spread(0.7, 0.5, 0.9)


def test_every_case_has_a_name_of_its_own():
    assert len(CASES) == len(TABLE)


@pytest.mark.parametrize("case", TABLE, ids=lambda case: case.name)
def test_nothing_from_disk_is_compared_with_swift(case):
    assert ("swift" in case.beside) == (case.source == "swift")


def test_only_what_was_asked_for_is_in_the_table():
    names = [case.name for case in cases.table(["html"], ["gzip"], ["pure"], ["disk"])]
    assert names == ["HTML, gzipped, pure", "zcat"]


def test_the_targets_of_cases_name_cases():
    assert set(targets.TIMES_AT_MOST) <= set(CASES)


@pytest.mark.parametrize(("total", "met"), [(0.9, True), (0.91, False)])
def test_a_target_is_held_against_the_median(total, met):
    found = verdicts(result("HTML, native", total, total, 5.0))
    assert found["HTML, native / nginx, unpacking"].met is met


def test_a_target_may_be_a_least():
    rendered = [
        Rendered("HTML", "native", 10**9, [0.5]),
        Rendered("ten formats, level=ERROR", "native", 10**9, [20.0]),
    ]
    found = verdicts(rendered=rendered)
    assert found["native renderer alone, HTML"].met
    assert not found["native renderer alone, ten formats, level=ERROR"].met


def test_markup_is_counted_by_the_line():
    sent = result("HTML, native", 0.1)
    log = sent.log
    expected = (sent.ours[0].received - log.size) / log.lines
    assert verdicts(sent)["bytes of markup a line, HTML"].spread.median == expected


def test_what_was_not_compressed_is_said_and_held_against_no_target():
    plain = result("HTML, gzipped, native", 0.1, encoding="")
    assert plain.notes(2e9) == ["NOT GZIP: identity"]
    assert "HTML, gzipped, native / nginx, unpacking" not in verdicts(plain)
    packed = result("HTML, gzipped, native", 0.1)
    assert packed.notes(2e9) == []
    assert verdicts(packed)["bytes: HTML, gzipped / stored gzip"].spread.median == 2.0


def test_the_growth_is_that_of_the_page():
    huge = logs.Log("2000 MB", "2000.txt.gz", 2_000_000_000, 100_000_000, 8_000_000, 2000)
    found = verdicts(result("HTML, native", 0.3), result("HTML, native", 3.0, log=huge))
    assert found["2000 MB log / 219 MB log, HTML"].spread.median == pytest.approx(10)


def test_a_first_byte_may_take_three_milliseconds_or_four_times_nginx():
    found = verdicts(result("HTML, native", 0.3))["first byte: HTML, native"]
    assert (found.limit, found.met) == (0.003, True)


def test_the_limit_of_a_busy_server_is_its_99th_percentile():
    loaded = [[0.001] * 197 + [0.5] * 3]
    found = verdicts(busy=[Busy("oslogserve", "219 MB", 8, 8, [[0.001]], loaded)])
    assert not found["first byte beside 8 downloads, p99"].met


def test_it_says_where_the_client_was_the_limit():
    fast = result("HTML, native", 0.01)
    assert fast.notes(2.3e9) == ["client-limited"]
    assert fast.notes(9e9) == []


def test_the_report_names_every_case_and_the_targets_that_were_not_measured():
    run = Everything(2e9, [result("HTML, native", 0.3), result("HTML, pure", 2.0)])
    told = "\n".join([*run.lines(), *targets.lines(run)])
    assert "HTML, native  " in told
    assert "2.00 (2.00-2.00) nginx, unpacking" in told
    assert "not measured: level=ERROR, native" in told
    assert json.loads(json.dumps(run.as_dict()))["results"][0]["spreads"]["ratio"]["median"] == 0.3


def test_the_chart_is_xml_with_a_bar_for_each_way():
    run = Everything(2e9, [result("HTML, native", 0.3), result("HTML, pure", 2.0)])
    tree = ElementTree.fromstring(picture.drawn(run))
    kinds = [rect.get("class") for rect in tree.iter(f"{SVG}rect") if rect.get("height") == "14"]
    assert kinds == ["other", "native", "pure"]
    assert len([x for x in tree.iter(f"{SVG}line") if x.get("class") == "target"]) == 2


def test_the_chart_stays_in_its_frame_and_escapes_its_words():
    drawn = chart.svg("<&>", "", [chart.Bar("a<b", 40.0, "pure", "9 s", target=0.9)])
    tree = ElementTree.fromstring(drawn)
    assert tree.find(f"{SVG}title").text == "<&>"
    for rect in tree.iter(f"{SVG}rect"):
        assert float(rect.get("x")) + float(rect.get("width")) <= chart.WIDTH


def test_real_logs_are_taken_gzipped(tmp_path):
    source, root = tmp_path / "source", tmp_path / "root"
    source.mkdir()
    root.mkdir()
    (source / "a.txt").write_bytes(b"one\n" * 1000)
    (source / "b.log.gz").write_bytes(gzip.compress(b"two\n") + gzip.compress(b"two\n"))
    (source / "c.png").write_bytes(b"no log")
    taken = logs.real(root, source)
    assert [(log.name, log.size) for log in taken] == [("a.txt", 4000), ("b.log.gz", 8)]
    assert [gzip.decompress((root / log.file).read_bytes())[:3] for log in taken] == [
        b"one",
        b"two",
    ]
    assert all((root / log.file).stat().st_size == log.stored for log in taken)


def test_a_folder_without_logs_is_said(tmp_path):
    with pytest.raises(logs.NoLogs, match=r"no file in it ends in"):
        logs.real(tmp_path, tmp_path)


@pytest.mark.parametrize(
    ("head", "received", "last"),
    [
        (b"HTTP/1.1 404 Not Found", 3, b"..."),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 4", 3, b"..."),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked", 3, b"..."),
    ],
)
def test_an_answer_that_is_not_whole_does_not_count(head, received, last):
    with pytest.raises(client.BadAnswer):
        client._checked(head, received, last)


def test_a_whole_answer_tells_its_encoding():
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip"
    assert client._checked(head, 9, b"0\r\n\r\n") == "gzip"


def test_a_round_in_which_one_worker_had_it_all_does_not_count(monkeypatch):
    rates = iter((900.0, 1500.0))
    spent = iter(([1.0, 1.0], [4.0, 1.0], [4.0, 1.0], [6.0, 2.5]))

    class Server:
        name = "server"

        def processor_seconds(self):
            return next(spent)

    monkeypatch.setattr(measure, "_requests_a_second", lambda server, seconds: next(rates))
    said = []
    assert measure._by_all_workers(Server(), 3, said.append) == 1500.0
    assert said == ["server: once more, its workers had 3.0 s, 0.0 s"]


def test_the_renderers_are_asked_for_the_same_bytes():
    def two(pieces, wanted):
        yield b"".join(pieces)

    def three(pieces, wanted):
        yield b"".join(pieces) + b"!"

    with pytest.raises(client.BadAnswer, match="the renderers give"):
        renderer.measured({"native": two, "pure": three}, 1, 1, lambda text: None)


def test_there_is_always_a_pure_renderer():
    rendered = b"".join(renderer.installed()["pure"](iter([b"a\nb\n"]), renderer.TASKS["HTML"][1]))
    assert rendered.count(b"<li") == 2


def test_no_two_of_the_small_logs_are_alike():
    with logs.folder() as root:
        names = [logs.small_name(number) for number in range(logs.SMALL_COUNT)]
        contents = [(root / name).read_bytes() for name in names]
    assert len(set(contents)) == logs.SMALL_COUNT
    for content in contents:
        assert content.endswith(b"\n")
        assert logs.SMALL_SIZE - 400 <= len(content) <= logs.SMALL_SIZE


def test_the_small_logs_are_held_against_whitenoise():
    told = "2,000 small logs in turn: requests / whitenoise's"
    assert verdicts(small=Small(2000, 3900, [700.0, 650.0, 600.0], [1000.0] * 3))[told].met
    assert not verdicts(small=Small(2000, 3900, [640.0] * 3, [1000.0] * 3))[told].met


def test_all_logs_of_a_job_are_held_against_nginx():
    def of(name, seconds, first_byte, source="disk"):
        return JobCase(name, source, [seconds] * 3, [first_byte] * 3, [1.0] * 3, [1 << 20] * 3)

    cases = [of("summary", 0.4, 0.4), of("level=ERROR by time", 0.6, 0.1)]
    found = verdicts(job=[*cases, of("summary", 1.4, 0.1, "swift")])
    assert found["a job's logs, summary / nginx, unpacking"].met
    assert not found["a job's logs, level=ERROR by time / nginx, unpacking"].met
    assert found["first rows: a job's logs, level=ERROR by time"].met
    assert not found["a job's logs, summary / Swift"].met


def test_the_logs_of_a_job_begin_at_the_same_time():
    log = b"2026-03-04 18:22:11.248 INFO one\n  more\n2026-03-04 18:24:00.000 INFO two\n"
    assert logs._moved_to_midnight(log) == (
        b"2026-03-04 00:00:00.248 INFO one\n  more\n2026-03-04 00:01:49.000 INFO two\n"
    )


def test_a_page_is_told_with_what_a_line_costs():
    visits = [Visit(0.25, last, 1000, 400_000, 40_000, 2 << 20, 3 << 20, 0.1) for last in (1, 3, 2)]
    told = Everything(2e9, pages=[Page(LOG, visits)]).lines()
    headings, line = told[3:5]

    assert headings.split("  ")[1].strip() == "log"
    assert " ".join(line.split()).endswith("0.10 (0.10-0.10) 2 (2-2) 3 400 40 2097")
    assert "2.00 (1.00-3.00)" in line
