# SPDX-License-Identifier: Apache-2.0
"""Says what reached it: for the tests of the vhost, in the application's place."""

import json
import os
import threading

KEYS = ("SCRIPT_NAME", "PATH_INFO", "QUERY_STRING", "REQUEST_URI", "REQUEST_METHOD")


def application(environ, start_response):
    if environ["PATH_INFO"] == "/stream":
        start_response("200 OK", [("Content-Type", "text/plain")])
        return slow_lines(environ["QUERY_STRING"])
    if environ["PATH_INFO"] == "/broken":
        start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "1000")])
        return broken_lines()
    said = {key: environ[key] for key in KEYS}
    said["pid"] = os.getpid()
    body = json.dumps(said).encode()
    start_response("200 OK", [("Content-Type", "application/json"), ("X-Echo", "yes")])
    return [body]


def slow_lines(gate):
    """One line at once, the other when the reader, who has seen the first, makes the file."""
    yield b"first\n"
    for _ in range(500):
        if os.path.exists(gate):
            break
        threading.Event().wait(0.02)
    yield b"second\n"


def broken_lines():
    yield b"some\n"
    raise RuntimeError("the log broke off")
