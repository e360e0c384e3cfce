# SPDX-License-Identifier: Apache-2.0
"""Many readers at once while Swift or its server is in trouble; tests/faults has one at a time."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from oslogserve.sources.objects.service import PAGE
from tests.faults.reading import Reader
from tests.servers.client import ask, ini
from tests.servers.faulty import BLACK_HOLE, Fault
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import poll
from tests.servers.swift import Swift

CONTAINER = "test_reliability"
LOG = b"2024-03-28 12:20:43.570 1 INFO nova.compute [-] A line like any other\n"
SMALL = {f"{number}.txt": LOG * (number + 1) for number in range(16)}
THREADS = 8
LONG = 35_000


@pytest.fixture(autouse=True)
def healthy(swift):
    yield
    swift.faulty.behave()


@pytest.fixture(scope="module")
def swift(tmp_path_factory):
    """Behind a faulty proxy, with what these tests read in it."""
    with Swift(tmp_path_factory.mktemp("swift"), faulty=True) as swift:
        swift.put(CONTAINER, SMALL)
        yield swift


def serving(swift, *, threads=THREADS, root=None, **options):
    sections = {"swift": swift.settings(CONTAINER) | options}
    if root is not None:
        sections["disk"] = {"root": root}
    return Gunicorn(ini(sections), "--threads", str(threads))


def all_held(swift, count):
    poll(lambda: swift.faulty.struck == count, lambda: AssertionError("not all are held"), 20)


# Long listings


@pytest.fixture(scope="module")
def long_listing(swift):
    """What a folder lists that has four of Swift's pages."""
    swift.list_more(CONTAINER, "long/", LONG)
    return [f"{n:06}" for n in range(LONG)]


@pytest.mark.parametrize("view", ["json", pytest.param("text", marks=pytest.mark.long), "html"])
def test_listing_whose_next_page_fails_says_that_it_is_not_complete(swift, long_listing, view):
    second = f"marker=long%2F{PAGE - 1:06}".encode()
    with serving(swift) as server:
        swift.faulty.behave(Fault(after=100_000, only=second))
        body = ask(server, f"/long/?format={view}").body
        assert swift.faulty.struck > 1  # once more, and again in vain
        assert f"{PAGE - 1:06}".encode() in body
        assert f"{PAGE:06}".encode() not in body
        if view == "json":
            listed = json.loads(body)
            assert listed["complete"] is False
            assert "swift" in listed["reason"]
            assert [row["name"] for row in listed["entries"]] == long_listing[:PAGE]
        else:
            assert b"This listing is incomplete" in body[-1000:]


def test_page_that_fails_once_is_asked_for_again(swift, long_listing):
    with serving(swift) as server:
        third = f"marker=long%2F{2 * PAGE - 1:06}".encode()
        swift.faulty.behave(Fault(after=100_000, only=third, times=1))
        names, following = [], "?format=json"
        while following:
            listed = json.loads(ask(server, f"/long/{following}").body)
            names += [row["name"] for row in listed["entries"]]
            following = listed["next"]
        assert swift.faulty.struck == 1
        assert names == long_listing


# Tokens


def test_sixteen_refused_at_once_take_one_new_token(tmp_path):
    """No answer passes before all sixteen have come back with 401."""
    with Swift(tmp_path, faulty=True) as swift:
        swift.put(CONTAINER, SMALL)
        # Half of the threads may wait for Swift's first bytes.
        with serving(swift, threads=32) as server:
            assert ask(server, "/0.txt").status == 200
            swift.reconfigure()
            before = swift.token_requests()
            swift.faulty.behave(Fault(after=0, then="hold", only=f"/{CONTAINER}/".encode()))
            readers = [Reader(server, f"/{number}.txt") for number in range(16)]
            all_held(swift, 16)
            swift.faulty.behave()
            for number, reader in enumerate(readers):
                reading = reader.result()
                assert (reading.status, reading.body) == (200, LOG * (number + 1)), reading.body
            assert swift.token_requests() == before + 1


# A Swift that was restarted


def test_connections_kept_alive_to_a_swift_that_was_restarted_fail_nobody(swift):
    """All are stale at once, and nothing is asked twice."""
    with serving(swift, retries=0) as server:
        names = [f"/{number}.txt" for number in range(THREADS // 2)]
        with ThreadPoolExecutor(len(names)) as pool:
            before = list(pool.map(lambda name: ask(server, name), names))
            assert [answer.status for answer in before] == [200] * len(names)
            swift.kill()
            swift.start()
            after = list(pool.map(lambda name: ask(server, name), names))
        assert [answer.body for answer in after] == [answer.body for answer in before]


# A silent Swift


def test_every_answer_comes_within_the_bound(swift, tmp_path):
    """A folder asks twice; and who finds half of the threads waiting waits for a place first."""
    bound = 2

    def ask_in_time(path):
        started = time.monotonic()
        answer = ask(server, path, Accept="text/html")
        assert time.monotonic() - started < 1.8 * bound
        return answer

    (tmp_path / "folder").mkdir()
    with serving(swift, root=tmp_path, read_timeout=2 * bound, answer_timeout=bound) as server:
        assert ask(server, "/0.txt").status == 200
        swift.faulty.behave(BLACK_HOLE)
        assert b"This listing is incomplete" in ask_in_time("/folder/").body
        with ThreadPoolExecutor(THREADS) as pool:
            answers = list(pool.map(ask_in_time, ["/0.txt"] * THREADS))
        assert {answer.status for answer in answers} == {503}
