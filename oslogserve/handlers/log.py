# SPDX-License-Identifier: Apache-2.0
"""Answers for a log: opens it, and chooses the representation that is sent."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from functools import partial
from urllib.parse import quote

from oslogserve.errors import BadRequest
from oslogserve.handlers.places import to_line, to_moment, within_chapter
from oslogserve.handlers.representations import (
    DecodedText,
    Rendered,
    StoredBytes,
    not_a_log,
    raw_type,
)
from oslogserve.http.request import Request, Validator, etag_of, is_settled
from oslogserve.http.response import Representation, Response, redirect, respond
from oslogserve.jobs.passed import NOT_COMPARED, FoundLog, PassedLogs
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import PageLimits
from oslogserve.logs.budget import LARGE_LOGS, SEARCHES, Workload
from oslogserve.logs.open_log import Logs, OpenLog
from oslogserve.pages import assets
from oslogserve.pages.log import LogInfo, LogView
from oslogserve.query import Query
from oslogserve.sources import FULL_BODY, METADATA_ONLY, Folder, OpenOptions, Source, Stored
from oslogserve.sources.first_of import open_first

#: Assumed gzip ratio, used to guess a log's size. A constant, so that the same URL always gives the
#: same page.
ASSUMED_RATIO = 16
#: Stored bytes of a log that is read before the answer begins, whose headers may then say more.
MOST_WHOLE = 64 * 1024
#: Views for which all of the log is read before the first byte is sent.
_READ_TO_THEIR_END = ("summary", "chapters", "brief")


class Validators:
    """Makes the validators of logs' representations."""

    def __init__(self, salt: str, limits: PageLimits, max_age: int) -> None:
        """salt: part of every ETag. limits: of one page. max_age: see Validator."""
        self._salt = salt
        self._page_salt = f"{salt} {assets.VERSION} {limits}"
        self._max_age = max_age

    def of(self, query: Query, stored: Stored, other: FoundLog | None) -> Validator:
        """other: the log that this one is compared with; None for none."""
        selection = "" if query.is_unfiltered else f"{query.selection}{query.chapter}"
        salt = self._salt
        # The page of a settled log has no link to newer lines.
        if query.view in ("html", "chapters"):
            salt = f"{self._page_salt} {query.mount} {is_settled(stored.modified)}"
        if query.format == "brief":
            salt = f"{salt} {query.mount} {query.size}"
        if other is not None:
            salt = f"{salt} {other.version}"
        etag = etag_of(
            f"{stored.source} {stored.version} {stored.size} {stored.encoding} "
            f"{query.view} {selection} {salt}"
        )
        return Validator(etag, stored.modified, self._max_age, is_by_time=other is None)


class LogHandler:
    def __init__(
        self,
        logs: Logs,
        renderer: Renderer,
        passed: PassedLogs,
        limits: PageLimits,
        validators: Validators,
        workload: Workload,
    ) -> None:
        """limits: of one page."""
        self._logs = logs
        self._renderer = renderer
        self._passed = passed
        self._limits = limits
        self._validators = validators
        self._workload = workload

    def __call__(self, request: Request, query: Query, sources: Sequence[Source]) -> Response:
        # Whether another origin may read a file can depend on its first bytes, also for a 304.
        is_by_bytes = query.format is None and "HTTP_ORIGIN" in request.environ
        is_page = not (query.faults or query.goto or query.moment)
        other = self._passed.find(query.against, sources) if query.against else None
        if request.is_conditional and is_page and not is_by_bytes:
            not_modified = self._not_modified(request, query, sources, other)
            if not_modified is not None:
                return not_modified
        options = _options(request, query)
        with ExitStack() as opened:
            budget = opened.enter_context(closing(self._workload.begin(request)))
            if _may_be_silent(query):
                budget.enter(SEARCHES)
            opening = self._logs.open
            if options.body and _may_be_silent(query):  # an index may tell what is needed
                opening = partial(self._logs.open_by_index, most_whole=MOST_WHOLE)
            log = opening(query.path, sources, budget, options)
            if log is None:
                return _redirect_to_folder(request, query)
            opened.enter_context(closing(log))
            _check(query)
            if query.goto:
                return to_line(request, query, query.goto, log, self._renderer)
            if query.moment:
                return to_moment(request, query, query.moment, log, self._renderer)
            if options.body and not log.is_quick:
                budget.enter(LARGE_LOGS)
            validator = self._validators.of(query, log.stored, other)
            media_type = self._media_type(query, log)
            if query.chapter and media_type is None:
                query = within_chapter(query, log, self._renderer)
            representation = self._representation(request, query, log, media_type, other, sources)
            if query.faults:
                return _with_faults(request, query, representation, opened.pop_all().close)
            if is_by_bytes and request.is_conditional:
                is_encoded = request.accepts_encoding and representation.has_encoded_variant
                headers = validator.not_modified(request, is_encoded)
                if headers is not None:
                    return Response("304 Not Modified", headers, confirmed=representation.view)
            return respond(request, representation, validator, close=opened.pop_all().close)

    def _media_type(self, query: Query, log: OpenLog) -> str | None:
        """The media type of a file that is sent as it is; None if lines of a log are sent."""
        name = query.shown
        if query.format == "raw":
            return raw_type(name, log)
        return self._logs.media_type(name, log) if query.format is None else None

    def _representation(
        self,
        request: Request,
        query: Query,
        log: OpenLog,
        media_type: str | None,
        other: FoundLog | None,
        sources: Sequence[Source],
    ) -> Representation:
        """The log in the view of the query. media_type: see _media_type()."""
        if media_type is not None:
            if query.format == "raw":
                return StoredBytes(log, media_type)
            return not_a_log(log, media_type, query.shown)
        if query.view == "text" and query.is_unfiltered:
            return DecodedText(log, request)
        if query.format == "brief":
            log.will_be_read_twice()
        compared = NOT_COMPARED
        if other is not None:
            compared = self._passed.read(other, sources, log.budget)
        stored = log.stored
        info = LogInfo(
            stored.source,
            stored.size,
            stored.modified,
            text_size=(stored.size or 0) * (ASSUMED_RATIO if log.packing else 1),
            may_grow=not is_settled(stored.modified),
            read_again=log.text_again,
            charge=log.budget.charge_rendering,
        )
        view = LogView(query, info, self._renderer, self._limits, compared)
        return Rendered(log, request, view)

    def _not_modified(
        self, request: Request, query: Query, sources: Sequence[Source], other: FoundLog | None
    ) -> Response | None:
        """The 304 for a client that has this version; the log is not read."""
        found = open_first(sources, query.path, METADATA_ONLY)
        if isinstance(found, Folder):
            return None
        found.close()
        is_encoded = request.accepts_encoding and query.view != "raw"
        validator = self._validators.of(query, found.stored, other)
        headers = validator.not_modified(request, is_encoded)
        if headers is None:
            return None
        # Without a format, only the log's first bytes would tell the view that the client has.
        view = query.view if query.format else ""
        return Response("304 Not Modified", headers, confirmed=view)


def _options(request: Request, query: Query) -> OpenOptions:
    # The first bytes tell whether it is a log; format=raw needs that for its Content-Type.
    needs_body = not request.is_head or query.format in (None, "raw") or bool(query.chapter)
    return FULL_BODY if needs_body else METADATA_ONLY


def _may_be_silent(query: Query) -> bool:
    """True if the server may read for long without output."""
    is_filtered = query.view != "raw" and not query.is_unfiltered
    is_for_line = query.goto is not None or query.moment is not None
    return is_for_line or bool(query.against) or query.view in _READ_TO_THEIR_END or is_filtered


def _check(query: Query) -> None:
    """Raises BadRequest for parameters of folders."""
    if query.format in ("json", "overview", "seen"):
        takes = "a log takes html, text, jsonl, summary, brief, chapters, raw"
        raise BadRequest(f"format={query.format} is for folders: {takes}.")
    if query.sort is not None:
        raise BadRequest("sort is for folders: the lines of a log keep their order.")
    if query.moment and query.moment.log:
        raise BadRequest("moment is the number of a line: this is one log, which needs no name.")
    chosen = {
        "order": query.order,
        "logs": query.logs,
        "from": query.first_log,
        "in": query.in_job,
    }
    for name, value in chosen.items():
        if value:
            why = "is for folders, whose address ends in a slash: this is one log."
            raise BadRequest(f"{name} {why}")


def _with_faults(
    request: Request, query: Query, page: Representation, close: Callable[[], None]
) -> Response:
    """The page of a log that says which fields are wrong.

    Raises BadRequest for a file that is no log: it has no fields.
    """
    if page.view != "html":
        close()
        fault = query.faults[0]
        raise BadRequest(fault.sentence, (fault.name, fault.value))
    return respond(request, page, status=BadRequest.status, close=close)


def _redirect_to_folder(request: Request, query: Query) -> Response:
    parameters = request.environ.get("QUERY_STRING", "")
    name = quote(query.path.rpartition(b"/")[2])
    address = f"./{name}/{'?' if parameters else ''}{parameters}"
    return redirect(request, address, "301 Moved Permanently")
