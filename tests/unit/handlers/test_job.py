# SPDX-License-Identifier: Apache-2.0
import gzip
import json
import os
import random
import re
import time
import tracemalloc
from threading import Event, Thread
from urllib.parse import quote

import pytest
import webob

from oslogserve import native
from oslogserve.errors import Incomplete, SourceError
from oslogserve.jobs import overview
from tests.kit.open_logs import FakeLog, FakeSource
from tests.unit.handlers.asking import HTML, Asking, descriptors, followed

NOVA = b"""nova starts
2026-03-04 18:22:11.000 INFO nova: one
2026-03-04 18:22:13.000 ERROR nova: two <b>
  of two
2026-03-04 18:22:12.000 INFO nova: a step back
"""
NEUTRON = b"""2026-03-04T20:22:11.500+02:00 INFO neutron: of a zone
2026-03-04T20:22:13.000+02:00 ERROR neutron: three
"""
PLAIN = b"ERROR: no time\n"
#: A test that failed, as testrepository writes it.
SUBUNIT = (
    b"\xb3+\x02\x15i\xa8xS\x00\x07a.B.bad\xfa0\xfch\xb3+p@Hi\xa8xS\x00\x07a.B.bad"
    b"\x17text/plain;charset=utf8\ttraceback\x0fValueError: no\n(\x1e(\x15"
    b"\xb3+\x06\x15i\xa8xS\x00\x07a.B.badpL\x99\x0b"
)


@pytest.fixture
def job(tmp_path):
    files = {
        "job/logs/nova.txt.gz": gzip.compress(NOVA),
        "job/logs/neutron.txt": NEUTRON,
        "job/plain.txt": PLAIN,
        "job/graph.png": b"\x89PNG\r\n\x1a\n",
        "job/binary.txt": b"PK\x03\x04",
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.fixture
def ask(job):
    return Asking(job)


def lines(answer):
    assert answer.status_int == 200, answer.text
    return [line for line in answer.text.splitlines() if not line.startswith("[oslogserve: ")]


def notices(answer):
    return [line[13:-1] for line in answer.text.splitlines() if line.startswith("[oslogserve: ")]


def objects(answer):
    return [json.loads(line) for line in answer.text.splitlines()]


def next_of_json(answer):
    return answer.json["next"]


def test_a_summary_has_what_is_in_each_log(ask):
    found = ask("/job/?format=summary").json
    logs = {log["name"]: log for log in found["logs"]}
    assert sorted(logs) == ["logs/neutron.txt", "logs/nova.txt.gz", "plain.txt"]
    nova = logs["logs/nova.txt.gz"]
    assert (nova["lines"], nova["bytes"], nova["source"]) == (5, len(NOVA), "disk")
    assert nova["severities"]["ERROR"] == {"count": 1, "first_line": 3}
    assert nova["first_time"] == "2026-03-04T18:22:11.000"
    assert nova["first_error"] == nova["last_error"]
    assert nova["first_error"]["text"].endswith("two <b>")
    assert found["complete"] is True
    assert {one["name"]: one["reason"] for one in found["skipped"]} == {
        "binary.txt": "it is application/zip",
        "graph.png": "it is image/png",
    }


@pytest.mark.parametrize("query", ["limit=2", "limit=1&after=2", "tail=2", "level=ERROR&context=1"])
@pytest.mark.parametrize("order", ["log", "time"])
def test_a_summary_of_each_log_is_as_that_log_says_it(ask, query, order):
    for log in ask(f"/job/?format=summary&order={order}&{query}").json["logs"]:
        alone = ask(f"/job/{log['name']}?format=summary&{query}").json
        assert log["severities"] == alone["severities"]


def test_lines_of_all_logs_name_their_log_and_number(ask):
    assert lines(ask("/job/?level=ERROR&format=text")) == [
        "logs/neutron.txt:2:2026-03-04T20:22:13.000+02:00 ERROR neutron: three",
        "logs/nova.txt.gz:3:2026-03-04 18:22:13.000 ERROR nova: two <b>",
        "logs/nova.txt.gz:4:  of two",
        "plain.txt:1:ERROR: no time",
    ]


def test_lines_are_merged_by_time_over_zones_and_steps_back(ask):
    answer = ask("/job/?order=time&format=text")
    numbers = [line.rpartition("/")[2].split(":")[:2] for line in lines(answer)]
    assert numbers == [
        *(["nova.txt.gz", "1"], ["nova.txt.gz", "2"]),
        *(["neutron.txt", "1"], ["neutron.txt", "2"]),
        *(["nova.txt.gz", "3"], ["nova.txt.gz", "4"], ["nova.txt.gz", "5"]),
        ["plain.txt", "1"],
    ]
    assert notices(answer) == ["Lines without any time come last, of: plain.txt."]


def test_lines_around_hits_are_merged_by_time(tmp_path, monkeypatch):
    for name, value in {"FIRST_SEARCHED": 4096, "BLOCK_TIME": 0}.items():  # blocks of 4 KiB
        monkeypatch.setattr(f"oslogserve.lines.renderer.{name}", value)
    stamps = [f"2026-03-04 18:{n // 60:02}:{n % 60:02}.000" for n in range(3600)]
    times = [f"{stamp} INFO {'x' * 60} {n % 100}\n" for n, stamp in enumerate(stamps)]
    (tmp_path / "job").mkdir()
    for name in ("a", "b"):
        (tmp_path / "job" / name).write_text("".join(times))
    (tmp_path / "job" / "each").write_text("".join(line.replace("x", "y") for line in times))
    ask = Asking(tmp_path)
    *rows, _ = objects(ask("/job/?order=time&format=jsonl&context=40&re=x+0$|y"))
    order = [(row["time"], row["log"]) for row in rows]
    assert order == sorted(order)
    assert len(order) > 3600 + 2 * 80 * 35


def test_objects_begin_with_their_log(ask):
    *rows, end = objects(ask("/job/?level=ERROR&format=jsonl"))
    assert list(rows[0]) == ["log", "line", "time", "severity", "text"]
    assert [row["log"] for row in rows].count("logs/nova.txt.gz") == 2
    assert (end["end"], end["logs"], end["sent"], end["next"]) == (True, 3, 4, None)
    assert (end["lines"], end["matched"], end["read_to_end"]) == (8, 4, True)


def test_an_answer_that_was_cut_says_nothing_of_lines_at_its_end(job):
    ask = Asking(job)
    assert notices(ask("/job/?order=time&format=text&limit=1&logs=plain*")) == [
        "Lines without any time come last, of: plain.txt."
    ]
    (job / "job" / "plain.txt").write_bytes(PLAIN * 2)
    [more] = notices(ask("/job/?order=time&format=text&limit=1&logs=plain*"))
    assert more.startswith("there is more: ")


def test_logs_are_chosen_by_patterns(ask):
    def chosen(query):
        return sorted(log["name"] for log in ask(f"/job/?format=summary&{query}").json["logs"])

    assert chosen("logs=nova*") == ["logs/nova.txt.gz"]
    assert chosen("logs=logs/*&logs=plain*") == [
        *("logs/neutron.txt", "logs/nova.txt.gz", "plain.txt")
    ]
    assert chosen("logs=other") == []


def test_a_page_links_each_line_to_its_log(ask):
    page = ask("/job/?level=ERROR", **HTML).text
    assert '<h2 class="of"><a href="logs/neutron.txt">logs/neutron.txt</a></h2>' in page
    assert "<a href=logs/nova.txt.gz#L3 name=_2026-03-04_18_22_13_000>3</a>" in page
    assert "two &lt;b&gt;" in page
    assert "<b>" not in page
    assert "4 lines of 3 logs, 2 other files" in page


@pytest.mark.parametrize(
    ("query", "link"),
    [
        ("level=INFO", "?q="),
        ("since=2026-03-04", "?order=time&amp;q="),
        ("order=time&source=disk", "?source=disk&amp;order=time&amp;q="),
    ],
)
def test_a_request_id_leads_to_its_lines_in_all_logs(job, ask, query, link):
    request = "req-0b1c2d3e-0000-4000-8000-000000000000"
    (job / "job" / "a.txt").write_text(f"2026-03-04 18:22:11.000 INFO [{request}] one\n")
    page = ask(f"/job/?{query}", **HTML).text
    assert f'[<a href="{link}{request}">{request}</a>] one' in page
    found = ask("/job/" + link.replace("&amp;", "&") + request + "&format=text")
    assert lines(found) == [f"a.txt:1:2026-03-04 18:22:11.000 INFO [{request}] one"]


@pytest.mark.parametrize("gathered_for", [0, 60])
def test_a_page_by_time_names_a_log_once_before_its_lines(ask, monkeypatch, gathered_for):
    monkeypatch.setattr("oslogserve.pages.job.GATHERED_FOR", gathered_for)
    page = ask("/job/?order=time", **HTML).text
    runs = re.findall(
        '<ol class="b run (.*?)"><li class=name><a href="(.*?)">(.*?)</a>\n(.*?)</ol>',
        page,
        re.DOTALL,
    )
    assert [(run[0], run[2], run[3].count("<li")) for run in runs] == [
        *(("log0", "nova", 2), ("log1", "neutron", 2), ("log0", "nova", 3), ("log2", "plain", 1))
    ]
    assert runs[0][1] == "logs/nova.txt.gz"
    assert page.count("</ol>") == 4


def test_a_page_ends_and_links_to_the_next_lines(job):
    (job / "job" / "long.txt").write_bytes(b"2026-03-04 18:22:11 INFO x\n" * 10_000)
    ask = Asking(job, serve_page_size="4096")
    page = ask("/job/?logs=long*", **HTML).text
    [address] = re.findall(r'<a href="([^"]*)" rel="next">the next lines</a>', page)
    assert "after=" in address
    assert "#L1 " in page
    assert "#L1 " not in ask("/job/" + address.replace("&amp;", "&"), **HTML).text


def test_the_form_keeps_what_it_has_no_field_for(ask):
    page = ask("/job/?level=ERROR&not=two&context=1&source=disk", **HTML).text
    for name, value in (("not", "two"), ("context", "1"), ("source", "disk")):
        assert f'<input type="hidden" name="{name}" value="{value}">' in page


def test_filters_in_use_can_be_seen_and_taken_away(ask):
    page = ask("/job/?re=t.o&not=zzz&context=1&logs=*nova*&logs=*tron*&order=time", **HTML).text
    links = {
        chip["label"]: chip["href"].replace("&amp;", "&")
        for chip in (
            found.groupdict()
            for found in re.finditer(
                '<a class="(?:chip|clear)" href="(?P<href>.*?)".*?>(?P<label>.*?)</a>', page
            )
        )
    }
    assert list(links) == [
        "/t.o/",
        "not “zzz”",
        "1 lines around",
        "logs *nova*",
        "logs *tron*",
        "clear",
    ]
    assert links["/t.o/"] == "?not=zzz&context=1&logs=%2Anova%2A&logs=%2Atron%2A&order=time"
    assert links["clear"] == "?"
    assert "chip" not in ask("/job/?order=time", **HTML).text


@pytest.mark.parametrize(
    ("query", "chosen"),
    [
        ("level=error", ["ERROR", "log"]),
        ("level=NONE&order=time", ["NONE", "time"]),
        ("since=2026-03-04T18:22", ["NONE", "time"]),
        ("since=2026-03-04T18:22&order=log&level=WARNING", ["WARNING", "log"]),
    ],
)
def test_the_form_keeps_what_was_chosen(ask, query, chosen):
    page = ask(f"/job/?{query}", **HTML).text
    assert re.findall(r'<option value="(\w+)" selected>', page) == chosen


def test_the_form_keeps_all_values_of_a_field(ask):
    page = ask("/job/?q=one&q=nova&logs=*nova*", **HTML).text
    assert '<input type="hidden" name="q" value="one">' in page
    assert page.count(' name="q"') == 2
    assert page.count(' name="logs"') == 1


def test_more_logs_than_allowed_are_named_and_linked_to(job):
    ask = Asking(job, serve_job_logs="1")
    names = []
    for answer in followed(ask, "/job/?format=summary", next_of_json):
        found = answer.json
        names += [log["name"] for log in found["logs"]]
        assert found["complete"] is (found["next"] is None)
    assert names == ["logs/neutron.txt", "logs/nova.txt.gz", "plain.txt"]


def test_logs_that_are_merged_are_not_more_than_allowed(tmp_path):
    (tmp_path / "job").mkdir()
    for number, name in enumerate("abc"):
        line = f"2026-03-04 18:22:1{9 - number} INFO {name}\n"
        (tmp_path / f"job/{name}.txt").write_text(line)
    ask = Asking(tmp_path, serve_job_logs="2")
    *rows, end = map(json.loads, ask("/job/?order=time&format=jsonl").text.splitlines())
    assert [row["log"] for row in rows] == ["b.txt", "a.txt"]
    assert (end["logs"], end["complete"]) == (2, False)
    assert any("at most 2 logs" in notice for notice in end["notices"])


@pytest.mark.parametrize("most", [1, 2])
def test_the_next_logs_of_any_name_come_once(tmp_path, most):
    names = [b"\xe9.txt", b"\xff\xfe.txt", "\U0001f600.txt".encode(), b"a\nb.txt", b"a&b=c+d.txt"]
    (tmp_path / "job").mkdir()
    for name in names:
        (tmp_path / "job" / os.fsdecode(name)).write_bytes(NOVA)
    ask = Asking(tmp_path, serve_job_logs=str(most))
    answers = followed(ask, "/job/?format=summary", next_of_json)
    found = [log["href"] for answer in answers for log in answer.json["logs"]]
    assert sorted(found) == sorted(map(quote, names))


class IllDisk(FakeSource):
    """Fails to list or to open what has a path like this."""

    def __init__(self, disk, path):
        super().__init__("disk")
        self.disk = disk
        self.path = path

    def _check(self, path):
        if re.search(self.path, path):
            raise SourceError("disk", "it is ill")

    def entries(self, path, wanted):
        self._check(path + b"/")
        return self.disk.entries(path, wanted)

    def open(self, path, options):
        self._check(path)
        return self.disk.open(path, options)


def asking_ill_disk(root, path, **options):
    ask = Asking(root, **options)
    ask.app._guards[:] = [IllDisk(guard.source, path) for guard in ask.app._guards]
    return ask


class StallingLog(FakeLog):
    """One whose source stops answering behind its first bytes. freed: until then it is waited for."""

    def __init__(self, source, chunks, freed=None):
        super().__init__(source, [*chunks, b"never"])
        self.freed = freed

    def __iter__(self):
        yield from self.chunks[:-1]
        if self.freed is not None:
            self.freed.wait(30)
        raise Incomplete("timeout", f"{self.stored.source} stopped answering")


def source_of(name, logs):
    """logs: by their names in the folder `job`."""
    return FakeSource(name, {b"job/" + one: log for one, log in logs.items()}, sorted(logs))


@pytest.mark.parametrize("order", ["log", "time"])
def test_of_a_source_that_stops_answering_few_logs_are_waited_for(ask, order):
    line = b"2026-03-04 18:22:11.000 INFO nova: one\n"
    names = [b"%02d.txt" % number for number in range(15)]
    logs = {name: StallingLog("disk", [line, line * 2000]) for name in names}
    ask.app._guards[:] = [source_of("disk", logs)]
    *rows, end = objects(ask(f"/job/?format=jsonl&order={order}"))
    assert {row["log"].encode() for row in rows} == set(names)
    assert end["complete"] is False
    assert "00.txt: disk stopped answering" in end["notices"]
    assert "14.txt: disk stopped answering for other logs too" in end["notices"]


def test_reports_of_a_source_that_stops_answering_are_not_waited_for_again(ask):
    logs = {b"junit-%d.xml" % number: StallingLog("disk", [b"x\n"]) for number in range(3)}
    source = ask.app._guards[0] = source_of("disk", logs)
    assert "No log shows an error." in ask("/job/?format=overview").text
    assert [path for path, _ in source.asked].count(b"job/junit-0.xml") == 1
    assert source.deadlines == 1 + len(source.asked)  # that of the request, and each log's


def test_logs_of_a_source_that_hangs_delay_no_others(job):
    ask = Asking(job, serve_threads="32")
    freed = Event()
    logs = {b"%d.txt" % number: StallingLog("swift", [b"x\n"], freed) for number in range(9)}
    ask.app._guards.append(source_of("swift", logs))
    waiting = Thread(target=ask, args=("/job/?source=swift&format=text&q=x",))
    waiting.start()
    began = time.monotonic()
    try:
        assert len(lines(ask("/job/?source=disk&format=text&level=ERROR"))) == 4
        assert time.monotonic() - began < 10
    finally:
        freed.set()
        waiting.join()


def test_folders_that_cannot_be_listed_are_told_once_with_their_names(job):
    for number in range(3):
        (job / "job" / f"f{number}").mkdir()
    ask = asking_ill_disk(job, b"/f.*/$")
    told = "some logs may be missing below f0/, f1/, f2/: disk failed: it is ill"
    found = ask("/job/?format=summary").json
    assert (found["notices"], found["complete"]) == ([told], False)
    assert json.loads(lines(ask("/job/?format=jsonl"))[-1])["notices"] == [told]
    assert told in ask("/job/?format=text&q=x").text
    for page in (ask("/job/?format=overview").text, ask("/job/?q=x").text):
        assert page.count(told) == 1


def test_a_folder_of_the_run_that_passed_that_cannot_be_listed_is_named(job):
    (job / "passed" / "private").mkdir(parents=True)
    ask = asking_ill_disk(job, b"/private/$")
    [told, *_] = ask("/job/?format=summary&against=passed").json["notices"]
    why = "some logs may be missing below private/: disk failed: it is ill"
    assert told == f"these logs were compared with a part of passed: {why}"


def test_a_log_that_cannot_be_opened_does_not_stop_what_follows_a_spent_budget(job):
    (job / "job" / "a.txt").write_bytes(NOVA)
    (job / "job" / "bomb.txt.gz").write_bytes(gzip.compress((b"x" * 63 + b"\n") * 2**15))
    ask = asking_ill_disk(job, b"/a.txt$", serve_inflated_size=str(2**20))
    assert len([*followed(ask, "/job/?format=summary", next_of_json)]) > 1


def test_a_log_cut_short_is_told_in_every_view_and_counted(job, ask):
    (job / "job" / "logs" / "nova.txt.gz").write_bytes(gzip.compress(NOVA)[:-4])
    sentence = "logs/nova.txt.gz: the compressed data ends early"
    assert sentence in notices(ask("/job/?level=ERROR&format=text"))
    assert sentence in objects(ask("/job/?order=time&format=jsonl"))[-1]["notices"]
    found = ask("/job/?format=summary").json
    told = {log["name"]: log["complete"] for log in found["logs"]}
    assert (found["complete"], told["logs/nova.txt.gz"]) == (False, False)
    assert sentence in ask("/job/?level=ERROR", **HTML).text
    assert ask.counted("incomplete_logs_total") == {'reason="truncated",source="none"': 4.0}


def test_what_one_answer_may_cost_ends_it(job):
    (job / "job" / "bomb.txt.gz").write_bytes(gzip.compress((b"x" * 63 + b"\n") * 2**15))
    ask = Asking(job, serve_inflated_size=str(2**20))
    found = ask("/job/?format=summary").json
    assert found["complete"] is False
    assert "one request inflates no more than 1 MiB" in found["notices"][0]
    names = {log["name"] for log in found["logs"]}
    for answer in followed(ask, f"/job/{found['next']}", next_of_json):
        names |= {log["name"] for log in answer.json["logs"] if log["complete"]}
    assert {"logs/neutron.txt", "logs/nova.txt.gz", "plain.txt"} <= names


@pytest.mark.parametrize(
    "query", ["", "&q=1", "&level=ERROR&context=2", "&limit=900", "&after=5400", "&q=1&after=4000"]
)
def test_following_next_gives_every_line_once_whatever_one_answer_may_cost(tmp_path, query):
    (tmp_path / "job").mkdir()
    for number in range(5):
        log = b"".join(b"%s %0200d\n" % (b"x" if n % 9 else b"ERROR", n) for n in range(2000))
        (tmp_path / "job" / f"{number}.gz").write_bytes(gzip.compress(log))
    url = f"?format=jsonl{query}"
    whole = objects(Asking(tmp_path)(f"/job/{url.replace('&limit=900', '')}"))[:-1]
    ask = Asking(tmp_path, serve_inflated_size=str(2**20))
    found = []
    for answer in followed(ask, f"/job/{url}", lambda answer: objects(answer)[-1]["next"]):
        found += objects(answer)[:-1]
    assert found == whole


def test_many_incomplete_logs_are_counted(job, ask):
    for number in range(30):
        (job / "job" / f"cut-{number}.txt.gz").write_bytes(gzip.compress(NOVA)[:-4])
    notices = ask("/job/?format=summary").json["notices"]
    assert len(notices) == 21
    assert notices[-1] == "10 more are incomplete."


def test_an_overview_leads_with_what_went_wrong(ask):
    page = ask("/job/?format=overview").text
    wrong, _, rest = page.rpartition("</ol>")
    first = re.findall(r'<a class="name" href="([^"?]*)\?show=', wrong)[0]
    assert first in ("logs/neutron.txt", "logs/nova.txt.gz")
    told = '<ol class="b told"><li class="E"><a href="logs/nova.txt.gz?show=L3#L3"'
    assert told in wrong
    assert "two &lt;b&gt;\n" in wrong
    assert "3 logs, 2 other files" in rest


def test_an_overview_tells_of_errors_only_if_a_log_has_a_line_at_error(tmp_path):
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "fine.txt").write_text("fine\n")
    failed = tmp_path / "job" / "failed.txt"
    failed.write_text("step\n+ make\nno such file\nexit status 1\n")
    ask = Asking(tmp_path)
    [log, _] = ask("/job/?format=summary").json["logs"]
    assert (log["failed"], log["severities"].get("ERROR")) == (True, None)
    assert "1 of 2 logs shows a failure<" in ask("/job/?format=overview").text
    failed.write_text("step\nERROR: no such file\n")
    assert "1 of 2 logs shows errors<" in ask("/job/?format=overview").text


def test_an_overview_of_some_logs_tells_of_errors_only_if_one_has_a_line_at_error(tmp_path):
    (tmp_path / "job").mkdir()
    failed = tmp_path / "job" / "console.txt"
    failed.write_text("step\n+ make\nno such file\nexit status 1\n")
    (tmp_path / "job" / "fine.txt").write_text("fine\n")
    ask = Asking(tmp_path, serve_job_logs="1")

    def title():
        [found] = re.findall("<h2>(.*)</h2>", ask("/job/?format=overview").text)
        return re.sub("<.*?>", "", found)

    assert title() == "What went wrong: 1 of 1 log shows a failure"
    failed.write_text("step\nERROR: no such file\n")
    assert title() == "What went wrong: 1 of 1 log shows errors"


def test_an_overview_marks_all_lines_of_an_error_in_a_log_that_did_not_fail(tmp_path):
    (tmp_path / "job").mkdir()
    trace = "ERROR no\nTraceback (most recent call last):\n  File a.py, line 1\nOSError: no\n"
    (tmp_path / "job" / "nova.txt").write_text(f"INFO a\n{trace}INFO b\nINFO c\n")
    page = Asking(tmp_path)("/job/?format=overview").text
    [told] = re.findall('<ol class="b told">(.*?)</ol>', page, re.DOTALL)
    assert re.findall(r"#L(\d+)", told) == ["2", "3", "4", "5"]


@pytest.mark.parametrize("size", [10, 12_000, 40_000])
def test_an_overview_names_ansibles_failed_task_and_shows_the_end_of_a_long_output(tmp_path, size):
    result = json.dumps({"cmd": "a" * size, "msg": "no", "stderr": "b" * size + "\nat last"})
    tasks = [
        "TASK [a : one] ***",
        "ok: [n]",
        "TASK [a : two] ***",
        f"fatal: [n]: FAILED! => {result}",
    ]
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "console.txt").write_text("\n".join([*tasks, "PLAY RECAP ***", ""]))
    page = Asking(tmp_path)("/job/?format=overview").text
    [told] = re.findall('<ol class="b told">(.*?)</ol>', page, re.DOTALL)
    assert ("<b>a : two</b>: no" in told, "at last</span>" in told) == (
        size < 40_000,
        size < 40_000,
    )
    assert len(told) < 10_000


def test_an_overview_leads_with_the_log_that_failed(job, ask):
    build = b"a\nNo Rakefile found\nmake: *** [all] Error 1\n"
    (job / "job" / "build.txt").write_bytes(build)
    [first, *_] = logs = ask("/job/?format=summary").json["logs"]
    cause = {"line": 2, "last": 2, "time": None, "text": "No Rakefile found", "why": "failed step"}
    assert (first["name"], first["failed"]) == ("build.txt", True)
    assert first["cause"].items() >= cause.items()
    assert [log["failed"] for log in logs[1:]] == [False] * 3
    page = ask("/job/?format=overview").text
    assert page.index("</a>No Rakefile found\n") < page.index('href="logs/nova.txt.gz?show=')
    assert "4 of 4 logs show errors" in page


def test_an_overview_shows_lines_around_a_cause_with_their_links(tmp_path):
    (tmp_path / "job").mkdir()
    request = "req-0e8d6f3a-1b2c-4d5e-8f90-123456789abc"
    log = (
        f"one\n{request}\n<three>\n".encode()
        + b"\x1b[31mNo Rakefile found\x1b[0m see https://a.b/\nfive\n"
    )
    log += b"make: *** [all] Error 1\nseven\n"
    (tmp_path / "job" / "a b.txt").write_bytes(log)
    page = Asking(tmp_path)("/job/?format=overview&source=disk").text
    [before, cause, after] = re.findall(r'<ol class="b[^>]*>(.*?)</ol>', page, re.DOTALL)
    numbers = re.compile(r'<li[^>]*><a href="([^"]*)">(\d+)</a>')
    address = "a%20b.txt?source=disk&amp;show=L4#L"
    assert numbers.findall(before) == [(f"{address}{n}", str(n)) for n in (2, 3)]
    assert "&lt;three&gt;" in before
    assert f'<a href="?source=disk&amp;q={request}">{request}</a>' in before
    assert numbers.findall(cause) == [(f"{address}4", "4")]
    assert '</a>No Rakefile found see <a href="https://a.b/">https://a.b/</a>\n' in cause
    assert numbers.findall(after) == [(f"{address}{n}", str(n)) for n in (5, 6)]


def excerpt_of(tmp_path, log):
    """The overview of a job with this log, and the texts of its excerpt behind their numbers."""
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "a.txt").write_text(log)
    page = Asking(tmp_path)("/job/?format=overview").text
    [lines] = re.findall(r'<div class="excerpt">(.*?)</div>', page, re.DOTALL)
    return page, [re.sub("<[^>]*>", "", line) for line in lines.splitlines() if "<a " in line]


def test_an_overview_shows_what_a_failed_task_tells_instead_of_its_json(tmp_path):
    out = [f"out {number} <&" for number in range(9000)]
    result = json.dumps({"cmd": out[:1000], "msg": "no <b>", "stderr": "one\x1b[", "stdout": out})
    log = f"TASK [build <it>] {'*' * 60}\nfatal: [a]: FAILED! => {result}\nbehind\n"
    page, [_, told, *after] = excerpt_of(tmp_path, log)
    assert f'TASK [build &lt;it&gt;] <span class="banner">{"*" * 60}</span>\n' in page
    assert told == "2fatal: [a]: FAILED! =&gt; build &lt;it&gt;: no &lt;b&gt;stderr"
    assert "=&gt; <b>build &lt;it&gt;</b>: no &lt;b&gt;<span" in page
    assert "one\\x1b[</span>" in page
    assert "The result has more: see the log." in page
    assert after == ["3behind"]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("a *** b ===", "a *** b ==="),
        ("=" * 20, f'<span class="banner">{"=" * 20}</span>'),
        ("2026-01-01T00:00:00.0Z ##[group]Run <a>", "2026-01-01T00:00:00.0Z Run &lt;a&gt;"),
        ("##[endgroup]", ""),
        ("##[error]no", "##[error]no"),
        ("<" * 3000 + "b" * 6000, "&lt;" * 3000 + "b" * 277 + " ... 4,904 bytes ... " + "b" * 819),
    ],
)
def test_an_overview_shows_a_line_for_a_reader(tmp_path, line, shown):
    page, _ = excerpt_of(tmp_path, f"{line}\nERROR: it is broken\n")
    assert f'L1">1</a>{shown}\n' in page


def test_an_overview_shows_the_beginning_of_a_long_cause(tmp_path):
    errors = "".join(f"ERROR: <{n}>\n" for n in range(12))
    page, found = excerpt_of(tmp_path, f"{errors}make: *** [all] Error 1\n")
    assert 'class="telling"' not in page
    assert found == [f"{n + 1}ERROR: &lt;{n}&gt;" for n in range(8 + 2)]


def test_an_overview_shows_the_exception_of_a_long_traceback_and_links_to_its_head(tmp_path):
    frames = "".join(f'  File "{n}.py", line {n}, in it\n' for n in range(12))
    head = "ERROR: Traceback (most recent call last):\n"
    log = f"{head}{frames}ERROR: no hope\nmake: *** [all] Error 1\n"
    page, found = excerpt_of(tmp_path, log)
    assert 'href="a.txt?show=L1-L14#L1">ERROR: Traceback (most' in page
    assert found[-2:] == ["14ERROR: no hope", "15make: *** [all] Error 1"]


def test_all_links_of_an_overview_to_a_cause_show_the_whole_log(tmp_path):
    (tmp_path / "job").mkdir()
    log = "fine\n" * 300 + "error: no rule\n" * 35 + "make: *** [all] Error 1\n"
    (tmp_path / "job" / "a.txt").write_text(log)
    ask = Asking(tmp_path)
    page = ask("/job/?format=overview").text
    assert '<a class="name" href="a.txt?show=L301-L335#L301">a.txt</a>' in page
    numbers = re.findall(r'<a href="(a\.txt[^">]*#L3[^">]*)"', page)
    assert numbers[-1] == "a.txt?show=L301-L335#L310"
    assert ask("/job/a.txt?show=L301-L335", **HTML).text.count(" id=L") == 336


def test_an_overview_of_many_logs_reads_the_likeliest_and_says_how_many_it_did_not_read(tmp_path):
    (tmp_path / "job").mkdir()
    for number in range(7):
        (tmp_path / "job" / f"{number}.txt").write_text("fine\n" if number != 5 else "no\n")
        os.utime(tmp_path / "job" / f"{number}.txt", (1772648533, 1772648533))
    (tmp_path / "job" / "z-console.txt").write_text("fine\n")
    (tmp_path / "job" / "graph.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    limits = {"serve_job_logs": "3"}
    page = Asking(tmp_path, **limits)("/job/?format=overview").text
    rows = re.findall(r'<tr><td><a href="([^"?]*)', page)
    assert rows == ["0.txt", "1.txt", "z-console.txt"]  # 5.txt is the smallest
    assert "<h2>What went wrong</h2>" in page
    assert "None of these logs shows an error." in page
    said = "3 of 8 logs were read: the likeliest by name, time and size. 5 were not."
    assert page.count(said) == 1
    assert "1 other file" in page
    assert 'rel="next' not in page
    text = Asking(tmp_path, **limits)("/job/?format=brief").text
    found = Asking(tmp_path, **limits)("/job/?format=seen").json
    told = "one answer reads at most 3 logs, and 2,048 MiB as they are stored"
    told += ": 5 of 8 were not read, the least likely or largest ones"
    assert f"\n[oslogserve: {told}]\n" in text
    assert (found["notices"], found["next"], found["complete"]) == ([told], None, False)


def test_a_log_too_large_for_an_overview_hides_no_other_log(tmp_path):
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "console.txt").write_text("fine\n")
    (tmp_path / "job" / "console-2.txt").write_bytes(b"fine\n" * 250_000)
    (tmp_path / "job" / "service.log").write_text("ERROR: no\n")
    asking = Asking(tmp_path, serve_job_stored_size=str(1024 * 1024))
    text = asking("/job/?format=brief").text
    assert "\n>ERROR: no\n" in text
    told = "one answer reads at most 1,000 logs, and 1 MiB as they are stored"
    told += ": 1 of 3 were not read, the least likely or largest ones"
    assert f"\n[oslogserve: {told}]\n" in text
    assert "2 of 3 logs were read" in asking("/job/?format=overview").text
    lines = asking("/job/?format=text&order=log").text
    assert "more logs are there" in lines


@pytest.fixture
def large(tmp_path):
    """A job of 6 logs with more than 4 MiB, of which the third one by its time has an error."""
    (tmp_path / "job").mkdir()
    for number in range(6):
        path = tmp_path / "job" / f"{number}.txt"
        path.write_bytes(b"2026-03-04 18:22:11 INFO fine\n" * 27_000)
        os.utime(path, (1.7e9 - 99 * number, 1.7e9 - 99 * number))
    path = tmp_path / "job" / "2.txt"
    path.write_bytes(path.read_bytes() + b"2026-03-04 18:22:12 ERROR <lost>\n")
    os.utime(path, (1.7e9 - 200, 1.7e9 - 200))
    return tmp_path


def pieces_of(root, address, **options):
    request = webob.Request.blank(f"/job/{address}", {"REMOTE_ADDR": "127.0.0.1"}, headers=HTML)
    _, _, answer = request.call_application(Asking(root, **options).app)
    pieces = [piece.decode() for piece in answer]
    answer.close()
    return pieces


def test_the_overview_of_a_large_job_begins_with_what_its_likeliest_logs_show(large):
    head, early, whole, *_ = pieces_of(large, "?format=overview")
    assert "<section" not in head
    assert "so far: the 4 likeliest of 6 logs were read" in early
    assert re.findall('<a class="(.*?)" href="(.*?)">(.*)</a>', early) == [
        ("name", "2.txt?show=L27001#L27001", "2.txt"),
        ("headline", "2.txt?show=L27001#L27001", "2026-03-04 18:22:12 ERROR &lt;lost&gt;"),
    ]
    assert 'id="overview"' in whole
    assert "1 of 6 logs shows errors" in whole


@pytest.mark.parametrize(
    ("address", "options"),
    [
        ("?format=overview&logs=[1-4].txt", {}),
        ("?format=overview&unasked=yes", {"serve_job_unasked_size": "1"}),
        ("?format=summary", {}),
    ],
)
def test_other_overviews_come_at_once(large, address, options):
    assert not any("likeliest of" in piece for piece in pieces_of(large, address, **options))


def test_an_overview_begins_with_no_logs_that_show_no_failure(large):
    (large / "job" / "2.txt").write_bytes((large / "job" / "1.txt").read_bytes())
    assert not any("so far" in piece for piece in pieces_of(large, "?format=overview"))


def test_an_overview_says_how_many_logs_it_could_not_pay_for(tmp_path):
    (tmp_path / "job").mkdir()
    for number in range(9):
        (tmp_path / "job" / f"{number}.gz").write_bytes(gzip.compress(b"%0400000d\n" % number))
    page = Asking(tmp_path, serve_inflated_size=str(2**20))("/job/?format=overview").text
    said = re.search(r"(\d) of 9 logs were read: .*\. (\d) (?:was|were) not\.", page)
    read, unread = map(int, said.groups())
    assert read + unread == 9
    assert 1 <= unread < 9
    assert page.count("9 logs") == 1
    assert 'rel="next' not in page


def test_an_overview_of_a_time_reads_as_many_logs_as_one_of_all(tmp_path):
    (tmp_path / "job").mkdir()
    for number in range(310):
        (tmp_path / "job" / f"{number}.txt").write_text("2026-03-04 18:22:11.000 INFO x\n")
    page = Asking(tmp_path)("/job/?format=overview&since=2026-03-04").text
    assert "310 logs" in re.sub("<.*?>", "", page)


def test_an_overview_counts_logs_that_passed_as_such(job):
    passed = b"ERROR: provoked\n" * 5 + b"Finished: SUCCESS\n"
    (job / "job" / "green.txt").write_bytes(passed)
    ask = Asking(job)
    page = ask("/job/?format=overview").text
    assert "3 of 4 logs show errors" in page
    assert '<a class="name" href="green.txt">' not in page
    (job / "job" / "blue.txt").write_bytes(passed)
    page = ask("/job/?format=overview&logs=green.txt&logs=blue.txt").text
    assert "Only logs that passed show errors." in page
    page = ask("/job/?format=overview&logs=green.txt").text
    assert "The job passed; 1 log of it shows errors." in page


def test_an_overview_without_a_second_reading_shows_the_text_of_a_cause(job, ask, monkeypatch):
    monkeypatch.setattr("oslogserve.jobs.excerpts.MOST_READ", 1)
    page = ask("/job/?format=overview").text
    assert '<a class="headline" href="logs/nova.txt.gz?show=L3#L3">' in page
    assert "two &lt;b&gt;</a>" in page


def test_an_overview_without_errors_shows_the_end_of_the_console(tmp_path):
    (tmp_path / "job").mkdir()
    for name in ("a.txt", "console.txt", "z.txt"):
        (tmp_path / "job" / name).write_text(f"x\n\nthe end of {name}\n")
    ask = Asking(tmp_path)
    page = ask("/job/?format=overview").text
    assert "No log shows an error." in page
    assert '<a href="console.txt?show=L3#L3">3</a>the end of console.txt\n' in page
    assert "the end of z.txt" not in page
    whys = {log["cause"]["why"] for log in ask("/job/?format=summary").json["logs"]}
    assert whys == {"end"}


def test_an_overview_says_that_the_step_that_failed_told_nothing(tmp_path):
    (tmp_path / "job").mkdir()
    steps = ["##[group]Run make", "##[endgroup]", "error: harmless", "##[group]Run ./check"]
    log = [*steps, "./check", "##[endgroup]", "##[error]Process completed with exit code 1.", ""]
    (tmp_path / "job" / "console.txt").write_text("\n".join(log))
    ask = Asking(tmp_path)
    [found] = ask("/job/?format=summary").json["logs"]
    assert (found["cause"]["line"], found["cause"]["silent_step"]) == (3, 4)
    step = '<a href="console.txt?show=L4#L4">The step that failed</a>'
    page = ask("/job/?format=overview").text
    assert f"{step} told nothing. An earlier step shows this:" in page
    log.insert(-2, "no such a")
    (tmp_path / "job" / "console.txt").write_text("\n".join(log))
    assert "told nothing" not in ask("/job/?format=overview").text


@pytest.mark.parametrize(
    "above", [[], ["An exception occurred during task execution. The error was: b"]]
)
@pytest.mark.parametrize("lines", [1, 40, 200])
def test_an_overview_shows_a_failed_tasks_result_over_several_lines(tmp_path, above, lines):
    result = {"cmd": ["a"] * lines, "msg": "no such a", "stderr": "one\nat last"}
    failed = [
        *above,
        f"fatal: [n]: FAILED! => {json.dumps(result, indent=4)}",
        "",
        "PLAY RECAP ***",
    ]
    (tmp_path / "job").mkdir()
    log = "\n".join(["TASK [a : two] ***", *failed, "n : ok=0 failed=1", ""])
    (tmp_path / "job" / "console.txt").write_text(log)
    page = Asking(tmp_path)("/job/?format=overview").text
    [told] = re.findall('<ol class="b told">(.*?)</ol>', page, re.DOTALL)
    is_read = lines < 200
    assert ("<b>a : two</b>: no such a" in told, "one\nat last</span>" in told) == (
        is_read,
        is_read,
    )
    assert ("PLAY RECAP" in page) == is_read
    assert page.count("<li") < 20


def test_an_overview_says_of_a_step_that_tells_no_cause_that_this_is_its_end(tmp_path):
    (tmp_path / "job").mkdir()
    steps = [f"host | step {number}" for number in range(40)]
    failed = "fatal: [host]: FAILED! => {'rc': 1, 'msg': 'non-zero return code'}"
    lines = ["TASK [build] ****", *steps, failed, "", "PLAY RECAP ****", "host | ok: 4 failed: 1"]
    log = "".join(f"2026-03-04 18:22:11.000000 | {line}\n" for line in lines)
    (tmp_path / "job" / "job-output.txt").write_text(log)
    page = Asking(tmp_path)("/job/?format=overview").text
    assert "No line tells why. This is how <a href=" in page
    assert 'class="telling"' not in page
    assert "step 39\n" in page


def test_an_overview_shows_the_error_above_a_step_that_tells_no_cause(tmp_path):
    (tmp_path / "job").mkdir()
    begins = ["##[group]Run a", "##[endgroup]", "one"]
    failed = [*begins, "two", "##[error]Process completed with exit code 1.", "ERROR: later"]
    log = "\n".join([*begins, "ERROR: <b>first", *["x"] * 50, "ERROR: <b>last", *failed])
    (tmp_path / "job" / "job-output.txt").write_text(log)
    page = Asking(tmp_path)("/job/?format=overview").text
    assert "No line tells why. This is how what failed ended:" in page
    assert re.search(
        r'An error above it:</div>\s*<a class="telling" href="job-output.txt\?show=L55#L55">'
        "ERROR: &lt;b&gt;last</a>",
        page,
    )


def test_an_overview_does_not_say_of_a_log_that_it_failed_if_that_is_not_sure(tmp_path):
    (tmp_path / "job").mkdir()
    lines = ["TASK [a] ****", "ERROR: provoked", "...ignoring", "TASK [b] ****", "one", "two"]
    (tmp_path / "job" / "job-output.txt").write_text("\n".join(lines))
    page = Asking(tmp_path)("/job/?format=overview").text
    assert "No line tells why. This is how the log ended:" in page
    assert "two\n" in page


def test_an_overview_shows_of_an_error_what_a_terminal_does(job, ask):
    written = b"\x1b[0Ksection_end:1772648533:step\r\x1b[0K\x1b[31;1mERROR: Job failed\x1b[0;m\r\n"
    (job / "job" / "gitlab.txt").write_bytes(written)
    assert 'gitlab.txt?show=L1#L1">1</a>ERROR: Job failed\n' in ask("/job/?format=overview").text


def test_an_overview_names_the_task_that_failed(job, ask):
    result = {"controller": {"failed": True, "msg": "<b>\n\tno\n"}}
    task = {"task": {"name": "run", "duration": {"end": "2026-03-04T18:22:13Z"}}, "hosts": result}
    zuul = [{"phase": "run", "plays": [{"tasks": [task]}]}]
    (job / "job" / "job-output.json").write_text(json.dumps(zuul))
    page = ask("/job/?format=overview").text
    assert "Task <b>run</b> failed on <b>controller</b>: &lt;b&gt; no " in page
    moment = "?since=2026-03-04T18%3A22%3A11Z&amp;until=2026-03-04T18%3A22%3A15Z&amp;not=DEBUG"
    moment += "&amp;order=time"
    assert f'<a href="{moment}">this moment in all logs</a>' in page
    found = lines(ask(f"/job/{moment.replace('&amp;', '&')}&format=text"))
    assert len(found) == 6


def test_an_overview_is_headed_by_the_build(job, ask):
    assert "<dl" not in ask("/job/?format=overview").text
    inventory = {"branch": "<b>", "change": "1", "change_url": "https://a.b/?c&d", "job": "tox"}
    (job / "job" / "zuul-info").mkdir()
    path = job / "job" / "zuul-info" / "inventory.yaml"
    path.write_text(json.dumps({"all": {"vars": {"zuul": inventory}}}))
    task = {"task": {"duration": {"start": "2026-03-04T18:00:00Z", "end": "2026-03-04T18:12:00Z"}}}
    zuul = [{"phase": "run", "plays": [{"tasks": [task]}], "stats": {"node": {"failures": 1}}}]
    (job / "job" / "job-output.json").write_text(json.dumps(zuul))
    page = ask("/job/?format=overview").text
    build = re.search("<dl.*</dl>", page, re.DOTALL)[0]
    assert '<a href="https://a.b/?c&amp;d" rel="noreferrer nofollow">1</a>' in build
    assert re.sub("<[^>]*>", " ", build).split() == [
        *("Change", "1", "Branch", "&lt;b&gt;", "Job", "tox"),
        *("Result", "failed", "Duration", "12", "min"),
    ]
    path.write_bytes(b"all: {")
    page = ask("/job/?format=overview").text
    assert "Branch" not in page
    assert 'class="notice"' not in page


GITLAB = b"""Running with gitlab-runner 17.0.0 (abc)
  on <green>-1 t3cXyz, system ID: s_1
Checking out 7226fc70 as detached HEAD (ref is refs/merge-requests/29/head)...
"""


def test_an_overview_is_headed_by_what_the_console_says(job):
    ask = Asking(job)
    (job / "job" / "console.txt").write_bytes(GITLAB + b"ERROR: Job failed: exit code 1\n")
    page = ask("/job/?format=overview").text
    build = re.search("<dl.*</dl>", page, re.DOTALL)[0]
    assert re.sub("<[^>]*>", " ", build).split() == [
        *("Change", "29", "Result", "failed", "Nodes", "&lt;green&gt;-1")
    ]
    (job / "job" / "console-2.txt").write_bytes(b"of another job\n")
    assert "<dl" not in ask("/job/?format=overview").text


def test_large_logs_have_the_header_too(job):
    (job / "job" / "console.txt").write_bytes(GITLAB)
    ask = Asking(job, serve_job_unasked_size="10", serve_job_logs="2")
    page = ask("/job/?format=overview&unasked=yes").text
    assert page.index("<dd>29</dd>") < page.index(
        "What went wrong in these logs</a>, which are large"
    )
    assert "<dd>29</dd>" in ask("/job/?format=overview").text
    inventory = job / "job" / "zuul-info" / "inventory.yaml"
    inventory.parent.mkdir()
    inventory.write_text('{"all": {"vars": {"zuul": {"job": "tox"}}}}')
    page = ask("/job/?format=overview&unasked=yes").text
    assert "<dd>tox</dd>" in page
    assert "<dd>29</dd>" not in page


def test_an_overview_names_the_tests_that_failed(job, ask):
    report = b'<testsuite><testcase name="&lt;x&gt;"><failure message="&lt;b&gt;"/></testcase></testsuite>'
    (job / "job" / "junit.xml.gz").write_bytes(gzip.compress(report))
    named = '<li><b>&lt;x&gt;</b> &lt;b&gt; <a href="?q=%3Cx%3E">all lines that name it</a></li>'
    assert named in ask("/job/?format=overview").text


def test_an_overview_leads_to_what_logs_say_of_a_failed_test(job, ask):
    report = '<testsuite><testcase name="a.B.one[x.y]"><failure/></testcase></testsuite>'
    (job / "job" / "junit.xml").write_text(report)
    named = '<li><b>a.B.one[x.y]</b>  <a href="?q=one%5Bx.y%5D">all lines that name it</a></li>'
    assert named in ask("/job/?format=overview").text


def test_a_stream_of_subunit_is_a_binary_file(job, ask):
    (job / "job" / "testrepository.subunit").write_bytes(SUBUNIT)
    page = ask("/job/?format=overview").text
    assert "testrepository" not in page
    skipped = ask("/job/?format=summary").json["skipped"]
    assert {"name": "testrepository.subunit", "reason": "it is application/octet-stream"} in skipped
    answer = ask("/job/testrepository.subunit")
    assert (answer.body, answer.content_type) == (SUBUNIT, "application/octet-stream")


def test_reading_reports_is_paid_for(tmp_path):
    report = b"<a>" + b'<testcase name="x"/>' * 90_000 + b"</a>"
    (tmp_path / "junit.xml.gz").write_bytes(gzip.compress(report))
    told = "reports were not read to their end: the 0.1 s of processor time"
    assert told in Asking(tmp_path, serve_processor_time="0.1")("/?format=overview").text
    assert told not in Asking(tmp_path)("/?format=overview").text


@pytest.mark.parametrize(
    ("names", "is_job"),
    [
        ("job-output.txt nova/", True),
        ("build-log.txt clone-log.txt artifacts/ started.json", True),
        ("live_backing.log live.log", True),
        ("trace a.log", True),
        ("anything.log", True),
        ("anything.log.gz result.json shot.png", True),
        ("a.log b.log", False),
        ("a.log b/", False),
        ("trace.zip a/", False),
        ("result.json", False),
        ("a/ b/", False),
        ("", False),
    ],
)
def test_the_folder_of_a_job_is_known_by_a_mark_or_by_a_log_that_stands_alone(
    tmp_path, names, is_job
):
    (tmp_path / "x").mkdir()
    for name in names.split():
        entry = tmp_path / "x" / name
        if name.endswith("/"):
            entry.mkdir()
        else:
            entry.write_text("text\n")
    page = Asking(tmp_path)("/x/", **HTML).text
    unasked = ' class="unasked"' if is_job else ""
    assert f'<a href="?format=overview" rel="nofollow"{unasked}>' in page


@pytest.mark.parametrize(("query", "hidden"), [("", []), ("?source=disk", [("source", "disk")])])
def test_the_page_of_a_folder_has_a_form_that_searches_all_logs(ask, query, hidden):
    page = ask(f"/job/{query}", **HTML).text
    [form, comparison] = re.findall("<form .*?</form>", page, re.DOTALL)
    assert ' name="q" ' in form
    assert re.findall('type="hidden" name="(.*?)" value="(.*?)"', form) == hidden
    assert (
        '<form class="against" role="search" action="./" aria-label="Comparison" hidden>'
        in comparison
    )


def test_an_overview_has_the_search_of_its_folder_with_the_comparison_beside_it(ask):
    page = ask("/job/?format=overview&source=disk&against=other", **HTML).text
    [searches] = re.findall(r'<div class="searches">.*?</div>', page, re.DOTALL)
    [form, comparison] = re.findall("<form .*?</form>", searches, re.DOTALL)
    hidden = re.compile('type="hidden" name="(.*?)" value="(.*?)"')
    assert ' name="q" ' in form
    assert hidden.findall(form) == [("source", "disk"), ("against", "other")]
    assert ' name="against" value="other" ' in comparison
    assert hidden.findall(comparison) == [("format", "overview"), ("source", "disk")]
    assert page.index('class="searches"') < page.index('id="overview"')
    assert page.count("<form") == 2


@pytest.mark.parametrize(
    "query", ["level=ERROR", "format=overview", "format=summary", "format=jsonl"]
)
def test_crawlers_are_told_to_leave_what_is_made_of_all_logs(ask, query):
    assert ask(f"/job/?{query}").headers["X-Robots-Tag"] == "noindex, nofollow"


def test_a_folder_leads_to_its_job(job, ask):
    (job / "job" / "job-output.txt").write_bytes(b"x\n")
    answer = ask("/job/logs/?q=one&in=job")
    assert (answer.status_int, answer.headers["Location"]) == (302, "../?q=one")
    assert ask("/job/?q=one&in=job").headers["Location"] == "./?q=one"


@pytest.mark.parametrize(
    ("query", "address"),
    [
        ("", "./?format=overview&in=job"),
        ("?level=ERROR&lines=1-2&wrap=no", "./?level=ERROR&in=job"),
        ("?source=disk&q=one", "./?source=disk&q=one&in=job"),
    ],
)
def test_the_page_of_a_log_leads_to_the_same_lines_of_all_logs(ask, query, address):
    page = ask(f"/job/logs/neutron.txt{query}", **HTML).text
    assert f'href="{address.replace("&", "&amp;")}"' in page


def test_nothing_is_left_open(ask):
    before = descriptors()
    ask("/job/?order=time&limit=1")
    ask("/job/?level=ERROR&format=text")
    assert descriptors() <= before


@pytest.mark.parametrize("time", ["9999-12-31 23:59:59", "0001-01-01 00:00:00"])
def test_an_error_where_the_years_end_has_no_moment(job, time):
    (job / "job" / "plain.txt").write_bytes(f"{time} ERROR nova: never\n".encode())
    page = Asking(job)("/job/?format=overview&logs=plain.txt").text
    assert "ERROR nova: never" in page
    assert "this moment" not in page


@pytest.mark.parametrize("query", ["format=text&q=one", "format=html&q=one", "format=overview"])
def test_a_notice_shows_control_characters_of_a_name(job, query):
    name = "a\x1b[2J\n[oslogserve: forged].txt.gz"
    (job / "job" / name).write_bytes(gzip.compress(NOVA)[:-4])
    answer = Asking(job)(f"/job/?{query}")
    assert r"a\x1b[2J\n[oslogserve: forged].txt.gz: the compressed data ends early" in answer.text
    assert "\x1b" not in answer.text


@pytest.mark.parametrize("query", ["order=time", "order=log", "level=ERROR&order=time"])
def test_rendering_is_paid_for(job, query):
    for number in range(4):
        (job / "job" / f"{number}.txt").write_bytes(NOVA.splitlines(True)[2] * 60_000)
    ask = Asking(job, serve_processor_time="0.01")
    sentence = "the 0.01 s of processor time of the request are used up"
    assert any(sentence in one for one in notices(ask(f"/job/?{query}&format=text")))


def peak(ask, url):
    """Bytes of Python's that an answer takes at most; what was sent is not held."""
    environ = webob.Request.blank(url).environ | {"REMOTE_ADDR": "127.0.0.1"}
    tracemalloc.start()
    try:
        body = ask.app(environ, lambda status, headers: None)
        for _ in body:
            pass
        body.close()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("view", ["html", "jsonl"])
@pytest.mark.parametrize("query", ["order=time", "order=log", "order=time&q=2", "tail=9999"])
def test_logs_of_long_names_and_short_lines_take_little_memory(tmp_path, view, query):
    folder = tmp_path / "job" / "/".join(["\u20ac" * 40] * 4)
    folder.mkdir(parents=True)
    content = b"2026-03-04 18:22:11 x\n" + b"2\n" * (10_000)
    for number in range(20):
        (folder / f"{number}.txt.gz").write_bytes(gzip.compress(content))
    url = f"/job/?format={view}&limit=20000&{query}"
    assert peak(Asking(tmp_path), url) < 48 * 2**20


def test_the_ends_of_many_logs_take_little_memory(tmp_path):
    (tmp_path / "job").mkdir()
    for number in range(12):
        (tmp_path / "job" / f"{number}.txt").write_bytes((b"x" * 50_000 + b"\n") * 110)
    url = "/job/?format=text&tail=100&order=time"
    assert peak(Asking(tmp_path), url) < 40 * 2**20


@pytest.mark.long
def test_very_many_errors_and_chapters_of_logs_take_little_memory_and_are_told(tmp_path):
    line = "2026-03-04 18:22:11 ERROR %d \N{GRINNING FACE} " + "abcdef" * 50 + "\n"
    text = "".join([line % number for number in range(130)])
    text += "".join(f"TASK [{number} \N{GRINNING FACE} {'x' * 150}]\n" for number in range(700))
    (tmp_path / "job").mkdir()
    for number in range(100):
        (tmp_path / "job" / f"{number}.txt").write_text(text)
    ask = Asking(tmp_path)
    assert peak(ask, "/job/?format=summary") < 30 * 2**20
    found = ask("/job/?format=summary").json
    sentence = r"of \d\d? logs, only the first and the last error are ranked: .*"
    assert re.fullmatch(sentence, found["notices"][0])
    assert {log["last_error"]["line"] for log in found["logs"]} == {130}


@pytest.fixture
def indexed(tmp_path):
    """Asks for logs that have indexes with large summaries."""
    failed = (
        "--- FAIL: Test%d (0.00s)\n"
        + "    a_test.go:%d: \N{GRINNING FACE} {}\n".format("x" * 370) * 39
    )
    text = "".join(failed % (number, *range(39)) for number in range(12)) + "FAIL\n"
    (tmp_path / "job").mkdir()
    log = tmp_path / "job" / "0.txt"
    log.write_text(text * 2)
    for number in range(1, 400):
        (tmp_path / "job" / f"{number}.txt").hardlink_to(log)
    Asking(tmp_path, index_directory=str(tmp_path / "indexes"))("/job/0.txt?format=summary")
    return lambda **options: Asking(tmp_path, index_directory=str(tmp_path / "indexes"), **options)


@pytest.mark.parametrize("view", ["summary", "overview"])
def test_summaries_from_indexes_are_charged_like_others(indexed, view):
    ask = indexed(serve_processor_time="0.05")
    assert "processor time of the request are used up" in ask(f"/job/?format={view}").text
    assert ask.counted("indexes_used_total")[""] < 400
    assert any("budget" in labels for labels in ask.counted("incomplete_logs_total"))


def test_the_lines_of_causes_of_many_logs_take_little_memory(indexed, monkeypatch):
    monkeypatch.setattr(overview, "MOST_HELD", 2**20)
    ask = indexed()
    assert peak(ask, "/job/?format=summary") < 20 * 2**20
    logs = ask("/job/?format=summary").json["logs"]
    assert {len(log["cause"]["told"]) for log in logs} == {4, 40}


def test_a_log_of_a_very_long_name_is_left_out_and_told(job):
    folder = job / "job" / "/".join(["d" * 200] * 3)
    folder.mkdir(parents=True)
    (folder / "x.txt").write_bytes(NOVA)
    found = Asking(job)("/job/?format=summary").json
    assert "logs with names of more than 512 bytes are left out" in found["notices"]
    assert (len(found["logs"]), found["complete"]) == (3, False)


def test_so_many_logs_are_merged_as_a_process_may_have_open(tmp_path):
    (tmp_path / "job").mkdir()
    for number in range(310):
        (tmp_path / "job" / f"{number:03}.txt").write_bytes(NOVA)
    ask = Asking(tmp_path)
    *rows, end = objects(ask("/job/?format=jsonl&order=time"))
    assert len(rows) == 300 * 5
    assert end["notices"][0].startswith("one answer reads at most 300 logs")
    *rest, end = objects(ask(f"/job/{end['next']}"))
    assert (len(rest), rest[0]["log"], end["next"]) == (10 * 5, "300.txt", None)
    assert len(objects(ask("/job/?format=jsonl&order=log"))) == 310 * 5 + 1


@pytest.mark.parametrize("query", ["limit=2", "limit=2&order=time", ""])
def test_a_line_that_was_cut_is_told_wherever_the_answer_ends(tmp_path, query):
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "x.txt").write_bytes(b"y" * 2_000_000 + b"\n" + b"short\n" * 100_000)
    end = objects(Asking(tmp_path)(f"/job/?format=jsonl&{query}"))[-1]
    sentence = "x.txt: a row has at most 1 MiB of a line, and line 1 has more"
    assert (end["complete"], sentence in end["notices"]) == (False, True)


def test_the_more_logs_are_merged_the_less_of_a_long_line_each_may_hold(job, ask, monkeypatch):
    monkeypatch.setattr("oslogserve.jobs.lines.MERGED_LINES", 3 * 8192)
    stamp = b"2026-03-04 18:22:11.000 INFO "
    for name in "abc":
        (job / "job" / f"{name}.long").write_bytes(stamp + b"x" * 10_000 + b"\n")
    found = ask("/job/?order=time&logs=*.long&format=text").text.splitlines()
    assert [len(line) for line in found[:3]] == [len("a.long:1:") + 8192] * 3
    assert (
        found[3] == "[oslogserve: a.long: a row has at most 8 KiB of a line, and line 1 has more]"
    )
    whole = ask("/job/?order=log&logs=*.long&format=text").text.splitlines()
    assert {len(line) for line in whole} == {len("a.long:1:") + len(stamp) + 10_000}


def test_an_overview_that_nobody_asked_for_leaves_large_logs_to_a_link(ask, tmp_path):
    page = ask("/job/?format=overview&unasked=yes").text
    assert "logs show errors" in page
    small = Asking(tmp_path, serve_job_unasked_size="10")
    page = small("/job/?format=overview&unasked=yes").text
    link = '<a href="?format=overview" rel="nofollow">What went wrong in these logs</a>'
    assert link in page
    assert "logs show errors" not in page
    assert "logs show errors" in small("/job/?format=overview").text


@pytest.mark.parametrize(
    ("url", "status", "said"),
    [
        ("?show=L1", 400, "show is for logs"),
        ("?lines=1-2", 400, "lines is for logs"),
        ("?format=overview&skip=1", 400, "Unknown parameter 'skip'"),
        ("?format=json&level=ERROR", 400, "format=json takes no filter for a folder"),
        *(
            (f"plain.txt?{one}", 400, "is for folders")
            for one in ("order=time", "logs=x", "from=x")
        ),
        *((f"plain.txt?{one}", 400, "is for folders") for one in ("in=job", "format=overview")),
        ("other/?format=summary", 404, "No source has this log."),
    ],
)
def test_what_is_not_for_a_folder_or_a_log_is_refused(job, ask, url, status, said):
    answer = ask(f"/job/{url}")
    assert (answer.status_int, said in answer.text) == (status, True)
    assert Asking(job, serve_listing="no")("/job/?format=summary").status_int == 403


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("q=zzz", "No line of these logs fits these filters."),
        ("q=three&logs=*neutron*", "<span>1 line of 1 log</span>"),
        ("order=time", "times without a zone are taken as UTC, without a year as of the last that"),
        ("format=overview&logs=other", "No log shows an error."),
        ("format=overview&logs=*neutron*", "<summary>1 log</summary>"),
    ],
)
def test_a_page_says_what_was_read(ask, query, sentence):
    assert sentence in ask(f"/job/?{query}", **HTML).text


def test_what_was_read_of_a_job_is_known_of_its_logs(job, ask):
    text = b"".join(b"%x\n" % random.getrandbits(8000) for _ in range(1000))
    (job / "job/large.txt.gz").write_bytes(gzip.compress(text))
    assert "Content-Length" not in ask("/job/large.txt.gz", "HEAD").headers
    ask("/job/?format=summary")
    assert ask("/job/large.txt.gz", "HEAD").headers["Content-Length"] == str(len(text))


def test_a_page_shows_names_as_they_are(tmp_path):
    (tmp_path / "job").mkdir()
    (tmp_path / "job/devstack@c-api,c++.txt").write_bytes(NOVA)
    ask = Asking(tmp_path)
    page = ask("/job/?level=INFO&order=time&format=html").text
    assert "<a href=devstack@c-api,c++.txt#L2" in page
    [log] = ask("/job/?format=summary").json["logs"]
    assert log["href"] == "devstack%40c-api%2Cc%2B%2B.txt"


def test_what_logs_hold_is_collected_for_searches_alone(tmp_path, monkeypatch):
    """It takes 330 KB for each log of a merge."""
    line = b"2013-09-27 18:07:11.860 1 INFO a\n"
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(line * 40_000)
    monkeypatch.setattr(native, "Contents", None)
    answer = Asking(tmp_path)("/?order=time&format=text")
    assert answer.body.count(b" INFO a\n") == 80_000
