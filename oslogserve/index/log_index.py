# SPDX-License-Identifier: Apache-2.0
"""The index of one log, and its file: JSON of the log's blocks, their words and ids, and windows of its compression."""

import json
import struct
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from oslogserve.bounded_json import parsed
from oslogserve.fastzlib import fast

if TYPE_CHECKING:
    from oslogserve_core import Block, Collected, Point

#: Identifies a file, with the version of its format.
_MAGIC = b"oslogserve-index 2\n"
#: CRC-32 of all that follows; bytes of the compressed JSON, of the compressed words and of the ids.
_CHECKSUM, _SIZES = struct.Struct(">I"), struct.Struct(">III")
#: Bytes of a file, of its JSON and of its words. A file of 2,000 blocks has a tenth of that.
MOST_BYTES, MOST_JSON, MOST_WORDS = 64 * 1024 * 1024, 16 * 1024 * 1024, 8 * 1024 * 1024
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
    #: Words of the blocks, compressed, and their ids, see Collected.
    packed_words: bytes
    ids: bytes

    @classmethod
    def of_found(
        cls,
        found: "Collected",
        ends_a_line: bool,
        packing: str,
        points: "Sequence[Point]",
        summary: bytes,
    ) -> "LogIndex":
        """The index of a log that was read."""
        words = fast.compress(found["words"], _LEVEL)
        return cls(found["blocks"], ends_a_line, packing, points, summary, words, found["ids"])

    @property
    def words(self) -> bytes:
        """Raises ValueError if they are too large."""
        return _inflated(self.packed_words, MOST_WORDS)

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
        words, ids = members.pop("packed_words"), members.pop("ids")
        packed = fast.compress(json.dumps(members, separators=(",", ":")).encode(), _LEVEL)
        sizes = _SIZES.pack(len(packed), len(words), len(ids))
        content = b"".join((sizes, packed, words, ids, windows))
        return b"".join((_MAGIC, _CHECKSUM.pack(zlib.crc32(content)), content))

    @classmethod
    def of_file(cls, file: bytes) -> "LogIndex":
        """The index of a file. Raises ValueError if it is none, damaged or of another version."""
        if not file.startswith(_MAGIC):
            raise ValueError("it is no index of this version")
        content = memoryview(file)[len(_MAGIC) + _CHECKSUM.size :]
        if len(content) < _SIZES.size:
            raise ValueError("it is cut short")
        if _CHECKSUM.unpack_from(file, len(_MAGIC)) != (zlib.crc32(content),):
            raise ValueError("it is damaged")
        packed, words, ids, windows = _parts(content[_SIZES.size :], _SIZES.unpack_from(content))
        try:
            members = parsed(_inflated(packed, MOST_JSON), _MOST_TOKENS)
            return cls._of_members({**members, "packed_words": words, "ids": ids}, windows)
        except (TypeError, KeyError):
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


def _parts(content: memoryview, sizes: Sequence[int]) -> Iterator[bytes]:
    """Yields parts of these sizes, and the rest."""
    for size in sizes:
        yield bytes(content[:size])
        content = content[size:]
    yield bytes(content)


def _inflated(packed: bytes, most: int) -> bytes:
    decoder = zlib.decompressobj()
    try:
        text = decoder.decompress(packed, most)
    except zlib.error:
        raise ValueError("it is damaged") from None
    if not decoder.eof:
        raise ValueError("it is too large")
    return text
