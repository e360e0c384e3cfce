# SPDX-License-Identifier: Apache-2.0
"""Answers for the logs below a folder: a summary of each, or the lines that a query selects."""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial

from oslogserve.errors import Header
from oslogserve.http import TEXT, VARY
from oslogserve.http.request import Request
from oslogserve.http.response import Representation, Response, respond
from oslogserve.jobs.findings import findings, summaries
from oslogserve.jobs.header import header
from oslogserve.jobs.job import Job, Jobs
from oslogserve.logs.budget import Workload
from oslogserve.pages import job as pages
from oslogserve.pages import overview, page
from oslogserve.query import Query
from oslogserve.sources import Source

_TEXT = [("Content-Type", TEXT)]
_JSON = [("Content-Type", "application/json")]
_JSON_LINES = [("Content-Type", "application/x-ndjson; charset=utf-8")]
#: A crawler that follows links to lines of all logs would make the server read them again and again.
_ROBOTS = ("X-Robots-Tag", "noindex, nofollow")


class JobHandler:
    def __init__(
        self, jobs: Jobs, workload: Workload, noise: Sequence[re.Pattern[str]], page_size: int
    ) -> None:
        """noise: patterns of errors that say nothing about a failure. page_size: bytes of lines on a page."""
        self._jobs = jobs
        self._workload = workload
        self._noise = noise
        self._page_size = page_size

    def __call__(self, request: Request, query: Query, sources: Sequence[Source]) -> Response:
        with ExitStack() as opened:
            budget = opened.enter_context(closing(self._workload.begin(request.client)))
            job = opened.enter_context(closing(self._jobs.open(query, sources, budget)))
            job.link = page.link_of(query.source) + (b"order=time&amp;" if job.by_time else b"")
            headers, pieces = content_of(query, job, self._noise, self._page_size)
            headers = [("Cache-Control", "no-cache"), VARY, _ROBOTS, *headers]
            representation = Representation(headers, pieces, "job", True, job.missing, budget)
            return respond(request, representation, close=opened.pop_all().close)


def content_of(
    query: Query, job: Job, noise: Sequence[re.Pattern[str]], page_size: int
) -> tuple[Sequence[Header], Iterator[bytes]]:
    """Headers and pieces of the view that the query asks for. noise, page_size: as in JobHandler."""
    label = partial(pages.label, query)
    match query.view:
        case "html":
            slices = job.slices("html", label, page_size)
            return page.HEADERS, pages.html(query, job, slices)
        case "overview":
            read = partial(findings, job, noise, partial(overview.label, query))
            return page.HEADERS, overview.html(query, job, read, partial(header, job))
        case "summary":
            return _JSON, overview.summary(query, job, partial(summaries, job, noise))
        case "jsonl":
            return _JSON_LINES, pages.jsonl(query, job, job.slices("jsonl", label))
    return _TEXT, pages.text(query, job, job.slices("text", label))
