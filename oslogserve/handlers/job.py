# SPDX-License-Identifier: Apache-2.0
"""Answers for the logs below a folder: a summary of each, or the lines that a query selects."""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from math import inf
from typing import NamedTuple

from oslogserve.errors import Header, Incomplete
from oslogserve.http import TEXT, VARY
from oslogserve.http.request import Request
from oslogserve.http.response import Meter, Representation, Response, respond
from oslogserve.jobs.job import Job, Jobs
from oslogserve.jobs.lines import Lines
from oslogserve.jobs.overview import Overview
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
            content = content_of(query, job, self._noise, self._page_size)
            representation = _OfJob(content, budget)
            return respond(request, representation, close=opened.pop_all().close)


class JobContent(NamedTuple):
    """An answer about a job."""

    headers: Sequence[Header]
    pieces: Iterator[bytes]
    #: What is read for the pieces, and tells what is missing in them.
    read: Lines | Overview


class _OfJob(Representation):
    def __init__(self, content: JobContent, meter: Meter) -> None:
        headers = [("Cache-Control", "no-cache"), VARY, _ROBOTS, *content.headers]
        super().__init__(headers, content.pieces, "job", is_compressible=True, meter=meter)
        self._read = content.read

    @property
    def missing(self) -> Sequence[Incomplete]:
        return self._read.missing


def content_of(
    query: Query, job: Job, noise: Sequence[re.Pattern[str]], page_size: int
) -> JobContent:
    """The view that the query asks for. noise, page_size: as in JobHandler."""
    match query.view:
        case "overview":
            found = Overview(query, job, noise)
            section = _overview(query, job, found)
            return JobContent(page.HEADERS, overview.html(query, section), found)
        case "summary":
            found = Overview(query, job, noise)
            return JobContent(_JSON, _summaries(query, job, found), found)
    label, link = partial(pages.label, query), pages.link(query, job.by_time)
    lines = Lines(query, job, label, link, page_size if query.view == "html" else inf)
    match query.view:
        case "html":
            return JobContent(page.HEADERS, pages.html(query, job, lines), lines)
        case "jsonl":
            return JobContent(_JSON_LINES, pages.jsonl(query, lines), lines)
    return JobContent(_TEXT, pages.text(query, lines), lines)


def _overview(query: Query, job: Job, found: Overview) -> Iterator[bytes]:
    """Yields the section of an overview, below the head of its page that is sent before."""
    if query.unasked and job.choice.is_large:
        yield overview.unread(query, found.header())
        return
    findings = found.findings(partial(overview.label, query), page.link_of(query.source))
    job.close()  # so that a slow client keeps nobody waiting
    yield overview.section(query, findings)


def _summaries(query: Query, job: Job, found: Overview) -> Iterator[bytes]:
    logs, ending = found.summaries()
    job.close()
    yield overview.summary(query, logs, ending)
