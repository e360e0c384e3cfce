# SPDX-License-Identifier: Apache-2.0
"""The indexes of logs, and words of logs that others are compared with, for certain rules.

They are in a directory that all workers share: an LRU cache of files, bounded by their bytes.

An index belongs to a version of stored bytes, and not to a path: its key has the source, the version, size, encoding
and second of change. So two names of one file share it, and so do objects with the same text whose ETag is a digest of
it. That is right because the server alone writes indexes, each from the very bytes of that version, and because nothing
in it depends on a name. Who wants two texts to share one must make both: two objects with one MD5, or a file that is
rewritten with its old size and time. Both logs are then of the same job, which could have written anything into them.
An ETag that is no digest must tell objects apart by itself: Azure's is a time in steps of 100 ns.

A log that grows has an index for each version that somebody asked the summary of. Its path leads to the last of them.

The file of an index has these parts, in this order: facts (lines, bytes of the text, whether the last line is
complete, the compression and its time, the log's first bytes); the summary and the compact summary, JSON that whoever
reads lines makes; the blocks, JSON of the core; the points of the log's compression, with the sizes of their windows;
words and ids of the blocks, see Contents of the core, empty until a search has read all blocks; and the windows. Before
them are their sizes and a checksum of all. Ids, windows and facts but the first bytes are as they are, all else is
compressed.
"""

import json
import os
import struct
import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile, gettempprefix
from typing import TYPE_CHECKING, Any, TypeVar

from oslogserve import native
from oslogserve.compression import fast
from oslogserve.logs.decode import FirstBytes
from oslogserve.metrics import Metrics
from oslogserve.native import SEVERITIES, LogWords
from oslogserve.sources import Stored
from oslogserve.text import log_message, size_shown

if TYPE_CHECKING:
    from oslogserve_core import Point

#: Identifies a file, with the version of its format.
_MAGIC = b"oslogserve-index 6\n"
_PARTS = ("facts", "summary", "compact", "blocks", "points", "words", "ids", "windows")
#: The checksum of what follows, a CRC-32, and the sizes of the parts.
_HEAD = struct.Struct(f">I{len(_PARTS)}I")
_FACTS = struct.Struct(">QQ?8sI")
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
        facts = _FACTS.unpack_from(self._parts["facts"])
        self.lines, self.size, self.ends_a_line, packing, packed_at = facts
        first = fast.decompress(self._parts["facts"][_FACTS.size :])
        packing = packing.rstrip(b"\0").decode()
        self.first_bytes = FirstBytes(packing, first, packed_at=packed_at)

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
    facts = _FACTS.pack(lines, size, ends_a_line, first.packing.encode(), first.packed_at)
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


_T = TypeVar("_T")

#: The end of an index's name.
_SUFFIX = ".index"
#: The share of the allowed bytes, and the seconds, between two looks at the whole directory. To look at
#: 100,000 indexes takes a fraction of a second.
_SHARE_UNSEEN, _SECONDS_UNSEEN = 0.05, 300
#: The share of the allowed bytes that eviction leaves.
_SHARE_LEFT = 0.9
#: Seconds after which an unfinished file is of a process that was killed.
_MOST_UNFINISHED = 3600
#: Seconds after which a use is noted anew.
_NOTED = 60
#: Seconds after a failed write until the next one is tried. Each writes a whole index.
_PAUSE = 60
#: Seconds without a change after which a log is not expected to grow.
_GROWS = 3600
#: Identifies a file of words, with the version of its format. The checksum and the packed words follow.
_WORDS = b"oslogserve-words 1\n"
_CHECKSUM = struct.Struct(">I")
#: The least ratio of a log's stored bytes to those of its words. To read a smaller log again is cheaper than
#: their place in the directory.
_LEAST_RATIO = 8


def usage_of(path: str, most: int) -> str:
    """A sentence on how full a directory is. most: bytes that it may have. Raises OSError."""
    if not path:
        return "no directory of indexes is configured"
    try:
        with os.scandir(path) as entries:
            sizes = [entry.stat().st_size for entry in entries if entry.name.endswith(_SUFFIX)]
    except FileNotFoundError:
        return f"the directory of indexes, {path}, is not there yet"
    share = 100 * sum(sizes) / most
    found = f"{len(sizes)} indexes of {size_shown(sum(sizes))}, {share:.0f} % of [index] size"
    is_writable = os.access(path, os.W_OK | os.X_OK)
    return f"the directory of indexes, {path}, {'has' if is_writable else 'is read-only, with'} {found}"


class Indexes:
    """For many threads. An outage, in which nothing can be written, is told once."""

    def __init__(
        self,
        salt: str,
        metrics: Metrics,
        path: str = "",
        most: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """salt: version and rules, part of every key. path: of the directory; "" for none. most: bytes of
        all files together. clock: seconds."""
        self.metrics = metrics
        #: False if there is no directory.
        self.are_there = bool(path)
        self._salt = salt
        self._path = Path(path)
        self._most = most
        self._clock = clock
        #: Bytes that were written since the last look at the directory, and when that was.
        self._unseen, self._looked = most, clock()
        #: When a write failed, if none has succeeded since.
        self._failed: float | None = None

    @property
    def keeps(self) -> bool:
        """True if an index that was made is kept; not for a while after a failed write."""
        has_failed = self._failed is not None and self._clock() - self._failed < _PAUSE
        return self.are_there and not has_failed

    def find(self, stored: Stored) -> LogIndex | None:
        """The index of a log; None if there is none. A damaged one is removed."""
        return self._read(self._key(stored), LogIndex)

    def before(self, stored: Stored, path: bytes) -> LogIndex | None:
        """The last index that was kept for the path: of the log before it grew, or of another one."""
        last = self._read(self._last(stored, path), lambda content: Stored(*json.loads(content)))
        return self.find(last) if last else None

    def keep(self, stored: Stored, content: bytes, path: bytes = b"") -> None:
        """content: the file of an index. path: of a log that may grow, see before()."""
        if self._put(self._key(stored), content):
            self.metrics["indexes_made_total"].inc()
            if path and time.time() - stored.modified < _GROWS:
                self._put(self._last(stored, path), json.dumps(stored).encode())

    def refuse(self, stored: Stored, reason: str, why: str) -> None:
        """Gives up the index of a log. reason: a metric label, see doc/indexes.rst."""
        self._refuse(self._key(stored), reason, why)

    def words(self, stored: Stored) -> LogWords | None:
        """The words of a log that others are compared with; None if they are not kept."""
        return self._read(f"words {self._key(stored)}", _words_in)

    def keep_words(self, stored: Stored, words: bytes) -> None:
        """words: a list of the core; empty for none. They are kept if they are few for such a log."""
        packed = fast.compress(words, _LEVEL) if self.keeps and words else b""
        if packed and _LEAST_RATIO * len(packed) <= (stored.size or 0):
            content = b"".join((_WORDS, _CHECKSUM.pack(fast.crc32(packed)), packed))
            self._put(f"words {self._key(stored)}", content)

    def _last(self, stored: Stored, path: bytes) -> str:
        return f"last {self._salt} {stored.source} {path!r}"

    def _key(self, stored: Stored) -> str:
        """Whatever an index depends on."""
        what = (stored.source, stored.version, stored.size, stored.encoding, int(stored.modified))
        return f"{self._salt} {what}"

    def _read(self, key: str, understood: Callable[[bytes], _T]) -> _T | None:
        """What is kept under the key; None if there is none. It is removed if `understood` raises ValueError."""
        if not self.are_there:
            return None
        try:
            with open(self._file(key), "rb", buffering=0) as file:
                status = os.fstat(file.fileno())
                # Room for all bytes that may be read is allocated before.
                content = file.read(min(status.st_size, MOST_BYTES))
                if time.time() - status.st_mtime > _NOTED:
                    os.utime(file.fileno())
        except OSError:
            return None
        try:
            return understood(content)
        except ValueError as error:
            self._refuse(key, "damaged", str(error))
            return None

    def _put(self, key: str, content: bytes) -> bool:
        """Keeps a file, if it can. It is there as a whole or not at all, also after a kill."""
        if not self.keeps or len(content) > min(MOST_BYTES, self._most):
            return False
        try:
            self._write(self._file(key), content)
        except OSError as error:
            if self._failed is None:
                log_message(f"indexes are not kept in {self._path}: {error.strerror}")
            self._failed = self._clock()
            return False
        self._failed = None
        self._unseen += len(content)
        now = self._clock()
        if self._unseen >= _SHARE_UNSEEN * self._most or now - self._looked >= _SECONDS_UNSEEN:
            self._unseen, self._looked = 0, now
            with suppress(OSError):  # somebody removed the directory, or it cannot be listed
                self._evict()
        return True

    def _write(self, path: str, content: bytes) -> None:
        """Raises OSError."""
        try:
            self._write_into_directory(path, content)
        except FileNotFoundError:  # somebody removed the directory meanwhile
            self._write_into_directory(path, content)

    def _write_into_directory(self, path: str, content: bytes) -> None:
        """Raises OSError. The directory is made if it is missing."""
        self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=self._path, delete=False) as file:
            try:
                if os.geteuid() == 0:  # a server that may not read root's file has no index
                    owner = os.stat(self._path)
                    os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
                file.write(content)
                file.close()
                os.replace(file.name, path)
            except BaseException:
                with suppress(FileNotFoundError):
                    os.unlink(file.name)
                raise

    def _refuse(self, key: str, reason: str, why: str) -> None:
        """Removes what is of no use."""
        self.metrics["indexes_refused_total", reason].inc()
        log_message(f"an index was removed: {why}")
        with suppress(OSError):
            os.unlink(self._file(key))

    def _file(self, key: str) -> str:
        return f"{self._path}/{sha256(key.encode()).hexdigest()}{_SUFFIX}"

    def _evict(self) -> None:
        """Removes what was not used for longest, until all files together are allowed."""
        now, files = time.time(), []
        with os.scandir(self._path) as entries:
            for entry in entries:
                with suppress(OSError):  # another worker removed it
                    status = entry.stat()
                    if entry.name.endswith(_SUFFIX):
                        files.append((status.st_mtime, status.st_size, entry.path))
                    elif _is_unfinished(entry.name) and now - status.st_mtime > _MOST_UNFINISHED:
                        os.unlink(entry.path)
        total = sum(size for _, size, _ in files)
        if total > self._most:
            for _, size, path in sorted(files):
                with suppress(OSError):
                    os.unlink(path)
                total -= size
                if total <= _SHARE_LEFT * self._most:
                    break
        self.metrics["index_directory_bytes"].set(total)


def _is_unfinished(name: str) -> bool:
    """False for a file of others, such as the database of runs."""
    return name.startswith(gettempprefix())


def _words_in(content: bytes) -> LogWords:
    """The words in a file. Raises ValueError if it is none, or damaged."""
    begin = len(_WORDS) + _CHECKSUM.size
    packed = memoryview(content)[begin:]
    if content[:begin] != _WORDS + _CHECKSUM.pack(fast.crc32(packed)):
        raise ValueError("it is no list of words, or damaged")
    return LogWords.of_list(fast.decompress(packed))
