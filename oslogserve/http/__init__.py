# SPDX-License-Identifier: Apache-2.0
"""HTTP's side of an answer: conditions and ranges before it, counting and closing while it
goes out. Knows nothing of lines or sources."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from oslogserve.errors import Header, Incomplete

TEXT = "text/plain; charset=utf-8"
#: What has no ETag to ask again with.
NO_STORE = ("Cache-Control", "no-store")
VARY = ("Vary", "Accept, Accept-Encoding")


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class FilePart:
    """Bytes of an open file that a server may send by itself; it then says to `sent` how many."""

    descriptor: int
    first: int
    size: int
    sent: Callable[[int], None]


@dataclass(slots=True)
class Answer:
    """pieces: the body. view and source: metric labels.

    missing: what `pieces` found missing by the time they end, and told the reader.
    close: gives back what the pieces come from, once. file: where `pieces` are a file's bytes.
    may_gzip: whether it may be compressed for a client that takes gzip.
    """

    status: str
    headers: list[Header]
    pieces: Iterable[bytes] = ()
    view: str = "other"
    source: str = "none"
    missing: list[Incomplete] = field(default_factory=list)
    close: Callable[[], None] = _nothing
    file: FilePart | None = None
    may_gzip: bool = False
