# SPDX-License-Identifier: Apache-2.0
"""Requests that cost much: others are answered meanwhile, and they end with their clients."""

import http.client
import json
import random
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import quote, urlsplit

import pytest

from benchmarks.attacks.logs import MIB, bomb
from oslogserve.logs.budget import MOST_JOBS
from tests.servers.client import ask, begin, ini, metric, sum_of
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import HOST, poll

#: Seconds that a machine with other work to do may take for a small answer.
LOOSE = 20
HOGS = 40
#: It takes a second for each 100 KB.
COSTLY = quote("(?:[a-z].{0,30}){12}Q")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("costly")
    letters = random.Random(13).choices(b"abcdefghijklmno    ", k=150)
    line = bytes(letters) + b"\n"
    (root / "a.txt").write_bytes(b"".join(line[n % 149 :] + line for n in range(100_000)))
    (root / "small.txt").write_bytes(line)
    (root / "job").mkdir()
    (root / "job/a.txt").write_bytes(line * 100_000)
    (root / "bomb.txt.gz").write_bytes(bomb(bytes(MIB), 4096))
    return root


@pytest.fixture
def server(root):
    config = ini({"disk": {"root": root}})
    with Gunicorn(config, "--threads", "16") as server:
        yield server


def asked(server, path):
    """A connection on which a request was sent."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc)
    connection.request("GET", path)
    return connection


def in_progress(server):
    """Requests that have not ended, besides this one."""
    return metric(server, "oslogserve_requests_in_progress") - 1


def aborted(server):
    return sum_of(
        ask(server, "/metrics").body.decode(), "oslogserve_response_seconds_count", ending="aborted"
    )


def test_a_health_check_is_answered_beside_searches_without_end(server):
    hogs = [asked(server, f"/a.txt?format=summary&re={COSTLY}") for _ in range(HOGS)]
    for path in ("/healthz", "/small.txt"):
        assert ask(server, path, timeout=LOOSE).status == 200
    assert in_progress(server) > 0
    for hog in hogs:
        hog.close()


def test_overviews_for_many_clients_are_served_in_turn_and_not_refused(root):
    (root / "failed").mkdir()
    for number in range(60):
        error = f"2024-03-28 12:20:43.570 ERROR {number} {'x' * 150}\n"
        (root / "failed" / f"{number}.txt").write_text(error * 700)
    options = ("--threads", "32")
    with (
        Gunicorn(ini({"disk": {"root": root}}), *options) as server,
        ThreadPoolExecutor(25) as clients,
    ):
        answers = clients.map(lambda _: ask(server, "/failed/?format=overview"), range(25))
        assert [answer.status for answer in answers] == [200] * 25


@pytest.mark.parametrize("path", ["/bomb.txt.gz", "/a.txt?format=raw"])
def test_a_health_check_is_answered_beside_large_logs_that_nobody_takes(server, path):
    hogs = [asked(server, path) for _ in range(HOGS)]
    for small in ("/healthz", "/small.txt"):
        assert ask(server, small, timeout=LOOSE).status == 200
    assert in_progress(server) > 0
    for hog in hogs:
        hog.close()


@pytest.mark.parametrize(
    "path",
    [f"/a.txt?format=summary&re={COSTLY}", "/bomb.txt.gz?q=a"],
)
def test_nobody_works_on_for_a_client_that_has_left(server, path):
    hog = asked(server, path)
    poll(lambda: in_progress(server), lambda: AssertionError("it did not begin"), LOOSE)
    hog.close()
    poll(lambda: aborted(server), lambda: AssertionError(server.process.tail()), LOOSE)
    poll(lambda: not in_progress(server), lambda: AssertionError("it goes on"), LOOSE)


#: gunicorn's configuration with clients that must take something each two seconds.
IMPATIENT = """
from oslogserve import gunicorn_hooks
globals().update(gunicorn_hooks.COMMAND_SETTINGS)
gunicorn_hooks.SEND_TIMEOUT = 2
"""


@pytest.fixture
def impatient(root, tmp_path):
    (tmp_path / "gunicorn.py").write_text(IMPATIENT)
    config = {"disk": {"root": root}, "request_log": {"to": tmp_path / "requests.log"}}
    # A piece may take a slow reader longer than it may take nothing.
    config["serve"] = {"chunk_size": MIB}
    options = ("--threads", "16", "--config", str(tmp_path / "gunicorn.py"))
    env = {"OSLOGSERVE_THREADS": "16"}
    with Gunicorn(ini(config), *options, shipped_config=True, env=env) as server:
        yield server


def held_and_got(server, stack, seconds):
    """Takes all places for lines of folders, and waits until somebody else gets one. The last holder's answer."""
    for _ in range(MOST_JOBS):
        hog, answer = begin(server, "/job/?format=jsonl")
        stack.callback(hog.close)
        assert answer.status == 200
    poll(
        lambda: ask(server, "/job/?format=jsonl&limit=1").status == 200,
        lambda: AssertionError("nobody else gets a place"),
        seconds,
    )
    return answer


def test_clients_that_take_nothing_keep_no_places_from_others(impatient, tmp_path):
    with ExitStack() as stack:
        answer = held_and_got(impatient, stack, 30)
        poll(
            lambda: aborted(impatient) == MOST_JOBS,
            lambda: AssertionError("they did not end"),
            30,
        )
        with pytest.raises(ConnectionResetError):
            answer.read()
        lines = map(json.loads, (tmp_path / "requests.log").read_bytes().splitlines())
        told = [line["ending"] for line in lines if line["query"] == "format=jsonl"]
        assert told == ["aborted"] * MOST_JOBS
    assert "Traceback" not in impatient.log.read_text()


def test_clients_that_are_not_yet_cut_off_keep_no_places_from_others(root, tmp_path):
    (tmp_path / "gunicorn.py").write_text(
        "from oslogserve import gunicorn_hooks\n"
        "globals().update(gunicorn_hooks.COMMAND_SETTINGS)\n"
        "def post_worker_init(worker):\n"
        "    from oslogserve.logs import budget\n"
        "    budget.IDLE_AFTER = 1\n"
    )
    options = ("--threads", "16", "--config", str(tmp_path / "gunicorn.py"))
    env = {"OSLOGSERVE_THREADS": "16"}
    with (
        Gunicorn(ini({"disk": {"root": root}}), *options, shipped_config=True, env=env) as server,
        ExitStack() as stack,
    ):
        held_and_got(server, stack, LOOSE)
        assert aborted(server) == 0


def test_a_client_that_takes_a_piece_slowly_gets_all(impatient, root):
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect((HOST, impatient.port))
        client.sendall(b"GET /a.txt?format=text HTTP/1.0\r\n\r\n")
        received = bytearray()
        for _ in range(160):  # 8 s, in which a client that takes nothing is cut off
            received += client.recv(4096)
            time.sleep(0.05)
        assert in_progress(impatient) == 1
        while piece := client.recv(1 << 20):
            received += piece
    assert received.partition(b"\r\n\r\n")[2] == (root / "a.txt").read_bytes()
