# SPDX-License-Identifier: Apache-2.0
"""Answers about the server itself: its assets, health and metrics, and pages of errors."""

import time
from collections.abc import Sequence
from concurrent.futures import Future
from threading import Lock

from oslogserve.errors import BadRequest, Error, Header, Misdirected, SourceError, Unavailable
from oslogserve.http import NO_STORE, TEXT, VARY
from oslogserve.http.answer import Answer, answer
from oslogserve.http.request import Request
from oslogserve.metrics import Metrics
from oslogserve.pages import page
from oslogserve.pages.error import error_page
from oslogserve.query import accepts_html
from oslogserve.sources import Trace
from oslogserve.sources.guard import Guard
from oslogserve.text import visible
from oslogserve.threads import started
from oslogserve.urls import checked_path

#: Seconds, less than usual load balancers wait.
TIME_LIMIT = 5.0


class Readiness:
    """Checks the sources, each in a thread. While a check hangs, no other of that source begins."""

    def __init__(
        self, sources: Sequence[Guard], metrics: Metrics, time_limit: float = TIME_LIMIT
    ) -> None:
        self._sources = sources
        self._metrics = metrics
        self._time_limit = time_limit
        self._lock = Lock()
        self._checks: dict[str, Future[None]] = {}

    def failures(self) -> dict[str, str]:
        """The faults of sources, by name; empty if all answer."""
        with self._lock:
            for source in self._sources:
                check = self._checks.get(source.name)
                if check is None or check.done():
                    self._checks[source.name] = started(source.check, "oslogserve-readiness")
            checks = self._checks.copy()
        failures = {}
        deadline = time.monotonic() + self._time_limit
        for name, check in checks.items():
            try:
                check.result(max(0.0, deadline - time.monotonic()))
            except TimeoutError:
                failures[name] = "it did not answer in time"
            except SourceError as error:
                failures[name] = str(error)
        return failures

    def __call__(self, request: Request, trace: Trace) -> Answer:
        """trace: gets the failures for the request log."""
        sources, failures = self._sources, self.failures()
        trace.failures.update(failures)
        outcome = "failed" if failures or not sources else "ok"
        self._metrics["readiness_checks_total", outcome].inc()
        state = {source.name: "ok" for source in sources}
        for source in sources:
            if source.name in failures:
                where = visible(source.source.location)
                state[source.name] = f"{failures[source.name]} ({where})"
        text = "".join(f"{name}: {what}\n" for name, what in state.items())
        if outcome == "ok":
            return _text(request, text)
        if not sources:
            trace.refusal = "no source is configured"
            text = f"{trace.refusal}\n"
        retry_after = "Retry-After", str(Unavailable.RETRY_AFTER)
        return _text(request, text, retry_after, status=Unavailable.status)


def asset(request: Request, path: str) -> Answer:
    content, media_type = page.ASSETS[path]
    headers = [
        ("Content-Type", media_type),
        ("Cache-Control", "public, max-age=31536000, immutable"),
        ("Vary", "Accept-Encoding"),
    ]
    return answer(request, content, headers, view="asset", is_compressible=True)


def healthz(request: Request) -> Answer:
    return _text(request, "oslogserve answers\n")


def _text(request: Request, text: str, *headers: Header, status: str = "200 OK") -> Answer:
    headers = ("Content-Type", TEXT), NO_STORE, *headers
    return answer(request, text.encode(), headers, status=status)


def exposition(request: Request, metrics: Metrics) -> Answer:
    headers = [("Content-Type", "text/plain; version=0.0.4; charset=utf-8"), NO_STORE]
    return answer(request, metrics.exposition(), headers, is_compressible=True)


def error_answer(request: Request, error: Error, sources: Sequence[Guard]) -> Answer:
    """An error as a page for browsers and as a sentence for bots."""
    environ = request.environ
    # What a page under a foreign name links to would be answered by the same error.
    if accepts_html(environ.get("HTTP_ACCEPT", "")) and not isinstance(error, Misdirected):
        try:
            path = checked_path(environ.get("PATH_INFO", "").encode("latin-1"))
        except BadRequest:
            path = None
        query_string = environ.get("QUERY_STRING", "")
        names = [source.name for source in sources]
        content = error_page(environ.get("SCRIPT_NAME", ""), error, path, query_string, names)
        headers = page.HEADERS["html"]
    else:
        content = f"{error.sentence}\n".encode()
        headers = page.HEADERS["text"]
    headers = [*headers, VARY, NO_STORE, *error.headers]
    return answer(request, content, headers, view="error", status=error.status)
