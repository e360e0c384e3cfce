# SPDX-License-Identifier: Apache-2.0
"""Head and body of a small answer in one packet: gunicorn sends them by two calls, and each
would wake the reader by itself."""

import contextlib
import socket
from typing import Any


def hold(environ: dict[str, Any]) -> socket.socket | None:
    """The connection, which keeps what is written to it until release(); None where it cannot."""
    connection: socket.socket | None = environ.get("gunicorn.socket")
    if connection is None:
        return None
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    except OSError:
        return None  # a Unix socket, or the client has left
    return connection


def release(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):  # the client has left
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)
