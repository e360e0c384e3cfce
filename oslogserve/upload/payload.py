# SPDX-License-Identifier: Apache-2.0
"""The payload of a file: its bytes, plain or as gzip, with media type and checksums.

A file is read twice, for its checksums and to send it. The store refuses bytes that changed in between.
"""

import os
import re
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import md5
from typing import BinaryIO, NamedTuple

from oslogserve.compression import MEDIA_TYPES
from oslogserve.http import TEXT
from oslogserve.logs.decode import first_bytes
from oslogserve.logs.media_type import passed_through_as

#: Bytes that are read at once. The first piece decides whether gzip is used.
PIECE = 256 * 1024
#: Shorter text is not gzipped: inflating it costs more than its transfer.
SMALLEST_GZIP = 1024
#: Gzip is used if its size is at most this part of the text's.
GAIN = 0.9
#: Segments of a large object, by Swift's default (max_manifest_segments).
MOST_SEGMENTS = 1000
_COMPRESSIBLE = re.compile(r"text/|image/svg|application/(?:.*\+)?(?:json|xml|javascript)")


class Changed(Exception):
    """Raised if a file no longer fits its checksums."""

    def __init__(self) -> None:
        super().__init__("it is written to all the time")


class Segment(NamedTuple):
    """A part of a file, in bytes."""

    file: BinaryIO
    start: int
    size: int
    #: In hexadecimal digits.
    md5: str

    def check(self) -> None:
        """Raises Changed if the file does not have these bytes any more."""
        if segment_of(self.file, self.start, self.size) != self:
            raise Changed


@dataclass(frozen=True)
class Payload:
    media_type: str
    #: Content-Encoding, or "".
    encoding: str
    #: A single one for a normal object, several for a large object.
    segments: list[Segment]

    @property
    def etag(self) -> str:
        """The checksum of its segments, which is the ETag that Swift gives the stored object."""
        if len(self.segments) == 1:
            return self.segments[0].md5
        joined = "".join(segment.md5 for segment in self.segments)
        return md5(joined.encode(), usedforsecurity=False).hexdigest()

    @property
    def size(self) -> int:
        return sum(segment.size for segment in self.segments)

    def is_stored_as(self, found: Mapping[str, str], checksum: str) -> bool:
        """True if a stored object has the same bytes, type and encoding. found: its headers."""
        return (
            checksum == self.etag
            and found.get("content-type") == self.media_type
            and found.get("content-encoding", "") == self.encoding
        )


@contextmanager
def payload_of(
    file: BinaryIO, size: int, name: str, segment_size: int, may_gzip: bool
) -> Iterator[Payload]:
    """Context with the payload for the first `size` bytes of a file. Raises Changed, OSError.

    name: the file's, for the media type.
    """
    head = os.pread(file.fileno(), PIECE, 0)
    media_type = media_type_of(name, head)
    if not may_gzip or not _gzip_pays(media_type, head[:size]):
        yield Payload(media_type, "", segments_of(file, size, segment_size))
        return
    with tempfile.TemporaryFile() as packed:
        packed_size = write_gzip(packed, pieces_of(file, 0, size))
        segments = segments_of(packed, packed_size, segment_size)
        yield Payload(media_type, "gzip", segments)


def media_type_of(name: str, head: bytes) -> str:
    """The media type that the server sends: TEXT for a log, that of its compression for any compressed file."""
    first = first_bytes(head, size=PIECE)
    return MEDIA_TYPES.get(first.packing) or passed_through_as(name, first.text, ()) or TEXT


def is_compressible(media_type: str) -> bool:
    """True for text, and for formats that are written as text."""
    return _COMPRESSIBLE.match(media_type) is not None


def segment_of(file: BinaryIO, start: int, size: int) -> Segment:
    checksum = md5(usedforsecurity=False)
    for piece in pieces_of(file, start, size):
        checksum.update(piece)
    return Segment(file, start, size, checksum.hexdigest())


def pieces_of(file: BinaryIO, start: int, size: int) -> Iterator[bytes]:
    """`size` bytes of a file, from `start` on. Raises Changed if the file is shorter."""
    end = start + size
    while start < end:
        piece = os.pread(file.fileno(), min(PIECE, end - start), start)
        if not piece:
            raise Changed
        start += len(piece)
        yield piece


def segments_of(file: BinaryIO, size: int, segment_size: int) -> list[Segment]:
    segment_size = max(segment_size, -(-size // MOST_SEGMENTS))
    starts = range(0, size, segment_size) or [0]
    return [segment_of(file, start, min(segment_size, size - start)) for start in starts]


def _gzip_pays(media_type: str, head: bytes) -> bool:
    """True if gzip saves enough, judged by the first bytes."""
    if len(head) < SMALLEST_GZIP or not is_compressible(media_type):
        return False
    return len(zlib.compress(head, 1)) <= GAIN * len(head)


def write_gzip(target: BinaryIO, pieces: Iterable[bytes], is_whole: bool = True) -> int:
    """Writes the gzip of a text. Returns the gzip's size.

    is_whole: False for a gzip that ends early, so that its readers see that the text does.
    """
    # Without time and name in its header, so that equal text gives equal bytes.
    compressor = zlib.compressobj(6, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    target.writelines(compressor.compress(piece) for piece in pieces)
    target.write(compressor.flush(zlib.Z_FINISH if is_whole else zlib.Z_SYNC_FLUSH))
    target.flush()
    return target.tell()
