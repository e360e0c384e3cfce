# SPDX-License-Identifier: Apache-2.0
"""Answers for a log: opens it, and chooses the way in which it is sent."""

from collections.abc import Sequence
from contextlib import ExitStack, closing
from urllib.parse import quote

from oslogserve.errors import BadRequest
from oslogserve.handlers.sending import Sending, file_type, raw_type
from oslogserve.http.answer import Answer, redirect
from oslogserve.http.request import Request, Validator, etag_of, is_settled
from oslogserve.jobs.compare import NOT_COMPARED, FoundLog, PassedLogs
from oslogserve.lines.places import Goto, Moment, target, time_of
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import PageLimits, Wanted
from oslogserve.logs.budget import LARGE_LOGS, SEARCHES, ZSTANDARD, Workload
from oslogserve.logs.open_log import Logs, OpenLog
from oslogserve.pages import page
from oslogserve.pages.job import around_moment
from oslogserve.pages.log import WINDOW, LogView
from oslogserve.query import Query
from oslogserve.sources import FULL_BODY, METADATA_ONLY, Folder, Source, Stored
from oslogserve.sources.first_of import open_first

#: Stored bytes of a log that is read before the answer begins, whose headers may then say more.
MOST_WHOLE = 64 * 1024


class LogHandler:
    def __init__(
        self,
        logs: Logs,
        renderer: Renderer,
        passed: PassedLogs,
        workload: Workload,
        limits: PageLimits,
        salt: str,
        max_age: int,
    ) -> None:
        """limits: of one page. salt: part of every ETag. max_age: see Validator."""
        self._logs = logs
        self._renderer = renderer
        self._passed = passed
        self._workload = workload
        self._limits = limits
        self._salt = salt
        self._page_salt = f"{salt} {page.ASSETS_VERSION} {limits}"
        self._max_age = max_age

    def __call__(
        self, request: Request, query: Query, sources: Sequence[Source], opened: ExitStack
    ) -> Answer:
        """opened: gets what is to be closed behind the answer."""
        view, shown = query.view, query.shown
        # Whether another origin may read a file can depend on its first bytes, also for a 304.
        is_by_bytes = query.format is None and "HTTP_ORIGIN" in request.environ
        may_be_known = not (query.faults or query.goto or query.moment)
        other = self._passed.find(query.against, sources) if query.against else None
        if request.is_conditional and may_be_known and not is_by_bytes:
            found = open_first(sources, query.path, METADATA_ONLY)
            if not isinstance(found, Folder):
                found.close()
                validator = self._validator(query, found.stored, other)
                # Without a format, only the log's first bytes would tell the view that the client has.
                its_view = view if query.format else ""
                if answer := _not_modified(request, validator, view != "raw", its_view):
                    return answer
        # The first bytes tell whether it is a log; format=raw needs that for its Content-Type.
        needs_body = not request.is_head or query.format in (None, "raw") or bool(query.chapter)
        is_filtered = view != "raw" and not query.is_unfiltered
        is_for_line = query.goto is not None or query.moment is not None
        # The server may read for long without output.
        may_be_silent = is_filtered or is_for_line or query.against or query.is_of_whole
        budget = opened.enter_context(closing(self._workload.begin(request.has_left)))
        if may_be_silent:
            budget.enter(SEARCHES)
        log = self._logs.open(
            query.path,
            sources,
            budget,
            FULL_BODY if needs_body else METADATA_ONLY,
            by_index=needs_body and bool(may_be_silent),  # it may tell what is needed
            most_whole=MOST_WHOLE,
            is_read_twice=query.is_excerpt,
        )
        if log is None:
            parameters = request.environ.get("QUERY_STRING", "")
            name = quote(query.path.rpartition(b"/")[2])
            to = f"./{name}/{'?' if parameters else ''}{parameters}"
            return redirect(request, to, "301 Moved Permanently")
        opened.enter_context(closing(log))
        query.check_for("log")
        if query.goto:
            return self._to_line(request, query, query.goto, log)
        if query.moment:
            return self._to_moment(request, query, query.moment, log)
        if needs_body and not log.is_quick:
            if log.packing == "zstd":
                budget.enter(ZSTANDARD)
            budget.enter(LARGE_LOGS)
        validator = self._validator(query, log.stored, other)
        media_type, is_inflated = None, False
        if query.format == "raw":
            media_type = raw_type(shown, log)
        elif not query.format and (
            found_type := self._logs.media_type(shown, log.first_bytes.text)
        ):
            media_type, is_inflated = file_type(shown, log, found_type)
        elif query.chapter:
            query = self._within_chapter(query, log)
        if query.faults and (media_type or view != "html"):  # it has no fields
            wrong, sentence = query.faults[0]
            raise BadRequest(sentence, wrong)
        if is_by_bytes and may_be_known:
            may_be_encoded, its_view = (
                is_inflated or media_type is None,
                "raw" if media_type else view,
            )
            if answer := _not_modified(request, validator, may_be_encoded, its_view):
                return answer
        sending = Sending(request, log, validator, opened.close)
        if media_type:
            return (sending.inflated_file if is_inflated else sending.stored_bytes)(media_type)
        if view == "text" and query.is_unfiltered:
            return sending.text()
        compared = self._passed.read(other, sources, budget) if other else NOT_COMPARED
        return sending.lines(LogView(query, log, self._renderer, self._limits, compared))

    def _validator(self, query: Query, stored: Stored, other: FoundLog | None) -> Validator:
        """other: the log that this one is compared with; None for none."""
        selection = "" if query.is_unfiltered else f"{query.selection}{query.chapter}"
        salt = self._salt
        # The page of a settled log has no link to newer lines.
        if query.view in ("html", "chapters"):
            salt = f"{self._page_salt} {query.mount} {is_settled(stored.modified)}"
        if query.is_excerpt:
            salt = f"{salt} {query.mount} {query.size} {query.origin}"
        if other is not None:
            salt = f"{salt} {other.version}"
        etag = etag_of(f"{stored.identity} {query.view} {selection} {salt}")
        return Validator(etag, stored.modified, self._max_age, is_by_time=other is None)

    def _to_line(self, request: Request, query: Query, goto: Goto, log: OpenLog) -> Answer:
        """The redirect to the page with the line. Raises BadRequest if there is none."""
        found = target(goto, log, self._renderer)
        if found is None:
            typed = next(pair for pair in query.parameters if pair[0] == "goto" and pair[1])
            why = "No line of this log has a date and a time: use a number."
            if goto.is_cause:
                why = "This log says that it passed, or has no lines."
            raise BadRequest(why, typed)
        fragment, show = found
        to = query.link(("goto", *WINDOW), show=show)
        return redirect(request, f"{to}#{fragment}", "302 Found")

    def _to_moment(self, request: Request, query: Query, moment: Moment, log: OpenLog) -> Answer:
        """The redirect to all logs of the job around a line. Raises BadRequest without a time."""
        time = time_of(moment.line, log, self._renderer)
        named = moment._replace(log=query.path.rpartition(b"/")[2])
        to = time and around_moment(time.first_in_utc, query.one_source, named, in_job=True)
        if not to:
            raise BadRequest("No line up to this one has a date and a time.")
        return redirect(request, "./" + to, "302 Found")

    def _within_chapter(self, query: Query, log: OpenLog) -> Query:
        """The query for those of its lines that are in its chapter: of several, the first one that failed.

        On a page, a name that the log does not have is a fault. Reads the whole log. Raises BadRequest for other answers.
        """
        wanted = Wanted("summary", written=self._renderer.written(log))
        rendering = self._renderer(log.text(), wanted, log.blocks)
        summary = rendering.summary()
        named = [one for one in summary.chapters if one.name == query.chapter]
        if named:
            failed = (one for one in named if one.outcome == "failed")
            chapter = next(failed, named[0])
            selection = query.selection
            last = min(chapter.last, selection.last or chapter.last)
            within = selection._replace(first=max(chapter.first, selection.first), last=last)
            return query._replace(selection=within)
        searched = "of this log"
        if summary.more_chapters:
            searched = f"of the {len(summary.chapters)} that this log's summary lists"
        why = rendering.broke_off
        unread = f", as far as it could be read: {why}" if why else ""
        sentence = f"No chapter {searched} has that name{unread}."
        wrong = "chapter", query.chapter
        if query.view != "html":
            raise BadRequest(sentence, wrong)
        parameters = tuple(pair for pair in query.parameters if pair != wrong)
        faults = (*query.faults, (wrong, sentence))
        return query._replace(chapter="", parameters=parameters, faults=faults)


def _not_modified(
    request: Request, validator: Validator, may_be_encoded: bool, view: str
) -> Answer | None:
    """The 304 for a client that has this version. view: see Answer.confirmed."""
    headers = validator.not_modified(request, may_be_encoded and bool(request.codings))
    if headers is None:
        return None
    return Answer(status="304 Not Modified", headers=headers, confirmed=view)
