# SPDX-License-Identifier: Apache-2.0
"""etc/nginx: what one client may take, TLS, IPv6, and connections to gunicorn that are kept."""

import contextlib
import http.client
import os
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from urllib.parse import urlsplit

import pytest

from tests.faults.leaks import unread, workers
from tests.servers.client import ask, ini, metric
from tests.servers.gunicorn import Gunicorn
from tests.servers.nginx import Nginx
from tests.servers.process import HOST, poll
from tests.servers.tls import Authority

LINE = b"2024-03-28 12:20:43.570 1 INFO nova.compute [-] A line like any other\n"
MIB = 2**20
#: Bytes of a file that no reader here reads to its end.
LARGE = 200 * MIB
#: limit_conn, and proxy_max_temp_file_size.
MOST_AT_ONCE = 64
MOST_SPOOLED = 64 * MIB
ONE, OTHER = "192.0.2.1", "192.0.2.2"


@pytest.fixture(scope="module")
def gunicorn(tmp_path_factory):
    root = tmp_path_factory.mktemp("nginx")
    (root / "small.txt").write_bytes(LINE)
    (root / "slow.txt").write_bytes(LINE * 60_000)
    with (root / "large.bin").open("wb") as file:
        file.truncate(LARGE)
    with Gunicorn(ini({"disk": {"root": root}}), workers=2, shipped_config=True) as running:
        yield running


@pytest.fixture
def nginx(gunicorn):
    with Nginx(gunicorn, has_limits=True) as running:
        yield running


def status_for(client, server):
    return ask(server, "/small.txt", Test_Client=client).status


@contextlib.contextmanager
def reading_slowly(server, path, clients):
    """A connection for each client that has read an answer's beginning and reads no more."""
    with contextlib.ExitStack() as stack:
        for client in clients:
            reader = stack.enter_context(socket.socket())
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            reader.settimeout(60)
            reader.connect((HOST, server.port))
            request = f"GET {path} HTTP/1.1\r\nHost: x\r\nTest-Client: {client}\r\n\r\n"
            reader.sendall(request.encode())
            assert reader.recv(12, socket.MSG_WAITALL) == b"HTTP/1.1 200"
        yield


def test_a_browser_with_100_tabs_meets_no_limit(nginx):
    with ThreadPoolExecutor(6) as connections:
        statuses = set(connections.map(lambda _: status_for(ONE, nginx), range(500)))
    assert statuses == {200}


def test_a_client_that_asks_without_end_is_refused_and_others_are_not(nginx):
    def statuses(count):
        connection = http.client.HTTPConnection(urlsplit(nginx.url).netloc, timeout=60)
        with contextlib.closing(connection):
            for _ in range(count):
                connection.request("GET", "/healthz", headers={"Test-Client": ONE})
                answer = connection.getresponse()
                answer.read()
                yield answer.status

    assert set(statuses(1000)) == {200}
    with ThreadPoolExecutor(4) as flood:  # it asks faster than the places come back
        assert any(flood.map(lambda _: 429 in statuses(5000), range(4)))
    assert status_for(OTHER, nginx) == 200


@pytest.mark.parametrize(
    ("clients", "same", "other"),
    [
        ([ONE] * MOST_AT_ONCE, ONE, OTHER),
        (
            [f"2001:db8:0:1::{number:x}" for number in range(MOST_AT_ONCE)],
            "2001:db8:0:1:ffff::",
            "2001:db8:0:2::1",
        ),
    ],
    ids=["an IPv4 address", "an IPv6 network"],
)
def test_a_client_that_takes_many_answers_at_once_gets_no_more_and_others_do(
    nginx, clients, same, other
):
    with reading_slowly(nginx, "/slow.txt", clients):
        assert status_for(same, nginx) == 429
        assert status_for(other, nginx) == 200
    poll(
        lambda: status_for(same, nginx) == 200, lambda: AssertionError("it is refused for ever"), 60
    )


def spooled(nginx):
    """Bytes of each file in which nginx keeps an answer."""
    sizes = []
    for pid in workers(nginx):
        for entry in os.scandir(f"/proc/{pid}/fd"):
            with contextlib.suppress(FileNotFoundError):
                if f"{nginx.root}/proxy/" in os.readlink(entry.path):
                    sizes.append(os.stat(entry.path).st_size)
    return sizes


def test_slow_readers_of_large_answers_fill_no_disk(nginx):
    with reading_slowly(nginx, "/large.bin", [ONE] * 3):
        poll(
            lambda: sorted(spooled(nginx))[:1] >= [MOST_SPOOLED - MIB] and len(spooled(nginx)) == 3,
            lambda: AssertionError(f"nginx keeps {spooled(nginx)} bytes"),
            60,
        )
        assert status_for(OTHER, nginx) == 200
        assert max(spooled(nginx)) <= MOST_SPOOLED + MIB


def test_tls_and_ipv6_are_as_the_configuration_has_them(gunicorn, tmp_path):
    authority = Authority(tmp_path)
    pair = authority.certificate("localhost", HOST, "::1")
    files = tmp_path / "certificate.pem", tmp_path / "key.pem"
    pair.cert_chain_pems[0].write_to_path(files[0])
    pair.private_key_pem.write_to_path(files[1])
    trusting = ssl.create_default_context(cafile=str(authority.file))
    with Nginx(gunicorn, has_limits=True, certificate=files) as nginx:
        for host in (HOST, "::1"):
            secure = http.client.HTTPSConnection(host, nginx.tls_port, timeout=20, context=trusting)
            with contextlib.closing(secure):
                secure.request("GET", "/small.txt")
                answer = secure.getresponse()
                assert (answer.status, answer.read()) == (200, LINE)
                assert answer.headers["Strict-Transport-Security"]
            plain = http.client.HTTPConnection(host, nginx.port, timeout=20)
            with contextlib.closing(plain):
                plain.request("GET", "/small.txt?level=ERROR", headers={"Host": "logs.example.org"})
                answer = plain.getresponse()
                assert answer.status == 308
                to = "https://logs.example.org/small.txt?level=ERROR"
                assert answer.headers["Location"] == to


def test_without_a_certificate_it_listens_on_both_protocols(nginx):
    for host in (HOST, "::1"):
        plain = http.client.HTTPConnection(host, nginx.port, timeout=20)
        with contextlib.closing(plain):
            plain.request("GET", "/small.txt")
            assert plain.getresponse().status == 200


def test_half_of_a_request_takes_no_thread(gunicorn):
    with Nginx(gunicorn) as nginx, contextlib.ExitStack() as stack:
        for _ in range(64):
            half = stack.enter_context(socket.create_connection((HOST, nginx.port)))
            half.sendall(b"GET /small.txt HTTP/1.1\r\nHost: x\r\n")
        assert status_for(ONE, nginx) == 200
        assert metric(nginx, "oslogserve_requests_in_progress") == 1  # the look at it


def test_no_request_waits_on_a_kept_connection_for_a_full_worker(gunicorn):
    """The requests before it leave a kept connection to each worker."""
    with Nginx(gunicorn) as nginx, contextlib.ExitStack() as stack:
        with ThreadPoolExecutor(12) as readers:
            list(readers.map(lambda _: status_for(ONE, nginx), range(60)))
        for _ in range(60):  # of 64 threads, so that one worker is full
            half = stack.enter_context(socket.create_connection((HOST, gunicorn.port)))
            half.sendall(b"GET /small.txt HTTP/1.1\r\nHost: x\r\n")
        # A request that comes while they fill a worker may be behind them.
        poll(lambda: not unread(gunicorn.port), partial(AssertionError, "not taken"), 20)
        for _ in range(60):
            assert ask(nginx, "/small.txt", timeout=20).status == 200
