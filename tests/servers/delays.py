# SPDX-License-Identifier: Apache-2.0
"""A server whose answers take known times, and which tells how long each really took.

/fixed, /two-peaked and /heavy-tailed wait as they are named, /brief waits 2 ms, /none does not
wait; /short breaks off midway, /503 fails, /never never answers, /waiting answers once somebody
waits for that. /truth has the seconds that each answer took since it was read last, from the
moment in which the request's last byte came (the kernel says when) to the answer's first.
"""

import contextlib
import heapq
import itertools
import json
import random
import selectors
import socket
import struct
import sys
import time
import urllib.request

from .process import HOST, Server, environment, free_port

BODY = b"x" * 100
#: Linux's, with the flags for the times at which the kernel received, by its own clock. Python
#: has no names for them.
_TIMESTAMPING, _RECEIVED = 37, 1 << 3 | 1 << 4
_random = random.Random(2013)
DELAYS = {
    "fixed": lambda: 0.05,
    "two-peaked": lambda: _random.choice((0.02, 0.08)),
    "heavy-tailed": lambda: min(2.0, 0.01 * _random.paretovariate(1.5)),
    "brief": lambda: 0.002,
    "none": lambda: 0.0,
}


class Delays(Server):
    def __init__(self):
        super().__init__("delays")
        port = free_port()
        self.url = f"http://{HOST}:{port}"
        command = [sys.executable, "-m", "tests.servers.delays", str(port)]
        self.process = self._child(
            command, self.root / "log", ready=[port], env=environment(PYTHONPATH=".")
        )

    def _begin(self):
        self.process.start()

    def truth(self):
        """Seconds of each answer since this was called last, by path, in the order of answers."""
        return json.loads(self._body("truth"))

    def wait_for_a_client_of_never(self):
        self._body("waiting")

    def _body(self, path):
        with urllib.request.urlopen(f"{self.url}/{path}", timeout=60) as answer:
            return answer.read()


class _Answers:
    def __init__(self, listener):
        self._truth = {}
        self._due = []  # (when, number, connection, path, came), the first one first
        self._numbers = itertools.count()
        self._wait_for_never = []
        self._is_never_waited_for = False
        self._listener = listener
        self._selector = selectors.DefaultSelector()
        self._selector.register(listener, selectors.EVENT_READ)

    def serve(self):
        while True:
            timeout = max(0, self._due[0][0] - time.time()) if self._due else None
            for key, _ in self._selector.select(timeout):
                if key.fileobj is self._listener:
                    connection = self._listener.accept()[0]
                    connection.setsockopt(socket.SOL_SOCKET, _TIMESTAMPING, _RECEIVED)
                    self._selector.register(connection, selectors.EVENT_READ, bytearray())
                else:
                    self._read(key.fileobj, key.data)
            while self._due and self._due[0][0] <= time.time():
                _, _, connection, path, came = heapq.heappop(self._due)
                self._send(connection, path, came)

    def _read(self, connection, head):
        try:
            data, ancillary, _, _ = connection.recvmsg(65536, 256)
        except ConnectionError:
            data, ancillary = b"", ()
        if not data:
            self._close(connection)
            return
        head += data
        if head.endswith(b"\r\n\r\n"):
            path = head.split()[1].decode().partition("?")[0][1:]
            head.clear()
            self._answer(connection, path, _received(ancillary))

    def _answer(self, connection, path, came):
        if path == "never":
            self._is_never_waited_for = True
            for other in self._wait_for_never:
                self._send(other, "waiting", came)
        elif path == "waiting" and not self._is_never_waited_for:
            self._wait_for_never.append(connection)
        elif delay := DELAYS.get(path, DELAYS["none"])():
            heapq.heappush(self._due, (came + delay, next(self._numbers), connection, path, came))
        else:
            self._send(connection, path, came)

    def _send(self, connection, path, came):
        body = BODY
        if path == "truth":
            body = json.dumps(self._truth).encode()
            self._truth = {}
        status = "503 Service Unavailable" if path == "503" else "200 OK"
        size = len(body) + (path == "short")
        head = f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\nLog-Worker: 17\r\n\r\n"
        if path in DELAYS:
            self._truth.setdefault(path, []).append(time.time() - came)
        with contextlib.suppress(OSError):  # its client has left
            connection.sendall(head.encode() + body)
        if path == "short":
            self._close(connection)

    def _close(self, connection):
        self._selector.unregister(connection)
        self._due = [row for row in self._due if row[2] is not connection]
        heapq.heapify(self._due)
        connection.close()


def _received(ancillary):
    for _, kind, data in ancillary:
        if kind == _TIMESTAMPING:
            seconds, nanoseconds = struct.unpack_from("qq", data)
            return seconds + nanoseconds / 1e9
    return time.time()  # a kernel that does not say


if __name__ == "__main__":
    with socket.create_server((HOST, int(sys.argv[1])), backlog=1024) as server:
        _Answers(server).serve()
