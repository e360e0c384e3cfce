# SPDX-License-Identifier: Apache-2.0
"""Where logs lie. A source is asked for a path and gives a Log, a Folder or nothing.

It must not know of HTTP answers, views or lines: it hands over stored bytes as they are.
"""

from collections.abc import Iterator
from typing import NamedTuple, Protocol


class Stored(NamedTuple):
    """What a source knows of a stored log without reading it.

    size: stored bytes, None where the source does not say. modified: seconds since 1970, a time
    before the year 10000.
    version: changes when the stored bytes do. encoding: declared Content-Encoding, or ''.
    md5: of the stored bytes, or '' where the source does not say.
    """

    source: str
    size: int | None
    modified: float
    version: str
    encoding: str = ""
    md5: str = ""


class Log:
    """An open log. Iterating it gives stored bytes and may raise Incomplete.

    Whoever opened it closes it; close() may be called twice. is_local: it lies here, so that
    nothing far away can fail midway. file: its descriptor, where a server may send the bytes by
    itself; sent() is then told how many it did.
    """

    is_local = False
    file: int | None = None

    def __init__(self, stored: Stored) -> None:
        self.stored = stored

    def sent(self, size: int) -> None:
        pass

    def __iter__(self) -> Iterator[bytes]:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


class Folder:
    """The path names a folder of this source."""


class Entry(NamedTuple):
    """One line of a listing. name: bytes; a folder's ends in '/'. modified: seconds, or None."""

    name: bytes
    size: int | None
    modified: float | None
    source: str


class Want(NamedTuple):
    """How a log is opened.

    body: False where only `stored` is needed. span: (first, last + 1) stored bytes; None for the
    end.
    version: the version the span was computed for, None for any.
    """

    body: bool = True
    span: tuple[int, int | None] | None = None
    version: str | None = None


WHOLE = Want()
STORED_ONLY = Want(body=False)


class Source(Protocol):
    """name is 'disk' or 'swift', a metric label."""

    name: str

    def open(self, path: bytes, want: Want = WHOLE) -> Log | Folder | None:
        """The log under this path or under path + '.gz'; None where there is none.

        The first bytes have been read when it returns: what fails before them raises
        SourceError. Raises BadRequest for a path that leaves the source.
        """

    def entries(self, path: bytes) -> Iterator[Entry] | None:
        """The folder's entries, sorted by name; None where there is no such folder.

        Raises SourceError, also midway.
        """

    def check(self) -> None:
        """Raises SourceError where the source does not answer."""
