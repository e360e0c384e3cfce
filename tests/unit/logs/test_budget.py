# SPDX-License-Identifier: Apache-2.0
"""What one request, and all requests together, may cost."""

import gzip
import random
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Thread

import pytest
import webob

from oslogserve.errors import Busy, ClientLeft, Incomplete
from oslogserve.logs import budget
from oslogserve.logs.budget import OVERVIEWS, SEARCHES, ZSTANDARD, Budget, Workload
from tests.kit.packing import frame
from tests.unit.handlers.asking import HTML, Asking

_random = random.Random(13)


LINE = b"2013-09-27 18:22:11.248 1 INFO nova.compute [-] there\n"
LOG = LINE + b"".join(
    LINE[:-1] + bytes(_random.choices(b"abcdefghijklmno    ", k=150)) + b"\n" for _ in range(10_000)
)
#: It takes a second for each 100 KB.
COSTLY = "re=(?:[a-z].{0,30}){12}Q"
MIB = 2**20


@pytest.fixture
def ask(tmp_path):
    (tmp_path / "a.txt").write_bytes(LOG)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(LOG))
    (tmp_path / "c.txt.zst").write_bytes(frame(LOG))
    (tmp_path / "small.txt").write_bytes(LINE)
    return lambda **options: Asking(tmp_path, **options)


@pytest.mark.parametrize("name", ["a.txt", pytest.param("b.txt.gz", marks=pytest.mark.long)])
@pytest.mark.parametrize("view", ["summary", "jsonl", "text", "html"])
def test_no_search_goes_on_when_its_processor_time_is_over(ask, name, view):
    asked = ask(serve_processor_time="0.1")
    began = time.process_time()
    answer = asked(f"/{name}?format={view}&{COSTLY}")
    assert time.process_time() - began < 5
    assert answer.status_int == 200
    assert b"processor time of the request are used up" in answer.body
    if view in ("summary", "jsonl"):
        assert b'"complete": false' in answer.body
    assert asked.counted("incomplete_logs_total") == {'reason="budget",source="disk"': 1.0}


@pytest.mark.parametrize("view", ["summary", "jsonl", "text", "text&level=ERROR", "html"])
def test_no_more_is_inflated_than_one_request_may(ask, view):
    asked = ask(serve_inflated_size=str(MIB))
    answer = asked(f"/b.txt.gz?format={view}")
    assert answer.status_int == 200
    assert len(answer.body) < 3 * MIB
    assert b"one request inflates no more than 1 MiB" in answer.body
    assert asked.counted("incomplete_logs_total") == {'reason="budget",source="disk"': 1.0}


def test_nothing_is_counted_as_inflated_that_is_not_compressed(ask):
    assert ask(serve_inflated_size=str(MIB))("/a.txt?format=text&q=there").body == LOG


def test_a_range_is_not_counted_beyond_the_budget(ask):
    answer = ask(serve_inflated_size=str(MIB))("/b.txt.gz", Range="bytes=0-9")
    assert answer.status_int == 200
    assert b"no more than 1 MiB" in answer.body


def test_the_nearest_time_is_not_looked_for_beyond_the_budget(ask):
    answer = ask(serve_inflated_size=str(MIB))("/b.txt.gz?show=_2013-09-27_18_22_12", **HTML)
    assert answer.status_int == 200
    assert b"no more than 1 MiB" in answer.body


@pytest.mark.parametrize("view", ["summary", "text&q=nowhere"])
def test_no_view_without_output_goes_on_when_its_client_has_left(ask, view, monkeypatch):
    monkeypatch.setattr(budget, "LOOK_EVERY", 0)
    asked = ask()
    server, client = socket.socketpair()
    request = webob.Request.blank(f"/a.txt?format={view}", environ={"gunicorn.socket": server})
    request.get_response(asked.app).body  # noqa: B018 - read
    client.close()
    answer = request.get_response(asked.app)
    with pytest.raises(ConnectionResetError):
        answer.body  # noqa: B018 - read
    answer.app_iter.close()
    server.close()
    endings = {labels.split(",")[0] for labels in asked.counted("response_seconds_count")}
    assert {'ending="aborted"', 'ending="complete"'} <= endings
    assert 'ending="failed"' not in endings


def test_a_client_that_left_before_the_first_byte_is_no_error_of_the_server(ask, monkeypatch):
    monkeypatch.setattr(budget, "LOOK_EVERY", 0)
    asked = ask()
    server, client = socket.socketpair()
    client.close()
    request = webob.Request.blank("/small.txt?format=summary", environ={"gunicorn.socket": server})
    with pytest.raises(ConnectionResetError):
        request.get_response(asked.app)
    server.close()
    assert asked.counted("responses_total") == {'status="499"': 1.0}


SMALL = ["/small.txt?format=text", "/few.txt.gz?format=text"]
LARGE = ["/a.txt?format=text", "/a.txt?format=raw", "/b.txt.gz?format=html"]
GZIPS = ["/medium.txt.gz", "/bomb.txt.gz"]


@pytest.mark.parametrize(
    ("url", "places", "refused", "answered"),
    [
        ("/a.txt?format=jsonl&q=there", 3, [], [*SMALL, "/a.txt?format=text"]),
        *((url, 12, [], SMALL) for url in (*LARGE, *GZIPS)),
        ("/c.txt?format=text", 4, ["/c.txt?format=text&tail=10"], [*SMALL, "/b.txt.gz"]),
        ("/?format=json", 2, ["/?q=a&in=job"], SMALL),
        ("/?order=log", 2, [], [*SMALL, "/?format=summary", "/?format=overview"]),
    ],
)
def test_no_kind_of_work_takes_all_threads(
    ask, tmp_path, monkeypatch, url, places, refused, answered
):
    monkeypatch.setattr(budget, "PATIENCE", 0.05)
    (tmp_path / "medium.txt.gz").write_bytes(gzip.compress(LOG[:50_000]))
    (tmp_path / "few.txt.gz").write_bytes(gzip.compress(LINE))
    (tmp_path / "bomb.txt.gz").write_bytes(gzip.compress(LINE) + gzip.compress(b"\n" * MIB))
    asked = ask(serve_threads="16")
    held = [webob.Request.blank(url).get_response(asked.app) for _ in range(places)]
    began = time.monotonic()
    for one in (url, *refused):
        answer = asked(one)
        assert (answer.status_int, answer.headers["Retry-After"]) == (503, "10")
    assert time.monotonic() - began < 5
    for one in ("/healthz", *answered):
        assert asked(one).status_int == 200
    for answer in held:
        answer.app_iter.close()
    assert asked(url).status_int == 200


@pytest.mark.parametrize("url", ["/long.txt?format=html", "/long.txt?q=there"])
def test_a_burst_of_ordinary_requests_is_delayed_and_not_refused(ask, tmp_path, url, monkeypatch):
    monkeypatch.setattr(budget, "PATIENCE", 30)  # on a machine that is busy, and with any renderer
    (tmp_path / "long.txt").write_bytes(LINE * (70_000 // len(LINE)))
    asked = ask(serve_threads="32")
    with ThreadPoolExecutor(18) as threads:
        statuses = list(threads.map(lambda _: asked(url).status_int, range(50)))
    assert statuses == [200] * 50


def test_summaries_are_waited_for_as_long_as_others_may_take(monkeypatch):
    monkeypatch.setattr(budget, "PATIENCE", 0.05)
    workload = Workload(60, MIB, threads=8)
    first = workload.begin(bool)
    first.enter(OVERVIEWS)
    with ThreadPoolExecutor(1) as threads:
        second = threads.submit(workload.begin(bool).enter, OVERVIEWS)
        time.sleep(0.3)
        first.close()
        second.result()


def test_nobody_waits_for_a_place_for_a_client_that_has_left():
    workload = Workload(60, MIB, threads=8)
    workload.begin(bool).enter(OVERVIEWS)
    with pytest.raises(ClientLeft):
        workload.begin(lambda: True).enter(OVERVIEWS)


@pytest.mark.parametrize("view", ["summary", "overview"])
def test_slow_readers_of_a_folders_summary_leave_their_places_to_others(ask, monkeypatch, view):
    monkeypatch.setattr(budget, "PATIENCE", 0.05)
    asked = ask(serve_threads="16")
    began = [webob.Request.blank(f"/?format={view}").get_response(asked.app) for _ in range(2)]
    for answer in began:
        pieces = iter(answer.app_iter)
        next(pieces)
        if view == "overview":
            next(pieces)
    assert asked(f"/?format={view}").status_int == 200
    for answer in began:
        answer.app_iter.close()


@pytest.mark.parametrize("is_damaged", [False, True])
def test_what_inflates_to_nothing_is_paid_for(ask, tmp_path, is_damaged):
    members = gzip.compress(b"") * 100_000
    damage = b"\x1f\x8b\x08" + b"\xff" * 20 if is_damaged else b""
    (tmp_path / "members.txt.gz").write_bytes(members + damage)
    answer = ask(serve_processor_time="0.02")("/members.txt.gz?format=summary")
    assert b"processor time of the request are used up" in answer.body


@pytest.mark.parametrize("url", ["/missing.txt?q=a", "/a.txt?format=json", "/a.txt?q=a", "/?q=a"])
def test_a_search_gives_its_place_back(ask, url):
    asked = ask(serve_threads="4")
    for _ in range(3):
        asked(url)
    assert asked("/small.txt?q=there").body == LINE


def test_a_budget_gives_its_place_back_once(monkeypatch):
    monkeypatch.setattr(budget, "PATIENCE", 0.05)
    workload = Workload(60, MIB, threads=4)
    first = workload.begin(bool)
    first.enter(SEARCHES)
    first.close()
    first.close()
    workload.begin(bool).enter(SEARCHES)
    with pytest.raises(Busy):
        workload.begin(bool).enter(SEARCHES)


def busy(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


@pytest.mark.parametrize("threads", [1, 2, 4, 8, 16, 32, 64])
def test_some_threads_are_free_whatever_work_has_all_places(threads):
    """Not with fewer than eight: each kind of work has one place at least."""
    places = Workload(60, MIB, threads)._bulkheads
    of_large = SEARCHES, ZSTANDARD  # their logs have a place of large ones, too
    taken = sum(bulkhead._places for kind, bulkhead in places.items() if kind not in of_large)
    assert threads < 8 or taken < threads - threads // 8


def test_all_threads_of_a_request_are_charged_and_a_pools_for_their_time_in_it_alone():
    spent, other = Budget(0.25, 0), Budget(9, 0)

    def work(budget, seconds):
        with budget.working():
            busy(seconds)

    with ThreadPoolExecutor(1) as pool:
        for _ in range(2):
            pool.submit(work, other, 0.15).result()
            pool.submit(work, spent, 0.06).result()
    assert list(spent.charged([b"a"], False)) == [b"a"]
    thread = Thread(target=lambda: [busy(0.1) for _ in spent.charged([b"a", b""], False)])
    thread.start()
    thread.join()
    busy(0.05)
    with pytest.raises(Incomplete, match="processor time"):
        list(spent.charged([b"a"], False))


def test_whoever_left_is_seen(monkeypatch):
    monkeypatch.setattr(budget, "LOOK_EVERY", 0)
    with pytest.raises(ClientLeft):
        next(Budget(60, 0, lambda: True).charged([b""], False))


def test_an_answer_is_no_longer_than_twice_what_may_be_inflated():
    spent = Budget(60, MIB)
    spent.note(sent=2 * MIB)
    spent.charge_rendering()
    spent.note(sent=1)
    with pytest.raises(Incomplete, match="one answer has no more than 2 MiB"):
        spent.charge_rendering()


def test_the_thread_that_answers_is_charged_too(monkeypatch):
    spent = Budget(1, MIB)
    now = time.thread_time()
    monkeypatch.setattr(time, "thread_time", lambda: now + 2)
    spent.note(sent=1)
    with pytest.raises(Incomplete, match="processor time"):
        spent.charge()
