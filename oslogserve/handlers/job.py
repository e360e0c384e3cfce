# SPDX-License-Identifier: Apache-2.0
"""The logs below a folder: a summary of each, or the lines of all that fit a query."""

import re
from collections.abc import Iterator, Sequence

from oslogserve.errors import BadRequest, Header
from oslogserve.handlers.log import LogHandler
from oslogserve.http import TEXT, VARY, Representation, Response
from oslogserve.http.request import Request
from oslogserve.http.respond import respond
from oslogserve.jobs.ahead import pool_of
from oslogserve.jobs.job import Chosen, Job, Limits
from oslogserve.jobs.job_log import Shared
from oslogserve.jobs.walk import Walk
from oslogserve.logs.budget import JOBS, OVERVIEWS
from oslogserve.logs.media_type import passed_through_as
from oslogserve.logs.open_log import OpenLog
from oslogserve.pages import job as pages
from oslogserve.pages import overview, page
from oslogserve.query import SOURCES, Query
from oslogserve.sources import OpenOptions, Source

_TEXT = [("Content-Type", TEXT)]
_JSON = [("Content-Type", "application/json")]
_JSON_LINES = [("Content-Type", "application/x-ndjson; charset=utf-8")]


class JobHandler:
    def __init__(
        self, logs: LogHandler, noise: Sequence[re.Pattern[str]], limits: Limits, page_size: int
    ) -> None:
        """noise: patterns of errors that tell nothing. page_size: bytes of lines on a page."""
        self._logs = logs
        self._noise = noise
        self._limits = limits
        self._page_size = page_size
        self._pools = {name: pool_of(name) for name in SOURCES if name != "all"}

    def __call__(self, request: Request, query: Query, sources: Sequence[Source]) -> Response:
        _check(query)
        budget = self._logs.workload.begin(request.has_client_left)
        try:
            budget.enter(OVERVIEWS if query.view in ("overview", "summary") else JOBS)

            def opened(name: bytes, piece_size: int) -> OpenLog:
                path = b"/".join(filter(None, (query.path, name)))
                options = OpenOptions(chunk_size=piece_size)
                log = self._logs.opened(path, sources, budget.part(), options, piece_size)
                if log is None:
                    raise BadRequest("it is a folder now")
                return log

            renderer = self._logs.renderer
            chosen = _chosen(query)
            link = page.link_of(query.source) + (b"order=time&amp;" if chosen.by_time else b"")
            shared = Shared(opened, renderer, budget, self._pools, self._media_type, [], [], link)
            job = Job(chosen, shared)
            job.choose(Walk(sources, query.path, query.first_log), self._limits)
            return respond(request, _Answer(job, self._content(query, job)))
        except BaseException:
            budget.close()
            raise

    def _content(self, query: Query, job: Job) -> tuple[Sequence[Header], Iterator[bytes]]:
        """Headers and pieces."""
        match query.view:
            case "html":
                return page.HEADERS, pages.html(query, job, self._page_size)
            case "overview":
                return page.HEADERS, overview.overview(query, job, self._noise)
            case "summary":
                return _JSON, overview.summary(query, job, self._noise)
            case "jsonl":
                return _JSON_LINES, pages.jsonl(query, job)
        return _TEXT, pages.text(query, job)

    def _media_type(self, name: str, head: bytes) -> str | None:
        return passed_through_as(name, head, self._logs.views)


def _check(query: Query) -> None:
    """Raises BadRequest for what only single logs take."""
    if query.format in ("raw", "json"):
        raise BadRequest(
            f"format={query.format} takes no filter for a folder: the lines of its logs come as html, "
            "text or jsonl, and format=summary says what is in each."
        )
    selection = query.selection
    if selection.show or (selection.first, selection.last) != (1, None):
        name = "show" if selection.show else "lines"
        raise BadRequest(f"{name} is for logs: several logs of a folder have lines of one number.")


def _chosen(query: Query) -> Chosen:
    """Logs are merged by time where only some time of them is asked for."""
    selection = query.selection
    is_of_time = selection.since is not None or selection.until is not None
    order = query.order or ("time" if is_of_time else "log")
    return Chosen(selection, order == "time", query.logs)


class _Answer(Representation):
    def __init__(self, job: Job, content: tuple[Sequence[Header], Iterator[bytes]]) -> None:
        self._job = job
        headers, pieces = content
        # A crawler that followed links to lines of all logs would have all read, again and again.
        robots = ("X-Robots-Tag", "noindex, nofollow")
        headers = [("Cache-Control", "no-cache"), VARY, robots, *headers]
        super().__init__(headers, pieces, "job", is_compressible=True)
        self.missing = job.missing

    def close(self) -> None:
        self._job.close()
