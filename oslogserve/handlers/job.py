# SPDX-License-Identifier: Apache-2.0
"""Answers for the logs below a folder: a summary of each, or the lines that a query selects."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from math import inf

from oslogserve.ci.build import Build
from oslogserve.errors import Error, Incomplete
from oslogserve.http import VARY
from oslogserve.http.answer import Answer, answer
from oslogserve.http.request import Request
from oslogserve.jobs.excerpts import excerpts, lines_of
from oslogserve.jobs.job import Job, Jobs
from oslogserve.jobs.overview import (
    early,
    findings,
    has_ended_failed,
    header,
    summaries,
)
from oslogserve.jobs.ranking import ranked
from oslogserve.jobs.reading import LogRead
from oslogserve.jobs.walk import is_run
from oslogserve.logs.budget import FOLDERS, Workload
from oslogserve.pages import brief, overview, page
from oslogserve.pages import job as pages
from oslogserve.query import Query
from oslogserve.seen import Seen
from oslogserve.seen.memory import Memory
from oslogserve.seen.rules import Rule
from oslogserve.seen.runs import asked_of
from oslogserve.sources import Source

#: A crawler that follows links to lines of all logs would make the server read them again and again.
_ROBOTS = ("X-Robots-Tag", "noindex, nofollow")


class JobHandler:
    def __init__(
        self,
        jobs: Jobs,
        workload: Workload,
        memory: Memory,
        page_size: int,
        job_marks: Sequence[str],
        source_url: str,
    ) -> None:
        """page_size: bytes of lines on a page. job_marks: patterns of names that mark a run's folder.
        source_url: a template of the addresses of sources; "" for none."""
        self._jobs = jobs
        self._workload = workload
        self._memory = memory
        self._page_size = page_size
        self._job_marks = job_marks
        self._source_url = source_url

    def __call__(
        self, request: Request, query: Query, sources: Sequence[Source], opened: ExitStack
    ) -> Answer:
        """opened: gets what is to be closed behind the answer."""
        budget = opened.enter_context(closing(self._workload.begin(request.has_left)))
        job = opened.enter_context(closing(self._jobs.open(query, sources, budget)))

        def is_a_run() -> bool:
            """False also if that cannot be found out now."""
            try:
                with closing(self._workload.begin(request.has_left)) as own:
                    own.enter(FOLDERS)
                    return is_run(sources, query.path, self._job_marks, own.charge)
            except (Error, Incomplete):
                return False

        return answer(
            request,
            pieces_of(
                query, job, self._memory, self._page_size, is_a_run, source_url=self._source_url
            ),
            [("Cache-Control", "no-cache"), VARY, _ROBOTS, *page.HEADERS[query.view]],
            view="job",
            is_compressible=True,
            missing=job.missing,
            note_sent=budget.note,
            close=opened.close,
        )


def pieces_of(
    query: Query,
    job: Job,
    memory: Memory,
    page_size: float = inf,
    is_run: Callable[[], bool] = lambda: False,
    are_files: bool = False,
    source_url: str = "",
) -> Iterator[bytes]:
    """The view of a job that a query asks for. The logs are read while it is iterated.

    is_run: true if the folder is a run's, which is asked before the run is kept. are_files: true if the logs are
    files, whose lines have no links.
    """
    match query.view:
        case "html":
            return pages.html(query, job, page_size)
        case "text" | "jsonl":
            return pages.lines(query, job)
        case "summary":
            return _summaries(query, job, memory)
        case "overview":
            return overview.html(query, _found(query, job, memory, is_run, are_files, source_url))
        case "brief" | "markdown" | "seen":
            return _found(query, job, memory, is_run, are_files, source_url)
    raise ValueError(query.view)


def _found(
    query: Query,
    job: Job,
    memory: Memory,
    is_run: Callable[[], bool],
    are_files: bool,
    source_url: str,
) -> Iterator[bytes]:
    """Yields what was found in an overview; of its page, the section. The head of the page is sent before."""
    several, read = summaries(job), []
    if query.view == "overview":
        if query.unasked and job.is_large:
            yield overview.unread(query, header(job))
            return
        read = early(job, several)
        logs = ranked(read, job.noise)
        if wrong := [one for one in logs if one.shows_failure]:
            yield overview.early(query, wrong, len(logs), job.found)
    found = findings(job, [*read, *several])
    unread = list[Incomplete]()
    lines = lines_of(job, found, query.size, unread) if query.is_excerpt else []
    around = excerpts(job, found) if query.view == "overview" else {}
    job.missing += unread
    job.close()  # so that a slow client keeps nobody waiting
    seen, known = _known(query, memory, found.logs, found.build)
    if query.view == "overview":
        yield overview.section(query, job, found, around, seen, known, source_url)
    elif query.is_excerpt:
        yield brief.of_job(query, found, lines, unread, known, are_files)
    else:
        yield overview.seen_json(query, found, seen, known)
    # The folder is a run, unless the query leaves logs or lines out, or compares them.
    chooses_logs = query.logs or query.first_log or query.one_source
    if not (chooses_logs or query.against or not query.is_unfiltered):
        memory.remember(query.path, found, is_run)


def _summaries(query: Query, job: Job, memory: Memory) -> Iterator[bytes]:
    read = [*summaries(job)]
    logs, ending = ranked(read, job.noise), job.ending(read)
    build = header(job) if memory.rules or memory.days else Build()
    job.close()
    yield overview.summary(query, logs, ending, *_known(query, memory, logs, build))


def _known(
    query: Query, memory: Memory, logs: Sequence[LogRead], build: Build
) -> tuple[Seen | None, list[Rule]]:
    """What is known of the job's cause. Only the first answer asks: the next ones have other logs."""
    if query.first_log:
        return None, []
    run = asked_of(query.path, logs, build)
    has_passed = has_ended_failed(build, logs) is False
    seen = None if has_passed else memory.seen(run)
    return seen, memory.rules.known(run)
