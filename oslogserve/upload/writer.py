# SPDX-License-Identifier: Apache-2.0
"""Writers: each stores and replaces the objects of a store. Here is what they have in common.

That is their contract with whoever uploads, and requests that are repeated while patience lasts.
"""

import math
import os
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Event, Lock
from typing import Any, BinaryIO, NamedTuple, TypeVar

from oslogserve.errors import SourceError
from oslogserve.sources.objects.location import Location
from oslogserve.sources.objects.session import ObjectSession
from oslogserve.sources.swift import SOURCE as SWIFT
from oslogserve.upload.growing import Growing
from oslogserve.upload.payload import Changed, Found, Payload, Segment

#: Seconds before a request is repeated: first, and at most. Doubled in between.
FIRST_PAUSE = 0.25
LONGEST_PAUSE = 15.0
#: Seconds between two notes that requests are repeated.
NOTE_PAUSE = 60.0
#: Statuses below 500 that a retry may cure: a slow body, a conflict, too many requests.
_MAY_PASS = (408, 409, 429, 498, 499)

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

    def __init__(self, source: str, session: ObjectSession, effort: Effort, prefix: str) -> None:
        """source: the store's name.

        prefix: if given, the objects with it are listed once, instead of a HEAD for each.
        """
        self.source = source
        #: Set it to end the uploads of all threads with Interrupted.
        self.stopped = Event()
        #: Why.
        self.stop_reason = "interrupted"
        #: When a request last succeeded, by time.monotonic().
        self.answered = -1.0
        self._session = session
        self._effort = effort
        self._prefix = prefix
        self._pool = ThreadPoolExecutor(effort.parallel)
        self._lock = Lock()
        self._note_lock = Lock()
        self._noted_at = -math.inf
        self._listings: dict[str, frozenset[str] | None] = {}

    @abstractmethod
    def head_anew(self, location: Location) -> Found | None:
        """An object as it is now; None if there is no object."""

    @abstractmethod
    def replace(self, location: Location, found: Found | None, payload: Payload) -> None:
        """Stores a payload. Readers see it after the last request. Raises Changed.

        found: the object that it replaces; None for none.
        """

    @abstractmethod
    def console(self, location: Location, file: BinaryIO, seconds: float) -> Growing:
        """The object in which readers see a console grow, which is renewed every so many seconds."""

    @abstractmethod
    def _names(self, container: str) -> frozenset[str] | None:
        """The names with the prefix; None if they are too many to be listed at once."""

    def close(self) -> None:
        self._pool.shutdown()
        self._session.close()

    def head(self, location: Location) -> Found | None:
        """An object; None if there is no object or the user may not read it.

        With a prefix, an object that was not in the first listing counts as missing.
        """
        with except_forbidden():
            listed = self._listed(location.container)
            if listed is None or location.name in listed:
                return self.head_anew(location)
        return None

    def _listed(self, container: str) -> frozenset[str] | None:
        """The first listing of names with the prefix; None without a prefix, or if too long."""
        if not self._prefix:
            return None
        with self._lock:
            if container not in self._listings:
                self._listings[container] = self._names(container)
            return self._listings[container]

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

    def _keep_alive(self, http_conn: Any) -> Callable[[], None]:
        """What a request's body must call for each piece. The answer comes after the last one."""

        def keep_alive() -> None:
            if self.stopped.is_set():
                raise Interrupted(self.stop_reason)
            http_conn[1].adapter.at = self._session.chunk_deadline()

        keep_alive()
        return keep_alive

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
    """A file of a segment's bytes for HTTP libraries. keep_alive: called before each read."""

    def __init__(self, file: Any, segment: Segment, keep_alive: Callable[[], None]) -> None:
        self._file = file
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
