# SPDX-License-Identifier: Apache-2.0
"""Answers for the logs below a folder: a summary of each, or the lines that a query selects."""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from math import inf

from oslogserve.errors import Header, Incomplete
from oslogserve.http import TEXT, VARY
from oslogserve.http.request import Request
from oslogserve.http.response import Representation, Response, respond
from oslogserve.jobs.job import Job, Jobs
from oslogserve.jobs.lines import Lines
from oslogserve.jobs.overview import Overview
from oslogserve.logs.budget import Workload
from oslogserve.pages import job as pages
from oslogserve.pages import overview, page
from oslogserve.query import Query
from oslogserve.sources import Source

_HEADERS: dict[str, Sequence[Header]] = {
    "html": page.HEADERS,
    "overview": page.HEADERS,
    "text": [("Content-Type", TEXT)],
    "jsonl": [("Content-Type", "application/x-ndjson; charset=utf-8")],
    "summary": [("Content-Type", "application/json")],
}
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
            answer = JobAnswer(query, job, self._noise, self._page_size)
            return respond(request, answer, close=opened.pop_all().close)


class JobAnswer(Representation):
    """The view of a job that a query asks for. The logs are read while it is sent."""

    def __init__(
        self, query: Query, job: Job, noise: Sequence[re.Pattern[str]], page_size: int
    ) -> None:
        """noise, page_size: as in JobHandler."""
        self._query = query
        self._job = job
        self._answer: Lines | Overview
        if query.view in ("overview", "summary"):
            self._answer = found = Overview(query, job, noise)
            is_page = query.view == "overview"
            pieces = self._overview(found) if is_page else self._summaries(found)
        else:
            most = page_size if query.view == "html" else inf
            label, link = partial(pages.label, query), pages.link(query, job.by_time)
            self._answer = lines = Lines(query, job, label, link, most)
            pieces = self._lines(lines)
        headers = [("Cache-Control", "no-cache"), VARY, _ROBOTS, *_HEADERS[query.view]]
        super().__init__(headers, pieces, "job", True, meter=job.reader.budget)

    @property
    def missing(self) -> Sequence[Incomplete]:
        return self._answer.missing

    def _overview(self, found: Overview) -> Iterator[bytes]:
        return overview.html(self._query, self._section(found))

    def _section(self, found: Overview) -> Iterator[bytes]:
        """Yields the section of the overview. The head of its page is sent before."""
        query, job = self._query, self._job
        if query.unasked and job.choice.is_large:
            yield overview.unread(query, found.header())
            return
        if early := found.early():
            yield overview.early(query, early, job.choice.found)
        findings = found.findings(partial(overview.label, query), page.link_of(query.source))
        job.close()  # so that a slow client keeps nobody waiting
        yield overview.section(query, findings)

    def _summaries(self, found: Overview) -> Iterator[bytes]:
        logs, ending = found.summaries()
        self._job.close()
        yield overview.summary(self._query, logs, ending)

    def _lines(self, lines: Lines) -> Iterator[bytes]:
        match self._query.view:
            case "html":
                return pages.html(self._query, self._job, lines)
            case "jsonl":
                return pages.jsonl(self._query, lines)
        return pages.text(self._query, lines)
