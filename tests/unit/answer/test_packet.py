# SPDX-License-Identifier: Apache-2.0
import socket

import pytest

from oslogserve.answer import packet


@pytest.fixture
def connection():
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
    ):
        accepted, _ = server.accept()
        with accepted:
            yield accepted, client


def corked(connection):
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CORK)


def test_what_is_written_while_held_arrives_at_the_release(connection):
    accepted, client = connection
    held = packet.hold({"gunicorn.socket": accepted})
    assert held is accepted
    assert corked(accepted)
    accepted.sendall(b"head")
    accepted.sendall(b"body")
    packet.release(held)
    assert not corked(accepted)
    assert client.recv(100) == b"headbody"


def test_a_server_that_gives_no_connection_is_left_alone():
    assert packet.hold({}) is None


def test_a_unix_socket_is_not_held():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert packet.hold({"gunicorn.socket": ours}) is None


def test_a_connection_that_is_closed_may_be_released(connection):
    accepted, _ = connection
    accepted.close()
    assert packet.hold({"gunicorn.socket": accepted}) is None
    packet.release(accepted)
