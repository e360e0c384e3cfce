# SPDX-License-Identifier: Apache-2.0
"""Representations of a log: stored bytes, inflated bytes, text, and lines."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from oslogserve.encodings import MEDIA_TYPES, encoding_of
from oslogserve.errors import Header, Incomplete, SourceError, Unavailable
from oslogserve.http import NO_STORE, TEXT, VARY
from oslogserve.http.request import ByteRange, Request
from oslogserve.http.response import Content, Representation
from oslogserve.logs.decode import beginning, exactly
from oslogserve.logs.media_type import passed_through_as
from oslogserve.logs.open_log import OpenLog
from oslogserve.pages import page
from oslogserve.pages.log import LogView, WholeText

#: Media types whose reader sees a last line.
_TEXTUAL = re.compile(r"text/|application/(.*\+)?(json|xml|javascript)|image/svg")
#: Media types that a browser shows.
_SHOWN = re.compile(r"text/|image/|application/((.*\+)?(json|xml|javascript)|pdf)")
#: Stored files must not act in our name: no cookies, no requests to this origin. The virtual host in
#: etc/apache sends the same.
SANDBOX = ("Content-Security-Policy", "sandbox allow-scripts allow-popups allow-downloads")
#: By the view of a log, or of a folder's logs.
HEADERS: dict[str, Sequence[Header]] = {
    "html": page.HEADERS,
    "overview": page.HEADERS,
    "text": [("Content-Type", TEXT)],
    "jsonl": [("Content-Type", "application/x-ndjson; charset=utf-8")],
    "summary": [("Content-Type", "application/json")],
    "brief": [("Content-Type", TEXT)],
    "seen": [("Content-Type", "application/json")],
    "chapters": page.HEADERS,
}


class _OfLog(Representation):
    def __init__(self, log: OpenLog, view: str, headers: Sequence[Header]) -> None:
        super().__init__(headers, view=view, meter=log.budget)
        self.source = log.stored.source
        self.stored_size = log.stored.size
        self.may_break_off = log.may_break_off
        self._log = log
        self._text = WholeText(())

    @property
    def missing(self) -> Sequence[Incomplete]:
        return self._text.missing

    def _with_notices(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yields the text, and a last line that says what is missing. Not all servers can break a connection."""
        self._text = WholeText(pieces)
        return iter(self._text)


class StoredBytes(_OfLog):
    """The stored bytes, the same for every client: for format=raw, and for a file that is no log."""

    accept_ranges = "bytes"
    has_encoded_variant = False

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


class DecodedText(_OfLog):
    """A whole log as text. Ranges are of the text, however the log is stored or sent."""

    accept_ranges = "bytes"

    def __init__(self, log: OpenLog, request: Request) -> None:
        super().__init__(log, "text", HEADERS["text"])
        self._request = request

    def range_size(self) -> int | None:
        """Bytes of the text. Counting first ensures that no range of an incomplete log is sent."""
        return self._log.counted_size()

    def open(self, byte_range: ByteRange | None = None) -> Content:
        log, request = self._log, self._request
        if byte_range is not None:
            if not log.packing:
                return _stored_content(log, byte_range)
            text = _begun(log, log.decoded_range(*byte_range))
            return Content(text, iter, length=byte_range.size)
        is_compressible = _is_compressible(log, request)
        may_be_sent_as_stored = request.accepts(log.packing)
        if request.is_head and not log.is_whole:
            is_encoded = request.accepts_gzip or may_be_sent_as_stored
            length = None if is_encoded else log.known_size()
            return Content((), length=length, is_compressible=is_compressible)
        if may_be_sent_as_stored and log.is_one_member():
            return _stored_content(log)._replace(encoding=log.packing)
        # Text from Swift is streamed, so that its last line can say if Swift breaks off.
        if log.source_log.is_local and not log.packing and not request.accepts_gzip:
            return _stored_content(log)
        render, is_whole = self._with_notices, log.is_whole
        return Content(log.decoded(), render, is_whole, is_compressible=is_compressible)


class Rendered(_OfLog):
    """Rendered lines of a log in one of the views, or filtered text."""

    def __init__(self, log: OpenLog, request: Request, lines: LogView) -> None:
        view = lines.query.view
        # A page that says which fields are wrong has no validator.
        unkept = (VARY, NO_STORE) if lines.query.faults else ()
        super().__init__(log, view, [*HEADERS[view], *unkept])
        # The next reader's page may be compared with all of the other log.
        self.may_break_off = log.may_break_off or bool(lines.faults_of_comparison)
        self.accept_ranges = "none" if view in ("text", "brief") else ""
        self._is_compressible = view == "html" or _is_compressible(log, request)
        self._lines = lines

    @property
    def missing(self) -> Sequence[Incomplete]:
        return self._lines.missing

    def open(self, byte_range: ByteRange | None = None) -> Content:
        text, is_whole = self._log.text(), self._log.is_whole
        compressible = self._is_compressible

        def render(pieces: Iterator[bytes]) -> Iterator[bytes]:
            return self._lines.render(self.view, text.read_by(pieces))

        return Content(text, render, is_whole, is_compressible=compressible)

    def headers_at_end(self) -> list[Header]:
        return self._lines.headers() if self.view == "text" else []


def raw_type(name: str, log: OpenLog) -> str:
    return MEDIA_TYPES.get(log.packing) or passed_through_as(name, log.first, ()) or TEXT


def not_a_log(log: OpenLog, media_type: str, name: str) -> Representation:
    """A file that is no log. It is inflated only if a browser shows it."""
    is_saved_packed = log.packing and encoding_of(name) == log.packing
    if is_saved_packed and not _SHOWN.match(media_type):
        media_type = MEDIA_TYPES[log.packing]  # it is saved as NAME.gz, so it must stay a gzip
    is_readable = beginning(log.first, encoding=log.stored.encoding) is not None
    if not log.packing or not is_readable or media_type == MEDIA_TYPES[log.packing]:
        return StoredBytes(log, media_type)
    return _Inflated(log, media_type)


def _is_compressible(log: OpenLog, request: Request) -> bool:
    """False for a HEAD that read nothing: the answer may be too short to compress."""
    return bool(log.first) or not request.is_head


def _begun(log: OpenLog, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces, the first of which is read before the status is sent. Raises Unavailable."""
    try:
        first = next(pieces, b"")
    except Incomplete as error:
        raise Unavailable([SourceError(log.stored.source, str(error))]) from error
    return chain((first,), pieces)


def _stored_content(log: OpenLog, byte_range: ByteRange | None = None) -> Content:
    if byte_range is not None:
        log.source_log.close()
        pieces = exactly(byte_range.size, log.reopened(byte_range))
        return Content(_begun(log, pieces), length=byte_range.size)
    size = log.stored.size
    if size is None:
        return Content(log.stored_bytes)
    if not log.is_whole:
        return Content(exactly(size, log.stored_bytes), length=size)
    try:  # read all of it before the status is sent
        return Content([b"".join(log.stored_bytes)], length=size)
    except Incomplete as error:
        raise Unavailable([SourceError(log.stored.source, str(error))]) from error
