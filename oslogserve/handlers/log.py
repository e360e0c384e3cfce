# SPDX-License-Identifier: Apache-2.0
"""A log as a page or as text."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from oslogserve.errors import BadRequest, Header
from oslogserve.handlers import stored as as_stored
from oslogserve.handlers.opened import Opened
from oslogserve.handlers.parts import Parts
from oslogserve.handlers.wholes import Wholes
from oslogserve.http import NO_STORE, TEXT, VARY, Answer, conditions
from oslogserve.http.body import gathered
from oslogserve.http.compression import takes_gzip
from oslogserve.http.read_ahead import Ahead
from oslogserve.lines.decode import (
    beginning,
    decoded,
    exactly,
    is_one_member,
    packed_as,
    until_incomplete,
)
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import Page, Selection
from oslogserve.pages import assets, page
from oslogserve.pages.bar import LogInfo
from oslogserve.pages.log import LogView
from oslogserve.pages.media_type import Views, passed_through_as
from oslogserve.query import Query
from oslogserve.sources import FULL_BODY, METADATA_ONLY, Folder, Log, Source, Stored
from oslogserve.sources.first_of import open_first

#: Bytes of a log that are inflated once, before its first byte goes out, to see whether it may go
#: out as it is stored: some 10 ms. A larger log is first compressed anew, and known from then on.
READ_AHEAD = 32 * 1024 * 1024


#: How much smaller than its text a packed log is thought to be. Of the log itself, so that an address
#: gives the same answer tomorrow.
PACKED = 16

#: Of the views that take no ranges.
_TYPES: dict[str, tuple[Header, ...]] = {
    "html": page.HEADERS,
    "jsonl": (("Content-Type", "application/x-ndjson; charset=utf-8"),),
    "summary": (("Content-Type", "application/json"),),
}


class LogHandler:
    """views: the configured patterns. renderer: of both views. gzips: whether clients that take
    gzip get it. max_age: seconds for which caches may keep a log that has come to rest. made_by:
    what has part in an answer's bytes beside the log, for its ETag. page: how much of a log one
    page shows."""

    def __init__(
        self,
        views: Views,
        renderer: Renderer,
        gzips: bool,
        max_age: int,
        made_by: str,
        page: Page | None = None,
    ) -> None:
        self._views = views
        self._renderer = renderer
        self._gzips = gzips
        self._max_age = max_age
        self._made_by = made_by
        self._page = page
        self._page_version = f"{assets.VERSION} {page}"
        self._wholes = Wholes()
        self._parts = Parts(self._wholes)

    def __call__(self, environ: dict[str, Any], query: Query, sources: Sequence[Source]) -> Answer:
        if query.format == "json":
            raise BadRequest(
                "format=json is for folders: a log takes html, text, jsonl, summary, raw."
            )
        if query.sort is not None:
            raise BadRequest("sort is for folders: the lines of a log have an order of their own.")
        view = query.format or ("html" if query.prefers_html else "text")
        encoding = "gzip" if self._gzips and view != "raw" and takes_gzip(environ) else ""
        if conditions.is_conditional(environ):
            stored = _stored(open_first(sources, query.path, METADATA_ONLY))
            if stored is not None:
                tag = conditions.tag_of(self._tag(stored, query, view), encoding)
                if conditions.is_unchanged(environ, tag, stored.modified):
                    kept = conditions.cache_control(stored.modified, self._max_age, False)
                    return Answer("304 Not Modified", [kept, VARY, ("ETag", tag)])
        looks_only = environ["REQUEST_METHOD"] == "HEAD" and query.format in (
            "html",
            "text",
            *_TYPES,
        )
        found = open_first(sources, query.path, METADATA_ONLY if looks_only else FULL_BODY)
        if isinstance(found, Folder):
            return _to_folder(environ, query)
        try:
            opened = Opened(found, query, sources)
        except BaseException:
            found.close()
            raise
        try:
            return self._opened(environ, query, opened, view, encoding)
        except BaseException:
            opened.close()
            raise

    def _opened(
        self, environ: dict[str, Any], query: Query, opened: Opened, view: str, encoding: str
    ) -> Answer:
        """view: what was asked for or negotiated; what is no log is passed through instead."""
        stored = opened.stored
        headers = [
            conditions.cache_control(stored.modified, self._max_age, opened.may_break_off),
            VARY,
            ("ETag", conditions.tag_of(self._tag(stored, query, view), encoding)),
            ("Last-Modified", conditions.last_modified(stored.modified)),
        ]
        answer = Answer("200 OK", headers, (), view, stored.source, close=opened.close)
        name = query.path.decode("utf-8", "replace")
        if view == "raw":
            as_stored.send_raw(answer, environ, opened, name)
            return answer
        if query.format is None:
            head = beginning(opened.first, encoding=stored.encoding)
            media_type = passed_through_as(name, head, self._views)
            if media_type is not None:
                as_stored.pass_through(answer, environ, opened, media_type, name)
                return answer
        if view in _TYPES:
            headers += _TYPES[view]
        else:
            headers.append(("Content-Type", TEXT))
            headers.append(("Accept-Ranges", "bytes" if query.is_unfiltered else "none"))
            if query.is_unfiltered and self._needs_no_view(answer, environ, opened, encoding):
                return answer
        # A HEAD does not read the log, which may be too small to be compressed; no page is.
        answer.may_gzip = environ["REQUEST_METHOD"] == "GET" or query.format in (None, "html")
        self._show(answer, query, opened, view)
        return answer

    def _show(self, answer: Answer, query: Query, opened: Opened, view: str) -> None:
        stored = opened.stored
        pieces = self._pieces(opened, answer)
        ratio = PACKED if packed_as(opened.first, stored.encoding) else 1
        log = LogInfo(stored.source, stored.size, stored.modified, (stored.size or 0) * ratio)
        shown = LogView(query, log, answer.missing, self._renderer, self._page)
        viewed: Iterable[bytes] = shown.render(view, pieces)
        if not opened.is_small:
            ahead = Ahead(iter(viewed), answer.close)
            answer.pieces, answer.close = ahead, ahead.close
            return
        answer.pieces, length = gathered(viewed)
        if length is not None:
            answer.headers.append(("Content-Length", str(length)))
            if view == "text" and not query.is_unfiltered:
                answer.headers += shown.headers()

    def _pieces(self, opened: Opened, answer: Answer) -> Iterable[bytes]:
        """Of the log's text; what must be closed then is in `answer`, and what is missing."""
        stored = opened.stored
        if _is_at_hand(opened):
            return [opened.first]
        content = self._parts.counted(
            stored,
            decoded(
                opened.content, stored.encoding, opened.again, lambda: self._wholes.add(stored)
            ),
        )
        if not opened.is_small:
            ahead = Ahead(content, opened.close)
            content, answer.close = ahead, ahead.close
        return until_incomplete(content, answer.missing)

    def _needs_no_view(
        self, answer: Answer, environ: dict[str, Any], opened: Opened, encoding: str
    ) -> bool:
        """Whether a part of the text, or all of it as it is stored, was put into `answer`; or its
        length, which is all that a HEAD takes."""
        if environ["REQUEST_METHOD"] == "HEAD" and not opened.is_small:
            length = None if encoding else self._parts.known_length(opened)
            if length is not None:
                answer.headers.append(("Content-Length", str(length)))
            return length is not None
        return self._parts.sent(answer, environ, opened) or self._sent_as_stored(
            answer, opened, encoding
        )

    def _sent_as_stored(self, answer: Answer, opened: Opened, encoding: str) -> bool:
        """Whether the text needs no work, for this client; `answer` has it then."""
        packed = packed_as(opened.first, opened.stored.encoding)
        if packed == encoding == "gzip" and self._is_whole(opened):
            answer.headers.append(("Content-Encoding", "gzip"))
        elif packed or encoding or not opened.log.is_local:
            # Swift may break off: its plain text is streamed, so that its last line can say so.
            return False
        as_stored.send_whole(answer, opened)
        return True

    def _is_whole(self, opened: Opened) -> bool:
        stored = opened.stored
        if stored in self._wholes:
            return True
        if opened.is_small:
            is_whole = is_one_member([opened.first], READ_AHEAD)
        elif opened.log.is_local:
            # Exactly: one that is just being completed is sent as it was when it was opened.
            again = exactly(stored.size or 0, opened.again())
            is_whole = is_one_member(again, READ_AHEAD)
        else:
            return False
        if is_whole:
            self._wholes.add(stored)
        return is_whole

    def _tag(self, stored: Stored, query: Query, view: str) -> str:
        page_version = self._page_version if view == "html" else ""
        return conditions.etag(
            f"{stored.source} {stored.version} {stored.size} {stored.encoding} "
            f"{view} {_told(query.selection)} {self._made_by} {page_version}"
        )


def _is_at_hand(opened: Opened) -> bool:
    """All of the log was read as it is: nothing is left to fail."""
    if not opened.is_small or not opened.log.is_local:
        return False
    return not packed_as(opened.first, opened.stored.encoding)


@lru_cache(maxsize=256)
def _told(selection: Selection) -> str:
    return str(selection)


def _stored(found: Log | Folder) -> Stored | None:
    if isinstance(found, Folder):
        return None
    found.close()
    return found.stored


def _to_folder(environ: dict[str, Any], query: Query) -> Answer:
    """Relative, so that it holds behind a rewriting server too."""
    asked = environ.get("QUERY_STRING", "")
    address = "./" + quote(query.path.rpartition(b"/")[2]) + "/" + ("?" + asked if asked else "")
    headers = [("Location", address), ("Content-Length", "0"), NO_STORE]
    return Answer("301 Moved Permanently", headers)
