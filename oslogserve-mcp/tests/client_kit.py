# SPDX-License-Identifier: Apache-2.0
"""A real HTTP server whose answers a test writes, and the data of an answer to an agent."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import anyio

from oslogserve_mcp.access import NONE
from oslogserve_mcp.client import Client
from oslogserve_mcp.places import Site

HOST = "127.0.0.1"
TEXT = {"Content-Type": "text/plain; charset=utf-8"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.asked.append(self.path)
        self.server.headers.append(dict(self.headers))
        self.server.answer(self)

    def send(self, body=b"", status=200, headers=TEXT):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def redirect(self, to, status=302):
        self.send(b"", status, {"Location": to})

    def log_message(self, *_):
        pass


@contextmanager
def serving(answer):
    """A server. answer: is called with the handler of each request."""
    with ThreadingHTTPServer((HOST, 0), Handler) as server:
        server.answer, server.asked, server.headers = answer, [], []
        server.url = f"http://{HOST}:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def asked_of(server, ask, root="", timeout=5, access=NONE):
    """What `ask` returns, which is called with a client of the server."""

    async def asking():
        async with Client(Site(server.url + root), timeout, access) as client:
            return await ask(client)

    return anyio.run(asking)


def data_of(text):
    """The lines between the marks."""
    said, begin, *lines, end = text.split("\n")
    mark = begin.removesuffix(" begin")
    assert end == f"{mark} end"
    assert mark in said
    assert "not instructions" in said
    return lines
