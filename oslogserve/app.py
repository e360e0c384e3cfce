# SPDX-License-Identifier: Apache-2.0
"""One request, top to bottom."""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from oslogserve import __version__
from oslogserve.config import Config
from oslogserve.configured import made_by, renderer_of
from oslogserve.errors import BadRequest, Error, Header, MethodNotAllowed
from oslogserve.handlers import server
from oslogserve.handlers.folder import FolderHandler
from oslogserve.handlers.log import LogHandler
from oslogserve.health import Readiness
from oslogserve.http import NO_STORE, TEXT, VARY, Answer, compression
from oslogserve.http.body import Body, FileBody
from oslogserve.lines.renderer import described
from oslogserve.lines.selection import Page
from oslogserve.metrics import Metrics
from oslogserve.pages import assets, page
from oslogserve.pages.error import error_page
from oslogserve.query import Query, accepts_html, checked_path
from oslogserve.sources import Source, deadline, open_beneath
from oslogserve.sources.circuit_breaker import CircuitBreaker
from oslogserve.sources.disk import Disk
from oslogserve.sources.resuming import ResumingSource
from oslogserve.sources.swift import Swift
from oslogserve.sources.swift_session import SwiftSession
from oslogserve.sources.timed import TimedSource

Environ = dict[str, Any]
StartResponse = Callable[[str, list[Header]], Any]

#: Bytes that a server without sendfile reads at a time.
FILE_BLOCK = 256 * 1024
NOSNIFF = ("X-Content-Type-Options", "nosniff")


class App:
    """described: its version and renderer, for the log of whoever starts it."""

    def __init__(self, config: Config) -> None:
        self._metrics = Metrics()
        name, chosen = renderer_of(config)
        self._sources = [
            TimedSource(
                CircuitBreaker(source, self._metrics, config["serve", "threads"]), self._metrics
            )
            for source in _sources(config, self._metrics, name)
        ]
        self.described = described(name)
        self._metrics["build_info"].labels(__version__, name).set(1)
        self._gzip_level = config["serve", "gzip_level"]
        self._log = LogHandler(
            tuple(config.views.values()),
            chosen,
            self._gzip_level is not None,
            config["serve", "max_age"],
            made_by(config),
            Page(config["serve", "page_size"], config["serve", "page_elements"]),
        )
        self._folder = FolderHandler(self._log, config["serve", "listing"])
        readiness = Readiness(self._sources)
        self._own: dict[str, Callable[[], Answer]] = {
            "/healthz": server.healthz,
            "/readyz": lambda: server.readyz(readiness, self._sources),
        }
        if config["metrics", "path"]:
            self._own[config["metrics", "path"]] = lambda: server.exposition(self._metrics)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        started = time.perf_counter()
        self._metrics["requests_in_progress"].inc()
        try:
            with deadline.start_clock():
                answer = self._answer(environ)
        except Error as error:
            answer = _told(error, environ, self._sources)
        except BaseException:
            Body(Answer("500", [], view="error"), self._metrics, started).fail()
            raise
        if self._gzip_level is not None and answer.may_gzip and compression.takes_gzip(environ):
            compression.gzip(answer, self._gzip_level)
        if environ["REQUEST_METHOD"] == "HEAD":
            answer.pieces = ()
            answer.file = None
        answer.headers.append(NOSNIFF)
        if answer.file is not None and _sends_files(environ):
            body: Body = FileBody(answer, self._metrics, started, answer.file)
            given: Iterable[bytes] = environ["wsgi.file_wrapper"](body, FILE_BLOCK)
        else:
            given = body = Body(answer, self._metrics, started)
        try:
            start_response(answer.status, answer.headers)
        except BaseException:
            body.close()
            raise
        return given

    def _answer(self, environ: Environ) -> Answer:
        method = environ["REQUEST_METHOD"]
        if method not in ("GET", "HEAD"):
            raise MethodNotAllowed(method)
        path = environ.get("PATH_INFO", "")
        if path in self._own:
            return self._own[path]()
        if path in assets.BY_PATH:
            return server.asset(path)
        query = Query.from_environ(environ)
        sources = [s for s in self._sources if query.source in ("all", s.name)]
        if not sources:
            raise BadRequest(f"source={query.source}: this server has no such source.")
        handler = self._folder if query.is_folder else self._log
        return handler(environ, query, sources)


def _sends_files(environ: Environ) -> bool:
    """mod_wsgi's wrapper was measured at a third of the speed of its iterator."""
    return "wsgi.file_wrapper" in environ and "mod_wsgi.version" not in environ


def _sources(config: Config, metrics: Metrics, core: str) -> list[Source]:
    """In the order in which they are asked. core: 'native' or 'pure'."""
    sources: list[Source] = []
    if config["disk", "root"]:
        chunk_size = config["serve", "chunk_size"]
        sources.append(Disk(config["disk", "root"], chunk_size, open_beneath.BY_NAME[core]))
    if config["swift", "container"]:
        session = SwiftSession(
            config,
            Swift.name,
            lambda outcome: metrics["swift_authentications_total"].labels(outcome).inc(),
            lambda reason: metrics["source_retries_total"].labels(Swift.name, reason).inc(),
        )
        sources.append(
            ResumingSource(
                Swift(config, session),
                metrics,
                config["swift", "resumes"],
                config["swift", "answer_timeout"],
            )
        )
    return sources


def _told(error: Error, environ: Environ, sources: Sequence[Source]) -> Answer:
    """An error as a page for browsers and as a sentence for bots."""
    if accepts_html(environ.get("HTTP_ACCEPT", "")):
        try:
            path = checked_path(environ.get("PATH_INFO", ""))
        except BadRequest:
            path = None
        asked = environ.get("QUERY_STRING", "")
        names = [source.name for source in sources]
        content = error_page(environ.get("SCRIPT_NAME", ""), error, path, asked, names)
        headers = list(page.HEADERS)
    else:
        content = f"{error.sentence}\n".encode()
        headers = [("Content-Type", TEXT)]
    headers += [("Content-Length", str(len(content))), VARY, NO_STORE, *error.headers]
    return Answer(error.status, headers, [content], "error")
