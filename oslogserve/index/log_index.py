# SPDX-License-Identifier: Apache-2.0
"""The index of one log, and its file: JSON of the log's blocks, and windows of its compression."""

import json
import struct
import zlib
from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from oslogserve.bounded_json import parsed
from oslogserve.fastzlib import fast

if TYPE_CHECKING:
    from oslogserve_core import Block, Point

#: Identifies a file, with the version of its format.
_MAGIC = b"oslogserve-index 1\n"
#: Bytes of the compressed JSON, its CRC-32, and that of the windows.
_SIZES = struct.Struct(">III")
#: Bytes of a file, and of its JSON. A file of 2,000 blocks has a tenth of that.
MOST_BYTES, MOST_JSON = 64 * 1024 * 1024, 16 * 1024 * 1024
_MOST_TOKENS = 1_000_000
#: ISA-L's level: it compresses JSON of many numbers as well as zlib's level 3.
_LEVEL = 2


class LogIndex(NamedTuple):
    """What is known of a log that was read to its end."""

    #: In order, see core/src/index.rs.
    blocks: "Sequence[Block]"
    #: True if the last line is complete.
    ends_a_line: bool
    #: How the log is compressed, see `logs.decode.packed_as`; "" for not at all.
    packing: str
    #: In order; empty for a log that is not compressed.
    points: "Sequence[Point]"
    #: The JSON of its summary, see `lines.summary.as_json`.
    summary: bytes

    @property
    def lines(self) -> int:
        last = self.blocks[-1]
        return last["line"] + last["lines"] - 1

    @property
    def size(self) -> int:
        """Bytes of the text."""
        last = self.blocks[-1]
        return last["at"] + last["size"]

    def place_of(self, at: int) -> int:
        """The place of the block that has the byte `at` of the text."""
        return max(0, bisect_right(self.blocks, at, key=lambda block: block["at"]) - 1)

    def point_before(self, at: int) -> "Point | None":
        """The last point with at most `at` bytes of text before it; None for the log's beginning."""
        place = bisect_right(self.points, at, key=lambda point: point["at"])
        return self.points[place - 1] if place else None

    def stored_end(self, at: int) -> int | None:
        """Stored bytes that surely have the text up to `at`; None for all."""
        place = bisect_right(self.points, at, key=lambda point: point["at"])
        return self.points[place]["stored"] if place < len(self.points) else None

    def as_file(self) -> bytes:
        windows = b"".join(point["window"] for point in self.points)
        points = [{**point, "window": len(point["window"])} for point in self.points]
        members = {**self._asdict(), "points": points, "summary": self.summary.decode()}
        packed = fast.compress(json.dumps(members, separators=(",", ":")).encode(), _LEVEL)
        sizes = _SIZES.pack(len(packed), zlib.crc32(packed), zlib.crc32(windows))
        return b"".join((_MAGIC, sizes, packed, windows))

    @classmethod
    def of_file(cls, file: bytes) -> "LogIndex":
        """The index of a file. Raises ValueError if it is none, damaged or of another version."""
        if not file.startswith(_MAGIC):
            raise ValueError("it is no index of this version")
        begin = len(_MAGIC) + _SIZES.size
        try:
            size, checksum, of_windows = _SIZES.unpack_from(file, len(_MAGIC))
        except struct.error:
            raise ValueError("it is cut short") from None
        packed, windows = file[begin : begin + size], file[begin + size :]
        if (zlib.crc32(packed), zlib.crc32(windows)) != (checksum, of_windows):
            raise ValueError("it is damaged")
        try:
            return cls._of_members(parsed(_inflated(packed), _MOST_TOKENS), windows)
        except (TypeError, KeyError, zlib.error):
            raise ValueError("its members are wrong") from None

    @classmethod
    def _of_members(cls, members: dict[str, Any], windows: bytes) -> "LogIndex":
        points: list[Point] = []
        at = 0
        for point in members["points"]:
            end = at + int(point["window"])
            point["window"] = windows[at:end]
            points.append(point)
            at = end
        if not members["blocks"]:
            raise ValueError("it has no blocks")
        return cls(**{**members, "points": points, "summary": members["summary"].encode()})


def _inflated(packed: bytes) -> bytes:
    decoder = zlib.decompressobj()
    document = decoder.decompress(packed, MOST_JSON)
    if not decoder.eof:
        raise ValueError("it is too large")
    return document
