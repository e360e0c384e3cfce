# SPDX-License-Identifier: Apache-2.0
"""What a URL can be shown as; respond() makes a response of it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from oslogserve.errors import Header, Incomplete
from oslogserve.http import ByteRange

Step = Callable[[Iterator[bytes]], Iterator[bytes]]


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a representation, or of a range of it, opened."""

    pieces: Iterable[bytes]
    #: Makes what is sent of `pieces`; None where they are sent as they are. Large ones are read
    #: and sent by two threads.
    render: Step | None = None
    #: True where nothing is waited for any more, and little is to come: it gets a length.
    is_small: bool = False
    #: Bytes that are sent, where that is known before.
    length: int | None = None
    #: "gzip" where `pieces` are compressed already.
    encoding: str = ""
    #: True where they may be compressed for a client that accepts it.
    is_compressible: bool = False


class Representation:
    """Contract of what respond() sends. It is opened once at most."""

    #: A metric label.
    view = "other"
    #: Name of the source, a metric label.
    source = "none"
    #: Content-Type, and what else belongs to the representation.
    headers: Sequence[Header] = ()
    #: Value of Accept-Ranges; "" for no header.
    accept_ranges = ""
    #: True where a client that accepts gzip gets other bytes: the ETag is weak then.
    has_gzip_variant = True
    #: True where the log's end may be missing, and nobody knows yet.
    may_break_off = False
    #: What the reader was told to be missing. Grows while the content is read.
    missing: Sequence[Incomplete] = ()

    def range_size(self) -> int | None:
        """Bytes that ranges are of; None where the whole is to be sent. It may read all of them."""
        return None

    def open(self, byte_range: ByteRange | None = None) -> Content:
        raise NotImplementedError

    def headers_at_end(self) -> list[Header]:
        """What is known once all of a small content was read."""
        return []

    def close(self) -> None:
        """May be called twice."""


class Document(Representation):
    """What is made here, and of no log."""

    def __init__(
        self,
        headers: Sequence[Header],
        content: bytes | Iterable[bytes],
        view: str = "other",
        is_compressible: bool = False,
    ) -> None:
        self.headers = headers
        self.view = view
        self._content = content
        self._is_compressible = is_compressible

    def open(self, byte_range: ByteRange | None = None) -> Content:
        content, is_compressible = self._content, self._is_compressible
        if isinstance(content, bytes):
            return Content([content], length=len(content), is_compressible=is_compressible)
        return Content(content, is_compressible=is_compressible)
