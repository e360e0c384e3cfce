# SPDX-License-Identifier: Apache-2.0
"""HTTP connections with a deadline, a time by time.monotonic().

A timeout of requests limits only the wait for the next bytes, so a server that sends one byte a
second is never late. Here each wait ends at the deadline.
"""

import http.client
import io
import math
import socket
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from swiftclient import client as swift_api

from oslogserve.sources import Trace, transaction_of

#: Bytes that may come until a deadline. A page of a listing has at most 20 MB, unless a job chose names of
#: characters that JSON escapes: it could have 60 MB, and is refused.
MOST_UNTIL_DEADLINE = 32 * 1024 * 1024


class AnswerTooLong(OSError):
    """More than MOST_UNTIL_DEADLINE bytes came."""


class DeadlineAdapter(HTTPAdapter):
    """A transport adapter of requests whose reads end at a deadline, and after too many bytes.

    The bytes are limited since a response may be held in memory. A streamed body sets a deadline for
    each chunk.
    """

    def __init__(self) -> None:
        self.at = math.inf
        self._pools: set[Any] = set()
        super().__init__()

    @property
    def at(self) -> float:
        """The deadline; math.inf for none. Setting it allows MOST_UNTIL_DEADLINE bytes again."""
        return self._at

    @at.setter
    def at(self, deadline: float) -> None:
        self._at = deadline
        self.bytes_left = MOST_UNTIL_DEADLINE

    @classmethod
    def mounted_on(cls, session: requests.Session) -> "DeadlineAdapter":
        """A new adapter, which the session uses from now on."""
        adapter = cls()
        session.mount("http://", adapter)
        session.mount("https://", adapter)
        return adapter

    def get_connection_with_tls_context(self, *args: Any, **options: Any) -> Any:
        pool: Any = super().get_connection_with_tls_context(*args, **options)
        if pool not in self._pools:
            self._pools.add(pool)
            pool.ConnectionCls = partial(self._connection, pool.ConnectionCls)
        return pool

    def _connection(self, connection_class: Any, **options: Any) -> Any:
        connection = connection_class(**options)
        connection.response_class = partial(_response, self)
        return connection

    def close(self) -> None:
        """Also closes the open sockets, which requests leaves to the garbage collector."""
        for pool in self._pools:
            pool.close()
        self._pools.clear()
        super().close()


class Connection(swift_api.HTTPConnection):
    """A connection of swiftclient with a deadline, for one request after the other."""

    #: With which the next request is made: see begin().
    access: Any

    def __init__(self, url: str, ca_file: str) -> None:
        super().__init__(url, cacert=ca_file)
        self.requests_args["allow_redirects"] = False  # the token would go along to any host
        self.request_session.auth = lambda request: request  # else that of .netrc replaces ours
        self._adapter = DeadlineAdapter.mounted_on(self.request_session)

    def begin(
        self, access: Any, deadline: float, timeouts: tuple[float, float], trace: Trace
    ) -> None:
        """Prepares the next request. timeouts: seconds to connect, and to wait for the next bytes."""
        self.access = access
        self.requests_args["timeout"] = timeouts
        self._trace = trace
        self.wait_until(deadline)

    def end(self) -> None:
        """Leaves what is left of an answer. Its socket is closed if that is anything."""
        if self.resp is not None:
            self.resp.close()

    def wait_until(self, deadline: float) -> None:
        """Sets the deadline of the next bytes."""
        self._adapter.at = deadline

    def answer(self, method: str, url: str, headers: Mapping[str, str], body: Any) -> Any:
        given = {**headers, **self._trace.headers}
        asked = {"headers": given, "data": body, **self.requests_args}
        self.resp = self.request_session.request(method, url, **asked)
        self._trace.transaction = transaction_of(self.resp.headers)
        return self.getresponse()


def _response(
    adapter: DeadlineAdapter, sock: socket.socket, *args: Any, **options: Any
) -> http.client.HTTPResponse:
    response = http.client.HTTPResponse(sock, *args, **options)
    reader = _DeadlineReader(response.fp.detach(), sock, adapter)
    response.fp = io.BufferedReader(reader)
    return response


class _DeadlineReader(io.RawIOBase):
    """A raw stream over a socket. Each wait for bytes ends at the adapter's deadline.

    Raises TimeoutError then, and AnswerTooLong if too many bytes come.
    """

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, adapter: DeadlineAdapter) -> None:
        self._raw = raw
        self._sock = sock
        self._adapter = adapter
        self._timeout = sock.gettimeout() or math.inf

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = min(self._adapter.at - time.monotonic(), self._timeout)
        if left <= 0:
            raise TimeoutError("the deadline is over")
        self._sock.settimeout(None if left == math.inf else left)
        size = self._raw.readinto(buffer)
        self._adapter.bytes_left -= size or 0
        if self._adapter.bytes_left < 0:
            raise AnswerTooLong("the answer is too long")
        return size

    def close(self) -> None:
        self._raw.close()
        super().close()
