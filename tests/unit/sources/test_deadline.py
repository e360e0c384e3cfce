# SPDX-License-Identifier: Apache-2.0
import contextlib
import math
import socket
import threading
import time

import pytest
import requests

from oslogserve.sources import deadline as module
from oslogserve.sources.deadline import Connection, DeadlineAdapter, _response

#: Seconds after which a test has failed; none waits for so long where all is well.
BOUND = 20
#: Bytes until a deadline: more than a file reads ahead, which are 128 KiB from Python 3.14 on.
MOST = 160_000
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"


@pytest.fixture
def ends():
    """The socket of a client, which waits long for each byte, and of its server."""
    client, server = socket.socketpair()
    client.settimeout(BOUND)
    with client, server:
        yield client, server


@contextlib.contextmanager
def trickling(server, what):
    """It sends a byte every now and then, so that none is late."""
    done = threading.Event()

    def send():
        for byte in what:
            if done.wait(0.01):
                return
            server.sendall(bytes([byte]))

    thread = threading.Thread(target=send)
    thread.start()
    yield
    done.set()
    thread.join()


def answer(client, deadline):
    response = _response(deadline, client, method="GET")
    response.begin()
    return response


def test_no_byte_is_waited_for_beyond_the_deadline(ends):
    client, _ = ends
    deadline = DeadlineAdapter()
    deadline.at = time.monotonic() + 0.1
    with pytest.raises(TimeoutError):
        answer(client, deadline)


def test_head_that_trickles_ends_at_the_deadline(ends):
    client, server = ends
    deadline = DeadlineAdapter()
    with trickling(server, b"HTTP/1.1 200 OK\r\nX: " + b"x" * 10_000):
        deadline.at = time.monotonic() + 0.2
        with pytest.raises(TimeoutError):
            answer(client, deadline)


def test_body_that_trickles_ends_at_the_deadline(ends):
    client, server = ends
    deadline = DeadlineAdapter()
    server.sendall(HEAD)
    with contextlib.closing(answer(client, deadline)) as response:
        deadline.at = time.monotonic() + 0.2
        with trickling(server, b"x" * 10_000), pytest.raises(TimeoutError):
            response.read()


def test_answer_may_go_on_when_the_deadline_is_lifted(ends):
    client, server = ends
    deadline = DeadlineAdapter()
    deadline.at = time.monotonic() + BOUND / 2
    server.sendall(HEAD + b"x" * 10)
    with contextlib.closing(answer(client, deadline)) as response:
        assert client.gettimeout() <= BOUND / 2
        deadline.at = math.inf
        server.sendall(b"y" * 100_000)
        assert response.read(20_000) == b"x" * 10 + b"y" * 19_990
        assert client.gettimeout() == BOUND


def test_an_answer_ends_where_more_comes_than_may_be_held(ends, monkeypatch):
    monkeypatch.setattr(module, "MOST_UNTIL_DEADLINE", MOST)
    client, server = ends
    deadline = DeadlineAdapter()
    server.sendall(HEAD + b"x" * (MOST + 10_000))
    with contextlib.closing(answer(client, deadline)) as response:
        assert len(response.read(10_000)) == 10_000
        with pytest.raises(OSError, match="too long"):
            response.read(MOST)


def test_a_body_whose_chunks_have_a_deadline_each_may_be_of_any_length(ends, monkeypatch):
    monkeypatch.setattr(module, "MOST_UNTIL_DEADLINE", MOST)
    client, server = ends
    deadline = DeadlineAdapter()
    server.sendall(HEAD)
    with contextlib.closing(answer(client, deadline)) as response:
        for _ in range(5):
            server.sendall(b"x" * 50_000)
            deadline.at = time.monotonic() + BOUND
            assert len(response.read(50_000)) == 50_000


def test_what_netrc_has_for_any_host_replaces_no_credential(monkeypatch, tmp_path):
    (tmp_path / "netrc").write_text("default login somebody password else\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    session = Connection("http://store", "").request_session
    request = requests.Request("GET", "http://store/a", headers={"Authorization": "ours"})
    assert session.prepare_request(request).headers["Authorization"] == "ours"
