# SPDX-License-Identifier: Apache-2.0
"""The contract of a source: it opens a path and gives a Log, a Folder or None.

A source hands over stored bytes as they are. It must not know of HTTP responses, pages or lines.
"""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

#: The last second that a date can express.
LATEST = 253402300799.0


def within_dates(modified: float) -> float:
    """The time, clamped to what a date can express: files and objects may have any."""
    return min(max(modified, 0.0), LATEST)


class Stored(NamedTuple):
    """Metadata of a stored log: what a source knows without reading it."""

    source: str
    #: Stored bytes; None where the source does not say.
    size: int | None
    #: Seconds since 1970, before the year 10000.
    modified: float
    #: Changes when the stored bytes do.
    version: str
    #: Content-Encoding as declared, or "".
    encoding: str = ""


class Log:
    """An open log. Iterating gives its stored bytes, once, and may raise Incomplete.

    Its opener closes it; close() may be called twice.
    """

    #: True where the log lies on this machine, so that no network can fail midway.
    is_local = False

    def __init__(self, stored: Stored) -> None:
        self.stored = stored

    def __iter__(self) -> Iterator[bytes]:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


class Folder:
    """A folder of a source, as what a path names."""


class Entry(NamedTuple):
    """One file or folder of a listing."""

    #: The name of a folder ends in "/".
    name: bytes
    size: int | None
    #: Seconds since 1970.
    modified: float | None
    source: str


class OpenOptions(NamedTuple):
    """Options of opening a log."""

    #: False where only the metadata is needed.
    body: bool = True
    #: Stored bytes from the first up to the second, which is not included; None for all.
    byte_range: tuple[int, int] | None = None
    #: The version that the byte range belongs to; None for any.
    version: str | None = None
    #: Bytes of a chunk, where fewer than the configured ones are to be held.
    chunk_size: int | None = None

    def chunk_of(self, configured: int) -> int:
        """Bytes of a chunk."""
        return min(configured, self.chunk_size or configured)


FULL_BODY = OpenOptions()
METADATA_ONLY = OpenOptions(body=False)


class Source(Protocol):
    """A source of one request, whose calls share one deadline until the answer begins."""

    #: 'disk' or 'swift', a metric label.
    name: str

    def open(self, path: bytes, options: OpenOptions = FULL_BODY) -> Log | Folder | None:
        """The log or folder under this path, or the log under path + '.gz'; None for a miss.

        The first bytes have been read when it returns: what fails before them raises
        SourceError. Raises BadRequest for a path that leaves the source.
        """

    def entries(self, path: bytes) -> Iterator[Entry] | None:
        """A folder's entries, sorted by name; None where there is no such folder.

        Raises SourceError, also midway.
        """

    def waiting_anew(self) -> "Source":
        """The same source with a new deadline, to open one more log later on."""
