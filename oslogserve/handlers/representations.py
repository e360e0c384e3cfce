# SPDX-License-Identifier: Apache-2.0
"""The four ways to show a log: its stored bytes, these inflated, its text, and rendered views."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from oslogserve.errors import Header, Incomplete, SourceError, Unavailable
from oslogserve.handlers.open_log import OpenLog
from oslogserve.http import TEXT, ByteRange, FileRange
from oslogserve.http.representation import Content, Representation
from oslogserve.http.request import Request
from oslogserve.lines.decode import behind, exactly, until_incomplete
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import Page
from oslogserve.pages import page
from oslogserve.pages.bar import LogInfo
from oslogserve.pages.log import LogView, with_notices
from oslogserve.query import Query

#: Types whose reader sees a last line.
_TEXTUAL = re.compile(r"text/|application/(.*\+)?(json|xml|javascript)|image/svg")
#: Types that a browser shows.
_SHOWN = re.compile(r"text/|image/|application/((.*\+)?(json|xml|javascript)|pdf)")
#: What is not ours must not act in our name: no cookies, no requests to this origin.
SANDBOX = ("Content-Security-Policy", "sandbox allow-scripts allow-popups")

#: Assumed gzip ratio, used to guess a log's size. A constant, so that the same URL always gives the
#: same page.
ASSUMED_RATIO = 16
_HEADERS: dict[str, Sequence[Header]] = {
    "html": page.HEADERS,
    "text": [("Content-Type", TEXT)],
    "jsonl": [("Content-Type", "application/x-ndjson; charset=utf-8")],
    "summary": [("Content-Type", "application/json")],
}


@dataclass(frozen=True)
class Rendering:
    """How this server renders."""

    renderer: Renderer
    #: How much of a log one page shows; None for all.
    page: Page | None = None


class _OfLog(Representation):
    def __init__(self, log: OpenLog, view: str, headers: Sequence[Header]) -> None:
        self.view = view
        self.source = log.stored.source
        self.headers = headers
        self.may_break_off = log.may_break_off
        self.missing: list[Incomplete] = []
        self._log = log

    def close(self) -> None:
        self._log.close()

    def _until_incomplete(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        return until_incomplete(pieces, self.missing)

    def _with_notices(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Text whose last line says what is missing: not all servers can break a connection."""
        return with_notices(self._until_incomplete(pieces), self.missing)


class StoredBytes(_OfLog):
    """The stored bytes, the same for every client: of format=raw, and of what is no log."""

    accept_ranges = "bytes"
    has_gzip_variant = False

    def __init__(self, log: OpenLog, media_type: str) -> None:
        super().__init__(log, "raw", [("Content-Type", media_type), SANDBOX])

    def range_size(self) -> int | None:
        return self._log.stored.size

    def open(self, byte_range: ByteRange | None = None) -> Content:
        return _stored_content(self._log, byte_range)


class Inflated(_OfLog):
    """What is no log and stored compressed. Ranges would be of the stored bytes, so it has none."""

    def __init__(self, log: OpenLog, media_type: str) -> None:
        super().__init__(log, "raw", [("Content-Type", media_type), SANDBOX])
        self._is_textual = bool(_TEXTUAL.match(media_type))

    def open(self, byte_range: ByteRange | None = None) -> Content:
        render = self._with_notices if self._is_textual else iter
        return Content(self._log.decoded(), render, is_compressible=True)


class DecodedText(_OfLog):
    """The whole log as text, however it is stored and whatever the client inflates.

    Of a compressed log the bytes are counted before a range is sent, so that no range of an
    incomplete one goes out as if it were whole.
    """

    accept_ranges = "bytes"

    def __init__(self, log: OpenLog, request: Request) -> None:
        super().__init__(log, "text", [("Content-Type", TEXT)])
        self._request = request

    def range_size(self) -> int | None:
        return self._log.counted_size()

    def open(self, byte_range: ByteRange | None = None) -> Content:
        log, accepts_gzip = self._log, self._request.accepts_gzip
        if byte_range is not None:
            return self._range(byte_range)
        is_compressible = _is_compressible(log, self._request)
        if self._request.is_head and not log.is_small:
            size = None if accepts_gzip else log.known_size()
            return Content((), length=size, is_compressible=is_compressible)
        if accepts_gzip and log.is_one_member():
            return replace(_stored_content(log), encoding="gzip")
        # Swift may break off: its text is streamed, so that its last line can say so.
        if not (log.packing or accepts_gzip) and log.log.is_local:
            return _stored_content(log)
        return Content(
            log.decoded(), self._with_notices, log.is_small, is_compressible=is_compressible
        )

    def _range(self, byte_range: ByteRange) -> Content:
        if not self._log.packing:
            return _stored_content(self._log, byte_range)

        def within(pieces: Iterator[bytes]) -> Iterator[bytes]:
            return exactly(byte_range.size, behind(byte_range.first, pieces))

        return Content(self._log.decoded(), within, length=byte_range.size)


class Rendered(_OfLog):
    """Lines of a log in one of the views, or as filtered text."""

    def __init__(
        self, log: OpenLog, request: Request, query: Query, view: str, rendering: Rendering
    ) -> None:
        super().__init__(log, view, _HEADERS[view])
        self.accept_ranges = "none" if view == "text" else ""
        self._request = request
        stored = log.stored
        text_size = (stored.size or 0) * (ASSUMED_RATIO if log.packing else 1)
        info = LogInfo(stored.source, stored.size, stored.modified, text_size)
        self._view = LogView(query, info, self.missing, rendering.renderer, rendering.page)

    def open(self, byte_range: ByteRange | None = None) -> Content:
        return Content(
            self._log.decoded(),
            self._render,
            self._log.is_small,
            is_compressible=self.view == "html" or _is_compressible(self._log, self._request),
        )

    def _render(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        return self._view.render(self.view, self._until_incomplete(pieces))

    def headers_at_end(self) -> list[Header]:
        return self._view.headers() if self.view == "text" else []


def not_a_log(log: OpenLog, media_type: str, name: str) -> Representation:
    """A file that a browser shows or saves, inflated only to be shown."""
    if log.packing == "gzip" and name.endswith(".gz") and not _SHOWN.match(media_type):
        media_type = "application/gzip"  # it is saved under its name, so it is what the name says
    if not log.packing or media_type == "application/gzip":
        return StoredBytes(log, media_type)
    return Inflated(log, media_type)


def _is_compressible(log: OpenLog, request: Request) -> bool:
    """False for a HEAD that read nothing: there may be too little to compress."""
    return bool(log.first) or not request.is_head


def _stored_content(log: OpenLog, byte_range: ByteRange | None = None) -> Content:
    size = log.stored.size
    if byte_range is not None:
        log.log.close()
        found, chunks = log.reopened(byte_range), None
    elif size is None:
        return Content(log.stored_bytes)
    elif log.is_small:
        return Content([_checked(log)], length=size)
    else:
        byte_range, found, chunks = ByteRange(0, size), log.log, log.stored_bytes
    pieces: Iterable[bytes] = exactly(byte_range.size, found if chunks is None else chunks)
    if found.sendfile_descriptor is not None:
        pieces = FileRange(pieces, found.sendfile_descriptor, byte_range, found.count_sent)
    return Content(pieces, length=byte_range.size)


def _checked(log: OpenLog) -> bytes:
    """All of a small log, before its status goes out."""
    try:
        return b"".join(log.stored_bytes)
    except Incomplete as error:
        raise Unavailable([SourceError(log.stored.source, str(error))]) from error
