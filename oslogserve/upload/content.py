# SPDX-License-Identifier: Apache-2.0
"""The content that is stored of a file: bytes or a gzip of them, media type, checksums.

A file is read once for its checksums and once more while it is sent, so that Swift refuses bytes that
changed between. A file that never rests is stored as it once was, and reported.
"""

import os
import re
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import md5
from typing import BinaryIO, NamedTuple

from oslogserve.fastzlib import GZIP_WBITS
from oslogserve.http import TEXT
from oslogserve.logs.media_type import passed_through_as

#: Bytes that are read at once, and by which the gain of a gzip is judged.
PIECE = 256 * 1024
#: Bytes below which a gzip saves less than the work of inflating it costs.
SMALLEST_GZIP = 1024
#: A gzip pays where it has at most so much of the bytes.
GAIN = 0.9
#: Most segments of a large object by Swift's default, max_manifest_segments.
MOST_SEGMENTS = 1000
_COMPRESSIBLE = re.compile(r"text/|image/svg|application/(?:.*\+)?(?:json|xml|javascript)")


class Changed(Exception):
    """Raised where a file is not as it was when its checksums were taken."""


class Segment(NamedTuple):
    start: int
    size: int
    #: In hexadecimal digits.
    md5: str


@dataclass(frozen=True)
class Content:
    """Bytes to store. Whoever made it closes it; the file that it was made of stays open."""

    file: BinaryIO
    size: int
    media_type: str
    #: Content-Encoding, or "".
    encoding: str
    #: One for what is stored in one object.
    segments: list[Segment]

    def close(self) -> None:
        self.file.close()

    @property
    def etag(self) -> str:
        """The ETag that Swift gives the stored object."""
        if len(self.segments) == 1:
            return self.segments[0].md5
        joined = "".join(segment.md5 for segment in self.segments)
        return md5(joined.encode(), usedforsecurity=False).hexdigest()

    def is_stored_as(self, headers: Mapping[str, str]) -> bool:
        """True where these headers are of an object with this content."""
        return (
            headers.get("etag", "").strip('"') == self.etag
            and headers.get("content-type") == self.media_type
            and headers.get("content-encoding", "") == self.encoding
        )


def content_of(file: BinaryIO, size: int, name: str, segment_size: int, packs: bool) -> Content:
    """The content of the first `size` bytes of a file, which it reads. Raises Changed, OSError.

    name: of the file, which says its type. packs: whether a gzip is stored where it pays.
    """
    head = os.pread(file.fileno(), PIECE, 0)
    media_type = media_type_of(name, head)
    is_packed = packs and _pays(media_type, head[:size])
    stored = _gzip_of(file, size) if is_packed else os.fdopen(os.dup(file.fileno()), "rb")
    try:
        if is_packed:
            size = os.fstat(stored.fileno()).st_size
        segments = _segments(stored, size, segment_size)
    except BaseException:
        stored.close()
        raise
    return Content(stored, size, media_type, "gzip" if is_packed else "", segments)


def media_type_of(name: str, head: bytes) -> str:
    """The media type that the server sends for a name: TEXT for a log, gzip for any gzip."""
    if head.startswith(b"\x1f\x8b"):
        return "application/gzip"
    return passed_through_as(name, head, ()) or TEXT


def pieces_of(file: BinaryIO, start: int, size: int) -> Iterator[bytes]:
    """`size` bytes of a file from `start` on, in pieces. Raises Changed where the file ends before."""
    end = start + size
    while start < end:
        piece = os.pread(file.fileno(), min(PIECE, end - start), start)
        if not piece:
            raise Changed
        start += len(piece)
        yield piece


def segment_of(file: BinaryIO, start: int, size: int) -> Segment:
    checksum = md5(usedforsecurity=False)
    for piece in pieces_of(file, start, size):
        checksum.update(piece)
    return Segment(start, size, checksum.hexdigest())


def _segments(file: BinaryIO, size: int, segment_size: int) -> list[Segment]:
    segment_size = max(segment_size, -(-size // MOST_SEGMENTS))
    starts = range(0, size, segment_size) or [0]
    return [segment_of(file, start, min(segment_size, size - start)) for start in starts]


def _pays(media_type: str, head: bytes) -> bool:
    """True if gzip pays, judged by the beginning: the rest of a log is alike."""
    if len(head) < SMALLEST_GZIP or not _COMPRESSIBLE.match(media_type):
        return False
    return len(zlib.compress(head, 1)) <= GAIN * len(head)


def _gzip_of(file: BinaryIO, size: int) -> BinaryIO:
    """A temporary file with the gzip, without time and name: equal content gives equal bytes."""
    compressor = zlib.compressobj(6, zlib.DEFLATED, GZIP_WBITS)
    target = tempfile.TemporaryFile()  # noqa: SIM115 - whoever gets it closes it
    try:
        target.writelines(compressor.compress(piece) for piece in pieces_of(file, 0, size))
        target.write(compressor.flush())
        target.flush()
    except BaseException:
        target.close()
        raise
    return target
