# SPDX-License-Identifier: Apache-2.0
"""A server that misbehaves: in front of any port, or as a Swift with tempauth whose answers a test
writes, byte by byte.

    with Faulty(port) as proxy:
        proxy.behave(Fault(after=100_000, then="reset", times=1))

    with Faulty() as swift:
        swift.answers["GET", "/v1/AUTH_a/logs/a.txt"] = [reply("200 OK", LOG)]

In front of a port it speaks no HTTP, but for one habit: what a client sends after an answer began
is the next request, and what comes back until then is one answer.
"""

import contextlib
import math
import socket
import struct
import threading
from dataclasses import dataclass
from typing import NamedTuple

from tests.servers.process import HOST, free_port

PIECE = 65536
#: Slices a second of a throttled answer.
SLICES = 20
_RESET = struct.pack("ii", 1, 0)  # SO_LINGER, zero seconds: close() sends a RST

TOKEN = "the-secret-token"
ACCOUNT = "/v1/AUTH_a"
CONTAINER = f"{ACCOUNT}/logs"
LAST_MODIFIED = "Fri, 27 Sep 2013 18:22:11 GMT"


@dataclass(frozen=True)
class Fault:
    """What happens to an answer.

    delay: seconds before its first byte. rate: bytes a second. after: so many bytes of it pass,
    then: "close" or "reset" the connection, "hold" the rest until the behaviour changes, or let it
    "trickle", a byte a second.
    only: a part of the requests whose answers are meant. times: how many of them; then all pass.
    """

    delay: float = 0
    rate: float = math.inf
    after: float = math.inf
    then: str = "close"
    only: bytes = b""
    times: float = math.inf


PASS = Fault()
TRICKLE = Fault(rate=1)
BLACK_HOLE = Fault(after=0, then="hold")


def reply(status, body=b"", **headers):
    """A written answer. A header that is None is left out. Content-Length is the body's by default."""
    named = {"Last-Modified": LAST_MODIFIED, "Content-Length": len(body), "Connection": "close"}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{name}: {value}" for name, value in named.items() if value is not None]
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode() + body


class Asked(NamedTuple):
    method: str
    #: With the query.
    target: str
    #: By their names in lower case.
    headers: dict[str, str]


class Faulty:
    """struck: how many answers were cut or held since the behaviour was last changed.

    Without a port: answers: by method and target, or path (without the query), the answers in
    turn; the last one stays. asked: the requests.
    """

    def __init__(self, port=None):
        self.behind = port
        self.struck = 0
        self.asked = []
        self._fault = PASS
        self._left = PASS.times
        self._sent, self._act_at, self._act = 0, math.inf, None
        self._changed = threading.Condition()
        self._links = set()
        self._listener = None
        self.port = free_port()
        self.url = f"http://{HOST}:{self.port}"
        granted = reply("200 OK", X_Storage_Url=self.url + ACCOUNT, X_Auth_Token=TOKEN)
        self.answers = {("GET", "/auth/v1.0"): [granted]}
        self.accept()

    def settings(self):
        """The options of [swift] without a port."""
        return {
            "auth_version": "1",
            "auth_url": self.url + "/auth/v1.0",
            "username": "test:tester",
            "password": "testing",
            "container": "logs",
            "resumes": "2",
            "retries": "0",
        }

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.refuse()
        self.cut()

    def behave(self, fault=PASS):
        """Sets what happens from the next request on; held answers go on."""
        with self._changed:
            self._fault, self._left, self.struck = fault, fault.times, 0
            self._changed.notify_all()

    def at_byte(self, count, act):
        """Calls act() once, before that byte of the requests from now on is passed."""
        with self._changed:
            self._sent, self._act_at, self._act = 0, count, act

    def cut(self):
        """Close every connection that is open now, held or not."""
        with self._changed:
            links = list(self._links)
        for link in links:
            link.end(socket.SHUT_RDWR)
        for link in links:
            link.thread.join()

    def refuse(self):
        """Stops listening; open connections stay."""
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.shutdown(socket.SHUT_RDWR)
            self._acceptor.join()
            listener.close()

    def accept(self):
        """Listens, unless it does."""
        if self._listener is None:
            self._listener = socket.create_server((HOST, self.port), backlog=128)
            self._acceptor = threading.Thread(
                target=self._accept, args=[self._listener], daemon=True
            )
            self._acceptor.start()

    def _accept(self, listener):
        while True:
            try:
                client = listener.accept()[0]
            except OSError:
                return
            with self._changed:
                link = _Link(self, client)
                self._links.add(link)
            link.thread.start()

    # What a link asks

    def fault_of(self, request):
        with self._changed:
            if self._left <= 0 or self._fault.only not in request:
                return PASS
            self._left -= 1
            return self._fault

    def written(self, asked):
        """The next answer to a request."""
        path = asked.target.partition("?")[0]
        with self._changed:
            self.asked.append(asked)
            answers = self.answers.get((asked.method, asked.target))
            answers = answers or self.answers.get((asked.method, path)) or [reply("404 Not Found")]
            return answers.pop(0) if len(answers) > 1 else answers[0]

    def count(self, size):
        with self._changed:
            self._sent += size
            if self._sent < self._act_at:
                return
            self._act_at = math.inf
        self._act()

    def strike(self):
        with self._changed:
            self.struck += 1

    def wait(self, link, seconds=None, while_fault=None):
        """Waits until the link ends, the seconds are over or the behaviour is another."""
        with self._changed:
            self._changed.wait_for(
                lambda: link.ended or (while_fault is not None and self._fault is not while_fault),
                seconds,
            )

    def wake(self):
        with self._changed:
            self._changed.notify_all()

    def forget(self, link):
        with self._changed:
            self._links.discard(link)


class _Struck(Exception):
    """The connection ends here."""


class _Link:
    """One connection and, with a port, the one behind it: a thread for each way, of which the
    answers' closes both."""

    def __init__(self, faulty, client):
        self.ended = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self._faulty = faulty
        self._sides = [client]
        self._asking = False
        self._fault = PASS
        self._passed = 0

    def end(self, how=socket.SHUT_RD):
        """Wakes what waits for either side. SHUT_RD sends nothing; SHUT_RDWR wakes what waits for
        a side that reads nothing, too."""
        self.ended = True
        self._faulty.wake()
        for side in self._sides:
            with contextlib.suppress(OSError):
                side.shutdown(how)

    def _run(self):
        (client,) = self._sides
        serve = self._write if self._faulty.behind is None else self._relay
        try:
            with client, contextlib.suppress(OSError, _Struck):
                serve(client)
        finally:
            self._faulty.forget(self)

    def _write(self, client):
        with client.makefile("rb") as lines:
            first = lines.readline()
            headers = {}
            while line := lines.readline().strip():
                name, _, value = line.decode().partition(":")
                headers[name.lower()] = value.strip()
            lines.read(int(headers.get("content-length", 0)))
        request = first.decode().split()
        if len(request) == 3:
            self._begin(first)
            self._pass(client, self._faulty.written(Asked(*request[:2], headers)))

    def _relay(self, client):
        # Little is on its way: what was held back is still at the server.
        with socket.socket() as server:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, PIECE)
            self._sides.append(server)
            server.connect((HOST, self._faulty.behind))
            asking = threading.Thread(target=self._ask, args=self._sides, daemon=True)
            asking.start()
            try:
                while piece := server.recv(PIECE):
                    self._pass(client, piece)
            finally:
                self.end()
                asking.join()

    def _ask(self, client, server):
        with contextlib.suppress(OSError):
            while piece := client.recv(PIECE):
                if not self._asking:  # else it is the same request's body
                    self._begin(piece)
                self._faulty.count(len(piece))
                server.sendall(piece)
        self.end()

    def _begin(self, request):
        self._asking = True
        self._fault = self._faulty.fault_of(request)
        self._passed = 0

    def _pass(self, client, piece):
        """Sends a piece of an answer, as its fault will have it."""
        fault = self._fault
        if self._asking:
            self._asking = False
            if fault.delay:
                self._faulty.wait(self, fault.delay)
        if self._passed + len(piece) <= fault.after:
            self._send(client, piece, fault)
            return
        now = int(fault.after - self._passed)
        self._send(client, piece[:now], fault)
        self._faulty.strike()
        if fault.then == "trickle":
            self._fault = TRICKLE
        elif fault.then == "hold":
            self._faulty.wait(self, while_fault=fault)
            self._fault = PASS
        else:
            if fault.then == "reset":
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            raise _Struck
        self._send(client, piece[now:], self._fault)

    def _send(self, client, piece, fault):
        size = max(1, int(min(len(piece), fault.rate / SLICES)))
        for start in range(0, len(piece), size):
            part = piece[start : start + size]
            if self.ended:
                raise ConnectionAbortedError
            client.sendall(part)
            self._passed += len(part)
            if fault.rate < math.inf:
                self._faulty.wait(self, len(part) / fault.rate)
