# SPDX-License-Identifier: Apache-2.0
"""Stores and replaces objects in Swift.

A payload with several segments becomes a static large object. A segment's name ends with its checksum,
so a stored segment is not sent again, and none is replaced while it is read.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, BinaryIO

from swiftclient import client as swift_api

from oslogserve.config import Config
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources.objects.listing import PAGE
from oslogserve.sources.objects.location import Location
from oslogserve.sources.swift import SOURCE
from oslogserve.sources.swift.session import SwiftSession
from oslogserve.upload.growing import Growing, InSegments
from oslogserve.upload.payload import Changed, Found, Payload, Segment
from oslogserve.upload.writer import Effort, SegmentReader, Writer, except_forbidden

#: Seconds by which a segment expires later than its object.
EXTRA_LIFE = 86400
#: Headers of a container that the container of its segments gets too.
_INHERITED = ("x-container-read", "x-storage-policy")


class SwiftWriter(Writer):
    def __init__(
        self, config: Config, expire: float | None, effort: Effort, prefix: str = ""
    ) -> None:
        """expire: seconds after which objects expire; None for never. prefix: see Writer."""
        super().__init__(SOURCE, SwiftSession(config, Metrics()), effort, prefix)
        self._expire = expire
        self._containers: dict[str, Mapping[str, str]] = {}

    def head_anew(self, location: Location) -> Found | None:
        headers = self._request(swift_api.head_object, *location)
        if headers is None:
            return None
        return Found(headers, headers.get("etag", "").strip('"'))

    def console(self, location: Location, file: BinaryIO, seconds: float) -> Growing:
        return InSegments(self, location, file)

    def _names(self, container: str) -> frozenset[str] | None:
        options = {"prefix": self._prefix, "limit": PAGE}
        page = self._request(swift_api.get_container, container, **options)
        names = frozenset(entry["name"] for entry in (page[1] if page else ()))
        return names if len(names) < PAGE else None

    def replace(self, location: Location, found: Found | None, payload: Payload) -> None:
        if len(payload.segments) > 1:
            self._at_once(
                partial(self.put_segment, location, payload, number, segment)
                for number, segment in enumerate(payload.segments)
            )
            self.put_manifest(location, payload)
            self._delete_segments(location, payload.segments)
            return
        self._open_container(location.container)
        self._put_bytes(location, payload, payload.segments[0], self._headers(payload))
        if found and "x-static-large-object" in found.headers:
            self._delete_segments(location, ())

    def put_segment(
        self, location: Location, payload: Payload, number: int, segment: Segment
    ) -> None:
        """Stores a segment of the future object at `location`, unless it is there."""
        at = _segment_location(location, number, segment)
        self._open_container(at.container, like=location.container)
        found = self.head(at)
        if found is None or found.checksum != segment.md5 or not self._lasts(found.headers):
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
                with except_forbidden():  # an uploader may be allowed to write objects only
                    found = self._request(swift_api.head_container, container)
                    if found is None:
                        headers = {name: model[name] for name in _INHERITED if name in model}
                        self._request(swift_api.put_container, container, headers=headers)
                self._containers[container] = found or {}
            return self._containers[container]

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
        if self._expire:
            headers["X-Delete-After"] = str(round(self._expire + (0 if payload else EXTRA_LIFE)))
        return headers

    def _lasts(self, found: Mapping[str, str]) -> bool:
        """True if a stored segment expires later than an object that is stored now."""
        until = found.get("x-delete-at")
        return until is None or (
            self._expire is not None and int(until) > time.time() + self._expire
        )

    def _put_bytes(
        self, location: Location, payload: Payload, segment: Segment, headers: dict[str, str]
    ) -> None:
        """Stores a segment's bytes. Raises Changed if they differ from its checksum."""
        contents = partial(SegmentReader, payload.file, segment)
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
            options["contents"] = contents(self._keep_alive(http_conn))
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


def _segments_of(location: Location) -> Location:
    """The container of an object's segments, and the beginning of their names."""
    return Location(f"{location.container}_segments", f"{location.name}.segments/")


def _segment_location(location: Location, number: int, segment: Segment) -> Location:
    container, prefix = _segments_of(location)
    return Location(container, f"{prefix}{number:04}-{segment.md5}")
