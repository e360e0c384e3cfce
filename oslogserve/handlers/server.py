# SPDX-License-Identifier: Apache-2.0
"""Answers about the server itself: its assets, health and metrics, and pages of errors."""

from collections.abc import Sequence

from oslogserve.errors import BadRequest, Error, Header, Unavailable
from oslogserve.handlers.health import Readiness
from oslogserve.http import NO_STORE, TEXT, VARY, Representation, Response
from oslogserve.http.request import Request
from oslogserve.http.respond import respond
from oslogserve.metrics import Metrics
from oslogserve.pages import assets, page
from oslogserve.pages.error import error_page
from oslogserve.query import accepts_html, checked_path
from oslogserve.sources import Source


def asset(request: Request, path: str) -> Response:
    found = assets.BY_PATH[path]
    headers = [
        ("Content-Type", found.media_type),
        ("Cache-Control", "public, max-age=31536000, immutable"),
        ("Vary", "Accept-Encoding"),
    ]
    return respond(request, Representation(headers, found.content, "asset", is_compressible=True))


def healthz(request: Request) -> Response:
    return respond(request, _text("oslogserve answers\n"))


def readyz(request: Request, readiness: Readiness, sources: Sequence[Source]) -> Response:
    failures = readiness.failures()
    text = "".join(f"{source.name}: {failures.get(source.name, 'ok')}\n" for source in sources)
    if not sources:
        text = "no source is configured\n"
    elif not failures:
        return respond(request, _text(text))
    retry_after = "Retry-After", str(Unavailable.RETRY_AFTER)
    return respond(request, _text(text, retry_after), status=Unavailable.status)


def _text(text: str, *headers: Header) -> Representation:
    return Representation([("Content-Type", TEXT), NO_STORE, *headers], text.encode())


def exposition(request: Request, metrics: Metrics) -> Response:
    headers = [("Content-Type", "text/plain; version=0.0.4; charset=utf-8"), NO_STORE]
    return respond(request, Representation(headers, metrics.exposition(), is_compressible=True))


def error_response(request: Request, error: Error, sources: Sequence[Source]) -> Response:
    """An error as a page for browsers and as a sentence for bots."""
    environ = request.environ
    if accepts_html(environ.get("HTTP_ACCEPT", "")):
        try:
            path = checked_path(environ.get("PATH_INFO", ""))
        except BadRequest:
            path = None
        query_string = environ.get("QUERY_STRING", "")
        names = [source.name for source in sources]
        content = error_page(environ.get("SCRIPT_NAME", ""), error, path, query_string, names)
        headers = list(page.HEADERS)
    else:
        content = f"{error.sentence}\n".encode()
        headers = [("Content-Type", TEXT)]
    headers += [VARY, NO_STORE, *error.headers]
    return respond(request, Representation(headers, content, "error"), status=error.status)
