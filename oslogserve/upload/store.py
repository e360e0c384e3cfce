# SPDX-License-Identifier: Apache-2.0
"""The store for uploads: looks up, stores and replaces objects in Swift.

What is larger than a segment becomes a static large object. Segments are named by their checksums, so
one that is there need not be sent again, and none is ever replaced under a reader. They expire a day
after the object.
"""

import json
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from threading import Event, Lock
from typing import Any, NamedTuple, TypeVar

from swiftclient import client as swift_api

from oslogserve.config import Config
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources.swift import Place
from oslogserve.sources.swift_listing import PAGE
from oslogserve.sources.swift_session import SOURCE, SwiftSession
from oslogserve.upload.content import Changed, Content, Segment

#: Seconds before a request is repeated; doubled up to the longest.
FIRST_PAUSE = 0.25
LONGEST_PAUSE = 15.0
#: Seconds by which a segment outlives its object.
LONGER = 86400
#: Statuses below 500 that pass: a body came too slowly, a conflict, too many requests.
_PASSING = (408, 409, 429, 498, 499)
#: Headers of a container that its segments' container needs too.
_INHERITED = ("x-container-read", "x-storage-policy")

_T = TypeVar("_T")


class Interrupted(Exception):
    """Raised where the upload was stopped."""

    def __init__(self) -> None:
        super().__init__("interrupted")


class StoreOptions(NamedTuple):
    #: Seconds that an object stays; None for ever.
    expire: float | None
    #: Segments that are sent at once.
    parallel: int
    #: Seconds for which a request that fails is repeated.
    patience: float
    #: What all names begin with where there are many: they are listed, not asked for one by one.
    prefix: str = ""


class Store:
    """A store for many threads. All methods that send requests raise SourceError and Interrupted."""

    def __init__(self, config: Config, options: StoreOptions) -> None:
        self._session = SwiftSession(config, Metrics())
        self._options = options
        self._stopped = Event()
        #: When a request last succeeded, by time.monotonic().
        self.answered = -1.0
        self._containers: dict[str, dict[str, str]] = {}
        self._containers_lock = Lock()
        self._listings: dict[str, frozenset[str] | None] = {}
        self._names_lock = Lock()
        self._pool = ThreadPoolExecutor(options.parallel)

    @property
    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def stop(self) -> None:
        """Ends uploads that are under way, also in other threads, by Interrupted."""
        self._stopped.set()

    def close(self) -> None:
        self._pool.shutdown()
        self._session.close()

    def open_container(self, container: str, like: str = "") -> dict[str, str]:
        """The container's headers. A missing one is created, with the rights of `like`."""
        given = self.open_container(like) if like else {}
        with self._containers_lock:
            if container not in self._containers:
                headers = {name: given[name] for name in _INHERITED if name in given}
                self._containers[container] = self._opened_container(container, headers)
            return self._containers[container]

    def _opened_container(self, container: str, headers: dict[str, str]) -> dict[str, str]:
        try:
            found = self._request(swift_api.head_container, container)
            if found is None:
                self._request(swift_api.put_container, container, headers=headers)
        except SourceError as error:
            if error.reason != "forbidden":  # whoever may write logs need not be allowed to see it
                raise
            found = None
        return found or {}

    def head(self, place: Place) -> Mapping[str, str] | None:
        """An object's headers; None where there is no object, or where the user may not read it.

        What the container did not list when it was first asked is taken for missing: one that is
        there all the same is stored once more.
        """
        try:
            listed = self._names(place.container)
            if listed is not None and place.name not in listed:
                return None
            return self._request(swift_api.head_object, *place)
        except SourceError as error:
            if error.reason != "forbidden":
                raise
            return None

    def _names(self, container: str) -> frozenset[str] | None:
        """Names that begin with the prefix, as first listed; None for more than Swift lists."""
        prefix = self._options.prefix
        if not prefix:
            return None
        with self._names_lock:
            if container not in self._listings:
                page = self._request(swift_api.get_container, container, prefix=prefix, limit=PAGE)
                names = frozenset(row["name"] for row in (page[1] if page else ()))
                self._listings[container] = names if len(names) < PAGE else None
            return self._listings[container]

    def replace(self, place: Place, found: Mapping[str, str] | None, content: Content) -> None:
        """Stores the content, all of it by one request at the end. Raises Changed.

        found: the headers of what is there.
        """
        if len(content.segments) == 1:
            self.open_container(place.container)
            self._put(partial(_put_segment, content, content.segments[0]), place, content)
            if found and "x-static-large-object" in found:
                self._delete_segments(place, ())
            return
        self._put_segments(place, content)
        self.put_manifest(place, content)
        self._delete_segments(place, content.segments)

    def _put_segments(self, place: Place, content: Content) -> None:
        """Stores all segments. When it returns or raises, nothing reads the content any more."""
        sent = [
            self._pool.submit(self.put_segment, place, content, number, segment)
            for number, segment in enumerate(content.segments)
        ]
        try:
            for segment in sent:
                segment.result()
        except KeyboardInterrupt:
            self.stop()
            raise
        finally:
            for segment in sent:
                segment.cancel()
            wait(sent)

    def put_segment(self, place: Place, content: Content, number: int, segment: Segment) -> None:
        """Stores a segment of the object that will be at `place`, unless it is there."""
        at = _segment_place(place, number, segment)
        self.open_container(at.container, like=place.container)
        found = self.head(at)
        if found is None or found.get("etag") != segment.md5 or not self._stays(found):
            self._put(partial(_put_segment, content, segment), at, None)

    def put_manifest(self, place: Place, content: Content) -> None:
        """Stores the manifest that makes one object of stored segments."""
        self.open_container(place.container)
        rows = [
            {
                "path": "/" + "/".join(_segment_place(place, number, segment)),
                "etag": segment.md5,
                "size_bytes": segment.size,
            }
            for number, segment in enumerate(content.segments)
        ]
        self._put(partial(_put_manifest, json.dumps(rows)), place, content)

    def _delete_segments(self, place: Place, but: Sequence[Segment]) -> None:
        """Deletes segments of what was at `place`, and of an interrupted upload, `but` those."""
        kept = {_segment_place(place, *pair).name for pair in enumerate(but)}
        container, prefix = _segments_of(place)
        listed = self._request(swift_api.get_container, container, prefix=prefix, delimiter="/")
        names = [row["name"] for row in (listed[1] if listed else ()) if "name" in row]
        for name in names:
            if name not in kept:
                self._request(swift_api.delete_object, container, name)

    def _put(self, put: Callable[..., str], at: Place, content: Content | None) -> None:
        """content: None for a segment, which says nothing of what it is part of."""
        expire = self._options.expire
        headers = {"Content-Type": content.media_type if content else "application/octet-stream"}
        if content and content.encoding:
            headers["Content-Encoding"] = content.encoding
        if expire:
            headers["X-Delete-After"] = str(round(expire + (0 if content else LONGER)))
        alive = partial(_keep_alive, self._session, self._stopped)
        if self._request(partial(put, alive), *at, headers=headers) is None:
            raise SourceError(SOURCE, "its container is gone")

    def _stays(self, found: Mapping[str, str]) -> bool:
        """True for a segment that lasts as long as an object that is made of it now."""
        until, expire = found.get("x-delete-at"), self._options.expire
        return until is None or (expire is not None and int(until) > time.time() + expire)

    def _request(self, call: Callable[..., _T], *args: str, **options: Any) -> _T | None:
        """The session's request, repeated where that can help until the patience is over."""
        began = time.monotonic()
        pause = FIRST_PAUSE
        while not self.is_stopped:
            try:
                result = self._session.request(call, *args, **options)
                self.answered = time.monotonic()
                return result
            except SourceError as error:
                is_first_denial = error.reason == "denied" and self.answered < 0
                is_over = time.monotonic() + pause > began + self._options.patience
                if is_first_denial or is_over or not _may_pass(error):
                    raise
            self._stopped.wait(pause * random.uniform(0.5, 1.5))  # noqa: S311 - no secret
            pause = min(2 * pause, LONGEST_PAUSE)
        raise Interrupted


class _Body:
    """Reader of a segment, as swiftclient takes it."""

    def __init__(self, content: Content, segment: Segment, keep_alive: Callable[[], None]) -> None:
        self._file = content.file
        self._position = segment.start
        self._keep_alive = keep_alive

    def read(self, size: int) -> bytes:
        """The next bytes. Raises Changed where the file has become shorter."""
        self._keep_alive()
        piece = os.pread(self._file.fileno(), size, self._position)
        if not piece:
            raise Changed
        self._position += len(piece)
        return piece


def _keep_alive(session: SwiftSession, stopped: Event, connection: Any) -> None:
    """Moves the deadline of an answer: it comes behind the last byte of what is sent."""
    if stopped.is_set():
        raise Interrupted
    connection.adapter.at = session.chunk_deadline()


def _put_segment(
    content: Content,
    segment: Segment,
    keep_alive: Callable[[Any], None],
    *place: str,
    headers: dict[str, str],
    http_conn: Any,
) -> str:
    """Raises Changed where the bytes are not those of the segment's checksum."""
    body = _Body(content, segment, partial(keep_alive, http_conn[1]))
    put = partial(swift_api.put_object, contents=body, content_length=segment.size)
    try:
        return str(put(*place, etag=segment.md5, headers=headers, http_conn=http_conn))
    except swift_api.ClientException as error:
        if error.http_status == 422:
            raise Changed from error
        raise


def _put_manifest(
    manifest: str,
    keep_alive: Callable[[Any], None],
    *place: str,
    headers: dict[str, str],
    http_conn: Any,
) -> str:
    keep_alive(http_conn[1])
    query = "multipart-manifest=put"
    put = partial(swift_api.put_object, contents=manifest, query_string=query)
    return str(put(*place, headers=headers, http_conn=http_conn))


def _segments_of(place: Place) -> Place:
    """The container of an object's segments, and the beginning of their names."""
    return Place(f"{place.container}_segments", f"{place.name}.segments/")


def _segment_place(place: Place, number: int, segment: Segment) -> Place:
    container, prefix = _segments_of(place)
    return Place(container, f"{prefix}{number:04}-{segment.md5}")


def _may_pass(error: SourceError) -> bool:
    return error.is_outage or getattr(error.__cause__, "http_status", None) in _PASSING
