# SPDX-License-Identifier: Apache-2.0
"""Clients that read slowly, send half of a request or nothing at all, and those who wait beside them."""

import contextlib
import socket
import time
from urllib.parse import urlsplit

import pytest

from tests.servers.client import ask, ini, metric
from tests.servers.gunicorn import Gunicorn
from tests.servers.nginx import Nginx
from tests.servers.process import poll

SLOW_READERS = 200
IDLE = 500
HALF = 64
SLOW = b"GET /large.txt?format=%b HTTP/1.1\r\nHost: x\r\n\r\n"
LONG = pytest.mark.long
#: Seconds that a machine with other work to do may take for a small answer.
LOOSE = 0.25
LINE = b"2024-03-28 12:20:43.570 1 INFO nova.compute [-] A line like any other\n"


@pytest.fixture(scope="module")
def front(tmp_path_factory):
    root = tmp_path_factory.mktemp("slow")
    (root / "large.txt").write_bytes(LINE * 60_000)
    (root / "small.txt").write_bytes(LINE)
    config = ini({"disk": {"root": root}})
    with Gunicorn(config, shipped_config=True) as gunicorn, Nginx(gunicorn) as nginx:
        yield nginx


def sent(server, request):
    """A connection that sent these bytes, and has room for few of the answer's."""
    address = urlsplit(server.url)
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(60)
    connection.connect((address.hostname, address.port))
    connection.sendall(request)
    return connection


def p99(server, count=200):
    """Seconds, below which 99 of 100 small answers are."""
    spent = []
    for _ in range(count):
        started = time.perf_counter()
        assert ask(server, "/small.txt").body == LINE
        assert ask(server, "/healthz").status == 200
        spent.append((time.perf_counter() - started) / 2)
    return sorted(spent)[count * 99 // 100]


def no_other_request_runs(server):
    return metric(server, "oslogserve_requests_in_progress") == 1


@pytest.mark.parametrize(
    ("count", "request_bytes"),
    [
        pytest.param(SLOW_READERS, SLOW % b"text", id="slow readers of text", marks=LONG),
        pytest.param(SLOW_READERS, SLOW % b"html", id="slow readers of a page", marks=LONG),
        pytest.param(HALF, b"GET /small.txt HTTP/1.1\r\nHost: x\r\n", id="half-sent headers"),
        pytest.param(IDLE, b"", id="idle connections", marks=LONG),
    ],
)
def test_nobody_waits_for_slow_clients(front, count, request_bytes):
    p99(front, 20)  # so that all is warm
    normal = p99(front)
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            connection = stack.enter_context(sent(front, request_bytes))
            if b"large" in request_bytes:
                assert connection.recv(12, socket.MSG_WAITALL) == b"HTTP/1.1 200"
        poll(lambda: no_other_request_runs(front), lambda: AssertionError("threads are taken"), 60)
        assert p99(front) <= max(2 * normal, LOOSE)
