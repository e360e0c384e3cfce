# SPDX-License-Identifier: Apache-2.0
"""The directory of indexes, which all workers share: an LRU cache of files, bounded by their bytes."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile, gettempprefix
from typing import TypeVar

from oslogserve import messages
from oslogserve.humanize import size_shown
from oslogserve.index.log_index import MOST_BYTES, IndexFile
from oslogserve.metrics import Metrics

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


def usage_of(path: str, most: int) -> str:
    """A sentence on how full a directory is. most: bytes that it may have."""
    if not path:
        return "no directory of indexes is configured"
    try:
        with os.scandir(path) as entries:
            sizes = [entry.stat().st_size for entry in entries if entry.name.endswith(_SUFFIX)]
    except FileNotFoundError:
        found = "is not there yet" if _can_be_made(path) else "is not there and cannot be made"
        return f"the directory of indexes, {path}, {found}"
    except OSError as error:
        return f"the directory of indexes, {path}, cannot be read: {error.strerror}"
    share = 100 * sum(sizes) / most
    found = f"{len(sizes)} indexes of {size_shown(sum(sizes))}, {share:.0f} % of [index] size"
    is_writable = os.access(path, os.W_OK | os.X_OK)
    return f"the directory of indexes, {path}, {'has' if is_writable else 'is read-only, with'} {found}"


def _can_be_made(path: str) -> bool:
    """False if this user may not write into the nearest folder above that is there."""
    above = next(folder for folder in Path(path).absolute().parents if folder.exists())
    return os.access(above, os.W_OK | os.X_OK)


class IndexDirectory:
    """Reads and writes indexes by key. An outage, in which nothing can be written, is told once."""

    def __init__(
        self,
        path: str,
        most: int,
        metrics: Metrics,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """most: bytes of all files together. clock: seconds."""
        self._path = Path(path)
        self._most = most
        self._metrics = metrics
        self._clock = clock
        #: Bytes that were written since the last look at the directory, and when that was.
        self._unseen, self._looked = most, clock()
        #: When a write failed, if none has succeeded since.
        self._failed: float | None = None

    @property
    def keeps(self) -> bool:
        """False for a while after a failed write."""
        return self._failed is None or self._clock() - self._failed >= _PAUSE

    def get(self, key: str) -> IndexFile | None:
        """The index of the key; None if there is none. One that is cut short is removed."""
        return self.read(key, IndexFile)

    def read(self, key: str, understood: Callable[[bytes], _T]) -> _T | None:
        """What is kept under the key; None if there is none. It is removed if `understood` raises ValueError."""
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
            self._metrics["indexes_refused_total", "damaged"].inc()
            self.remove(key, str(error))
            return None

    def put(self, key: str, content: bytes, is_index: bool = True) -> None:
        """Keeps a file. It is there as a whole or not at all, also after a kill."""
        if not self.keeps or len(content) > min(MOST_BYTES, self._most):
            return
        try:
            self._write(self._file(key), content)
        except OSError as error:
            if self._failed is None:
                messages.log(f"indexes are not kept in {self._path}: {error.strerror}")
            self._failed = self._clock()
            return
        self._failed = None
        if is_index:
            self._metrics["indexes_made_total"].inc()
        self._unseen += len(content)
        now = self._clock()
        if self._unseen >= _SHARE_UNSEEN * self._most or now - self._looked >= _SECONDS_UNSEEN:
            self._unseen, self._looked = 0, now
            with suppress(OSError):  # somebody removed the directory, or it cannot be listed
                self._evict()

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
                self._give_away(file.fileno())
                file.write(content)
                file.close()
                os.replace(file.name, path)
            except BaseException:
                with suppress(FileNotFoundError):
                    os.unlink(file.name)
                raise

    def remove(self, key: str, why: str) -> None:
        """Removes an index that is of no use."""
        messages.log(f"an index was removed: {why}")
        with suppress(OSError):
            os.unlink(self._file(key))

    def _give_away(self, descriptor: int) -> None:
        """Gives a file of root's to the owner of the directory: a server that may not read it has no index."""
        if os.geteuid() == 0:
            status = os.stat(self._path)
            os.fchown(descriptor, status.st_uid, status.st_gid)

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
        self._metrics["index_directory_bytes"].set(total)


def _is_unfinished(name: str) -> bool:
    """False for a file of others, such as the database of runs."""
    return name.startswith(gettempprefix())
