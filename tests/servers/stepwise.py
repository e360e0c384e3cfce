# SPDX-License-Identifier: Apache-2.0
"""A proxy that hands over a server's pages up to marks, and goes on when a test says so."""

import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Semaphore, Thread

from .process import HOST

#: Seconds until it goes on all the same: the test has forgotten it.
PATIENCE_SECONDS = 30


class Stepwise:
    """`marks`: bytes of a page before which it stops. `go_on` lets it send the next part."""

    def __init__(self, upstream, *marks):
        self._steps = Semaphore(0)
        handler = type("Handler", (_Handler,), {"stepwise": self})
        self._server = ThreadingHTTPServer((HOST, 0), handler)
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,))
        self.upstream = upstream
        self.marks = marks
        self.url = f"http://{HOST}:{self._server.server_port}"

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        for _ in self.marks:
            self.go_on()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def go_on(self):
        self._steps.release()

    def wait(self):
        self._steps.acquire(timeout=PATIENCE_SECONDS)

    def parts(self, body):
        for mark in self.marks:
            part, mark, rest = body.partition(mark)
            if not mark:
                break
            yield part
            self.wait()
            body = mark + rest
        yield body


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        asked = urllib.request.Request(self.stepwise.upstream + self.path)
        asked.add_header("Accept", self.headers.get("Accept", ""))
        try:
            answer = urllib.request.urlopen(asked)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            body = answer.read()
            self.send_response(answer.status)
            for name in ("Content-Type", "Content-Security-Policy"):
                if answer.headers[name]:
                    self.send_header(name, answer.headers[name])
            self.end_headers()
        is_page = answer.headers.get_content_type() == "text/html"
        for part in self.stepwise.parts(body) if is_page else [body]:
            self.wfile.write(part)

    def log_message(self, *_):
        pass
