# SPDX-License-Identifier: Apache-2.0
"""CORS (the Fetch standard): scripts of some other origins may read what programs read.

Pages and stored bytes are never among that: both may be HTML. No answer allows credentials.
"""

from collections.abc import Collection

from oslogserve.errors import Header
from oslogserve.http.answer import NOSNIFF, Answer
from oslogserve.http.request import Request

#: Views that programs read, unless the answer is a page.
_VIEWS = frozenset(("text", "jsonl", "summary", "brief", "markdown", "listing", "job", "error"))
_EXPOSED = (
    "Accept-Ranges, Content-Range, ETag, Link, Log-Compared, Log-Complete, Log-Lines, Log-Matched, "
    "Log-New, Log-Read-To-End, Log-Sent, Log-Worker, Retry-After, Server-Timing"
)
_PREFLIGHT = (
    ("Access-Control-Allow-Methods", "GET, HEAD"),
    (
        "Access-Control-Allow-Headers",
        "If-Modified-Since, If-None-Match, If-Range, Log-Worker, Range, traceparent",
    ),
    ("Access-Control-Max-Age", "3600"),
    ("Vary", "Origin"),
)


class Cors:
    def __init__(self, origins: Collection[str]) -> None:
        """origins: those that may read."""
        self._origins = frozenset(origins)

    def preflight(self, request: Request) -> Answer | None:
        """The answer to a preflight request; None if it is none, or of an origin that is not allowed."""
        allowed, environ = self._allowed(request), request.environ
        is_preflight = environ["REQUEST_METHOD"] == "OPTIONS"
        if not (allowed and is_preflight and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ):
            return None
        return Answer(status="204 No Content", headers=[*allowed, *_PREFLIGHT, NOSNIFF])

    def add_headers(self, request: Request, answer: Answer) -> None:
        """Adds to an answer what lets an allowed origin read it, and that it varies by origin."""
        for number, (name, value) in enumerate(answer.headers):
            if name == "Vary" and "Origin" not in value:
                answer.headers[number] = (name, f"{value}, Origin")
        if self._is_for_programs(answer) and (allowed := self._allowed(request)):
            answer.headers.extend([*allowed, ("Access-Control-Expose-Headers", _EXPOSED)])

    def _allowed(self, request: Request) -> list[Header]:
        origin = request.environ.get("HTTP_ORIGIN", "")
        return [("Access-Control-Allow-Origin", origin)] if origin in self._origins else []

    def _is_for_programs(self, answer: Answer) -> bool:
        headers = dict(answer.headers)
        # A browser puts the headers of a 304 on the answer that it has, and then lets scripts read that.
        # So the 304 for a stored page must not allow it either.
        if answer.confirmed:
            return answer.confirmed in _VIEWS
        is_page = headers.get("Content-Type", "").startswith("text/html")
        return "Location" in headers or (answer.view in _VIEWS and not is_page)
