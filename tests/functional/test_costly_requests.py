# SPDX-License-Identifier: Apache-2.0
"""Requests that cost much: others are answered meanwhile, and they end with their clients."""

import http.client
import random
from urllib.parse import quote, urlsplit

import pytest

from benchmarks.attacks.logs import MIB, bomb
from oslogserve.logs import budget
from tests.servers.client import ask, ini, metric, sum_of
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import poll

#: Seconds that a machine with other work to do may take for a small answer.
LOOSE = 5
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


@pytest.mark.long
def test_clients_that_take_nothing_keep_no_large_log_from_others(server):
    # 16 threads without 2 that stay free, 2 for each kind of work on folders, and 1 that waits.
    hogs = [asked(server, "/bomb.txt.gz") for _ in range(7)]
    poll(
        lambda: in_progress(server) == len(hogs),
        lambda: AssertionError("they did not begin"),
        LOOSE,
    )
    assert ask(server, "/a.txt?format=text&level=ERROR").status == 503
    poll(
        lambda: ask(server, "/a.txt?format=text&level=ERROR").status == 200,
        lambda: AssertionError("nobody else gets a large log"),
        2 * budget.STALLED_AFTER,
    )
    assert aborted(server) == 1
    for hog in hogs:
        hog.close()
