# SPDX-License-Identifier: Apache-2.0
"""The log of a server's requests, one line each, written before it answers.

An access log is written after the answer, when the client may be counting
already; this one is exact.
"""

import os
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote


class Request(NamedTuple):
    method: str
    path: str
    agent: str


class RequestLog:
    def __init__(self, path):
        self.path = Path(path)

    def write(self, method, path, agent):
        line = " ".join(quote(word) for word in (method, path, agent)) + "\n"
        # One write() to a file opened for appending: lines of threads never mix.
        log = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.write(log, line.encode())
        finally:
            os.close(log)

    def requests(self):
        if not self.path.exists():
            return []
        lines = self.path.read_text().splitlines()
        return [Request(*map(unquote, line.split(" "))) for line in lines]


def filter_factory(global_conf, path, **_):
    """A PasteDeploy filter that records every request in the log at `path`."""
    log = RequestLog(path)

    def factory(app):
        def recording(environ, start_response):
            log.write(
                environ["REQUEST_METHOD"],
                environ.get("PATH_INFO", ""),
                environ.get("HTTP_USER_AGENT", ""),
            )
            return app(environ, start_response)

        return recording

    return factory
