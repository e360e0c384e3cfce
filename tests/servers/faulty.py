# SPDX-License-Identifier: Apache-2.0
"""A TCP proxy in front of any port, that does to the answers what networks do to them.

    with FaultyProxy(port) as proxy:
        proxy.behave(Fault(after=100_000, then="reset", times=1))

It speaks no HTTP, but for one habit: what a client sends after an answer began is the next
request, and what comes back until then is one answer.
"""

import contextlib
import math
import socket
import struct
import threading
from dataclasses import dataclass

from tests.servers.process import HOST, free_port

PIECE = 65536
#: Slices a second of a throttled answer.
SLICES = 20
_RESET = struct.pack("ii", 1, 0)  # SO_LINGER, zero seconds: close() sends a RST


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


class FaultyProxy:
    """struck: how many answers were cut or held since the behaviour was last changed."""

    def __init__(self, target):
        self.target = target
        self.struck = 0
        self._fault = PASS
        self._left = PASS.times
        self._sent, self._act_at, self._act = 0, math.inf, None
        self._changed = threading.Condition()
        self._links = set()
        self._listener = None
        self.port = free_port()
        self._listen()

    @property
    def url(self):
        return f"http://{HOST}:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.close()

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
            link.cut()
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
        if self._listener is None:
            self._listen()

    def close(self):
        self.refuse()
        self.cut()

    def _listen(self):
        self._listener = socket.create_server((HOST, self.port), backlog=128)
        self._acceptor = threading.Thread(target=self._accept, args=[self._listener], daemon=True)
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


class _Link:
    """One connection and the one behind it. A thread for each way; the answers' closes both."""

    def __init__(self, proxy, client):
        self.ended = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self._proxy = proxy
        self._client = client
        self._server = None
        self._asking = False
        self._fault = PASS
        self._passed = 0

    def end(self):
        """Wakes what waits for either side, and sends nothing."""
        self.ended = True
        self._proxy.wake()
        for side in (self._client, self._server):
            if side is not None:
                with contextlib.suppress(OSError):
                    side.shutdown(socket.SHUT_RD)

    def cut(self):
        """Wakes what waits for a side that reads nothing, too."""
        self.end()
        for side in (self._client, self._server):
            if side is not None:
                with contextlib.suppress(OSError):
                    side.shutdown(socket.SHUT_RDWR)

    def _run(self):
        try:
            with self._client:
                # Little is on its way: what was held back is still at the server.
                self._server = socket.socket()
                self._server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, PIECE)
                with self._server, contextlib.suppress(OSError):
                    self._server.connect((HOST, self._proxy.target))
                    asking = threading.Thread(target=self._ask, daemon=True)
                    asking.start()
                    try:
                        self._answer()
                    finally:
                        self.end()
                        asking.join()
        finally:
            self._proxy.forget(self)

    def _ask(self):
        with contextlib.suppress(OSError):
            while piece := self._client.recv(PIECE):
                if not self._asking:  # else it is the same request's body
                    self._asking = True
                    self._fault = self._proxy.fault_of(piece)
                    self._passed = 0
                self._proxy.count(len(piece))
                self._server.sendall(piece)
        self.end()

    def _answer(self):
        while piece := self._server.recv(PIECE):
            fault = self._fault
            if self._asking:
                self._asking = False
                if fault.delay:
                    self._proxy.wait(self, fault.delay)
            if self._passed + len(piece) <= fault.after:
                self._send(piece, fault)
                continue
            now = int(fault.after - self._passed)
            self._send(piece[:now], fault)
            self._proxy.strike()
            if fault.then == "trickle":
                self._fault = TRICKLE
                self._send(piece[now:], TRICKLE)
                continue
            if fault.then != "hold":
                if fault.then == "reset":
                    self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                return
            self._proxy.wait(self, while_fault=fault)
            self._fault = PASS
            self._send(piece[now:], PASS)

    def _send(self, piece, fault):
        size = max(1, int(min(len(piece), fault.rate / SLICES)))
        for start in range(0, len(piece), size):
            part = piece[start : start + size]
            if self.ended:
                raise ConnectionAbortedError
            self._client.sendall(part)
            self._passed += len(part)
            if fault.rate < math.inf:
                self._proxy.wait(self, len(part) / fault.rate)
