# SPDX-License-Identifier: Apache-2.0
"""A log, in the representation that was requested."""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing
from urllib.parse import quote

from oslogserve.errors import BadRequest
from oslogserve.handlers.representations import DecodedText, Rendered, StoredBytes, not_a_log
from oslogserve.http import TEXT
from oslogserve.http.request import Request, Validator, etag_of
from oslogserve.http.response import Representation, Response, redirect, respond
from oslogserve.lines.nearest import Nearest, nearest
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import Page
from oslogserve.lines.time_range import TimeRange
from oslogserve.logs.budget import LARGE_LOGS, SEARCHES, Workload
from oslogserve.logs.decode import until_incomplete
from oslogserve.logs.media_type import passed_through_as
from oslogserve.logs.open_log import Logs, OpenLog
from oslogserve.pages import assets
from oslogserve.pages.log import LogInfo, LogView
from oslogserve.query import Query
from oslogserve.sources import FULL_BODY, METADATA_ONLY, Folder, Source, Stored
from oslogserve.sources.first_of import open_first

#: Assumed gzip ratio, used to guess a log's size. A constant, so that the same URL always gives the
#: same page.
ASSUMED_RATIO = 16
_RAW_TYPES = {"gzip": "application/gzip", "zlib": "application/zlib", "deflate": "application/zlib"}


class LogHandler:
    def __init__(
        self,
        logs: Logs,
        renderer: Renderer,
        limits: Page,
        max_age: int,
        etag_salt: str,
        workload: Workload,
    ) -> None:
        """limits: of one page. max_age: seconds for which caches may keep a settled log. etag_salt: part
        of every ETag."""
        self._logs = logs
        self._renderer = renderer
        self._limits = limits
        self._max_age = max_age
        self._etag_salt = etag_salt
        self._page_salt = f"{etag_salt} {assets.VERSION} {limits}"
        self._workload = workload

    def __call__(self, request: Request, query: Query, sources: Sequence[Source]) -> Response:
        if request.is_conditional:
            not_modified = self._not_modified(request, query, sources)
            if not_modified is not None:
                return not_modified
        # What is no log shows that in its first bytes; format=raw tells it in its Content-Type.
        needs_body = not request.is_head or query.format in (None, "raw")
        with ExitStack() as opened:
            budget = opened.enter_context(closing(self._workload.begin(request.has_client_left)))
            if query.view == "summary" or (query.view != "raw" and not query.is_unfiltered):
                budget.enter(SEARCHES)  # lines are looked for, which may take long without output
            options = FULL_BODY if needs_body else METADATA_ONLY
            log = self._logs.open(query.path, sources, budget, options)
            if log is None:
                return _redirect_to_folder(request, query)
            opened.enter_context(closing(log))
            _check(query)
            if needs_body and not log.is_quick:
                budget.enter(LARGE_LOGS)
            representation = self._representation(request, query, log)
            response = respond(request, representation, self._validator(log.stored, query))
            opened.pop_all()  # the response closes both
            return response

    def _representation(self, request: Request, query: Query, log: OpenLog) -> Representation:
        """The log in the view of the query; what is no log is sent as it is instead."""
        view, name = query.view, query.path.decode("utf-8", "replace")
        if view == "raw":
            media_type = _RAW_TYPES.get(log.packing) or passed_through_as(name, log.first, ())
            return StoredBytes(log, media_type or TEXT)
        if query.format is None:
            media_type = self._logs.media_type(name, log)
            if media_type is not None:
                return not_a_log(log, media_type, name)
        if view == "text" and query.is_unfiltered:
            return DecodedText(log, request)
        stored = log.stored
        text_size = (stored.size or 0) * (ASSUMED_RATIO if log.packing else 1)
        info = LogInfo(stored.source, stored.size, stored.modified, text_size)

        def nearest_to(moment: TimeRange) -> Nearest | None:
            def read() -> Iterable[bytes]:
                return until_incomplete(log.decoded_again(), [])  # the page says what is missing

            return nearest(read, self._renderer, moment, stored.modified)

        log_view = LogView(query, info, log.missing, self._renderer, self._limits, nearest_to)
        return Rendered(log, request, view, log_view)

    def _not_modified(
        self, request: Request, query: Query, sources: Sequence[Source]
    ) -> Response | None:
        """The 304 for a client that has this version; the log is not read."""
        found = open_first(sources, query.path, METADATA_ONLY)
        if isinstance(found, Folder):
            return None
        found.close()
        is_compressed = request.accepts_gzip and query.view != "raw"
        validator = self._validator(found.stored, query)
        headers = validator.not_modified(request, is_compressed)
        return None if headers is None else Response("304 Not Modified", headers)

    def _validator(self, stored: Stored, query: Query) -> Validator:
        selection = "" if query.is_unfiltered else query.selection
        salt = f"{self._page_salt} {query.mount}" if query.view == "html" else self._etag_salt
        etag = etag_of(
            f"{stored.source} {stored.version} {stored.size} {stored.encoding} "
            f"{query.view} {selection} {salt}"
        )
        return Validator(etag, stored.modified, self._max_age)


def _check(query: Query) -> None:
    """Raises BadRequest for what only folders take."""
    if query.format in ("json", "overview"):
        takes = "a log takes html, text, jsonl, summary, raw"
        raise BadRequest(f"format={query.format} is for folders: {takes}.")
    if query.sort is not None:
        raise BadRequest("sort is for folders: the lines of a log have an order of their own.")
    chosen = {"order": query.order, "logs": query.logs, "from": query.first_log, "in": query.in_job}
    if any(chosen.values()):
        name = next(name for name, value in chosen.items() if value)
        raise BadRequest(f"{name} is for folders, whose address ends in a slash: this is one log.")


def _redirect_to_folder(request: Request, query: Query) -> Response:
    parameters = request.environ.get("QUERY_STRING", "")
    name = quote(query.path.rpartition(b"/")[2])
    address = f"./{name}/{'?' if parameters else ''}{parameters}"
    return redirect(request, address, "301 Moved Permanently")
