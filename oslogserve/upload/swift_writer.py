# SPDX-License-Identifier: Apache-2.0
"""Stores and replaces objects in Swift.

A payload with several segments becomes a static large object. A segment's name ends with its checksum,
so a stored segment is not sent again, and none is replaced while it is read.
"""

import json
import math
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Event, Lock
from typing import Any, TypeVar

from swiftclient import client as swift_api

from oslogserve.config import Config
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources.objects.listing import PAGE
from oslogserve.sources.objects.location import Location
from oslogserve.sources.swift import SOURCE
from oslogserve.sources.swift.session import SwiftSession
from oslogserve.upload.payload import Changed, Payload, Segment

#: Seconds before a request is repeated: first, and at most. Doubled in between.
FIRST_PAUSE = 0.25
LONGEST_PAUSE = 15.0
#: Seconds between two notes that requests are repeated.
NOTE_PAUSE = 60.0
#: Seconds by which a segment expires later than its object.
EXTRA_LIFE = 86400
#: Statuses below 500 that a retry may cure: a slow body, a conflict, too many requests.
_MAY_PASS = (408, 409, 429, 498, 499)
#: Headers of a container that the container of its segments gets too.
_INHERITED = ("x-container-read", "x-storage-policy")

_T = TypeVar("_T")


class Interrupted(Exception):
    """Raised by requests once `stopped` is set. Its text is the reason."""


@dataclass
class SwiftWriter:
    """Writes objects; for many threads. Requests raise SourceError and Interrupted."""

    config: Config
    #: Seconds after which objects expire; None for never.
    expire: float | None
    #: Segments that are sent at once.
    parallel: int
    #: Seconds for which a failed request is repeated.
    patience: float
    #: If given, the objects with this prefix are listed once, instead of a HEAD for each.
    prefix: str = ""
    #: Set it to end the uploads of all threads with Interrupted.
    stopped: Event = field(default_factory=Event)
    #: Why.
    stop_reason: str = "interrupted"
    #: Called with a sentence when requests begin to be repeated.
    note: Callable[[str], None] = lambda text: None
    #: When a request last succeeded, by time.monotonic().
    answered: float = -1.0

    def __post_init__(self) -> None:
        self._session = SwiftSession(self.config, Metrics())
        self._pool = ThreadPoolExecutor(self.parallel)
        self._lock = Lock()
        self._note_lock = Lock()
        self._noted_at = -math.inf
        self._containers: dict[str, Mapping[str, str]] = {}
        self._listings: dict[str, frozenset[str] | None] = {}

    def close(self) -> None:
        self._pool.shutdown()
        self._session.close()

    def head(self, location: Location) -> Mapping[str, str] | None:
        """An object's headers; None if there is no object or the user may not read it.

        With a prefix, an object that was not in the first listing counts as missing.
        """
        with _except_forbidden():
            listed = self._listed(location.container)
            if listed is None or location.name in listed:
                return self._request(swift_api.head_object, *location)
        return None

    def head_anew(self, location: Location) -> Mapping[str, str] | None:
        """An object's headers as they are now; None if there is no object."""
        return self._request(swift_api.head_object, *location)

    def replace(
        self, location: Location, found: Mapping[str, str] | None, payload: Payload
    ) -> None:
        """Stores a payload. Readers see it after the last request. Raises Changed.

        found: the headers of the object that it replaces; None for none.
        """
        if len(payload.segments) > 1:
            self._put_segments(location, payload)
            self.put_manifest(location, payload)
            self._delete_segments(location, payload.segments)
            return
        self._open_container(location.container)
        self._put_bytes(location, payload, payload.segments[0], self._headers(payload))
        if found and "x-static-large-object" in found:
            self._delete_segments(location, ())

    def put_segment(
        self, location: Location, payload: Payload, number: int, segment: Segment
    ) -> None:
        """Stores a segment of the future object at `location`, unless it is there."""
        at = _segment_location(location, number, segment)
        self._open_container(at.container, like=location.container)
        found = self.head(at)
        if found is None or found.get("etag") != segment.md5 or not self._lasts(found):
            self._put_bytes(at, payload, segment, self._headers(None))

    def put_manifest(self, location: Location, payload: Payload) -> None:
        """Stores the manifest that joins stored segments to one object."""
        self._open_container(location.container)
        manifest = [
            {
                "path": "/" + "/".join(_segment_location(location, number, segment)),
                "etag": segment.md5,
                "size_bytes": segment.size,
            }
            for number, segment in enumerate(payload.segments)
        ]
        contents, query = json.dumps(manifest), "multipart-manifest=put"
        self._put(location, lambda _: contents, self._headers(payload), query_string=query)

    def _open_container(self, container: str, like: str = "") -> Mapping[str, str]:
        """A container's headers. Creates a missing container, with the read rights of `like`."""
        model = self._open_container(like) if like else {}
        with self._lock:
            if container not in self._containers:
                found = None
                with _except_forbidden():  # an uploader may be allowed to write objects only
                    found = self._request(swift_api.head_container, container)
                    if found is None:
                        headers = {name: model[name] for name in _INHERITED if name in model}
                        self._request(swift_api.put_container, container, headers=headers)
                self._containers[container] = found or {}
            return self._containers[container]

    def _listed(self, container: str) -> frozenset[str] | None:
        """The first listing of names with the prefix; None without a prefix, or if too long."""
        if not self.prefix:
            return None
        with self._lock:
            if container not in self._listings:
                options = {"prefix": self.prefix, "limit": PAGE}
                page = self._request(swift_api.get_container, container, **options)
                names = frozenset(entry["name"] for entry in (page[1] if page else ()))
                self._listings[container] = names if len(names) < PAGE else None
            return self._listings[container]

    def _put_segments(self, location: Location, payload: Payload) -> None:
        """Stores all segments. Once it returns or raises, no thread reads the payload any more."""
        sent = [
            self._pool.submit(self.put_segment, location, payload, number, segment)
            for number, segment in enumerate(payload.segments)
        ]
        try:
            for future in sent:
                future.result()
        except KeyboardInterrupt:
            self.stopped.set()
            raise
        finally:
            for future in sent:
                future.cancel()
            wait(sent)

    def _delete_segments(self, location: Location, kept: Sequence[Segment]) -> None:
        """Deletes the other segments of earlier uploads to `location`."""
        kept_names = {_segment_location(location, *pair).name for pair in enumerate(kept)}
        container, prefix = _segments_of(location)
        listed = self._request(swift_api.get_container, container, prefix=prefix, delimiter="/")
        for entry in listed[1] if listed else ():
            if "name" in entry and entry["name"] not in kept_names:
                self._request(swift_api.delete_object, container, entry["name"])

    def _headers(self, payload: Payload | None) -> dict[str, str]:
        """The headers to store an object with. payload: None for a segment."""
        headers = {"Content-Type": payload.media_type if payload else "application/octet-stream"}
        if payload and payload.encoding:
            headers["Content-Encoding"] = payload.encoding
        if payload:
            headers |= payload.metadata
        if self.expire:
            headers["X-Delete-After"] = str(round(self.expire + (0 if payload else EXTRA_LIFE)))
        return headers

    def _lasts(self, found: Mapping[str, str]) -> bool:
        """True if a stored segment expires later than an object that is stored now."""
        until = found.get("x-delete-at")
        return until is None or (self.expire is not None and int(until) > time.time() + self.expire)

    def _put_bytes(
        self, location: Location, payload: Payload, segment: Segment, headers: dict[str, str]
    ) -> None:
        """Stores a segment's bytes. Raises Changed if they differ from its checksum."""
        contents = partial(_SegmentReader, payload.file, segment)
        self._put(location, contents, headers, content_length=segment.size, etag=segment.md5)

    def _put(
        self,
        location: Location,
        contents: Callable[[Callable[[], None]], Any],
        headers: dict[str, str],
        **options: Any,
    ) -> None:
        """contents: makes the request's body, which must call its argument for each piece."""

        def put(*where: str, headers: dict[str, str], http_conn: Any) -> str:
            def keep_alive() -> None:
                if self.stopped.is_set():
                    raise Interrupted(self.stop_reason)
                # The answer comes after the last byte, so each piece moves its deadline.
                http_conn[1].adapter.at = self._session.chunk_deadline()

            keep_alive()
            options["contents"] = contents(keep_alive)
            try:
                return str(
                    swift_api.put_object(*where, headers=headers, http_conn=http_conn, **options)
                )
            except swift_api.ClientException as error:
                if error.http_status == 422:
                    raise Changed from error
                raise

        if self._request(put, *location, headers=headers) is None:
            raise SourceError(SOURCE, "its container is gone")

    def _request(self, call: Callable[..., _T], *args: str, **options: Any) -> _T | None:
        """The result of SwiftSession.request, which is retried while patience lasts."""
        began = time.monotonic()
        pause = FIRST_PAUSE
        while not self.stopped.is_set():
            try:
                result = self._session.request(call, *args, **options)
                self.answered = time.monotonic()
                return result
            except SourceError as error:
                is_first_denial = error.reason == "denied" and self.answered < 0
                is_over = time.monotonic() + pause > began + self.patience
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
            self.note(f"Swift: {error}: trying again for {self.patience:g} s at most")


@contextmanager
def _except_forbidden() -> Iterator[None]:
    """Context that ends quietly if Swift answers that something is forbidden."""
    try:
        yield
    except SourceError as error:
        if error.reason != "forbidden":
            raise


class _SegmentReader:
    """A file of a segment's bytes for swiftclient. keep_alive: called before each read."""

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


def _segments_of(location: Location) -> Location:
    """The container of an object's segments, and the beginning of their names."""
    return Location(f"{location.container}_segments", f"{location.name}.segments/")


def _segment_location(location: Location, number: int, segment: Segment) -> Location:
    container, prefix = _segments_of(location)
    return Location(container, f"{prefix}{number:04}-{segment.md5}")
