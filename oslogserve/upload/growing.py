# SPDX-License-Identifier: Apache-2.0
"""How a console that grows is renewed in a store, so that readers see whole states of it only."""

import time
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol

from oslogserve.http import TEXT
from oslogserve.sources.objects.location import Location
from oslogserve.upload.payload import Found, Payload, Segment, segment_of, segments_of

#: Bytes of the first segments. The size doubles after each DOUBLED_AFTER segments, so that 1000, Swift's
#: limit, hold 800 GB.
SEGMENT = 8 * 2**20
DOUBLED_AFTER = 100
#: Bytes up to which a whole console is sent at each renewal, as many as Swift's last segment has.
WHOLE = SEGMENT
#: Bytes of the parts of a larger one.
PART = 256 * 2**20


def segment_size(number: int) -> int:
    return SEGMENT << number // DOUBLED_AFTER


class Growing(Protocol):
    def renew(self, size: int) -> None:
        """Shows readers the first `size` bytes, if it is time. Raises SourceError, Interrupted, Changed."""


class SegmentWriter(Protocol):
    """A writer that joins stored segments to an object."""

    def put_segment(
        self, location: Location, payload: Payload, number: int, segment: Segment
    ) -> None: ...

    def put_manifest(self, location: Location, payload: Payload) -> None: ...


class WholeWriter(Protocol):
    def replace(self, location: Location, found: Found | None, payload: Payload) -> None: ...


@dataclass
class InSegments:
    """A large object. Full segments stay; the last one is sent again with new lines."""

    writer: SegmentWriter
    location: Location
    file: BinaryIO
    _full: list[Segment] = field(default_factory=list)
    _shown: int = 0

    def renew(self, size: int) -> None:
        if size == self._shown:
            return
        start = sum(segment.size for segment in self._full)
        while size - start >= segment_size(len(self._full)):
            self._full.append(self._sent(start, segment_size(len(self._full))))
            start += self._full[-1].size
        last = [self._sent(start, size - start)] if size > start else []
        self.writer.put_manifest(self.location, _payload(self.file, [*self._full, *last]))
        self._shown = size

    def _sent(self, start: int, size: int) -> Segment:
        segment = segment_of(self.file, start, size)
        payload = _payload(self.file, [segment])
        self.writer.put_segment(self.location, payload, len(self._full), segment)
        return segment


@dataclass
class AsAWhole:
    """An object that is sent again as a whole. The larger it is, the longer the pause until then.

    So a console of any size takes at most WHOLE bytes in `seconds`.
    """

    writer: WholeWriter
    location: Location
    file: BinaryIO
    #: Between two renewals of a small one.
    seconds: float
    _shown: int = 0
    _next_at: float = 0.0

    def renew(self, size: int) -> None:
        now = time.monotonic()
        if size == self._shown or (size > WHOLE and now < self._next_at):
            return
        self._next_at = now + self.seconds * size / WHOLE
        payload = _payload(self.file, segments_of(self.file, size, PART))
        self.writer.replace(self.location, None, payload)
        self._shown = size


def _payload(file: BinaryIO, segments: list[Segment]) -> Payload:
    return Payload(file, sum(segment.size for segment in segments), TEXT, "", segments)
