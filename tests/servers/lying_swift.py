# SPDX-License-Identifier: Apache-2.0
"""A Swift with tempauth whose answers a test writes, byte by byte.

with LyingSwift() as swift:
    swift.answers["GET", "/v1/AUTH_a/logs/a.txt"] = [reply("200 OK", LOG)]
"""

import contextlib
import socket
import threading
from typing import NamedTuple

from tests.servers.process import HOST

TOKEN = "the-secret-token"
ACCOUNT = "/v1/AUTH_a"
CONTAINER = f"{ACCOUNT}/logs"
LAST_MODIFIED = "Fri, 27 Sep 2013 18:22:11 GMT"


def reply(status, body=b"", **headers):
    """An answer; a header that is None is left out, its length stands in it unless it is given."""
    named = {"Last-Modified": LAST_MODIFIED, "Content-Length": len(body), "Connection": "close"}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{name}: {value}" for name, value in named.items() if value is not None]
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode() + body


class Asked(NamedTuple):
    method: str
    #: With the query.
    target: str
    #: By their names in lower case.
    headers: dict[str, str]


class LyingSwift:
    """answers: by method and target, or path (without the query), the answers in turn; the last
    one stays.

    asked: the requests.
    """

    def __init__(self):
        self.answers = {}
        self.asked = []
        #: While it is cleared, no request is answered.
        self.may_answer = threading.Event()
        self.may_answer.set()
        self._lock = threading.Lock()
        self._listener = socket.create_server((HOST, 0))
        self.url = f"http://{HOST}:{self._listener.getsockname()[1]}"
        self.answers["GET", "/auth/v1.0"] = [
            reply("200 OK", X_Storage_Url=self.url + ACCOUNT, X_Auth_Token=TOKEN)
        ]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def settings(self):
        """The options of [swift]."""
        return {
            "auth_version": "1",
            "auth_url": self.url + "/auth/v1.0",
            "username": "test:tester",
            "password": "testing",
            "container": "logs",
            "resumes": "2",
            "retries": "0",
        }

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.may_answer.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _serve(self):
        while True:
            try:
                client = self._listener.accept()[0]
            except OSError:
                return
            with client:
                self.may_answer.wait()
                self._answer(client)

    def _answer(self, client):
        with client.makefile("rb") as lines:
            request = lines.readline().decode().split()
            headers = {}
            while line := lines.readline().strip():
                name, _, value = line.decode().partition(":")
                headers[name.lower()] = value.strip()
            lines.read(int(headers.get("content-length", 0)))
        if len(request) != 3:
            return
        method, target, _ = request
        path = target.partition("?")[0]
        with self._lock:
            self.asked.append(Asked(method, target, headers))
            answers = self.answers.get((method, target)) or self.answers.get((method, path))
            answers = answers or [reply("404 Not Found")]
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
        with contextlib.suppress(OSError):  # the reader has left
            client.sendall(answer)
