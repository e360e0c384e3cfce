# SPDX-License-Identifier: Apache-2.0
"""HTTP: what a request says, what it can be shown, and the response. Knows nothing of lines or sources.

A handler chooses a Representation, respond() makes a Response of it, and Body sends that.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class FileRange:
    """Body of a response that is a range of an open file. A server may send it by itself."""

    #: The same bytes, for a server that cannot.
    pieces: Iterable[bytes]
    descriptor: int
    byte_range: ByteRange
    #: Called with the count of bytes that a server sent.
    count_sent: Callable[[int], None]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.pieces)


def _nothing_to_close() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Response:
    """All that a server sends, and what is counted of it."""

    status: str
    headers: list[Header]
    body: Iterable[bytes] = ()
    #: A metric label.
    view: str = "other"
    #: Name of the source, a metric label.
    source: str = "none"
    #: What the body told its reader to be missing. Grows while the body is iterated.
    missing: Sequence[Incomplete] = ()
    #: Gives back what the body is read from. May be called before the body is iterated.
    close: Callable[[], None] = _nothing_to_close
