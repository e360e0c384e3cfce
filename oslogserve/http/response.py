# SPDX-License-Identifier: Apache-2.0
"""Makes responses: a handler chooses a Representation, and respond() makes a Response from it.

This does ranges, HEAD, lengths, compression, read-ahead and closing.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple, Protocol

from oslogserve import fastzlib
from oslogserve.errors import Header, Incomplete
from oslogserve.fastzlib import GZIP_WBITS
from oslogserve.http import NO_STORE
from oslogserve.http.read_ahead import ReadAhead
from oslogserve.http.request import ByteRange, Request, Validator

#: Bytes of a small answer, which is sent as a whole: as much as a block of a large log.
MOST_GATHERED = 256 * 1024
#: Bytes from which an answer is compressed: less fits into one packet.
LEAST_COMPRESSED = 1024
#: ISA-L's memory level. A higher one is not faster and does not pack better (with 256 KiB pieces).
_MEMORY_LEVEL = 4
NOSNIFF = ("X-Content-Type-Options", "nosniff")


class Content(NamedTuple):
    """The opened bytes of a representation, or of a range of it."""

    pieces: Iterable[bytes]
    #: Renders `pieces`; None if they are sent as they are.
    render: Callable[[Iterator[bytes]], Iterator[bytes]] | None = None
    #: True if all stored bytes are in memory, so that rendering waits for no source.
    is_whole: bool = False
    #: Bytes to be sent; None if that is not known yet.
    length: int | None = None
    #: Content-Encoding of `pieces`: "gzip", "zstd", or "".
    encoding: str = ""
    #: True if they may be compressed for a client that accepts it.
    is_compressible: bool = False


class Meter(Protocol):
    """The counter of a response's cost."""

    def note(self, *, sent: int) -> None:
        """Charges what this thread did. sent: bytes of a piece that the server gets."""


class Representation:
    """A content to be sent, and its headers. It is opened at most once."""

    #: A metric label.
    source = "none"
    #: Stored bytes of the log; None for no log, or if its source does not say.
    stored_size: int | None = None
    #: Value of Accept-Ranges; "" for no header.
    accept_ranges = ""
    #: True if clients that accept gzip or zstd may get other bytes, under a weak ETag.
    has_encoded_variant = True
    #: True if the source may still fail before the log's end.
    may_break_off = False

    def __init__(
        self,
        headers: Sequence[Header],
        content: bytes | Iterable[bytes] = b"",
        view: str = "other",
        is_compressible: bool = False,
        missing: Sequence[Incomplete] = (),
        meter: Meter | None = None,
    ) -> None:
        """headers: Content-Type and others of the representation. view: a metric label. missing: why
        the content is incomplete; it grows while that is read. meter: None for what costs next to nothing.
        """
        self.headers = headers
        self.view = view
        self.meter = meter
        self._missing = missing
        pieces = [content] if isinstance(content, bytes) else content
        length = len(content) if isinstance(content, bytes) else None
        self._content = Content(pieces, length=length, is_compressible=is_compressible)

    @property
    def missing(self) -> Sequence[Incomplete]:
        """Why the content is incomplete; known once it was read."""
        return self._missing

    def range_size(self) -> int | None:
        """Bytes of the whole content, counted if need be; None if it cannot be sent in ranges."""
        return None

    def open(self, byte_range: ByteRange | None = None) -> Content:
        return self._content

    def headers_at_end(self) -> list[Header]:
        """Headers that are known once a small content was read to its end."""
        return []


class Response(NamedTuple):
    """A status, headers and a body to send."""

    status: str
    headers: list[Header]
    body: Iterable[bytes] = ()
    #: The representation that the body is of.
    of: Representation = Representation([])
    #: Closes what the body is read from. May be called before the body is iterated.
    close: Callable[[], None] = lambda: None
    #: The view that a 304 confirms; "" for other answers, and if it is not known.
    confirmed: str = ""


def respond(
    request: Request,
    representation: Representation,
    validator: Validator | None = None,
    status: str = "200 OK",
    close: Callable[[], None] = lambda: None,
) -> Response:
    """The response. Its close() calls `close`, and so does respond() if it raises.

    close: closes what the content is read from; may be called twice. Raises RangeUnsatisfiable, and as
    `representation.open()` does.
    """
    try:
        byte_range, headers = None, [*representation.headers, NOSNIFF]
        if validator is not None:
            byte_range, more = _with_validator(request, representation, validator)
            headers += more
        content = representation.open(byte_range)
        body, length = content.pieces, content.length
        if content.render and content.is_whole:  # a small one is rendered now
            body, length = gathered(content.render(iter(content.pieces)))
        elif content.render:  # reading and rendering a large one have a thread each
            stored = ReadAhead(iter(content.pieces), close)
            rendered = ReadAhead(content.render(stored), stored.close)
            body, close = rendered, rendered.close
        if content.is_whole and length is not None:
            headers += representation.headers_at_end()
        encoding = content.encoding
        if content.is_compressible and request.gzip_level is not None:
            body, length, encoding = _compressed(body, length, request.gzip_level)
    except BaseException:
        close()
        raise
    if length is not None:
        headers.append(("Content-Length", str(length)))
    if encoding:
        headers.append(("Content-Encoding", encoding))
    if request.is_head:
        body = ()
    if byte_range is not None:
        status = "206 Partial Content"
    return Response(status, headers, body, representation, close)


def redirect(request: Request, to: str, status: str) -> Response:
    """A redirect. to: the address; a relative one also works behind a server that rewrites URLs."""
    return respond(request, Representation([("Location", to), NO_STORE], b""), status=status)


def _with_validator(
    request: Request, representation: Representation, validator: Validator
) -> tuple[ByteRange | None, list[Header]]:
    """The range to send, None for all, and the headers for it."""
    headers: list[Header] = []
    byte_range = None
    if representation.accept_ranges:
        headers.append(("Accept-Ranges", representation.accept_ranges))
    requested = validator.byte_range(request) if representation.accept_ranges == "bytes" else None
    if requested is not None and (size := representation.range_size()) is not None:
        byte_range = requested.within(size)
        first, end = byte_range
        headers.append(("Content-Range", f"bytes {first}-{end - 1}/{size}"))
    has_variant = representation.has_encoded_variant and byte_range is None
    is_encoded = request.accepts_encoding and has_variant
    return byte_range, headers + validator.headers(is_encoded, representation.may_break_off)


def gathered(pieces: Iterable[bytes]) -> tuple[Iterable[bytes], int | None]:
    """The pieces joined, and their size. More than MOST_GATHERED: the pieces as they are, and None."""
    rest = iter(pieces)
    taken = []
    size = 0
    for piece in rest:
        taken.append(piece)
        size += len(piece)
        if size > MOST_GATHERED:
            return chain(taken, rest), None
    return [b"".join(taken)], size


def _compressed(
    body: Iterable[bytes], length: int | None, level: int
) -> tuple[Iterable[bytes], int | None, str]:
    """The compressed body, its length if known, and its encoding. A short body stays as it is."""
    if length is None:
        return gzipped(body, level), None, "gzip"
    if length < LEAST_COMPRESSED:
        return body, length, ""
    compressed = b"".join(gzipped(body, level))
    return [compressed], len(compressed), "gzip"


def gzipped(pieces: Iterable[bytes], level: int) -> Iterator[bytes]:
    """Yields one gzip member, flushed after each piece. level: 0, the fastest, to 3."""
    compressor: Any
    if fastzlib.fast is zlib:  # which would not compress with level 0
        compressor = zlib.compressobj(max(level, 1), zlib.DEFLATED, GZIP_WBITS)
    else:
        compressor = fastzlib.fast.compressobj(level, zlib.DEFLATED, GZIP_WBITS, _MEMORY_LEVEL)
    for piece in pieces:
        if piece:
            yield compressor.compress(piece) + compressor.flush(zlib.Z_SYNC_FLUSH)
    yield compressor.flush()
