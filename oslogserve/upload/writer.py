# SPDX-License-Identifier: Apache-2.0
"""Writers: one stores and replaces objects in Swift, one in buckets. Here is what they have in common.

That is their contract with whoever uploads, and requests that are repeated while patience lasts. They are made by
the services by which the server reads.
"""

import math
import os
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from threading import Event, Lock
from typing import Any, BinaryIO, NamedTuple, TypeVar

from swiftclient.utils import LengthWrapper

from oslogserve.errors import SourceError
from oslogserve.sources.deadline import Connection
from oslogserve.sources.objects.errors import Refusal
from oslogserve.sources.objects.location import Location
from oslogserve.sources.objects.service import BEGINNING, Page
from oslogserve.sources.objects.session import ObjectSession
from oslogserve.sources.swift import SOURCE as SWIFT
from oslogserve.upload.payload import Changed, Payload, Segment

#: Seconds before a request is repeated: first, and at most. Doubled in between.
FIRST_PAUSE = 0.25
LONGEST_PAUSE = 15.0
#: Seconds between two notes that requests are repeated.
NOTE_PAUSE = 60.0
#: Statuses below 500 that a retry may cure: a slow body, a conflict, a damaged body, too many requests.
_MAY_PASS = (408, 409, 422, 429, 498, 499)

_T = TypeVar("_T")


class Interrupted(Exception):
    """Raised by requests once `stopped` is set. Its text is the reason."""


class Effort(NamedTuple):
    """How requests are made."""

    #: Segments that are sent at once.
    parallel: int
    #: Seconds for which a failed request is repeated.
    patience: float
    #: Called with a sentence when requests begin to be repeated.
    note: Callable[[str], None] = lambda text: None


class Writer(ABC):
    """Writes objects; for many threads. Requests raise SourceError and Interrupted."""

    #: What status 404 says of a place to write to.
    _missing: str

    def __init__(self, session: ObjectSession, effort: Effort, prefix: str) -> None:
        """prefix: if given, it is asked once whether objects with it are there. If not, a HEAD for each is saved."""
        self.source = session.source
        #: Set it to end the uploads of all threads with Interrupted.
        self.stopped = Event()
        #: Why.
        self.stop_reason = "interrupted"
        #: When a request last succeeded, by time.monotonic().
        self.answered = -1.0
        self.checksum_of = session.service.checksum_of
        self._service = session.service
        self._session = session
        self._effort = effort
        self._prefix = prefix
        self._pool = ThreadPoolExecutor(effort.parallel)
        self._lock = Lock()
        self._note_lock = Lock()
        self._noted_at = -math.inf
        #: By container: True if nothing with the prefix was there when it was first looked at.
        self._was_empty: dict[str, bool] = {}

    @abstractmethod
    def replace(
        self, location: Location, found: Mapping[str, str] | None, payload: Payload
    ) -> None:
        """Stores a payload. Readers see it after the last request. Raises Changed.

        found: the headers of the object that it replaces; None for none.
        """

    @abstractmethod
    def console(self, location: Location, file: BinaryIO, seconds: float) -> Callable[[int], None]:
        """What shows readers the first bytes of a console that grows, so many, whenever it is called.

        seconds: until the next call. Raises SourceError, Interrupted, Changed.
        """

    def close(self) -> None:
        self._pool.shutdown()
        self._session.close()

    def head(self, location: Location) -> Mapping[str, str] | None:
        """An object's headers; None if there is no object or the user may not read it.

        If nothing with the prefix was there at first, nothing is.
        """
        with except_forbidden():
            if not self._is_new(location.container):
                return self.head_anew(location)
        return None

    def head_anew(self, location: Location) -> Mapping[str, str] | None:
        """An object's headers as it is now; None if there is no object."""
        return self._request(self._service.head, *location)

    def ask(
        self,
        method: str,
        location: Location,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | Segment = b"",
    ) -> tuple[Mapping[str, str], bytes] | None:
        """The headers and the body of an answer about an object or its container; None for status 404.

        Raises Changed.
        """
        asked: dict[str, Any] = {"method": method, "query": query}
        return self._request(partial(self._answer, headers or {}, body, **asked), *location)

    def put(
        self,
        location: Location,
        body: bytes | Segment,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> None:
        if self.ask("PUT", location, query, headers, body) is None:
            raise SourceError(self.source, self._missing)

    def _answer(
        self,
        headers: Mapping[str, str],
        body: bytes | Segment,
        connection: Connection,
        *where: str,
        **asked: Any,
    ) -> tuple[Mapping[str, str], bytes]:
        keep_alive = partial(self._keep_alive, connection)
        keep_alive()
        asked |= {"headers": headers, "body": body}
        if isinstance(body, Segment):
            asked["headers"] = {**headers, **self._service.verified(body.md5)}
            sized = LengthWrapper(SegmentReader(body, keep_alive), body.size)
            asked["body"] = sized if body.size else b""
        try:
            found, text = self._service.read(connection, *where, **asked)
        except Refusal as error:
            if error.http_status in (400, 422) and isinstance(body, Segment):
                body.check()  # each service has its own word for bytes that are not those of a checksum
            raise
        if b"<Error>" in text[:1000]:  # S3 joins parts slowly, after its status
            raise Refusal(500, text, found)
        return found, text

    def _described(self, payload: Payload) -> dict[str, str]:
        return self._service.described(payload.media_type, payload.encoding, payload.etag)

    def _listed(self, container: str, prefix: str, limit: int) -> Page:
        options = {"prefix": prefix, "marker": BEGINNING, "limit": limit}
        return self._request(self._service.listed, container, **options) or Page()

    def _is_new(self, container: str) -> bool:
        """True if nothing with the prefix was there at first: most folders are new."""
        if not self._prefix:
            return False
        with self._lock:
            if container not in self._was_empty:
                page = self._listed(container, self._prefix, limit=1)
                self._was_empty[container] = not page.rows and page.next is None
            return self._was_empty[container]

    def _at_once(self, calls: Iterable[Callable[[], object]]) -> None:
        """Makes calls in threads. Once it returns or raises, none of them runs any more."""
        begun = [self._pool.submit(call) for call in calls]
        try:
            for future in begun:
                future.result()
        except KeyboardInterrupt:
            self.stopped.set()
            raise
        finally:
            for future in begun:
                future.cancel()
            wait(begun)

    def _keep_alive(self, connection: Connection) -> None:
        """Must be called for each piece of a request's body. The answer comes after the last one."""
        if self.stopped.is_set():
            raise Interrupted(self.stop_reason)
        connection.wait_until(self._session.chunk_deadline())

    def _request(self, call: Callable[..., _T], *args: str, **options: Any) -> _T | None:
        """The result of ObjectSession.request, which is retried while patience lasts."""
        began = time.monotonic()
        pause = FIRST_PAUSE
        while not self.stopped.is_set():
            try:
                result = self._session.request(call, *args, **options)
                self.answered = time.monotonic()
                return result
            except SourceError as error:
                is_first_denial = error.reason == "denied" and self.answered < 0
                is_over = time.monotonic() + pause > began + self._effort.patience
                status = getattr(error.__cause__, "http_status", None)
                may_pass = error.is_outage or status in _MAY_PASS
                if is_first_denial or is_over or not may_pass:
                    raise
                self._note_retry(error)
            self.stopped.wait(pause * random.uniform(0.5, 1.5))  # noqa: S311 - no secret
            pause = min(2 * pause, LONGEST_PAUSE)
        raise Interrupted(self.stop_reason)

    def _note_retry(self, error: SourceError) -> None:
        """Says that requests are repeated, at most once in NOTE_PAUSE seconds."""
        now = time.monotonic()
        with self._note_lock:
            is_due = now > self._noted_at + NOTE_PAUSE
            if is_due:
                self._noted_at = now
        if is_due:
            self._effort.note(
                f"{sentence_of(error)}: trying again for {self._effort.patience:g} s at most"
            )


class SegmentReader:
    """A segment's bytes for HTTP libraries. keep_alive: called before each read."""

    def __init__(self, segment: Segment, keep_alive: Callable[[], None]) -> None:
        self._file = segment.file
        self._position = segment.start
        self._keep_alive = keep_alive

    def read(self, size: int) -> bytes:
        """The next bytes. Raises Changed if the file became shorter."""
        self._keep_alive()
        piece = os.pread(self._file.fileno(), size, self._position)
        if not piece:
            raise Changed
        self._position += len(piece)
        return piece


@contextmanager
def except_forbidden() -> Iterator[None]:
    """Context that ends quietly if a store answers that something is forbidden."""
    try:
        yield
    except SourceError as error:
        if error.reason != "forbidden":
            raise


def sentence_of(error: SourceError) -> str:
    """A failure, with the store's name."""
    return f"{'Swift' if error.source == SWIFT else error.source}: {error}"
