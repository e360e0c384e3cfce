# SPDX-License-Identifier: Apache-2.0
"""The four ways to show a log: its stored bytes, these inflated, its text, and rendered lines."""

import re
from collections.abc import Iterable, Iterator, Sequence

from oslogserve.errors import Header, Incomplete, SourceError, Unavailable
from oslogserve.http import TEXT
from oslogserve.http.request import ByteRange, Request
from oslogserve.http.response import Content, Representation
from oslogserve.logs.decode import exactly, until_incomplete
from oslogserve.logs.open_log import OpenLog
from oslogserve.pages import page
from oslogserve.pages.log import LogView, with_notices

#: Types whose reader sees a last line.
_TEXTUAL = re.compile(r"text/|application/(.*\+)?(json|xml|javascript)|image/svg")
#: Types that a browser shows.
_SHOWN = re.compile(r"text/|image/|application/((.*\+)?(json|xml|javascript)|pdf)")
#: What is not ours must not act in our name: no cookies, no requests to this origin. The virtual
#: host in etc/apache sends the same.
SANDBOX = ("Content-Security-Policy", "sandbox allow-scripts allow-popups allow-downloads")
_HEADERS: dict[str, Sequence[Header]] = {
    "html": page.HEADERS,
    "text": [("Content-Type", TEXT)],
    "jsonl": [("Content-Type", "application/x-ndjson; charset=utf-8")],
    "summary": [("Content-Type", "application/json")],
}


class _OfLog(Representation):
    def __init__(self, log: OpenLog, view: str, headers: Sequence[Header]) -> None:
        self.view = view
        self.source = log.stored.source
        self.stored_size = log.stored.size
        self.headers = headers
        self.may_break_off = log.may_break_off
        self.missing: list[Incomplete] = log.missing
        self._log = log

    def close(self) -> None:
        self._log.close()
        self._log.budget.close()

    def _with_notices(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Text whose last line says what is missing: not all servers can break a connection."""
        return with_notices(until_incomplete(pieces, self.missing), self.missing)


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
    """A file, no log, that is stored compressed. Ranges would be of the stored bytes, so it has none."""

    def __init__(self, log: OpenLog, media_type: str) -> None:
        super().__init__(log, "raw", [("Content-Type", media_type), SANDBOX])
        self._render = self._with_notices if _TEXTUAL.match(media_type) else iter

    def open(self, byte_range: ByteRange | None = None) -> Content:
        return Content(self._log.decoded(), self._render, is_compressible=True)


class DecodedText(_OfLog):
    """All of a log as text. Its ranges are of the text, however the log is stored and whatever the
    client inflates."""

    accept_ranges = "bytes"

    def __init__(self, log: OpenLog, request: Request) -> None:
        super().__init__(log, "text", _HEADERS["text"])
        self._request = request

    def range_size(self) -> int | None:
        """Counted first, so that no range of an incomplete log goes out as if it were complete."""
        return self._log.counted_size()

    def open(self, byte_range: ByteRange | None = None) -> Content:
        log, accepts_gzip = self._log, self._request.accepts_gzip
        if byte_range is not None:
            if not log.packing:
                return _stored_content(log, byte_range)
            return Content(log.decoded_range(*byte_range), iter, length=byte_range.size)
        is_compressible = _is_compressible(log, self._request)
        if self._request.is_head and not log.is_small:
            length = None if accepts_gzip else log.known_size()
            return Content((), length=length, is_compressible=is_compressible)
        if accepts_gzip and log.is_one_member():
            return _stored_content(log)._replace(encoding="gzip")
        # Swift may break off: its text is streamed, so that its last line can say so.
        if log.source_log.is_local and not log.packing and not accepts_gzip:
            return _stored_content(log)
        render, is_small = self._with_notices, log.is_small
        return Content(log.decoded(), render, is_small, is_compressible=is_compressible)


class Rendered(_OfLog):
    """Lines of a log in one of the views, or as filtered text."""

    def __init__(self, log: OpenLog, request: Request, view: str, log_view: LogView) -> None:
        super().__init__(log, view, _HEADERS[view])
        self.accept_ranges = "none" if view == "text" else ""
        self._is_compressible = view == "html" or _is_compressible(log, request)
        self._log_view = log_view

    def open(self, byte_range: ByteRange | None = None) -> Content:
        log, selection = self._log, self._log_view.query.selection
        is_search = bool(selection.searches or selection.without)

        def render(pieces: Iterator[bytes]) -> Iterator[bytes]:
            return self._log_view.render(self.view, log.blocks(pieces, is_search))

        compressible = self._is_compressible
        return Content(log.decoded(), render, log.is_small, is_compressible=compressible)

    def headers_at_end(self) -> list[Header]:
        return self._log_view.headers() if self.view == "text" else []


def not_a_log(log: OpenLog, media_type: str, name: str) -> Representation:
    """A file that a browser shows or saves; it is inflated only to be shown."""
    if log.packing == "gzip" and name.endswith(".gz") and not _SHOWN.match(media_type):
        media_type = "application/gzip"  # it is saved under its name, so it is what the name says
    if not log.packing or media_type == "application/gzip":
        return StoredBytes(log, media_type)
    return Inflated(log, media_type)


def _is_compressible(log: OpenLog, request: Request) -> bool:
    """False for a HEAD that read nothing: there may be too little to compress."""
    return bool(log.first) or not request.is_head


def _stored_content(log: OpenLog, byte_range: ByteRange | None = None) -> Content:
    if byte_range is not None:
        log.source_log.close()
        pieces = exactly(byte_range.size, log.reopened(byte_range))
        return Content(pieces, length=byte_range.size)
    size = log.stored.size
    if size is None:
        return Content(log.stored_bytes)
    if not log.is_small:
        return Content(exactly(size, log.stored_bytes), length=size)
    try:  # all of it, before its status goes out
        return Content([b"".join(log.stored_bytes)], length=size)
    except Incomplete as error:
        raise Unavailable([SourceError(log.stored.source, str(error))]) from error
