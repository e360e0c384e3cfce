# SPDX-License-Identifier: Apache-2.0
"""The index of one log, and its file.

A file has these parts, in this order: facts (lines, bytes of the text, whether the last line is complete, the
compression, the log's first bytes); the summary and the compact summary, JSON that whoever reads lines makes; the
blocks, JSON of the core; the points of the log's compression, with the sizes of their windows; words and ids of the
blocks, see Contents of the core, empty until a search has read all blocks; and the windows. Before them are their
sizes and a checksum of all. Ids, windows and facts but the first bytes are as they are, all else is compressed.
"""

import json
import struct
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from oslogserve import native
from oslogserve.fastzlib import fast
from oslogserve.logs.decode import FirstBytes
from oslogserve.native import SEVERITIES

if TYPE_CHECKING:
    from oslogserve_core import Point

#: Identifies a file, with the version of its format.
_MAGIC = b"oslogserve-index 5\n"
_PARTS = ("facts", "summary", "compact", "blocks", "points", "words", "ids", "windows")
#: The checksum of what follows, a CRC-32, and the sizes of the parts.
_HEAD = struct.Struct(f">I{len(_PARTS)}I")
_FACTS = struct.Struct(">QQ?8s")
#: Bytes of a file. One of 2,000 blocks has a tenth of that.
MOST_BYTES = 64 * 1024 * 1024
#: ISA-L's level: it compresses JSON of many numbers as well as zlib's level 3.
_LEVEL = 2


class LogIndex:
    """The index of one log. What is known of its blocks is read when it is asked for."""

    def __init__(self, content: bytes) -> None:
        """content: of its file. Raises ValueError if it is none, of another version, or damaged."""
        if not content.startswith(_MAGIC):
            raise ValueError("it is no index of this version")
        self._parts: dict[str, memoryview] = {}
        begin = at = len(_MAGIC) + _HEAD.size
        if len(content) < begin:
            raise ValueError("it is cut short")
        checksum, *sizes = _HEAD.unpack_from(content, len(_MAGIC))
        for name, size in zip(_PARTS, sizes, strict=True):
            self._parts[name] = memoryview(content)[at : at + size]
            at += size
        if len(content) != at:
            raise ValueError("it is cut short")
        if fast.crc32(memoryview(content)[begin - 4 * len(_PARTS) :]) != checksum:
            raise ValueError("it is damaged")
        #: Lines, and bytes of text; true if the last line is complete.
        self.lines, self.size, self.ends_a_line, packing = _FACTS.unpack_from(self._parts["facts"])
        first = fast.decompress(self._parts["facts"][_FACTS.size :])
        self.first_bytes = FirstBytes(packing.rstrip(b"\0").decode(), first)

    @property
    def summary(self) -> bytes:
        return self._inflated("summary")

    @property
    def compact(self) -> bytes:
        """The compact summary, which is decoded in a third of the time."""
        return self._inflated("compact")

    @cached_property
    def blocks(self) -> native.Index:
        """Raises ValueError for what cannot be true of a log."""
        return native.Index(self._inflated("blocks"), self.ends_a_line, len(SEVERITIES))

    @cached_property
    def points(self) -> "Sequence[Point]":
        """In order; empty for a log that is not compressed."""
        points: list[Point] = json.loads(self._inflated("points"))
        at = 0
        for point in points:
            end = at + int(point["window"])
            point["window"] = bytes(self._parts["windows"][at:end])
            at = end
        return points

    @property
    def has_contents(self) -> bool:
        """True if words and ids of the blocks are known."""
        return len(self._parts["words"]) > 0

    @property
    def contents(self) -> tuple[bytes, bytes]:
        """Words and ids of the blocks."""
        return self._inflated("words"), bytes(self._parts["ids"])

    def with_contents(self, words: bytes, ids: bytes) -> bytes:
        """The file with words and ids of the blocks."""
        return _file({**self._parts, "words": fast.compress(words, _LEVEL), "ids": ids})

    def points_around(self, at: int) -> "tuple[Point | None, Point | None]":
        """The last point with at most `at` bytes of text before it, and the next one; None where there is none."""
        place = bisect_right(self.points, at, key=lambda point: point["at"])
        last = self.points[place - 1] if place else None
        return last, self.points[place] if place < len(self.points) else None

    def _inflated(self, name: str) -> bytes:
        part: bytes = fast.decompress(self._parts[name])
        return part


def file_of(
    first: FirstBytes,
    lines: int,
    size: int,
    ends_a_line: bool,
    *,
    summary: bytes,
    compact: bytes,
    blocks: bytes,
    points: "Sequence[Point]" = (),
) -> bytes:
    """The file of an index; see LogIndex for the arguments. blocks: JSON of the core."""
    sized = [{**point, "window": len(point["window"])} for point in points]
    packed = {
        "summary": summary,
        "compact": compact,
        "blocks": blocks,
        "points": json.dumps(sized, separators=(",", ":")).encode(),
    }
    facts = _FACTS.pack(lines, size, ends_a_line, first.packing.encode())
    return _file(
        {
            "facts": facts + fast.compress(first.text, _LEVEL),
            **{name: fast.compress(part, _LEVEL) for name, part in packed.items()},
            "words": b"",
            "ids": b"",
            "windows": b"".join(point["window"] for point in points),
        }
    )


def _file(parts: dict[str, Any]) -> bytes:
    """parts: bytes or views of them, by name."""
    sizes = struct.pack(f">{len(_PARTS)}I", *(len(parts[name]) for name in _PARTS))
    rest = b"".join([sizes, *(parts[name] for name in _PARTS)])
    return b"".join((_MAGIC, struct.pack(">I", fast.crc32(rest)), rest))
