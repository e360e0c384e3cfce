# SPDX-License-Identifier: Apache-2.0
"""Answers for a folder: its index.html, a listing, or the content of its logs."""

import re
from collections.abc import Sequence
from contextlib import ExitStack, closing

from oslogserve.errors import BadRequest, Forbidden, Incomplete, NotFound, Unavailable
from oslogserve.handlers.job import JobHandler
from oslogserve.handlers.log import LogHandler
from oslogserve.http import VARY
from oslogserve.http.answer import Answer, answer, redirect
from oslogserve.http.request import Request
from oslogserve.jobs.walk import MOST_DEPTH, is_job, is_marked, names_in
from oslogserve.logs.budget import FOLDERS, Budget, Workload
from oslogserve.logs.decode import first_bytes
from oslogserve.pages import listing, page
from oslogserve.query import Query
from oslogserve.query.parameters import OF_FOLDERS, OF_JOBS
from oslogserve.sources import FULL_BODY, METADATA_ONLY, Folder, Log, Source, WantedEntries
from oslogserve.sources.first_of import Listing, open_first

#: Bytes at the beginning of an index.html that are looked at: both titles, and more.
_INDEX_HEAD = 4096
#: What zuul-jobs' Indexer has written since 2018 into each folder of a job's logs; the title is the
#: folder's name, which it does not escape.
_GENERATED_INDEX = re.compile(
    rb"<html><head><title>(Index of [^\n]{0,1500}?)</title></head><body>\n<h1>\1</h1>\n"
    rb"<table><tr><th></th><th>Name</th><th>Last Modified</th><th>Size</th></tr>"
)


class FolderHandler:
    def __init__(
        self,
        logs: LogHandler,
        jobs: JobHandler,
        workload: Workload,
        job_marks: Sequence[str] | None,
        replaces_index: bool,
    ) -> None:
        """job_marks: patterns of names that mark a job's folder; None if folders are not listed.
        replaces_index: a listing replaces an index.html that zuul-jobs generated."""
        self._logs = logs
        self._jobs = jobs
        self._workload = workload
        self._job_marks = job_marks
        self._replaces_index = replaces_index and job_marks is not None

    def __call__(
        self, request: Request, query: Query, sources: Sequence[Source], opened: ExitStack
    ) -> Answer:
        """opened: gets what is to be closed behind the answer."""
        if query.format and query.format not in (*OF_FOLDERS, *OF_JOBS):
            takes = f"a folder takes {', '.join(OF_FOLDERS)}"
            raise BadRequest(f"format={query.format} is for logs: {takes}.")
        if self._job_marks is None:
            index = None if query.is_of_job else self._index(request, query, sources, opened)
            if index is None:
                raise Forbidden("This server does not list folders: name a log.")
            return index
        query.check_for("folder")
        if query.in_job:
            return self._to_job(request, query, sources, self._job_marks, opened)
        if query.is_of_job or (query.view == "markdown" and self._has_job(request, query, sources)):
            return self._jobs(request, query, sources, opened)
        index = self._index(request, query, sources, opened)
        return index or self._listing(request, query, sources, self._job_marks, opened)

    def _index(
        self, request: Request, query: Query, sources: Sequence[Source], opened: ExitStack
    ) -> Answer | None:
        """The log index.html, unless it is missing, empty or generated, or the query asks for another
        format."""
        if query.format not in (None, "html"):
            return None
        path = query.path + b"/index.html" if query.path else b"index.html"
        try:
            found = open_first(sources, path, FULL_BODY if self._replaces_index else METADATA_ONLY)
            if isinstance(found, Folder):
                return None
            with closing(found):
                # Zuul puts an empty one at the root of its containers.
                if found.stored.size == 0 or (self._replaces_index and _is_generated(found)):
                    return None
            query = query._replace(path=path, is_folder=False, format=None, sort=None)
            return self._logs(request, query, sources, opened)
        except (NotFound, Unavailable):
            return None  # the listing will name a source that fails

    def _to_job(
        self,
        request: Request,
        query: Query,
        sources: Sequence[Source],
        marks: Sequence[str],
        opened: ExitStack,
    ) -> Answer:
        """The redirect to the job's folder, the nearest with a mark; else to the folder itself."""
        folders = [query.path]
        while folders[-1] and len(folders) < MOST_DEPTH:
            folders.append(folders[-1].rpartition(b"/")[0])
        charge = self._enter(request, opened).charge
        levels = (
            level
            for level, path in enumerate(folders)
            if path and is_marked(sources, path, marks, charge)
        )
        level = next(levels, 0)
        moment = b""
        if query.moment:
            below = query.path.removeprefix(folders[level]).lstrip(b"/")
            name = b"/".join(filter(None, (below, query.moment.log)))
            moment = query.moment._replace(log=name).value
        to = query.link(("in", "moment"), moment=moment)
        return redirect(request, ("../" * level or "./") + to, "302 Found")

    def _listing(
        self,
        request: Request,
        query: Query,
        sources: Sequence[Source],
        marks: Sequence[str],
        opened: ExitStack,
    ) -> Answer:
        budget = self._enter(request, opened)
        most = listing.MOST_READ[query.sort or "name"]
        wanted = WantedEntries(query.first_log, most, budget.charge)
        found = listing.page_of(query, Listing(sources, query.path, wanted))
        format_ = query.view if query.view in ("json", "html") else "text"
        headers = [("Cache-Control", "no-cache"), VARY, *page.HEADERS[format_]]
        if format_ == "json":
            pieces = listing.as_json(query.path, found)
        elif format_ == "html":
            names = [row.name.encode() for row in found.rows]
            # The rest of a long listing does not show what else is there.
            pieces = listing.html(query, found, not query.first_log and is_job(names, marks))
        else:
            pieces = listing.text(found)
        return answer(
            request,
            pieces,
            headers,
            view="listing",
            is_compressible=True,
            missing=found.missing,
            note_sent=budget.note,
            close=opened.close,
        )

    def _has_job(self, request: Request, query: Query, sources: Sequence[Source]) -> bool:
        """True if the folder is a job's. One that cannot be listed is none."""
        with ExitStack() as own:
            charge = self._enter(request, own).charge
            return is_job([*names_in(sources, query.path, charge)], self._job_marks or ())

    def _enter(self, request: Request, opened: ExitStack) -> Budget:
        """Takes a place for the work on folders, until `opened` is closed."""
        budget = opened.enter_context(closing(self._workload.begin(request.has_left)))
        budget.enter(FOLDERS)
        return budget


def _is_generated(index: Log) -> bool:
    """True if zuul-jobs generated this index.html. Reads its first chunk."""
    try:
        chunk = next(iter(index), b"")
    except Incomplete:
        return False
    head = first_bytes(chunk, index.stored.encoding, _INDEX_HEAD)
    return _GENERATED_INDEX.match(head.text) is not None
