# SPDX-License-Identifier: Apache-2.0
"""The answer to a request: its status, its headers, and pieces that are read while they are sent."""

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from oslogserve import fastzlib
from oslogserve.errors import Header, Incomplete
from oslogserve.fastzlib import GZIP_WBITS
from oslogserve.http import NO_STORE
from oslogserve.http.request import Request

#: Bytes of a small answer, which is sent as a whole: as much as a block of a large log.
MOST_GATHERED = 256 * 1024
#: Bytes from which an answer is compressed: less fits into one packet.
LEAST_COMPRESSED = 1024
#: ISA-L's memory level. A higher one is not faster and does not pack better (with 256 KiB pieces).
_MEMORY_LEVEL = 4
NOSNIFF = ("X-Content-Type-Options", "nosniff")


@dataclass(kw_only=True)
class Answer:
    status: str = "200 OK"
    headers: list[Header] = field(default_factory=list)
    pieces: Iterable[bytes] = ()
    #: Metric labels: the view, and the source of the log that is sent.
    view: str = "other"
    source: str = "none"
    #: Stored bytes of that log; None for no log, or if its source does not say.
    stored_size: int | None = None
    #: Why the content is incomplete. Grows while the pieces are read.
    missing: list[Incomplete] = field(default_factory=list)
    #: Charges each piece that the server gets. bytes.
    note_sent: Callable[[int], None] = lambda size: None
    #: Closes what the pieces are read from, and may be called before they are; None if nothing is left open for them.
    close: Callable[[], None] | None = None
    #: The view that a 304 confirms; "" for other answers, and if it is not known.
    confirmed: str = ""


def answer(
    request: Request,
    content: bytes | Iterable[bytes],
    headers: Sequence[Header],
    *,
    length: int | None = None,
    encoding: str = "",
    is_compressible: bool = False,
    **about: Any,
) -> Answer:
    """The answer.

    content: its pieces may be read before the status is sent. length: bytes, None if it is not known. encoding:
    Content-Encoding of the content. is_compressible: true if it may be compressed for a client that accepts it.
    about: further fields of the Answer.
    """
    pieces: Iterable[bytes] = [content] if isinstance(content, bytes) else content
    if isinstance(content, bytes):
        length = len(content)
    if is_compressible and request.gzip_level is not None:
        if length is None:
            pieces, encoding = gzipped(pieces, request.gzip_level), "gzip"
        elif length >= LEAST_COMPRESSED:
            compressed = b"".join(gzipped(pieces, request.gzip_level))
            pieces, length, encoding = [compressed], len(compressed), "gzip"
    headers = [*headers, NOSNIFF]
    if length is not None:
        headers.append(("Content-Length", str(length)))
    if encoding:
        headers.append(("Content-Encoding", encoding))
    pieces = () if request.is_head else pieces
    return Answer(headers=headers, pieces=pieces, **about)


def redirect(request: Request, to: str, status: str) -> Answer:
    """A redirect. to: the address; a relative one also works behind a server that rewrites URLs."""
    return answer(request, b"", [("Location", to), NO_STORE], status=status)


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
