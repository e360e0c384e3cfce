# SPDX-License-Identifier: Apache-2.0
"""One request, top to bottom."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any
from urllib.parse import quote

from oslogserve import __version__
from oslogserve.answer import conditions
from oslogserve.answer.body import Body, gathered
from oslogserve.config import Config
from oslogserve.errors import (
    BadRequest,
    Error,
    Forbidden,
    Header,
    Incomplete,
    MethodNotAllowed,
    NotFound,
    SourceError,
    Unavailable,
)
from oslogserve.health import Readiness
from oslogserve.lines.decode import GZIP_MAGIC, beginning, decoded, exactly
from oslogserve.metrics import CONTENT_TYPE, Metrics
from oslogserve.query import Query, accepts_html
from oslogserve.sources import STORED_ONLY, WHOLE, Folder, Log, Source, Stored, Want
from oslogserve.sources.disk import Disk
from oslogserve.sources.finder import Listing, find
from oslogserve.sources.swift import Swift
from oslogserve.sources.timed import TimedSource
from oslogserve.views import assets, listing, page
from oslogserve.views import log as log_view
from oslogserve.views.kind import passed_through_as

Environ = dict[str, Any]
StartResponse = Callable[[str, list[Header]], Any]

TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"
#: What is not ours must not act in our name: no cookies, no requests to this origin.
SANDBOX = ("Content-Security-Policy", "sandbox allow-scripts allow-popups")
NOSNIFF = ("X-Content-Type-Options", "nosniff")
#: Logs still grow while their job runs: a cache asks again, and is answered 304.
ASK_AGAIN = ("Cache-Control", "no-cache")


@dataclass
class Answer:
    """pieces: the body. view and source: metric labels. missing: see Body."""

    status: str
    headers: list[Header]
    pieces: Iterable[bytes] = ()
    view: str = "other"
    source: str = "none"
    missing: list[Incomplete] = field(default_factory=list)
    close: Callable[[], None] = lambda: None


class App:
    def __init__(self, config: Config) -> None:
        self._config = config
        self._metrics = Metrics()
        self._sources = [TimedSource(source, self._metrics) for source in _sources(config)]
        self._readiness = Readiness(self._sources)
        self._own = {"/healthz": self._healthz, "/readyz": self._readyz}
        if config["metrics", "path"]:
            self._own[config["metrics", "path"]] = self._exposition

    def __call__(self, environ: Environ, start_response: StartResponse) -> Body:
        started = time.perf_counter()
        self._metrics.in_progress.inc()
        try:
            answer = self._answer(environ)
        except Error as error:
            answer = _told(error, environ)
        except BaseException:
            self._metrics.responses["500"].inc()
            self._metrics.in_progress.dec()
            raise
        if environ["REQUEST_METHOD"] == "HEAD":
            answer.pieces = ()
        body = Body(
            answer.pieces,
            self._metrics,
            answer.view,
            started,
            answer.source,
            answer.missing,
            answer.close,
        )
        self._metrics.responses[answer.status[:3]].inc()
        try:
            start_response(answer.status, [*answer.headers, NOSNIFF])
        except BaseException:
            body.close()
            raise
        return body

    def _answer(self, environ: Environ) -> Answer:
        method = environ["REQUEST_METHOD"]
        if method not in ("GET", "HEAD"):
            raise MethodNotAllowed(method)
        path = environ.get("PATH_INFO", "")
        own = self._own.get(path)
        if own is not None:
            return own()
        if path in assets.BY_PATH:
            return _asset(path)
        query = Query.from_environ(environ)
        sources = [s for s in self._sources if query.source in ("all", s.name)]
        if not sources:
            raise BadRequest(f"source={query.source}: this server has no such source.")
        if query.folder:
            return self._folder(environ, query, sources)
        return self._file(environ, query, sources)

    def _file(self, environ: Environ, query: Query, sources: Sequence[Source]) -> Answer:
        if query.format == "json":
            raise BadRequest("format=json is for folders: a log takes html, text, raw.")
        view = query.format or ("html" if query.prefers_html else "text")
        headers: list[Header] = [ASK_AGAIN, ("Vary", "Accept")]
        if conditions.is_conditional(environ):
            stored = _stored(find(sources, query.path, STORED_ONLY))
            if stored is not None:
                tag = _tag(stored, query, view)
                if conditions.is_unchanged(environ, tag, stored.modified):
                    return Answer("304 Not Modified", [*headers, ("ETag", tag)])
        looks_only = environ["REQUEST_METHOD"] == "HEAD" and query.format in ("html", "text")
        found = find(sources, query.path, STORED_ONLY if looks_only else WHOLE)
        if isinstance(found, Folder):
            return _to_folder(environ, query)
        try:
            return self._opened(environ, query, sources, found, view, headers)
        except BaseException:
            found.close()
            raise

    def _opened(
        self,
        environ: Environ,
        query: Query,
        sources: Sequence[Source],
        log: Log,
        view: str,
        headers: list[Header],
    ) -> Answer:
        """view: what was asked for or negotiated; what is no log is passed through instead."""
        stored = log.stored
        tag = _tag(stored, query, view)
        headers += [
            ("ETag", tag),
            ("Last-Modified", conditions.last_modified(stored.modified)),
        ]
        chunks = iter(log)
        first = next(chunks, b"")
        content = chain((first,), chunks) if first else chunks
        media_type = None
        if query.format is None:
            name = query.path.decode("utf-8", "replace")
            head = beginning(first, encoding=stored.encoding)
            media_type = passed_through_as(name, head, self._config.views)
        if media_type is not None or view == "raw":
            return self._stored_bytes(
                environ, query, sources, log, content, first, media_type, tag, headers
            )
        answer = Answer("200 OK", headers, (), view, stored.source, close=log.close)
        if view == "html":
            headers += [("Content-Type", HTML), ("Content-Security-Policy", page.POLICY)]
            mount = environ.get("SCRIPT_NAME", "")
            answer.pieces = log_view.html(
                content, stored.encoding, query, answer.missing, mount, stored.source
            )
        else:
            headers += [("Content-Type", TEXT)]
            answer.pieces = log_view.text(content, stored.encoding, query, answer.missing)
        if len(first) == stored.size and environ["REQUEST_METHOD"] == "GET":
            # No source is waited for any more: a small log goes out as one piece.
            answer.pieces, length = gathered(answer.pieces)
            if length is not None:
                headers.append(("Content-Length", str(length)))
        return answer

    def _stored_bytes(
        self,
        environ: Environ,
        query: Query,
        sources: Sequence[Source],
        log: Log,
        content: Iterator[bytes],
        first: bytes,
        media_type: str | None,
        tag: str,
        headers: list[Header],
    ) -> Answer:
        """What is no log, with its type; or, for format=raw, the bytes as they are stored.

        media_type: None for format=raw. Ranges are of the stored bytes, so a file that has to
        be inflated for its readers has none.
        """
        stored = log.stored
        is_packed = first.startswith(GZIP_MAGIC) or stored.encoding == "deflate"
        if media_type is None and is_packed:
            packing = "application/zlib" if stored.encoding == "deflate" else "application/gzip"
            media_type, is_packed = packing, False
        elif media_type is None:
            name = query.path.decode("utf-8", "replace")
            media_type = passed_through_as(name, first, ()) or TEXT
        elif media_type == "application/gzip":
            is_packed = False
        headers += [("Content-Type", media_type), SANDBOX]
        answer = Answer("200 OK", headers, (), "raw", stored.source, close=log.close)
        if is_packed:
            answer.pieces = decoded(content, stored.encoding)
            return answer
        headers.append(("Accept-Ranges", "bytes"))
        span = conditions.span(environ, stored.size, tag, stored.modified)
        if span is not None and stored.size is not None:
            log.close()
            part = find(sources, query.path, Want(span=span, version=stored.version))
            if isinstance(part, Folder):
                raise Unavailable([_changed(stored)])
            if part.stored.version != stored.version:
                part.close()
                raise Unavailable([_changed(stored)])
            answer.status = "206 Partial Content"
            answer.close = part.close
            headers.append(conditions.content_range(span, stored.size))
            size: int | None = span[1] - span[0]
            content = iter(part)
        else:
            size = stored.size
        if size is not None:
            headers.append(("Content-Length", str(size)))
            content = exactly(size, content)
        answer.pieces = content
        return answer

    def _folder(self, environ: Environ, query: Query, sources: Sequence[Source]) -> Answer:
        if query.format == "raw":
            raise BadRequest("format=raw is for logs: a folder takes html, text, json.")
        if query.format in (None, "html"):
            index = self._index(environ, query, sources)
            if index is not None:
                return index
        if not self._config["serve", "listing"]:
            raise Forbidden("This server does not list folders: name a log.")
        found = Listing(sources, query.path)
        headers: list[Header] = [ASK_AGAIN, ("Vary", "Accept")]
        if query.format == "json":
            pieces = listing.as_json(query.path, found)
            headers.append(("Content-Type", "application/json"))
        elif query.format == "html" or (query.format is None and query.prefers_html):
            pieces = listing.html(environ.get("SCRIPT_NAME", ""), query.path, found)
            headers += [("Content-Type", HTML), ("Content-Security-Policy", page.POLICY)]
        else:
            pieces = listing.text(found)
            headers.append(("Content-Type", TEXT))
        return Answer("200 OK", headers, pieces, "listing")

    def _index(self, environ: Environ, query: Query, sources: Sequence[Source]) -> Answer | None:
        path = query.path + b"/index.html" if query.path else b"index.html"
        try:
            return self._file(
                environ, replace(query, path=path, folder=False, format=None), sources
            )
        except (NotFound, Unavailable):
            return None  # a source that fails is told by the listing

    def _healthz(self) -> Answer:
        return _plain("200 OK", f"oslogserve {__version__} answers\n")

    def _readyz(self) -> Answer:
        failures = self._readiness.failures()
        told = "".join(
            f"{source.name}: {failures.get(source.name, 'ok')}\n" for source in self._sources
        )
        return _plain("503 Service Unavailable" if failures else "200 OK", told)

    def _exposition(self) -> Answer:
        headers = [("Content-Type", CONTENT_TYPE), ("Cache-Control", "no-store")]
        return Answer("200 OK", headers, [self._metrics.exposition()])


def _sources(config: Config) -> list[Source]:
    """In the order in which they are asked."""
    sources: list[Source] = []
    if config["disk", "root"]:
        sources.append(Disk(config["disk", "root"], config["serve", "chunk_size"]))
    if config["swift", "container"]:
        sources.append(Swift(config))
    return sources


def _stored(found: Log | Folder) -> Stored | None:
    if isinstance(found, Folder):
        return None
    found.close()
    return found.stored


def _tag(stored: Stored, query: Query, view: str) -> str:
    return conditions.etag(
        stored,
        view,
        query.level,
        query.limit,
        __version__,
        assets.VERSION if view == "html" else "",
    )


def _changed(stored: Stored) -> SourceError:
    return SourceError(stored.source, "the log changed while it was asked for")


def _to_folder(environ: Environ, query: Query) -> Answer:
    """Relative, so that it holds behind a rewriting server too."""
    asked = environ.get("QUERY_STRING", "")
    address = "./" + quote(query.path.rpartition(b"/")[2]) + "/" + ("?" + asked if asked else "")
    return Answer("301 Moved Permanently", [("Location", address), ("Content-Length", "0")])


def _asset(path: str) -> Answer:
    content, media_type = assets.BY_PATH[path]
    headers = [
        ("Content-Type", media_type),
        ("Content-Length", str(len(content))),
        ("Cache-Control", "public, max-age=31536000, immutable"),
    ]
    return Answer("200 OK", headers, [content], "asset")


def _told(error: Error, environ: Environ) -> Answer:
    """An error as a page for browsers and as a sentence for bots."""
    if accepts_html(environ.get("HTTP_ACCEPT", "")):
        content = page.error_page(environ.get("SCRIPT_NAME", ""), error.status, error.sentence)
        headers = [("Content-Type", HTML), ("Content-Security-Policy", page.POLICY)]
    else:
        content = f"{error.sentence}\n".encode()
        headers = [("Content-Type", TEXT)]
    headers += [("Content-Length", str(len(content))), ("Vary", "Accept"), *error.headers]
    return Answer(error.status, headers, [content], "error")


def _plain(status: str, told: str) -> Answer:
    return Answer(status, [("Content-Type", TEXT), ("Cache-Control", "no-store")], [told.encode()])
