# SPDX-License-Identifier: Apache-2.0
"""Logs below one folder of the log server's disk."""

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress

from oslogserve.errors import BadRequest, Incomplete, SourceError
from oslogserve.sources import FULL_BODY, Entry, Folder, Log, OpenOptions, Stored
from oslogserve.sources.open_beneath import File, Opening, path_is_within, pure

#: Seconds since a file was written to. Before, it may be written anew while a server sends it by
#: itself, and nobody would see that. A job that has written nothing for an hour has ended.
SENDFILE_AFTER = 3600
#: The path names nothing that this source could hold.
_MISSES = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP)
#: First bytes by which a log that was written to is known again.
HEAD = 4096
#: The last second of which a date can be written; a file may be of any.
LATEST = 253402300799.0


class Disk:
    name = "disk"

    def __init__(self, root: str, chunk_size: int, opening: Opening = pure) -> None:
        self._root = os.fsencode(os.path.realpath(root))
        self._chunk_size = chunk_size
        self._opening = opening
        self._device: int | None = None
        with suppress(OSError):
            self._check_mounted()

    def open(self, path: bytes, options: OpenOptions = FULL_BODY) -> "DiskLog | Folder | None":
        try:
            found = self._open(path, options)
            if found is not None:
                return found
            packed = self._open(path + b".gz", options)
            if isinstance(packed, DiskLog):
                return packed
            self._check_mounted()
        except OSError as error:
            raise self._failed(error) from error
        return None

    def _check_mounted(self) -> None:
        """What is not mounted has no logs to miss. Then the root is gone, or an empty folder of
        another device than when there was something in it."""
        device = os.stat(self._root).st_dev
        if device == self._device:
            return
        with os.scandir(self._root) as found:
            is_empty = next(found, None) is None
        if not is_empty:
            self._device = device
        elif self._device is not None:
            raise SourceError(self.name, "its folder is empty, as if it were not mounted")

    def _open(self, path: bytes, options: OpenOptions) -> "DiskLog | Folder | None":
        is_whole = options.body and options.byte_range is None
        file = self._file(path, self._chunk_size if is_whole else 0)
        if file is None:
            return None
        if not file.is_folder:
            return DiskLog(file, options, self._chunk_size)
        _close(file)
        return Folder()

    def _file(self, path: bytes, most: int) -> File | None:
        """Raises BadRequest where a link leads out of the root."""
        try:
            return self._opening(self._root, path, most)
        except OSError as error:
            if error.errno == errno.EXDEV:
                raise _outside() from None
            if error.errno not in _MISSES:
                raise
        if not self._holds(os.path.realpath(self._root + b"/" + path)):
            raise _outside()  # else it would tell what exists out there
        return None

    def entries(self, path: bytes) -> Iterator[Entry] | None:
        try:
            if not path:
                self._check_mounted()
            folder = self._file(path, 0)
            if folder is None:
                self._check_mounted()
                return None
            try:
                if not folder.is_folder:
                    return None
                with os.scandir(folder.descriptor) as found:
                    kinds = [(os.fsencode(entry.name), _is_folder(entry)) for entry in found]
            finally:
                _close(folder)
        except OSError as error:
            raise self._failed(error) from error
        # '/' counts in the order, as it does in Swift's listings.
        names = sorted(name + b"/" if is_folder else name for name, is_folder in kinds)
        return self._described(os.path.join(self._root, path), names)

    def _described(self, folder: bytes, names: list[bytes]) -> Iterator[Entry]:
        for name in names:
            place = os.path.join(folder, name.rstrip(b"/"))
            try:
                if os.path.islink(place) and not self._holds(os.path.realpath(place)):
                    continue  # would be refused when asked for
                status = os.stat(place)
            except OSError:
                continue  # gone since, or a link to nowhere
            if stat.S_ISDIR(status.st_mode):
                yield Entry(name, None, _modified(status), self.name)
            elif stat.S_ISREG(status.st_mode):
                yield Entry(name, status.st_size, _modified(status), self.name)

    def _holds(self, path: bytes) -> bool:
        return path_is_within(path, self._root)

    def check(self) -> None:
        try:
            with os.scandir(self._root):
                self._check_mounted()
        except OSError as error:
            raise self._failed(error) from error

    def _failed(self, error: OSError) -> SourceError:
        reason = "forbidden" if isinstance(error, PermissionError) else "failed"
        return SourceError(self.name, os.strerror(error.errno or errno.EIO), reason)


class DiskLog(Log):
    is_local = True

    def __init__(self, file: File, options: OpenOptions, chunk_size: int) -> None:
        """Takes over the descriptor, also where it raises."""
        changed = file.seconds * 10**9 + file.nanoseconds
        modified = file.seconds + file.nanoseconds * 1e-9
        super().__init__(
            Stored(
                source=Disk.name,
                size=file.size,
                modified=min(max(modified, 0.0), LATEST),
                version=f"{changed:x}-{file.size:x}-{file.inode:x}",
            )
        )
        self._descriptor = file.descriptor
        if time.time() - modified > SENDFILE_AFTER:
            self.sendfile_descriptor = file.descriptor
        self._chunk_size = chunk_size
        self._modified = changed
        self._start = 0
        self._left: int | None = None
        self._first = file.first
        self._expected = file.size - len(file.first) if options.body else 0
        if options.byte_range is not None:
            self._begin_at(*options.byte_range)

    def _begin_at(self, first: int, end: int | None) -> None:
        self._start = first
        self._left = self._expected = (self.stored.size or 0 if end is None else end) - first
        try:
            if self._descriptor is not None:
                os.lseek(self._descriptor, first, os.SEEK_SET)
            self._first = self._read()
        except BaseException:
            self.close()
            raise

    def _read(self) -> bytes:
        if self._descriptor is None or self._left == 0:
            return b""
        size = self._chunk_size if self._left is None else min(self._left, self._chunk_size)
        chunk = os.read(self._descriptor, size)
        self._expected -= len(chunk)
        if self._left is not None:
            self._left -= len(chunk)
        elif len(chunk) < size and self._expected <= 0:
            self._left = 0  # the end was seen: no call is made to see it again
        return chunk

    def __iter__(self) -> Iterator[bytes]:
        chunk = self._first
        while chunk:
            yield chunk
            try:
                chunk = self._read()
                is_another = self._is_written_anew()
            except OSError as error:
                said = os.strerror(error.errno or errno.EIO)
                raise Incomplete("failed", f"the disk could not be read ({said})") from error
            if is_another:
                raise Incomplete("failed", "the file was written anew while it was read")
        if self._expected > 0 and self._descriptor is not None:
            told = f"the file was cut short while it was read, {self._expected} bytes are missing"
            raise Incomplete("truncated", told)

    def _is_written_anew(self) -> bool:
        """What was only appended to begins as it did; what was cut short begins so, or is empty."""
        if self._descriptor is None:
            return False
        modified = os.fstat(self._descriptor).st_mtime_ns
        if modified == self._modified:
            return False
        self._modified = modified
        head = os.pread(self._descriptor, HEAD, self._start)
        return not self._first.startswith(head[: len(self._first)])

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = self.sendfile_descriptor = None


def _close(file: File) -> None:
    if file.descriptor is not None:
        os.close(file.descriptor)


def _modified(status: os.stat_result) -> float:
    return min(max(status.st_mtime, 0.0), LATEST)


def _outside() -> BadRequest:
    return BadRequest("The path leaves the log folder through a symbolic link.")


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # a link to itself, or into a folder that may not be read
