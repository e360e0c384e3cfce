# SPDX-License-Identifier: Apache-2.0
"""The WSGI application: one request, top to bottom.

A request is counted, and becomes a Request and a Query. A path of the server itself (assets, health, metrics, the list
of failures) has its function. All others are of a log or a folder: the sources that the query names are wrapped for
this request, with its deadline and its trace, and a handler makes the answer.

What a handler opens, it registers in an ExitStack that belongs to the request. If the handler raises, the stack is
closed here, and the error becomes a page or a sentence. Else the answer's close() is the stack's, or that of the thread
that still reads; an answer without one has nothing left to read, so the stack is closed at once.

Until the answer begins, all calls of sources share one deadline. From then on each has its own, since the client may
take the answer slowly.
"""

import os
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial
from typing import Any

from oslogserve import __version__
from oslogserve.assembly import Assembly
from oslogserve.config import Config
from oslogserve.errors import (
    BadRequest,
    ClientLeft,
    Error,
    Forbidden,
    Header,
    MethodNotAllowed,
    Unavailable,
)
from oslogserve.handlers import server
from oslogserve.handlers.folder import FolderHandler
from oslogserve.handlers.job import JobHandler
from oslogserve.handlers.log import LogHandler
from oslogserve.handlers.seen import what_failed
from oslogserve.handlers.server import Readiness
from oslogserve.http.answer import Answer, Body
from oslogserve.http.cors import Cors
from oslogserve.http.hosts import check_host
from oslogserve.http.operators import Operators
from oslogserve.http.request import Request
from oslogserve.http.request_log import RequestLog, fields_of, plain
from oslogserve.jobs.compare import Pointers
from oslogserve.lines.selection import PageLimits
from oslogserve.logs.budget import Workload
from oslogserve.metrics import Metrics
from oslogserve.pages import page
from oslogserve.pages.seen import LIST
from oslogserve.query import Query
from oslogserve.salt import salt_of
from oslogserve.seen.rules import Rules
from oslogserve.sources import Context, Source, Trace

Environ = dict[str, Any]
StartResponse = Callable[[str, list[Header]], Any]

#: A header with any value in a request; the response has the number of the process in it.
WORKER = "Log-Worker"


class App:
    def __init__(
        self,
        config: Config,
        rules: Rules | None = None,
        taken: float | None = None,
        is_latest: bool = True,
    ) -> None:
        """rules: see Assembly. taken: when the configuration was read. is_latest: False if a later one has faults."""
        self._metrics = Metrics()
        assembly = Assembly(config, self._metrics, rules)
        threads = config["serve", "threads"]
        self._metrics["build_info", __version__].set(1)
        self._metrics["threads", str(os.getpid())].set(threads)
        self._metrics["config_last_reload_successful"].set(is_latest)
        taken = time.time() if taken is None else taken
        self._metrics["config_last_reload_success_timestamp_seconds"].set(taken)
        self._guards = assembly.guards
        self._pointers = Pointers(config["job", "passed_folder"], config["job", "passed"])
        self._gzip_level = config["serve", "gzip_level"]
        costs = config["serve", "processor_time"], config["serve", "inflated_size"]
        workload = Workload(*costs, threads)
        limits = PageLimits(config["serve", "page_size"], config["serve", "page_elements"])
        parts = assembly.logs, assembly.renderer, assembly.passed, workload
        salt = salt_of(config.formats)
        self._log = LogHandler(*parts, limits, salt, config["serve", "max_age"])
        marks = config["serve", "job_marks"].split()
        of_job = assembly.jobs, workload, assembly.memory, config["serve", "page_size"], marks
        job = JobHandler(*of_job, config["source", "url"])
        replaces_index = config["serve", "replace_generated_index"]
        listed = marks if config["serve", "listing"] else None
        self._folder = FolderHandler(self._log, job, workload, listed, replaces_index)
        self._hosts = config["serve", "hosts"]
        origins = config["serve", "cors_origins"]
        self._cors = Cors(origins) if origins else None
        self._operators = Operators(config["serve", "operators"], config["serve", "fronts"])
        self.assembly = assembly
        #: What could not be made and is done without, and what should not be as it is; a sentence each.
        self.faults = assembly.faults + (config.exposed() if rules is None else [])
        to = config["request_log", "to"]
        self._request_log = RequestLog(to) if to else None
        if self._request_log and (what := self._request_log.fault):
            self.faults.append(f"{config.place_of('request_log', 'to')}: {what}")
        self._server_paths: dict[str, Callable[[Request], Answer]] = {
            "/healthz": server.healthz,
            LIST: partial(what_failed, memory=assembly.memory),
            **{path: partial(server.asset, path=path) for path in page.ASSETS},
        }
        readiness = Readiness(self._guards, self._metrics)
        self._operator_paths: dict[str, Callable[[Request, Trace], Answer]] = {"/readyz": readiness}
        path = config["metrics", "path"]
        if path in (*self._server_paths, *self._operator_paths, "/"):
            place = config.place_of("metrics", "path")
            self.faults.append(f"{place}: {path} is another page of the server; metrics have none")
        elif path:
            self._operator_paths[path] = lambda request, _: server.exposition(
                request, self._metrics
            )

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        started = time.perf_counter()
        self._metrics["requests_in_progress"].inc()
        self._metrics["threads_busy", str(os.getpid())].inc()
        request = Request(environ, self._gzip_level)
        context = Context(Trace(environ.get("HTTP_TRACEPARENT", "")))
        log = self._request_log
        note = partial(self._note, log, environ, context.trace) if log else None
        opened = ExitStack()
        try:
            answer = self._answer(request, context, opened)
            if answer.close is None:
                opened.close()
            context.answer_begins()
        except BaseException as error:
            opened.close()
            if isinstance(error, Error):
                if error.status == Unavailable.status:
                    context.trace.refusal = error.sentence
                answer = server.error_answer(request, error, self._guards)
            else:
                has_left = isinstance(error, ClientLeft)
                nothing = Answer(status="499" if has_left else "500", view="error")
                body = Body(nothing, self._metrics, started, note)
                body.close() if has_left else body.fail()
                raise
        if self._cors:
            self._cors.add_headers(request, answer)
        body = Body(answer, self._metrics, started, note)
        try:
            timing = _timing(request, context.trace, started)
            start_response(answer.status, answer.headers + timing)
        except BaseException:
            body.close()
            raise
        return body

    def _note(self, log: RequestLog, environ: Environ, trace: Trace, body: Body) -> None:
        fields = fields_of(environ, body, sum(seconds for *_, seconds in trace.openings))
        fields["client"] = str(self._operators.client(environ) or "-")
        fields["transaction"] = trace.transaction
        fields["failed"] = ",".join(trace.failures)
        fields["reason"] = plain("; ".join([*trace.reasons(), *map(str, body.answer.missing)]))
        log.write(fields | trace.headers)

    def _answer(self, request: Request, context: Context, opened: ExitStack) -> Answer:
        """opened: gets what is to be closed behind the answer, or if this raises."""
        method, path = request.environ["REQUEST_METHOD"], request.environ.get("PATH_INFO", "")
        if self._hosts:
            check_host(request.environ, self._hosts)
        if method not in ("GET", "HEAD"):
            if self._cors and path not in self._operator_paths:
                preflight = self._cors.preflight(request)
                if preflight is not None:
                    return preflight
            raise MethodNotAllowed(method)
        if path in self._server_paths:
            return self._server_paths[path](request)
        if path in self._operator_paths:
            if not self._operators.include(request.environ):
                raise Forbidden("This is for the server's operators alone.")
            return self._operator_paths[path](request, context.trace)
        query = Query.from_environ(request.environ)
        sources: list[Source] = [
            guard.for_request(context)
            for guard in self._guards
            if query.source in ("all", guard.name)
        ]
        if not sources:
            raise BadRequest(f"source={query.source}: this server has no such source.")
        if query.against or query.view == "overview":
            query = self._pointers.resolved(query, sources)
        handler = self._folder if query.is_folder else self._log
        return handler(request, query, sources, opened)


def _timing(request: Request, trace: Trace, started: float) -> list[Header]:
    """Server-Timing: milliseconds of each opening, and `begin`, from request to response. And WORKER."""
    headers = []
    if trace.openings:
        begin = f"begin;dur={(time.perf_counter() - started) * 1000:.3f}"
        opened = (f"{name};dur={1000 * took:.3f};desc={how}" for name, how, took in trace.openings)
        headers.append(("Server-Timing", ", ".join([*opened, begin])))
    if "HTTP_LOG_WORKER" in request.environ:
        headers.append((WORKER, str(os.getpid())))
    return headers
