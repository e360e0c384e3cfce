# SPDX-License-Identifier: Apache-2.0
"""A reader of one log, and what to think of what it got."""

import http.client
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from urllib.parse import urlsplit

NOTICE = b"oslogserve: this log is incomplete here"
LISTING_NOTICE = b"This listing is incomplete"
#: The end of a page and a line that broke off midway, bytes.
PAGE_END = 4000
#: Seconds for one answer, from the request to its last byte; nobody waits that long unless stuck.
PATIENCE = 25
#: Seconds that a reader stalls at the most: a test that failed meanwhile does not call it.
STALLED = 120
#: What a reader that stalls has taken, bytes.
FIRST = 64 * 1024

COMPLETE, TOLD, WRONG = "complete", "told", "WRONG"


@dataclass
class Reading:
    """broken: the connection ended before the answer did. spent: seconds. began: of them until
    the status was there."""

    status: int = 0
    headers: dict = field(default_factory=dict)
    body: bytes = b""
    broken: bool = False
    stuck: bool = False
    began: float = 0
    spent: float = 0


class Reader:
    """Reads in a thread of its own. stalls: takes FIRST bytes, then none until go_on().

    once_known: called between another request and this one, on the same connection. headers: of
    the request.
    """

    def __init__(
        self, server, path, *, stalls=False, patience=PATIENCE, once_known=None, headers=None
    ):
        self._address = urlsplit(server.url)
        self._path = path
        self._patience = patience
        self._once_known = once_known
        self._headers = headers or {}
        self._started = threading.Event()
        self._may_go_on = threading.Event()
        if not stalls:
            self._may_go_on.set()
        self._pool = ThreadPoolExecutor(1)
        self._future = self._pool.submit(self._read)
        self._pool.shutdown(wait=False)

    @property
    def done(self):
        return self._future.done()

    def stalled(self):
        """Returns when the first bytes are here, or none will come."""
        self._started.wait(self._patience)

    def go_on(self):
        self._may_go_on.set()

    def result(self):
        self.go_on()
        return self._future.result()

    def _read(self):
        began = time.monotonic()
        reading = Reading()
        with socket.socket() as connected:
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, FIRST)
            try:
                self._receive(connected, reading, began)
            except TimeoutError:
                reading.stuck = True
            except (OSError, http.client.HTTPException):
                reading.broken = True
            finally:
                self._started.set()
        reading.spent = time.monotonic() - began
        return reading

    def _receive(self, connected, reading, began):
        connected.settimeout(self._patience)
        connected.connect((self._address.hostname, self._address.port))
        if self._once_known is not None:
            with _asked(connected, "/healthz") as known:
                known.begin()
                known.read()
            self._once_known()
        response = _asked(connected, self._path, self._headers)
        pieces = []
        try:
            response.begin()
            reading.status, reading.headers = response.status, dict(response.getheaders())
            reading.began = time.monotonic() - began
            size = 0
            while piece := response.read1(FIRST):
                pieces.append(piece)
                size += len(piece)
                if size >= FIRST and not self._may_go_on.is_set():
                    self._started.set()
                    if not self._may_go_on.wait(STALLED):
                        raise TimeoutError
                    began = time.monotonic()
                left = began + self._patience - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                connected.settimeout(left)
            announced = reading.headers.get("Content-Length")
            reading.broken = announced is not None and size < int(announced)
        finally:
            reading.body = b"".join(pieces)
            response.close()


def _asked(connected, path, headers=None):
    named = {"Host": "localhost", **(headers or {})}
    lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in named.items())]
    connected.sendall("\r\n".join([*lines, "", ""]).encode())
    return http.client.HTTPResponse(connected, method="GET")


def verdict(reading, accepted, view, source, rotten=False):
    """(COMPLETE, TOLD or WRONG, why). accepted: the bodies without the fault. rotten: other bytes
    may have come before it was noticed that they are."""
    if reading.stuck:
        return WRONG, f"stuck after {len(reading.body)} bytes"
    if reading.status == 503:
        waits = reading.headers.get("Retry-After", "").isdecimal()
        named = source.encode() in reading.body
        return (TOLD, "503") if waits and named else (WRONG, f"503: {reading.body[:200]!r}")
    if reading.status not in (200, 206):
        return WRONG, f"status {reading.status}"
    if not reading.broken and reading.body in accepted:
        return COMPLETE, ""
    same = max(_alike(reading.body, body) for body in accepted)
    rest = reading.body[same:]
    got = f"{len(reading.body)} of {len(accepted[0])} bytes, {same} of them right"
    if not rotten and len(rest) > PAGE_END:
        return WRONG, f"other bytes: {got}"
    if view == "raw" or "Content-Length" in reading.headers:
        fits = rotten or not rest
        return (TOLD, "broken off") if reading.broken and fits else (WRONG, f"no word: {got}")
    if reading.broken:
        return WRONG, f"broken off without a word: {got}"
    told = any(notice in reading.body[-PAGE_END:] for notice in (NOTICE, LISTING_NOTICE))
    return (TOLD, "its last line") if told else (WRONG, f"no word: {got}")


def _alike(one, other):
    """How many bytes of their beginnings are the same."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
