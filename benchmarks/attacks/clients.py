# SPDX-License-Identifier: Apache-2.0
"""The attackers, in a process of their own: they must not slow down who measures."""

import contextlib
import multiprocessing
import socket
import threading
import time

from tests.servers.process import HOST

#: Seconds in which a slow reader takes a byte, and after which a client that leaves has left.
SLOW = 1
SOON = 0.05
_context = multiprocessing.get_context("spawn")


class Attackers:
    """At work while the `with` is open. way: a key of WAYS. requests: what they send, in turn."""

    def __init__(self, port, way, clients, requests):
        self._stop = _context.Event()
        self._begun = _context.Event()
        arguments = (port, way, clients, requests, self._begun, self._stop)
        self._process = _context.Process(target=_attack, args=arguments, daemon=True)

    def __enter__(self):
        self._process.start()
        if not self._begun.wait(60):
            raise AssertionError("the attackers did not begin")
        return self

    def __exit__(self, *exc_info):
        self._stop.set()
        self._process.join(5)
        self._process.kill()
        self._process.join()


def _attack(port, way, clients, requests, begun, stop):
    def run(number):
        while not stop.is_set():
            with contextlib.suppress(OSError), _connected(port, way) as connection:
                connection.sendall(requests[number % len(requests)])
                WAYS[way](connection, stop)
            time.sleep(0.01)

    for number in range(clients):
        threading.Thread(target=run, args=[number], daemon=True).start()
    time.sleep(SLOW)  # until all have connected
    begun.set()
    stop.wait()


def _connected(port, way):
    connection = socket.socket()
    if way == "slow":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(120)
    connection.connect((HOST, port))
    return connection


def _read(connection, stop):
    while not stop.is_set() and connection.recv(1 << 18):
        pass


def _read_slowly(connection, stop):
    while not stop.wait(SLOW) and connection.recv(1):
        pass


def _wait(connection, stop):
    stop.wait()


def _leave(connection, stop):
    stop.wait(SOON)


WAYS = {"reads": _read, "slow": _read_slowly, "waits": _wait, "leaves": _leave}
