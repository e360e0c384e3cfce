# SPDX-License-Identifier: Apache-2.0
"""The contract of a source: it opens a path for a request, and returns a Log, a Folder or None.

A source passes on stored bytes as they are. It must not know of HTTP responses, pages or lines.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

#: The last second that a date can express.
LATEST = 253402300799.0
#: Version 00; ids of zeros only are invalid.
_TRACEPARENT = re.compile(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
#: Of Swift, S3, Google and Azure.
_TRANSACTION_HEADERS = ("x-trans-id", "x-amz-request-id", "x-guploader-uploadid", "x-ms-request-id")
_TRANSACTION = re.compile(r"[0-9A-Za-z_-]{1,100}")


def within_dates(modified: float) -> float:
    """The time, clamped to what a date can express: files and objects may have any time."""
    return min(max(modified, 0.0), LATEST)


class Stored(NamedTuple):
    """Metadata of a stored log, known without reading it."""

    source: str
    #: Stored bytes; None if the source does not say.
    size: int | None
    #: Seconds since 1970, before the year 10000.
    modified: float
    #: Changes when the stored bytes change; "" for none.
    version: str
    #: Content-Encoding as the source or the log's name declares it, or "".
    encoding: str = ""

    @property
    def identity(self) -> "Stored":
        """Equal for equal versions, of which copies may have other times. Without a version, the time has to tell."""
        return self._replace(modified=0.0) if self.version else self


class Log:
    """An open log. Iterate once over its stored bytes; this may raise Incomplete.

    Whoever opens it closes it; close() may be called twice. This class has metadata alone: no bytes, and
    nothing to close.
    """

    #: True if the log is on this machine, so that no network can fail midway.
    is_local = False

    def __init__(self, stored: Stored) -> None:
        self.stored = stored

    def __iter__(self) -> Iterator[bytes]:
        return iter(())

    def close(self) -> None:
        """Does nothing."""


class Folder:
    """The result of opening a path that names a folder."""


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

    #: False if only the metadata is needed.
    body: bool = True
    #: Stored bytes from the first up to the second, without the second; None for all.
    byte_range: tuple[int, int] | None = None
    #: The version that the byte range belongs to; None for any.
    version: str | None = None
    #: Bytes of a chunk, if less than the configured size; None for that.
    chunk_size: int | None = None

    def chunk_of(self, configured: int) -> int:
        """Bytes of a chunk, at most `configured`."""
        return min(configured, self.chunk_size or configured)


class WantedEntries(NamedTuple):
    """The entries of a folder that a listing is for."""

    #: The first name.
    first: bytes = b""
    #: Entries that are held at once: as many as are likely to be taken.
    at_once: int = 10_000
    #: Called every few hundred names. An exception of it ends the listing.
    charge: Callable[[], None] = lambda: None


FULL_BODY = OpenOptions()
METADATA_ONLY = OpenOptions(body=False)
ALL_ENTRIES = WantedEntries()


class Source(Protocol):
    """A source for one request. Its calls share a deadline until the answer begins."""

    #: 'disk', 'swift' or the name of a store, a metric label.
    name: str

    def open(self, path: bytes, options: OpenOptions = FULL_BODY) -> Log | Folder | None:
        """The log or folder at this path, or the log at a path of stored_paths(); None for a miss.

        It has read the first bytes when it returns, so a failure up to them raises SourceError.
        Raises BadRequest for a path that leaves the source.
        """

    def entries(self, path: bytes, wanted: WantedEntries = ALL_ENTRIES) -> Iterator[Entry] | None:
        """A folder's entries, sorted by name; None if there is no such folder.

        Raises SourceError and what `wanted.charge` raises, also midway.
        """

    def waiting_anew(self) -> "Source":
        """The same source with a new deadline, to open another log later."""


class Trace:
    """The trace of a request: its W3C traceparent is sent to stores, whose transaction id is kept."""

    def __init__(self, traceparent: str = "") -> None:
        """traceparent: the request's header, which may be anything."""
        self.headers: dict[str, str] = {}
        if _TRACEPARENT.fullmatch(traceparent):
            self.headers["traceparent"] = traceparent
        #: The transaction id of the last response of a store; "" for none.
        self.transaction = ""
        #: The source, the outcome and the seconds of each opening of a log, in order.
        self.openings: list[tuple[str, str, float]] = []
        #: Why sources failed, by their names.
        self.failures: dict[str, str] = {}
        #: Why the server refused the request for now; "" if it did not.
        self.refusal = ""

    def reasons(self) -> list[str]:
        """Why sources failed, or why the server refused the request."""
        reasons = [f"{source}: {why}" for source, why in self.failures.items()]
        return reasons or list(filter(None, [self.refusal]))


def transaction_of(headers: Mapping[str, str]) -> str:
    """The id by which a store's log names the answer with these headers; "" for none."""
    transaction = next(filter(None, map(headers.get, _TRANSACTION_HEADERS)), "")
    return transaction if _TRANSACTION.fullmatch(transaction) else ""


class Context:
    """The context of the calls that one request makes.

    Until the answer begins, calls share one deadline, counted from the context's creation. Each later
    call has its own, since the client may take the answer slowly.
    """

    def __init__(self, trace: Trace | None = None) -> None:
        self.trace = trace or Trace()
        self._started: float | None = time.monotonic()

    def deadline(self, seconds: float) -> float:
        """The time, by time.monotonic(), by which a call must have its first bytes."""
        return (time.monotonic() if self._started is None else self._started) + seconds

    def answer_begins(self) -> None:
        self._started = None

    def anew(self) -> "Context":
        """A context of the same trace that begins now."""
        return Context(self.trace)


class Backend(Source, Protocol):
    """A source as the process has it, before its guard."""

    #: The folder or container that it reads, for operators.
    location: str

    def check(self) -> None:
        """Checks that the source answers. Raises SourceError if it does not."""

    def for_request(self, context: Context) -> Source:
        """The source for the calls of one request."""
