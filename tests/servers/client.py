# SPDX-License-Identifier: Apache-2.0
"""A test's HTTP client: answers as they came, and the samples of /metrics."""

import http.client
import os
import re
import socket
from typing import NamedTuple
from urllib.parse import urlsplit

from .process import HOST, poll


class Answer(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes


def begin(server, path, method="GET", timeout=60, **headers):
    """A connection and its unread response: no redirect is followed, nothing is decoded."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=timeout)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.putrequest(method, path, skip_accept_encoding=True)
    for name, value in names.items():
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    if connection.sock is None and not response.isclosed():
        # The server closes it after the answer; it stays open until `connection` is closed.
        connection.sock = socket.socket(fileno=os.dup(response.fileno()))
    return connection, response


def ask(server, path, method="GET", timeout=60, **headers):
    connection, response = begin(server, path, method, timeout, **headers)
    try:
        return Answer(response.status, response.headers, response.read())
    finally:
        connection.close()


def ini(sections):
    """The text of a configuration file."""
    return "".join(
        f"[{section}]\n" + "".join(f"{key} = {value}\n" for key, value in options.items())
        for section, options in sections.items()
    )


def metric(server, name, **labels):
    """The samples of /metrics that have these labels, and maybe others, added up."""
    return sum_of(ask(server, "/metrics").body.decode(), name, **labels)


def sum_of(text, name, **labels):
    """The samples in the text of /metrics that have these labels, and maybe others, added up."""
    return sum(value for found, value in _samples(text, name) if labels.items() <= found.items())


def counted(server, expected, name, **labels):
    """Waits: the server counts an answer after its last byte, which the client may have already."""
    poll(
        lambda: metric(server, name, **labels) == expected,
        lambda: AssertionError(f"{name} is {metric(server, name, **labels)}"),
        20,
    )


def exchanged(server, target):
    """All that comes back for exactly this target, which no client tidies."""
    with socket.create_connection((HOST, server.port), 20) as connection:
        head = f"GET {target} HTTP/1.1\r\nHost: logs\r\nConnection: close\r\n\r\n"
        connection.sendall(head.encode("latin-1"))
        return b"".join(iter(lambda: connection.recv(65536), b""))


def _samples(text, name):
    for found, pairs, value in re.findall(r"^(\w+)(?:\{([^}]*)\})? (\S+)$", text, re.MULTILINE):
        if found == name:
            yield dict(re.findall(r'(\w+)="([^"]*)"', pairs)), float(value)
