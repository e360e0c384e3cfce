# SPDX-License-Identifier: Apache-2.0
"""The one place that makes a response of a representation.

Ranges, HEAD, Content-Length, compression, reading ahead and closing are here; conditions.py says
what a validator allows.
"""

from collections.abc import Callable, Iterable
from itertools import chain
from typing import NamedTuple

from oslogserve.errors import Header
from oslogserve.http import ByteRange, Response
from oslogserve.http.compression import gzipped
from oslogserve.http.conditions import Validator
from oslogserve.http.read_ahead import ReadAhead
from oslogserve.http.representation import Content, Representation
from oslogserve.http.request import Request

#: Bytes that are gathered before they are sent: as much as one block of a large log.
MOST_GATHERED = 256 * 1024
#: Bytes of the least that is compressed: less fits into one packet as it is.
LEAST_COMPRESSED = 1024
NOSNIFF = ("X-Content-Type-Options", "nosniff")


def respond(
    request: Request,
    shown: Representation,
    validator: Validator | None = None,
    status: str = "200 OK",
) -> Response:
    """The response, which closes `shown`.

    Raises RangeUnsatisfiable, and what opening `shown` raises; the caller closes it then.
    """
    byte_range = size = None
    if validator is not None and shown.accept_ranges == "bytes":
        byte_range, size = _requested(request, shown, validator)
    content = shown.open(byte_range)
    sent = _sent(shown, content, request.gzip_level)
    headers = [*shown.headers, NOSNIFF]
    if validator is not None:
        is_compressed = request.accepts_gzip and shown.has_gzip_variant and byte_range is None
        headers += validator.headers(is_compressed, shown.may_break_off)
    if shown.accept_ranges:
        headers.append(("Accept-Ranges", shown.accept_ranges))
    if byte_range is not None:
        status = "206 Partial Content"
        first, end = byte_range
        headers.append(("Content-Range", f"bytes {first}-{end - 1}/{size}"))
    headers += sent.headers
    body = () if request.is_head else sent.body
    return Response(status, headers, body, shown.view, shown.source, shown.missing, sent.close)


def _requested(
    request: Request, shown: Representation, validator: Validator
) -> tuple[ByteRange | None, int | None]:
    """The range to send, and the bytes that it is of; None and None for all."""
    requested = validator.byte_range(request)
    size = None if requested is None else shown.range_size()
    if requested is None or size is None:
        return None, None
    return requested.within(size), size


class _Sent(NamedTuple):
    body: Iterable[bytes]
    #: Content-Length and Content-Encoding, and what is known at the end.
    headers: list[Header]
    close: Callable[[], None]


def _sent(shown: Representation, content: Content, gzip_level: int | None) -> _Sent:
    body, length, close = content.pieces, content.length, shown.close
    headers: list[Header] = []
    if content.render is not None and content.is_small:
        body, length = gathered(content.render(iter(body)))
        if length is not None:
            headers = shown.headers_at_end()
    elif content.render is not None:
        stored = ReadAhead(iter(body), close)
        rendered = ReadAhead(content.render(stored), stored.close)
        body, close = rendered, rendered.close
    encoding = content.encoding
    if gzip_level is not None and content.is_compressible:
        body, length, encoding = _compressed(body, length, gzip_level)
    if length is not None:
        headers.append(("Content-Length", str(length)))
    if encoding:
        headers.append(("Content-Encoding", encoding))
    return _Sent(body, headers, close)


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
