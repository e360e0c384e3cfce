# SPDX-License-Identifier: Apache-2.0
"""A server that keeps notes of pull and merge requests, and answers like GitHub and GitLab.

It gives an excerpt as Markdown, too, as far as a test needs one.
"""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from tests.servers.process import HOST

TOKEN, AUTHOR = "ghs_a-token-of-the-tests", "github-actions[bot]"
#: Numbers of one pull or merge request, of a project.
_NOTES = re.compile(
    r"/repos/acme/shop/issues/5/comments|/projects/17/merge_requests/5/notes"
    r"|/repos/acme/shop/issues/comments/(?P<comment>\d+)|/projects/17/merge_requests/5/notes/(?P<note>\d+)"
)


class Notes:
    """notes: the notes that there are, in order. status: of all answers but excerpts, if it is not 0."""

    def __init__(self):
        self.notes, self.requests, self.status = [], [], 0
        self.excerpt, self.status_of_excerpt = "### `/job/`\n", 200
        self._server = ThreadingHTTPServer((HOST, 0), type("Handler", (_Handler,), {"of": self}))
        #: The value of Authorization that the server of logs asks for; None for none.
        self.password = None
        self.url = f"http://{HOST}:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def add(self, body, author=AUTHOR):
        user = {"login": author, "username": author}
        note = {"id": len(self.notes) + 1, "body": body, "user": user, "author": user}
        self.notes.append(note)
        return note

    @property
    def bodies(self):
        return [note["body"] for note in self.notes]

    def answer(self, method, url, headers, body):
        """The status and the content of an answer."""
        self.requests.append((method, url))
        if "format=markdown" in url:
            is_let_in = self.password is None or headers.get("Authorization") == self.password
            return (self.status_of_excerpt if is_let_in else 401, self.excerpt)
        if TOKEN not in (
            headers.get("Authorization", "").removeprefix("Bearer "),
            headers.get("PRIVATE-TOKEN"),
        ):
            return 401, {"message": "Bad credentials"}
        if self.status:
            return self.status, {"message": f"a sentence with {TOKEN}"}
        path = urlsplit(url).path
        if path == "/user":
            return 200, {"username": AUTHOR}
        found = _NOTES.fullmatch(path)
        if not found:
            return 404, {}
        number = found["comment"] or found["note"]
        if method == "GET" and not number:
            page = int(parse_qs(urlsplit(url).query)["page"][0])
            return 200, self.notes[100 * page - 100 : 100 * page]
        if method == "POST" and not number:
            return 201, self.add(body["body"])
        if method == {"comment": "PATCH", "note": "PUT"}[found.lastgroup]:
            self.notes[int(number) - 1]["body"] = body["body"]
            return 200, self.notes[int(number) - 1]
        return 405, {}


class _Handler(BaseHTTPRequestHandler):
    of: Notes

    def _answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        status, content = self.of.answer(self.command, self.path, self.headers, body)
        content = content.encode() if isinstance(content, str) else json.dumps(content).encode()
        self.send_response(status)
        if status // 100 == 3:
            self.send_header("Location", f"{self.of.url}/user")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PATCH = do_PUT = _answer

    def log_message(self, *_):
        pass
