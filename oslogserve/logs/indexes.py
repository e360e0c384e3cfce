# SPDX-License-Identifier: Apache-2.0
"""The indexes of logs, and words of logs that others are compared with, for certain rules.

They are in a directory that all workers share: an LRU cache of files, bounded by their bytes.
"""

import os
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile, gettempprefix
from typing import TypeVar

from oslogserve import messages
from oslogserve.fastzlib import fast
from oslogserve.humanize import size_shown
from oslogserve.logs.index_file import MOST_BYTES, LogIndex
from oslogserve.metrics import Metrics
from oslogserve.native import Known
from oslogserve.sources import Stored

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
#: Identifies a file of words, with the version of its format. The checksum and the packed words follow.
_WORDS = b"oslogserve-words 1\n"
_CHECKSUM = struct.Struct(">I")
_LEVEL = 2
#: The least ratio of a log's stored bytes to those of its words. To read a smaller log again is cheaper than
#: their place in the directory.
_LEAST_RATIO = 8


def usage_of(path: str, most: int) -> str:
    """A sentence on how full a directory is. most: bytes that it may have."""
    if not path:
        return "no directory of indexes is configured"
    try:
        with os.scandir(path) as entries:
            sizes = [entry.stat().st_size for entry in entries if entry.name.endswith(_SUFFIX)]
    except FileNotFoundError:
        above = next(folder for folder in Path(path).absolute().parents if folder.exists())
        can_be_made = os.access(above, os.W_OK | os.X_OK)
        found = "is not there yet" if can_be_made else "is not there and cannot be made"
        return f"the directory of indexes, {path}, {found}"
    except OSError as error:
        return f"the directory of indexes, {path}, cannot be read: {error.strerror}"
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

    def keep(self, stored: Stored, content: bytes) -> None:
        """content: the file of an index."""
        if self._put(self._key(stored), content):
            self.metrics["indexes_made_total"].inc()

    def refuse(self, stored: Stored, reason: str, why: str) -> None:
        """Gives up the index of a log. reason: a metric label, see doc/indexes.rst."""
        self._refuse(self._key(stored), reason, why)

    def words(self, stored: Stored) -> Known | None:
        """The words of a log that others are compared with; None if they are not kept."""
        return self._read(f"words {self._key(stored)}", _known_in)

    def keep_words(self, stored: Stored, words: bytes) -> None:
        """words: a list of the core; empty for none. They are kept if they are few for such a log."""
        packed = fast.compress(words, _LEVEL) if self.keeps and words else b""
        if packed and _LEAST_RATIO * len(packed) <= (stored.size or 0):
            content = b"".join((_WORDS, _CHECKSUM.pack(fast.crc32(packed)), packed))
            self._put(f"words {self._key(stored)}", content)

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
                messages.log(f"indexes are not kept in {self._path}: {error.strerror}")
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
        messages.log(f"an index was removed: {why}")
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


def _known_in(content: bytes) -> Known:
    """The words in a file. Raises ValueError if it is none, or damaged."""
    begin = len(_WORDS) + _CHECKSUM.size
    packed = memoryview(content)[begin:]
    if content[:begin] != _WORDS + _CHECKSUM.pack(fast.crc32(packed)):
        raise ValueError("it is no list of words, or damaged")
    return Known.of_list(fast.decompress(packed))
