# SPDX-License-Identifier: Apache-2.0
"""HTTP: a handler chooses a Representation, respond() makes a Response of it, and Body sends that.

Knows nothing of lines or sources.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from oslogserve.errors import Header, Incomplete

TEXT = "text/plain; charset=utf-8"
#: For what has no ETag, so that nobody can ask whether it is still the same.
NO_STORE = ("Cache-Control", "no-store")
VARY = ("Vary", "Accept, Accept-Encoding")


class ByteRange(NamedTuple):
    """Bytes from `first` up to, but without, `end`."""

    first: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.first


class Content(NamedTuple):
    """The bytes of a representation, or of a range of it, opened."""

    pieces: Iterable[bytes]
    #: Turns `pieces` into what is sent; None where they are sent as they are.
    render: Callable[[Iterator[bytes]], Iterator[bytes]] | None = None
    #: True where all stored bytes are in memory, so that rendering waits for no source.
    is_small: bool = False
    #: Bytes that are sent, where that is known before.
    length: int | None = None
    #: "gzip" where `pieces` are compressed already.
    encoding: str = ""
    #: True where they may be compressed for a client that accepts it.
    is_compressible: bool = False


class Representation:
    """The content that respond() sends. It is opened at most once. Its creator closes it."""

    #: A metric label.
    source = "none"
    #: Stored bytes of the log; None where there is none, or its source does not say.
    stored_size: int | None = None
    #: Value of Accept-Ranges; "" for no header.
    accept_ranges = ""
    #: True where a client that accepts gzip gets other bytes: the ETag is weak then.
    has_gzip_variant = True
    #: True where the log's end may be missing, and nobody knows yet.
    may_break_off = False
    #: Why the log is incomplete, as its reader is informed. Grows while the content is read.
    missing: Sequence[Incomplete] = ()

    def __init__(
        self,
        headers: Sequence[Header],
        content: bytes | Iterable[bytes] = b"",
        view: str = "other",
        is_compressible: bool = False,
    ) -> None:
        """headers: Content-Type, and what else belongs to the representation. view: a metric label."""
        self.headers = headers
        self.view = view
        pieces = [content] if isinstance(content, bytes) else content
        length = len(content) if isinstance(content, bytes) else None
        self._content = Content(pieces, length=length, is_compressible=is_compressible)

    def range_size(self) -> int | None:
        """Bytes that ranges are of, counted if need be; None where only all of it can be sent."""
        return None

    def open(self, byte_range: ByteRange | None = None) -> Content:
        return self._content

    def headers_at_end(self) -> list[Header]:
        """Headers that are known once all of a small content was read."""
        return []

    def close(self) -> None:
        """Gives back what the content is read from. May be called twice."""


class Response(NamedTuple):
    """All that a server sends, and what is counted of it. The fields are as Representation's."""

    status: str
    headers: list[Header]
    body: Iterable[bytes] = ()
    view: str = "other"
    source: str = "none"
    stored_size: int | None = None
    missing: Sequence[Incomplete] = ()
    #: Gives back what the body is read from. May be called before the body is iterated.
    close: Callable[[], None] = lambda: None
