# SPDX-License-Identifier: Apache-2.0
"""The one place that makes a response of a representation.

Ranges, HEAD, lengths, compression, reading ahead and closing are here; what a validator allows
is in conditions.py.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from oslogserve.errors import Header
from oslogserve.fastzlib import Z_SYNC_FLUSH, gzip_compressor
from oslogserve.http import NO_STORE, ByteRange, Content, Representation, Response
from oslogserve.http.conditions import Validator
from oslogserve.http.read_ahead import ReadAhead
from oslogserve.http.request import Request

#: Bytes that are gathered before they are sent: as much as one block of a large log.
MOST_GATHERED = 256 * 1024
#: Bytes of the least that is compressed: less fits into one packet as it is.
LEAST_COMPRESSED = 1024
NOSNIFF = ("X-Content-Type-Options", "nosniff")


def respond(
    request: Request,
    representation: Representation,
    validator: Validator | None = None,
    status: str = "200 OK",
) -> Response:
    """The response, which closes `representation`.

    Raises RangeUnsatisfiable, and what opening `representation` raises; the caller closes it then.
    """
    byte_range, headers = None, [*representation.headers, NOSNIFF]
    if validator is not None:
        byte_range, more = _with_validator(request, representation, validator)
        headers += more
    content = representation.open(byte_range)
    body, length, close = _body(representation, content)
    if content.is_small and length is not None:
        headers += representation.headers_at_end()
    encoding = content.encoding
    if content.is_compressible and request.gzip_level is not None:
        body, length, encoding = _compressed(body, length, request.gzip_level)
    if length is not None:
        headers.append(("Content-Length", str(length)))
    if encoding:
        headers.append(("Content-Encoding", encoding))
    if request.is_head:
        body = ()
    if byte_range is not None:
        status = "206 Partial Content"
    return Response(
        status,
        headers,
        body,
        representation.view,
        representation.source,
        representation.stored_size,
        representation.missing,
        close,
    )


def redirect(request: Request, to: str, status: str) -> Response:
    """The redirect to an address. A relative one holds behind a rewriting server too."""
    return respond(request, Representation([("Location", to), NO_STORE], b""), status=status)


def _with_validator(
    request: Request, representation: Representation, validator: Validator
) -> tuple[ByteRange | None, list[Header]]:
    """The range to send, None for all, and the headers that go with it."""
    headers: list[Header] = []
    byte_range = None
    if representation.accept_ranges:
        headers.append(("Accept-Ranges", representation.accept_ranges))
    requested = validator.byte_range(request) if representation.accept_ranges == "bytes" else None
    if requested is not None and (size := representation.range_size()) is not None:
        byte_range = requested.within(size)
        first, end = byte_range
        headers.append(("Content-Range", f"bytes {first}-{end - 1}/{size}"))
    is_compressed = request.accepts_gzip and representation.has_gzip_variant and byte_range is None
    return byte_range, headers + validator.headers(is_compressed, representation.may_break_off)


def _body(
    representation: Representation, content: Content
) -> tuple[Iterable[bytes], int | None, Callable[[], None]]:
    """Body, length where that is known, and what closes it.

    A small content is rendered now; of a large one, reading and rendering have a thread each.
    """
    if content.render is None:
        return content.pieces, content.length, representation.close
    if content.is_small:
        return *gathered(content.render(iter(content.pieces))), representation.close
    stored = ReadAhead(iter(content.pieces), representation.close)
    rendered = ReadAhead(content.render(stored), stored.close)
    return rendered, content.length, rendered.close


def gathered(pieces: Iterable[bytes]) -> tuple[Iterable[bytes], int | None]:
    """The same bytes as one piece, and their count. Of more than MOST_GATHERED: as they come, and
    None."""
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
    """Body, length and Content-Encoding of what is worth compressing."""
    if length is None:
        return gzipped(body, level), None, "gzip"
    if length < LEAST_COMPRESSED:
        return body, length, ""
    compressed = b"".join(gzipped(body, level))
    return [compressed], len(compressed), "gzip"


def gzipped(pieces: Iterable[bytes], level: int) -> Iterator[bytes]:
    """One gzip member. Each piece can be read as soon as it is here. level: of gzip_compressor()."""
    compressor = gzip_compressor(level)
    for piece in pieces:
        if piece:
            yield compressor.compress(piece) + compressor.flush(Z_SYNC_FLUSH)
    yield compressor.flush()
