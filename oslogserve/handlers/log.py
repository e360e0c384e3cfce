# SPDX-License-Identifier: Apache-2.0
"""Answers for a log, as one of four representations: stored bytes, inflated bytes, text, lines."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from math import inf
from urllib.parse import quote

from oslogserve.errors import BadRequest, Header, Incomplete, SourceError, Unavailable
from oslogserve.handlers.chapter import within_chapter
from oslogserve.handlers.places import reader, to_line, to_moment
from oslogserve.http import NO_STORE, TEXT, VARY
from oslogserve.http.request import ByteRange, Request, Validator, etag_of, is_settled
from oslogserve.http.response import Content, Representation, Response, redirect, respond
from oslogserve.jobs.passed import PassedLogs
from oslogserve.lines.nearest import Nearest, nearest
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import PageLimits
from oslogserve.lines.time_range import TimeRange
from oslogserve.logs.budget import LARGE_LOGS, MOST_LINES, SEARCHES, Workload
from oslogserve.logs.decode import beginning, exactly, until_incomplete
from oslogserve.logs.media_type import passed_through_as
from oslogserve.logs.open_log import Logs, OpenLog
from oslogserve.pages import assets, page
from oslogserve.pages.log import LogInfo, LogView, with_notices
from oslogserve.query import Query
from oslogserve.sources import FULL_BODY, METADATA_ONLY, Folder, Source, Stored
from oslogserve.sources.first_of import open_first

#: Assumed gzip ratio, used to guess a log's size. A constant, so that the same URL always gives the
#: same page.
ASSUMED_RATIO = 16
_RAW_TYPES = {"gzip": "application/gzip", "zlib": "application/zlib", "deflate": "application/zlib"}
#: Media types whose reader sees a last line.
_TEXTUAL = re.compile(r"text/|application/(.*\+)?(json|xml|javascript)|image/svg")
#: Media types that a browser shows.
_SHOWN = re.compile(r"text/|image/|application/((.*\+)?(json|xml|javascript)|pdf)")
#: Stored files must not act in our name: no cookies, no requests to this origin. The virtual host in
#: etc/apache sends the same.
SANDBOX = ("Content-Security-Policy", "sandbox allow-scripts allow-popups allow-downloads")
_HEADERS: dict[str, Sequence[Header]] = {
    "html": page.HEADERS,
    "text": [("Content-Type", TEXT)],
    "jsonl": [("Content-Type", "application/x-ndjson; charset=utf-8")],
    "summary": [("Content-Type", "application/json")],
    "chapters": page.HEADERS,
}


class LogHandler:
    def __init__(
        self,
        logs: Logs,
        renderer: Renderer,
        limits: PageLimits,
        max_age: int,
        etag_salt: str,
        workload: Workload,
    ) -> None:
        """limits: of one page. max_age: seconds for which caches may keep a settled log. etag_salt:
        part of every ETag.
        """
        self._logs = logs
        self._renderer = renderer
        self._limits = limits
        self._max_age = max_age
        self._etag_salt = etag_salt
        self._page_salt = f"{etag_salt} {assets.VERSION} {limits}"
        self._workload = workload
        #: Shared with the logs of jobs.
        self.passed = PassedLogs(logs, renderer)

    def __call__(self, request: Request, query: Query, sources: Sequence[Source]) -> Response:
        # Whether another origin may read a file can depend on its first bytes, also for a 304.
        is_by_bytes = query.format is None and "HTTP_ORIGIN" in request.environ
        is_page = not (query.faults or query.goto or query.moment)
        if request.is_conditional and not is_by_bytes and is_page:
            not_modified = self._not_modified(request, query, sources)
            if not_modified is not None:
                return not_modified
        # The first bytes tell whether it is a log; format=raw needs that for its Content-Type.
        needs_body = not request.is_head or query.format in (None, "raw") or bool(query.chapter)
        with ExitStack() as opened:
            budget = opened.enter_context(closing(self._workload.begin(request.client)))
            if _may_be_silent(query):
                budget.enter(SEARCHES)
            options = FULL_BODY if needs_body else METADATA_ONLY
            log = self._logs.open(query.path, sources, budget, options)
            if log is None:
                return _redirect_to_folder(request, query)
            opened.enter_context(closing(log))
            _check(query)
            if query.goto:
                return to_line(request, query, query.goto, log, self._renderer)
            if query.moment:
                return to_moment(request, query, query.moment, log, self._renderer)
            if needs_body and not log.is_quick:
                budget.enter(LARGE_LOGS)
            validator = self._validator(log.stored, query, sources)
            if query.chapter and self._shows_lines(query, log):
                query = within_chapter(
                    query, log.decoded_again, self._renderer, log.stored.modified
                )
            representation = self._representation(request, query, log, sources)
            if query.faults:
                return _with_faults(request, query, representation, opened.pop_all().close)
            if is_by_bytes and request.is_conditional:
                is_compressed = request.accepts_gzip and representation.has_gzip_variant
                headers = validator.not_modified(request, is_compressed)
                if headers is not None:
                    return _confirming(headers, representation.view)
            return respond(request, representation, validator, close=opened.pop_all().close)

    def _representation(
        self, request: Request, query: Query, log: OpenLog, sources: Sequence[Source]
    ) -> Representation:
        """The log in the view of the query. A file that is no log is sent as it is."""
        view, name = query.view, query.path.decode("utf-8", "replace")
        if view == "raw":
            media_type = _RAW_TYPES.get(log.packing) or passed_through_as(name, log.first, ())
            return _StoredBytes(log, media_type or TEXT)
        if query.format is None:
            media_type = self._logs.media_type(name, log)
            if media_type is not None:
                return _not_a_log(log, media_type, name)
        if view == "text" and query.is_unfiltered:
            return _DecodedText(log, request)
        stored = log.stored
        text_size = (stored.size or 0) * (ASSUMED_RATIO if log.packing else 1)
        may_grow = not is_settled(stored.modified)
        info = LogInfo(stored.source, stored.size, stored.modified, text_size, may_grow)

        def nearest_to(anchor: bytes, moment: TimeRange) -> Nearest | None:
            return nearest(reader(log), self._renderer, anchor, moment, stored.modified)

        known = None
        if query.against:
            known, fault = self.passed.get(query.against, sources, log.budget)
            log.missing += [fault] if fault else []
        log_view = LogView(
            query, info, log.missing, self._renderer, self._limits, nearest_to, known
        )
        return _Rendered(log, request, view, log_view)

    def _shows_lines(self, query: Query, log: OpenLog) -> bool:
        """True unless the answer is the file itself, which has no lines."""
        if query.format is None:
            return self._logs.media_type(query.path.decode("utf-8", "replace"), log) is None
        return query.format != "raw"

    def _not_modified(
        self, request: Request, query: Query, sources: Sequence[Source]
    ) -> Response | None:
        """The 304 for a client that has this version; the log is not read."""
        found = open_first(sources, query.path, METADATA_ONLY)
        if isinstance(found, Folder):
            return None
        found.close()
        is_compressed = request.accepts_gzip and query.view != "raw"
        validator = self._validator(found.stored, query, sources)
        headers = validator.not_modified(request, is_compressed)
        view = query.view if query.format else ""
        return None if headers is None else _confirming(headers, view)

    def _validator(self, stored: Stored, query: Query, sources: Sequence[Source]) -> Validator:
        selection = "" if query.is_unfiltered else f"{query.selection}{query.chapter}"
        salt = self._etag_salt
        # The page of a settled log has no link to newer lines.
        if query.view in ("html", "chapters"):
            salt = f"{self._page_salt} {query.mount} {is_settled(stored.modified)}"
        if query.against:
            salt = f"{salt} {self.passed.version(query.against, sources)}"
        etag = etag_of(
            f"{stored.source} {stored.version} {stored.size} {stored.encoding} "
            f"{query.view} {selection} {salt}"
        )
        return Validator(etag, stored.modified, self._max_age, is_by_time=not query.against)


def _may_be_silent(query: Query) -> bool:
    """True if the server may read for long without output."""
    is_filtered = query.view != "raw" and not query.is_unfiltered
    is_for_line = query.goto is not None or query.moment is not None
    return (
        is_for_line or bool(query.against) or query.view in ("summary", "chapters") or is_filtered
    )


def _confirming(headers: list[Header], view: str) -> Response:
    """A 304. view: of the answer that the client has; "" if it is not known."""
    return Response("304 Not Modified", headers, confirmed=view)


def _check(query: Query) -> None:
    """Raises BadRequest for parameters of folders."""
    if query.format in ("json", "overview"):
        takes = "a log takes html, text, jsonl, summary, chapters, raw"
        raise BadRequest(f"format={query.format} is for folders: {takes}.")
    if query.sort is not None:
        raise BadRequest("sort is for folders: the lines of a log keep their order.")
    chosen = {
        "order": query.order,
        "logs": query.logs,
        "from": query.first_log,
        "skip": query.skip,
        "failed": query.failed,
        "in": query.in_job,
    }
    if query.moment and query.moment.log:
        raise BadRequest("moment is the number of a line: this is one log, which needs no name.")
    if any(chosen.values()):
        name = next(name for name, value in chosen.items() if value)
        raise BadRequest(f"{name} is for folders, whose address ends in a slash: this is one log.")


def _with_faults(
    request: Request, query: Query, page: Representation, close: Callable[[], None]
) -> Response:
    """The page of a log that says which fields are wrong. No cache keeps it.

    Raises BadRequest for a file that is no log: it has no fields.
    """
    if page.view != "html":
        close()
        fault = query.faults[0]
        raise BadRequest(fault.sentence, (fault.name, fault.value))
    page.headers = [*page.headers, VARY, NO_STORE]
    return respond(request, page, status=BadRequest.status, close=close)


def _redirect_to_folder(request: Request, query: Query) -> Response:
    parameters = request.environ.get("QUERY_STRING", "")
    name = quote(query.path.rpartition(b"/")[2])
    address = f"./{name}/{'?' if parameters else ''}{parameters}"
    return redirect(request, address, "301 Moved Permanently")


class _OfLog(Representation):
    def __init__(self, log: OpenLog, view: str, headers: Sequence[Header]) -> None:
        super().__init__(headers, view=view, missing=log.missing)
        self.meter = log.budget
        self.source = log.stored.source
        self.stored_size = log.stored.size
        # The next reader's page may be compared with all of the other log.
        is_compared = not any(error.is_of_comparison for error in log.missing)
        self.may_break_off = log.may_break_off or not is_compared
        self._log = log

    def _with_notices(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yields the text, and a last line that says what is missing. Not all servers can break a connection."""
        missing = self._log.missing
        return with_notices(until_incomplete(pieces, missing), missing)


class _StoredBytes(_OfLog):
    """The stored bytes, the same for every client: for format=raw, and for a file that is no log."""

    accept_ranges = "bytes"
    has_gzip_variant = False

    def __init__(self, log: OpenLog, media_type: str) -> None:
        super().__init__(log, "raw", [("Content-Type", media_type), SANDBOX])

    def range_size(self) -> int | None:
        return self._log.stored.size

    def open(self, byte_range: ByteRange | None = None) -> Content:
        return _stored_content(self._log, byte_range)


class _Inflated(_OfLog):
    """A compressed file that is no log, inflated. It has no ranges, which would be of the stored bytes."""

    def __init__(self, log: OpenLog, media_type: str) -> None:
        super().__init__(log, "raw", [("Content-Type", media_type), SANDBOX])
        self._render = self._with_notices if _TEXTUAL.match(media_type) else iter

    def open(self, byte_range: ByteRange | None = None) -> Content:
        return Content(self._log.decoded(), self._render, is_compressible=True)


class _DecodedText(_OfLog):
    """A whole log as text. Ranges are of the text, however the log is stored or sent."""

    accept_ranges = "bytes"

    def __init__(self, log: OpenLog, request: Request) -> None:
        super().__init__(log, "text", _HEADERS["text"])
        self._request = request

    def range_size(self) -> int | None:
        """Bytes of the text. Counting first ensures that no range of an incomplete log is sent."""
        return self._log.counted_size()

    def open(self, byte_range: ByteRange | None = None) -> Content:
        log, accepts_gzip = self._log, self._request.accepts_gzip
        if byte_range is not None:
            if not log.packing:
                return _stored_content(log, byte_range)
            return Content(log.decoded_range(*byte_range), iter, length=byte_range.size)
        is_compressible = _is_compressible(log, self._request)
        if self._request.is_head and not log.is_whole:
            length = None if accepts_gzip else log.known_size()
            return Content((), length=length, is_compressible=is_compressible)
        if accepts_gzip and log.is_one_member():
            return _stored_content(log)._replace(encoding="gzip")
        # Text from Swift is streamed, so that its last line can say if Swift breaks off.
        if log.source_log.is_local and not log.packing and not accepts_gzip:
            return _stored_content(log)
        render, is_whole = self._with_notices, log.is_whole
        return Content(log.decoded(), render, is_whole, is_compressible=is_compressible)


class _Rendered(_OfLog):
    """Rendered lines of a log in one of the views, or filtered text."""

    def __init__(self, log: OpenLog, request: Request, view: str, log_view: LogView) -> None:
        super().__init__(log, view, _HEADERS[view])
        self.accept_ranges = "none" if view == "text" else ""
        self._is_compressible = view == "html" or _is_compressible(log, request)
        self._log_view = log_view

    def open(self, byte_range: ByteRange | None = None) -> Content:
        log, selection = self._log, self._log_view.query.selection
        is_search = bool(selection.searches or selection.without)

        def render(pieces: Iterator[bytes]) -> Iterator[bytes]:
            # Text has no more bytes than the log, and a summary has no lines.
            has_lines = self.view in ("html", "jsonl")
            most_lines = MOST_LINES if has_lines else inf
            blocks = log.blocks(pieces, is_search, most_lines=most_lines)
            return self._log_view.render(self.view, blocks)

        compressible = self._is_compressible
        return Content(log.decoded(), render, log.is_whole, is_compressible=compressible)

    def headers_at_end(self) -> list[Header]:
        return self._log_view.headers() if self.view == "text" else []


def _not_a_log(log: OpenLog, media_type: str, name: str) -> Representation:
    """A file that is no log. It is inflated only if a browser shows it."""
    if log.packing == "gzip" and name.endswith(".gz") and not _SHOWN.match(media_type):
        media_type = "application/gzip"  # it is saved as NAME.gz, so it must stay a gzip
    is_readable = beginning(log.first, encoding=log.stored.encoding) is not None
    if not log.packing or not is_readable or media_type == "application/gzip":
        return _StoredBytes(log, media_type)
    return _Inflated(log, media_type)


def _is_compressible(log: OpenLog, request: Request) -> bool:
    """False for a HEAD that read nothing: the answer may be too short to compress."""
    return bool(log.first) or not request.is_head


def _stored_content(log: OpenLog, byte_range: ByteRange | None = None) -> Content:
    if byte_range is not None:
        log.source_log.close()
        pieces = exactly(byte_range.size, log.reopened(byte_range))
        return Content(pieces, length=byte_range.size)
    size = log.stored.size
    if size is None:
        return Content(log.stored_bytes)
    if not log.is_whole:
        return Content(exactly(size, log.stored_bytes), length=size)
    try:  # read all of it before the status is sent
        return Content([b"".join(log.stored_bytes)], length=size)
    except Incomplete as error:
        raise Unavailable([SourceError(log.stored.source, str(error))]) from error
