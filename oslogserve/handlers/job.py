# SPDX-License-Identifier: Apache-2.0
"""Answers for the logs below a folder: a summary of each, or the lines that a query selects."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from math import inf
from typing import NamedTuple

from oslogserve.ci.build import Build
from oslogserve.errors import Error, Incomplete
from oslogserve.handlers.sending import HEADERS
from oslogserve.http import VARY
from oslogserve.http.answer import Answer, answer
from oslogserve.http.request import Request
from oslogserve.jobs.brief import lines_of
from oslogserve.jobs.excerpts import excerpts
from oslogserve.jobs.job import Job, Jobs
from oslogserve.jobs.lines import Lines
from oslogserve.jobs.overview import Findings, Overview, RankedLog
from oslogserve.jobs.walk import is_run
from oslogserve.logs.budget import FOLDERS, Workload
from oslogserve.pages import job as pages
from oslogserve.pages import job_brief, overview
from oslogserve.query import Query
from oslogserve.seen import Seen
from oslogserve.seen.memory import Memory
from oslogserve.seen.rules import Rule
from oslogserve.seen.runs import asked_of, has_ended_failed
from oslogserve.sources import Source

#: A crawler that follows links to lines of all logs would make the server read them again and again.
_ROBOTS = ("X-Robots-Tag", "noindex, nofollow")


class Options(NamedTuple):
    """What an operator has decided about the answers."""

    #: Patterns of errors that say nothing about a failure.
    noise: Sequence[re.Pattern[str]]
    #: Bytes of lines on a page.
    page_size: int
    memory: Memory
    #: Patterns of names that mark a run's folder.
    job_marks: Sequence[str] = ()
    #: True if the logs are files, whose lines have no links.
    are_files: bool = False


class JobHandler:
    def __init__(self, jobs: Jobs, workload: Workload, options: Options) -> None:
        self._jobs = jobs
        self._workload = workload
        self._options = options

    def __call__(
        self, request: Request, query: Query, sources: Sequence[Source], opened: ExitStack
    ) -> Answer:
        """opened: gets what is to be closed behind the answer."""
        budget = opened.enter_context(closing(self._workload.begin(request)))
        job = opened.enter_context(closing(self._jobs.open(query, sources, budget)))
        is_run = partial(self._is_run, request, query.path, sources)
        missing: list[Incomplete] = []
        pieces = job_answer(query, job, self._options, missing, is_run)
        return answer(
            request,
            pieces,
            [("Cache-Control", "no-cache"), VARY, _ROBOTS, *HEADERS[query.view]],
            view="job",
            is_compressible=True,
            missing=missing,
            note_sent=budget.note_sent,
            close=opened.close,
        )

    def _is_run(self, request: Request, path: bytes, sources: Sequence[Source]) -> bool:
        """True if the folder is a run's. False also if that cannot be found out now."""
        try:
            with closing(self._workload.begin(request)) as budget:
                budget.enter(FOLDERS)
                return is_run(sources, path, self._options.job_marks, budget.charge)
        except (Error, Incomplete):
            return False


def job_answer(
    query: Query,
    job: Job,
    options: Options,
    missing: list[Incomplete],
    is_run: Callable[[], bool] = lambda: False,
) -> Iterator[bytes]:
    """Yields the view of a job that a query asks for. missing: gets why it is incomplete, at its end."""
    made = JobAnswer(query, job, options, is_run)
    try:
        yield from made.pieces
    finally:
        missing += made.missing


class JobAnswer:
    """The view of a job that a query asks for. The logs are read while it is sent."""

    def __init__(
        self, query: Query, job: Job, options: Options, is_run: Callable[[], bool] = lambda: False
    ) -> None:
        """is_run: true if the folder is a run's, which is asked before the run is kept."""
        self._is_run = is_run
        self._query = query
        self._job = job
        self._memory = options.memory
        self._are_files = options.are_files
        #: Why lines of an excerpt could not be read.
        self._unread: list[Incomplete] = []
        self._answer: Lines | Overview
        if query.is_overview or query.view == "summary":
            self._answer = found = Overview(query, job, options.noise)
            match query.view:
                case "overview":
                    pieces = overview.html(query, self._section(found))
                case "seen":
                    pieces = self._seen(found)
                case "brief":
                    pieces = self._brief(found)
                case _:
                    pieces = self._summaries(found)
        else:
            most = options.page_size if query.view == "html" else inf
            label, link = partial(pages.label, query), pages.link(query, job.by_time)
            self._answer = lines = Lines(query, job, label, link, most)
            match query.view:
                case "html":
                    pieces = pages.html(query, job, lines)
                case "jsonl":
                    pieces = pages.jsonl(query, lines)
                case _:
                    pieces = pages.text(query, lines)
        self.pieces = pieces

    @property
    def missing(self) -> Sequence[Incomplete]:
        return [*self._answer.missing, *self._unread]

    def _section(self, found: Overview) -> Iterator[bytes]:
        """Yields the section of the overview. The head of its page is sent before."""
        query, job = self._query, self._job
        if query.unasked and job.choice.is_large:
            yield overview.unread(query, found.header())
            return
        if early := found.early():
            yield overview.early(query, *early, job.choice.found)
        findings = found.findings()
        lines = excerpts(job, findings)
        job.close()  # so that a slow client keeps nobody waiting
        yield overview.section(query, findings, lines, *self._known(findings.logs, findings.build))
        self._remember(findings)

    def _seen(self, found: Overview) -> Iterator[bytes]:
        findings = found.findings()
        self._job.close()
        yield overview.seen_json(self._query, findings, *self._known(findings.logs, findings.build))
        self._remember(findings)

    def _brief(self, found: Overview) -> Iterator[bytes]:
        query, findings = self._query, found.findings()
        lines = lines_of(self._job, findings, query.size)
        self._unread = lines.missing
        self._job.close()
        _, known = self._known(findings.logs, findings.build)
        excerpt = job_brief.JobExcerpt(query, findings, lines, known, self._are_files)
        yield job_brief.text(excerpt)
        self._remember(findings)

    def _summaries(self, found: Overview) -> Iterator[bytes]:
        logs, ending = found.summaries()
        build = found.header() if self._memory.rules or self._memory.days else Build()
        self._job.close()
        yield overview.summary(self._query, logs, ending, *self._known(logs, build))

    def _known(self, logs: Sequence[RankedLog], build: Build) -> tuple[Seen | None, list[Rule]]:
        """What is known of the job's cause. Only the first answer asks: the next ones have other logs."""
        if self._query.first_log:
            return None, []
        run = asked_of(self._query.path, logs, build)
        has_passed = has_ended_failed(build, logs) is False
        seen = None if has_passed else self._memory.seen(run)
        return seen, self._memory.rules.known(run)

    def _remember(self, findings: Findings) -> None:
        """Keeps the run that the folder is, unless the query leaves logs or lines out, or compares them."""
        query = self._query
        chooses_logs = query.logs or query.first_log or query.one_source
        if chooses_logs or query.against or not query.is_unfiltered:
            return
        self._memory.remember(query.path, findings, self._is_run)
