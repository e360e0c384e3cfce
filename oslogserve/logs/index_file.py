# SPDX-License-Identifier: Apache-2.0
"""The index of one log, and its file."""

import json
import struct
import zlib
from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from oslogserve import native
from oslogserve.fastzlib import fast
from oslogserve.logs.decode import FirstBytes
from oslogserve.native import SEVERITIES

if TYPE_CHECKING:
    from oslogserve_core import Point

#: Identifies a file, with the version of its format.
_MAGIC = b"oslogserve-index 4\n"
#: The parts of a file, in their order. `summary`, `blocks` and `points` are compressed JSON: the summary of
#: Facts, blocks as the core has them, and points with the sizes of their windows, which follow one another
#: in `windows`. `words` and `ids` are those of the blocks, see Contents of the core, and `words` are compressed.
#: Both are empty until a search has read all blocks. `compact` is the JSON of a compact summary.
_PARTS = ("facts", "summary", "blocks", "points", "compact", "words", "ids", "windows")
#: Facts but the summary, in their order, and the log's compression. Its first bytes follow, compressed.
_FACTS = struct.Struct(">QQ?8s")
#: Bytes of a part, and its CRC-32.
_PART = struct.Struct(">II")
#: More bytes than a log's first ones.
_MOST_FIRST = 4096
#: Bytes of a file, of the JSON of a part, and of words. A file of 2,000 blocks has a tenth of that.
MOST_BYTES, MOST_JSON, MOST_WORDS = 64 * 1024 * 1024, 16 * 1024 * 1024, 8 * 1024 * 1024
#: ISA-L's level: it compresses JSON of many numbers as well as zlib's level 3.
_LEVEL = 2


class Facts(NamedTuple):
    """The facts of a whole log that its index has."""

    lines: int
    #: Bytes of its text.
    size: int
    #: True if the last line is complete.
    ends_a_line: bool
    #: The JSON of its summary, see `lines.summary.as_json`.
    summary: bytes


class LogIndex(NamedTuple):
    """The blocks of a log, and the points of its compression."""

    blocks: native.Index
    #: In order; empty for a log that is not compressed.
    points: "Sequence[Point]"
    file: "IndexFile"

    def point_before(self, at: int) -> "Point | None":
        """The last point with at most `at` bytes of text before it; None for the log's beginning."""
        place = bisect_right(self.points, at, key=lambda point: point["at"])
        return self.points[place - 1] if place else None

    def stored_end(self, at: int) -> int | None:
        """Stored bytes that surely have the text up to `at`; None for all."""
        place = bisect_right(self.points, at, key=lambda point: point["at"])
        return self.points[place]["stored"] if place < len(self.points) else None


def file_of(
    first: FirstBytes, facts: Facts, compact: bytes, blocks: bytes, points: "Sequence[Point]"
) -> bytes:
    """The file of an index. compact: the JSON of a compact summary. blocks: JSON of the core."""
    sized = [{**point, "window": len(point["window"])} for point in points]
    parts = (
        _FACTS.pack(*facts[:3], first.packing.encode()) + _packed(first.text),
        _packed(facts.summary),
        _packed(blocks),
        _packed(_json(sized)),
        _packed(compact),
        b"",
        b"",
        b"".join(point["window"] for point in points),
    )
    return _joined([(part, fast.crc32(part)) for part in parts])


class IndexFile:
    """The file of an index. What is read of it is checked then: all methods raise ValueError."""

    def __init__(self, content: bytes) -> None:
        """Raises ValueError if it is none, cut short or of another version."""
        if not content.startswith(_MAGIC):
            raise ValueError("it is no index of this version")
        at = len(_MAGIC) + len(_PARTS) * _PART.size
        table = content[len(_MAGIC) : at]
        if len(content) < at:
            raise ValueError("it is cut short")
        self._parts: dict[str, tuple[memoryview, int]] = {}
        for name, (size, checksum) in zip(_PARTS, _PART.iter_unpack(table), strict=True):
            self._parts[name] = memoryview(content)[at : at + size], checksum
            at += size
        if len(content) != at:
            raise ValueError("it is cut short")

    def facts(self, summary: str = "summary") -> Facts:
        lines, size, ends_a_line, _ = self._facts()
        return Facts(lines, size, ends_a_line, inflated(self._part(summary), MOST_JSON))

    def compact(self) -> Facts:
        """The facts with a compact summary, see `lines.summary.compact`."""
        return self.facts("compact")

    def first_bytes(self) -> FirstBytes:
        *_, packing = self._facts()
        text = inflated(self._part("facts")[_FACTS.size :], _MOST_FIRST)
        return FirstBytes(packing.rstrip(b"\0").decode(), text)

    def _facts(self) -> tuple[int, int, bool, bytes]:
        found: tuple[int, int, bool, bytes] = _FACTS.unpack_from(self._part("facts"))
        return found

    def index(self) -> LogIndex:
        lines, size, ends_a_line, _ = self._facts()
        document = inflated(self._part("blocks"), MOST_JSON)
        blocks = native.Index(document, ends_a_line, len(SEVERITIES))
        if blocks.size != (lines, size):
            raise ValueError("its blocks are of another log")
        windows = self._part("windows")
        points: list[Point] = json.loads(inflated(self._part("points"), MOST_JSON))
        at = 0
        for point in points:
            end = at + int(point["window"])
            point["window"] = bytes(windows[at:end])
            at = end
        return LogIndex(blocks, points, self)

    @property
    def has_contents(self) -> bool:
        """True if words and ids of the blocks are known."""
        return len(self._parts["words"][0]) > 0

    def with_contents(self, words: bytes, ids: bytes) -> bytes:
        """The file with words and ids of the blocks."""
        parts: dict[str, tuple[bytes | memoryview, int]] = {**self._parts}
        for name, part in (("words", _packed(words)), ("ids", ids)):
            parts[name] = part, fast.crc32(part)
        return _joined([parts[name] for name in _PARTS])

    def contents(self) -> tuple[bytes, bytes] | None:
        """Words and ids of the blocks; None if they are not known."""
        if not self.has_contents:
            return None
        return inflated(self._part("words"), MOST_WORDS), bytes(self._part("ids"))

    def _part(self, name: str) -> memoryview:
        part, checksum = self._parts[name]
        if fast.crc32(part) != checksum:
            raise ValueError("it is damaged")
        return part


def inflated(part: memoryview, most: int) -> bytes:
    """The bytes that zlib packed as `part`. Raises ValueError for more than `most`, or damaged ones."""
    decoder = zlib.decompressobj()
    try:
        document = decoder.decompress(part, most)
    except zlib.error:
        raise ValueError("it is damaged") from None
    if not decoder.eof:
        raise ValueError("it is too large")
    return document


def _joined(parts: Sequence[tuple[bytes | memoryview, int]]) -> bytes:
    """The file of parts with their checksums."""
    table = b"".join(_PART.pack(len(part), checksum) for part, checksum in parts)
    return b"".join((_MAGIC, table, *(part for part, _ in parts)))


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _packed(document: bytes) -> bytes:
    packed: bytes = fast.compress(document, _LEVEL)
    return packed
