# SPDX-License-Identifier: Apache-2.0
"""The ways to send an open log: stored bytes, an inflated file, text, and the lines of a view.

Stored bytes are sent for format=raw, for a file that is no log, and for a whole log as text if it is stored as one
member that the client can inflate itself. Ranges are of the stored bytes, or of the text, however that is stored; the
text of a compressed log is counted before the first range is sent, so that no range of an incomplete log is.

All that can fail before the status is sent shall fail then: the first bytes of a range are read before, and a small log
as a whole. A small log is also rendered before, so that its answer has a length, and text has headers with its counts.
A large one is read and rendered while it is sent, by a thread each; three processors work for it then.

A log as it is has no notices: its length was announced. All else ends with a last line for each part that is missing.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from oslogserve.compression import MEDIA_TYPES, encoding_of
from oslogserve.errors import Header, Incomplete, SourceError, Unavailable
from oslogserve.http import NO_STORE, TEXT, VARY
from oslogserve.http.answer import Answer, answer, gathered
from oslogserve.http.read_ahead import ReadAhead
from oslogserve.http.request import Request, Validator
from oslogserve.logs.decode import exactly
from oslogserve.logs.media_type import passed_through_as
from oslogserve.logs.open_log import OpenLog
from oslogserve.pages import page
from oslogserve.pages.log import LogView, with_notices

#: Media types whose reader sees a last line.
_TEXTUAL = re.compile(r"text/|application/(.*\+)?(json|xml|javascript)|image/svg")
#: Media types that a browser shows.
_SHOWN = re.compile(r"text/|image/|application/((.*\+)?(json|xml|javascript)|pdf)")
#: Stored files must not act in our name: no cookies, no requests to this origin. The virtual host in
#: etc/apache sends the same.
SANDBOX = ("Content-Security-Policy", "sandbox allow-scripts allow-popups allow-downloads")


def file_type(name: str, log: OpenLog, media_type: str) -> tuple[str, bool]:
    """The media type under which a file that is no log is sent, and true if it is sent inflated.

    It is inflated only if a browser shows it. media_type: see passed_through_as().
    """
    packing = log.packing
    if packing not in MEDIA_TYPES:  # a browser knows UTF-16
        return media_type, False
    if encoding_of(name) == packing and not _SHOWN.match(media_type):
        return MEDIA_TYPES[packing], False  # it is saved as NAME.gz, so it must stay a gzip
    return media_type, not log.first_bytes.is_damaged and media_type != MEDIA_TYPES[packing]


def raw_type(name: str, log: OpenLog) -> str:
    """The media type of stored bytes."""
    head = log.first_bytes.text if log.packing else log.first
    return MEDIA_TYPES.get(log.packing) or passed_through_as(name, head, ()) or TEXT


@dataclass(frozen=True)
class Sending:
    """An open log that is sent. Each method is a way to do it, and may raise Unavailable."""

    request: Request
    log: OpenLog
    validator: Validator
    #: Closes the log; may be called twice.
    close: Callable[[], None]

    def stored_bytes(self, media_type: str) -> Answer:
        """The stored bytes, the same for every client: for format=raw, and for a file that is no log."""
        byte_range, headers = self._range(lambda: self.log.stored.size, is_as_stored=True)
        headers += [("Content-Type", media_type), SANDBOX]
        pieces, length = self._stored(byte_range)
        return self._answer("raw", headers, pieces, byte_range, length=length)

    def inflated_file(self, media_type: str) -> Answer:
        """A compressed file that is no log, inflated. It has no ranges, which would be of the stored bytes."""
        missing: list[Incomplete] = []
        headers = [*self._validated(), ("Content-Type", media_type), SANDBOX]

        def rendered(pieces: Iterator[bytes]) -> Iterator[bytes]:
            return with_notices(pieces, missing) if _TEXTUAL.match(media_type) else pieces

        return self._rendered("raw", headers, rendered, missing, is_whole=False)

    def text(self) -> Answer:
        """A whole log as text. Ranges are of the text, however the log is stored or sent."""
        log, request = self.log, self.request
        # Counting first ensures that no range of an incomplete log is sent.
        byte_range, headers = self._range(log.counted_size)
        headers += page.HEADERS["text"]
        if byte_range and log.packing:
            first, end = byte_range
            pieces = self._begun(log.text_range(first, end))
            return self._answer("text", headers, pieces, byte_range, length=end - first)
        is_sent_as_stored, packs = log.packing in request.codings, "gzip" in request.codings
        if request.is_head and not log.is_whole:
            length = None if packs or is_sent_as_stored else log.known_size()
            return self._answer("text", headers, (), length=length, is_compressible=bool(log.first))
        # Text from Swift is streamed, so that its last line can say if Swift breaks off.
        is_plain = log.source_log.is_local and not log.packing and not packs
        if byte_range or is_plain or (is_sent_as_stored and log.is_one_member()):
            stored, length = self._stored(byte_range)
            encoding = log.packing
            return self._answer(
                "text", headers, stored, byte_range, length=length, encoding=encoding
            )
        missing: list[Incomplete] = []
        return self._rendered(
            "text", headers, lambda pieces: with_notices(pieces, missing), missing
        )

    def lines(self, view: LogView) -> Answer:
        """Lines of the log in one of the views, or filtered text."""
        name, status = view.query.view, "200 OK"
        has_no_ranges = name == "text" or view.query.is_excerpt
        headers: list[Header] = [("Accept-Ranges", "none")] if has_no_ranges else []
        if view.query.faults:  # of a page, which says which fields are wrong
            status = "400 Bad Request"
            headers += [*page.HEADERS[name], VARY, NO_STORE]
        else:  # the next reader's page may be compared with all of the other log
            headers += [*self._validated(bool(view.missing)), *page.HEADERS[name]]
        return self._rendered(
            name, headers, lambda pieces: view.render(name, pieces), view.missing, view, status
        )

    def _validated(self, may_break_off: bool = False) -> list[Header]:
        """The headers of the validator, for what may be sent compressed."""
        may_break_off = may_break_off or self.log.may_break_off
        return self.validator.headers(bool(self.request.codings), may_break_off)

    def _range(
        self, size_of: Callable[[], int | None], is_as_stored: bool = False
    ) -> tuple[tuple[int, int] | None, list[Header]]:
        """The range to send, None for all; and its headers with those of the validator.

        size_of: bytes that ranges are of, None if none can be sent. is_as_stored: true if all clients get the same bytes.
        """
        headers: list[Header] = [("Accept-Ranges", "bytes")]
        requested = self.validator.byte_range(self.request, size_of)
        if requested is None and not is_as_stored:
            return None, headers + self._validated()
        byte_range = None
        if requested is not None:
            first, end, size = requested
            byte_range = first, end
            headers.append(("Content-Range", f"bytes {first}-{end - 1}/{size}"))
        return byte_range, headers + self.validator.headers(False, self.log.may_break_off)

    def _stored(
        self, byte_range: tuple[int, int] | None = None
    ) -> tuple[Iterable[bytes], int | None]:
        """The stored bytes, and their number if it is known. Raises Unavailable."""
        log, size = self.log, self.log.stored.size
        if byte_range is not None:
            log.source_log.close()
            length = byte_range[1] - byte_range[0]
            return self._begun(exactly(length, log.reopened(byte_range))), length
        if size is None:
            return log.stored_bytes(), None
        if not log.is_whole:
            return exactly(size, log.stored_bytes()), size
        try:  # read all of it before the status is sent
            return [b"".join(log.stored_bytes())], size
        except Incomplete as error:
            raise Unavailable([SourceError(log.stored.source, str(error))]) from error

    def _begun(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The pieces, the first of which is read before the status is sent. Raises Unavailable."""
        try:
            first = next(pieces, b"")
        except Incomplete as error:
            raise Unavailable([SourceError(self.log.stored.source, str(error))]) from error
        return chain((first,), pieces)

    def _rendered(
        self,
        view: str,
        headers: list[Header],
        render: Callable[[Iterator[bytes]], Iterator[bytes]],
        missing: list[Incomplete],
        lines: LogView | None = None,
        status: str = "200 OK",
        is_whole: bool = True,
    ) -> Answer:
        """The text as it is rendered: a small log now, of a large one reading and rendering have a thread each.

        lines: then the headers of a small answer tell their counts.
        """
        log, close = self.log, self.close
        # A HEAD that read nothing does not know if the answer is too short to compress.
        is_compressible = view == "html" or bool(log.first) or not self.request.is_head
        pieces: Iterable[bytes]
        length = None
        if is_whole and log.is_whole:
            pieces, length = gathered(render(log.text()))
            if lines and view == "text" and length is not None:
                headers = [*headers, *lines.headers()]
        else:
            stored = ReadAhead(log.text(), close)
            pieces = ahead = ReadAhead(render(stored), stored.close)
            close = ahead.close
        return self._answer(
            view,
            headers,
            pieces,
            length=length,
            status=status,
            is_compressible=is_compressible,
            missing=missing,
            close=close,
        )

    def _answer(
        self,
        view: str,
        headers: Sequence[Header],
        pieces: Iterable[bytes],
        byte_range: tuple[int, int] | None = None,
        **more: Any,
    ) -> Answer:
        """more: further arguments of answer()."""
        if byte_range is not None:
            more["status"] = "206 Partial Content"
        stored = self.log.stored
        return answer(
            self.request,
            pieces,
            headers,
            view=view,
            source=stored.source,
            stored_size=stored.size,
            note_sent=self.log.budget.note,
            **{"close": self.close, **more},
        )
