# SPDX-License-Identifier: Apache-2.0
"""HTTP with a deadline for as much of an answer as its owner says.

A timeout of requests is for the next bytes: who sends one a second is never late. Here each wait
for bytes is cut down to what is left until the deadline.
"""

import http.client
import io
import socket
import time
from functools import partial
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from swiftclient import client as swift_api


class DeadlineAdapter(HTTPAdapter):
    """at: of time.monotonic; None for answers that may go on as long as bytes come."""

    def __init__(self) -> None:
        self.at: float | None = None
        self._pools: set[Any] = set()
        super().__init__()

    @classmethod
    def of(cls, session: requests.Session) -> "DeadlineAdapter":
        """One that the session uses from now on."""
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
        connection.response_class = partial(_Response, self)
        return connection

    def close(self) -> None:
        """Of itself requests leaves the open sockets to the garbage collector."""
        for pool in self._pools:
            pool.close()
        self._pools.clear()
        super().close()


class DeadlineConnection(swift_api.HTTPConnection):
    def __init__(self, url: str, ca_file: str | None) -> None:
        super().__init__(url, cacert=ca_file)
        self.deadline = DeadlineAdapter.of(self.request_session)


class _Response(http.client.HTTPResponse):
    def __init__(self, deadline: DeadlineAdapter, sock: socket.socket, *args: Any, **options: Any):
        super().__init__(sock, *args, **options)
        self.fp: Any = io.BufferedReader(_Waits(self.fp.detach(), sock, deadline))


class _Waits(io.RawIOBase):
    """The socket's bytes, each wait for which ends at the deadline."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, deadline: DeadlineAdapter) -> None:
        self._raw = raw
        self._sock = sock
        self._deadline = deadline
        self._timeout = sock.gettimeout()
        self._is_cut_down = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        at = self._deadline.at
        if at is not None:
            left = at - time.monotonic()
            if left <= 0:
                raise TimeoutError("the deadline is over")
            self._sock.settimeout(left if self._timeout is None else min(self._timeout, left))
            self._is_cut_down = True
        elif self._is_cut_down:
            self._sock.settimeout(self._timeout)
            self._is_cut_down = False
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()
