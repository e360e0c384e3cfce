# SPDX-License-Identifier: Apache-2.0
"""Stores and replaces objects in Swift.

A payload with several segments becomes a static large object. A segment's name ends with its checksum,
so a stored segment is not sent again, and none is replaced while it is read.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import BinaryIO

from oslogserve.config import Config
from oslogserve.http import TEXT
from oslogserve.metrics import Metrics
from oslogserve.sources.objects.location import Location
from oslogserve.sources.objects.service import PAGE
from oslogserve.sources.swift import SwiftSession
from oslogserve.upload.payload import Payload, Segment, segment_of
from oslogserve.upload.writer import Effort, Writer, except_forbidden

#: Seconds by which a segment expires later than its object.
EXTRA_LIFE = 86400
#: Headers of a container that the container of its segments gets too.
_INHERITED = ("x-container-read", "x-storage-policy")
#: Bytes of the first segments of a console. The size doubles after each DOUBLED_AFTER segments, so that
#: 1000, Swift's limit, hold 800 GB.
SEGMENT = 8 * 2**20
DOUBLED_AFTER = 100


class SwiftWriter(Writer):
    _missing = "its container is gone"

    def __init__(
        self, config: Config, effort: Effort, expire: float | None, prefix: str = ""
    ) -> None:
        """expire: seconds after which objects expire; None for never. prefix: see Writer."""
        super().__init__(SwiftSession(config, Metrics()), effort, prefix)
        self._expire = expire
        self._containers: dict[str, Mapping[str, str]] = {}

    def replace(
        self, location: Location, found: Mapping[str, str] | None, payload: Payload
    ) -> None:
        if len(payload.segments) > 1:
            self._at_once(
                partial(self.put_segment, location, number, segment)
                for number, segment in enumerate(payload.segments)
            )
            self.put_manifest(location, payload)
            self._delete_segments(location, payload.segments)
            return
        self._open_container(location.container)
        self.put(location, payload.segments[0], self._described(payload) | self._expiry(0))
        if found and "x-static-large-object" in found:
            self._delete_segments(location, ())

    def put_segment(self, location: Location, number: int, segment: Segment) -> None:
        """Stores a segment of the future object at `location`, unless it is there."""
        at = _segment_location(location, number, segment)
        self._open_container(at.container, like=location.container)
        found = self.head(at)
        if found is None or self.checksum_of(found) != segment.md5 or not self._lasts(found):
            described = self._service.described("application/octet-stream", "", "")
            self.put(at, segment, described | self._expiry(EXTRA_LIFE))

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
        headers = self._described(payload) | self._expiry(0)
        query = {"multipart-manifest": "put"}
        self.put(location, json.dumps(manifest).encode(), headers, query)

    def console(self, location: Location, file: BinaryIO, seconds: float) -> Callable[[int], None]:
        """Full segments stay; the last one is sent again with new lines."""
        full: list[Segment] = []
        shown = 0

        def sent(start: int, size: int) -> Segment:
            segment = segment_of(file, start, size)
            self.put_segment(location, len(full), segment)
            return segment

        def renew(size: int) -> None:
            nonlocal shown
            if size == shown:
                return
            start = sum(segment.size for segment in full)
            while size - start >= segment_size(len(full)):
                full.append(sent(start, segment_size(len(full))))
                start += full[-1].size
            last = [sent(start, size - start)] if size > start else []
            self.put_manifest(location, Payload(TEXT, "", [*full, *last]))
            shown = size

        return renew

    def _open_container(self, container: str, like: str = "") -> Mapping[str, str]:
        """A container's headers. Creates a missing container, with the read rights of `like`."""
        model = self._open_container(like) if like else {}
        with self._lock:
            if container not in self._containers:
                found = None
                with except_forbidden():  # an uploader may be allowed to write objects only
                    found = self.head_anew(Location(container, ""))
                    if found is None:
                        headers = {name: model[name] for name in _INHERITED if name in model}
                        self.ask("PUT", Location(container, ""), headers=headers)
                self._containers[container] = found or {}
            return self._containers[container]

    def _delete_segments(self, location: Location, kept: Sequence[Segment]) -> None:
        """Deletes the other segments of earlier uploads to `location`."""
        kept_names = {_segment_location(location, *pair).name for pair in enumerate(kept)}
        container, prefix = _segments_of(location)
        for row in self._listed(container, prefix, limit=PAGE).rows:
            if row.size is not None and row.name not in kept_names:
                self.ask("DELETE", Location(container, row.name))

    def _expiry(self, later: float) -> dict[str, str]:
        return {"X-Delete-After": str(round(self._expire + later))} if self._expire else {}

    def _lasts(self, found: Mapping[str, str]) -> bool:
        """True if a stored segment expires later than an object that is stored now."""
        until = found.get("x-delete-at")
        return until is None or (
            self._expire is not None and int(until) > time.time() + self._expire
        )


def segment_size(number: int) -> int:
    """Bytes of a console's segment."""
    return SEGMENT << number // DOUBLED_AFTER


def _segments_of(location: Location) -> Location:
    """The container of an object's segments, and the beginning of their names."""
    return Location(f"{location.container}_segments", f"{location.name}.segments/")


def _segment_location(location: Location, number: int, segment: Segment) -> Location:
    container, prefix = _segments_of(location)
    return Location(container, f"{prefix}{number:04}-{segment.md5}")
