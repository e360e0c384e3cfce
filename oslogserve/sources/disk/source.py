# SPDX-License-Identifier: Apache-2.0
"""The disk source: logs below a folder on this machine."""

import errno
import os
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial

from oslogserve.compression import encoding_of, fast, stored_paths
from oslogserve.errors import BadRequest, ClientLeft, Incomplete, SourceError
from oslogserve.sources import (
    ALL_ENTRIES,
    FULL_BODY,
    Context,
    Entry,
    Folder,
    Log,
    OpenOptions,
    Stored,
    WantedEntries,
    within_dates,
)
from oslogserve.sources.disk.listing import Batch, Links, first_entries
from oslogserve.sources.disk.open_beneath import OpenFile, open_beneath

#: Errors that mean a miss.
_MISSES = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP)
#: The same sentence for every link, so that no answer reveals its target.
LINK = "The path leads through a symbolic link that this server does not follow."
#: Bytes of a log's beginning, which shows early that it was rewritten.
HEAD = 4096
#: Bytes that are read at once to verify a file.
REREAD = 256 * 1024


class Disk:
    name = "disk"

    def __init__(self, root: str, chunk_size: int, follows_links: bool = False) -> None:
        """follows_links: True to follow relative links within the root. Other links are always refused."""
        self.location = root
        self._root = os.fsencode(os.path.realpath(root))
        self._chunk_size = chunk_size
        self._follows_links = follows_links
        self._device: int | None = None
        with suppress(OSError):
            self._check_mounted()

    def for_request(self, context: Context) -> "Disk":
        return self

    def waiting_anew(self) -> "Disk":
        return self

    def open(self, path: bytes, options: OpenOptions = FULL_BODY) -> "DiskLog | Folder | None":
        is_full = options.body and options.byte_range is None
        chunk_size = options.chunk_of(self._chunk_size)
        try:
            for stored in stored_paths(path):
                file = self._file(stored, chunk_size if is_full else 0)
                if file and not file.is_folder:
                    return DiskLog(file, options, chunk_size, encoding_of(stored))
                if file:
                    file.close()
                    if stored == path:
                        return Folder()
            self._check_mounted()
        except OSError as error:
            raise self._source_error(error) from error
        return None

    def _check_mounted(self) -> None:
        """Raises SourceError if the root is not mounted: then a miss proves nothing.

        An unmounted root is gone (OSError), or an empty folder of another device than before.
        """
        device = os.stat(self._root).st_dev
        if device == self._device:
            return
        with os.scandir(self._root) as found:
            is_empty = next(found, None) is None
        if not is_empty:
            self._device = device
        elif self._device is not None:
            raise SourceError(self.name, "its folder is empty, as if it were not mounted")

    def _file(self, path: bytes, head_size: int = 0) -> OpenFile | None:
        """The open file or folder. Raises BadRequest for a link that is not followed."""
        try:
            return open_beneath(self._root, path, head_size, self._follows_links)
        except OSError as error:
            is_loop = error.errno == errno.ELOOP
            if error.errno == errno.EXDEV or (is_loop and not self._follows_links):
                raise BadRequest(LINK) from None
            if error.errno not in _MISSES:
                raise
        return None

    def entries(self, path: bytes, wanted: WantedEntries = ALL_ENTRIES) -> Iterator[Entry] | None:
        batch = self._batch(path, wanted)
        return None if batch is None else self._entries(path, wanted, batch)

    def _entries(self, path: bytes, wanted: WantedEntries, batch: Batch | None) -> Iterator[Entry]:
        while batch is not None:
            yield from batch.entries
            if batch.last is None:
                return
            batch = self._batch(path, wanted._replace(first=batch.last + b"\0"))

    def _batch(self, path: bytes, wanted: WantedEntries) -> Batch | None:
        """The next entries; None where there is no such folder."""
        try:
            if not path:
                self._check_mounted()
            folder = self._file(path)
            if folder is None:
                self._check_mounted()
                return None
            with closing(folder):
                if not folder.is_folder or folder.descriptor is None:
                    return None
                open_path = partial(open_beneath, self._root, head_size=0, follows_links=True)
                links = Links(path, open_path) if self._follows_links else None
                return first_entries(folder.descriptor, wanted, links)
        except ClientLeft:
            raise
        except OSError as error:
            raise self._source_error(error) from error

    def check(self) -> None:
        try:
            with os.scandir(self._root):
                self._check_mounted()
        except OSError as error:
            raise self._source_error(error) from error

    def _source_error(self, error: OSError) -> SourceError:
        reason = "forbidden" if isinstance(error, PermissionError) else "failed"
        return SourceError(self.name, _message(error), reason)


class DiskLog(Log):
    """An open file: all of it, including bytes appended meanwhile, or a byte range."""

    is_local = True

    def __init__(
        self, file: OpenFile, options: OpenOptions, chunk_size: int, encoding: str
    ) -> None:
        """Takes over the descriptor, also if it raises."""
        version = f"{file.modified_ns:x}-{file.size:x}-{file.inode:x}"
        modified = within_dates(file.modified_ns / 10**9)
        super().__init__(Stored(Disk.name, file.size, modified, version, encoding))
        self._descriptor = file.descriptor
        self._chunk_size = chunk_size
        # As before the first byte was read. A change that sets back both is not noticed.
        self._modified_ns = file.modified_ns
        self._changed_ns = 0
        # As when the beginning was last compared.
        self._beginning_ns = file.modified_ns
        self._checksum = 0
        # The end of the byte range; None for no range.
        byte_range: tuple[int, int | None] = options.byte_range or (0, None)
        self._start, self._end = byte_range
        self._first = file.head
        self._position = self._start + len(file.head) if options.body else file.size
        if not options.body:
            self.close()
        elif file.descriptor is not None:
            try:
                self._changed_ns = os.fstat(file.descriptor).st_ctime_ns
                self._first = self._first or self._read()
            except BaseException:
                self.close()
                raise

    def _read(self) -> bytes:
        if self._descriptor is None:
            return b""
        left = (self._end or self.stored.size or 0) - self._position
        if left <= 0 and self._end is None:  # appended bytes come in further chunks
            left = self._chunk_size
        chunk = os.pread(self._descriptor, min(self._chunk_size, left), self._position)
        self._position += len(chunk)
        return chunk

    def __iter__(self) -> Iterator[bytes]:
        chunk = self._first
        while chunk:
            self._checksum = fast.crc32(chunk, self._checksum)
            yield chunk
            try:
                if self._position == self.stored.size:  # some readers stop at the size
                    self._check_not_rewritten()
                chunk = self._read()
                self._check_beginning()
                if not chunk:
                    self._check_not_rewritten()
            except OSError as error:
                message = f"the disk could not be read ({_message(error)})"
                raise Incomplete("failed", message) from error
        end = self._end or self.stored.size or 0
        if self._position < end and self._descriptor is not None:
            lost = f"{end - self._position} bytes are missing"
            raise Incomplete("truncated", f"the file was cut short while it was read, {lost}")

    def _check_beginning(self) -> None:
        """Raises Incomplete if the file's beginning has changed, before more of it is passed on.

        A file that was appended to or cut short keeps its beginning, or is empty.
        """
        if self._descriptor is None:
            return
        modified_ns = os.fstat(self._descriptor).st_mtime_ns
        if modified_ns == self._beginning_ns:
            return
        self._beginning_ns = modified_ns
        head = os.pread(self._descriptor, HEAD, self._start)
        if not self._first.startswith(head[: len(self._first)]):
            raise _rewritten()

    def _check_not_rewritten(self) -> None:
        """Raises Incomplete if bytes that were read have changed.

        It reads them again if the file's times have changed, which appending changes too.
        """
        if self._descriptor is None:
            return
        status = os.fstat(self._descriptor)
        times = status.st_mtime_ns, status.st_ctime_ns
        if times == (self._modified_ns, self._changed_ns):
            return
        self._modified_ns, self._changed_ns = times
        at = self._start
        checksum = 0
        while at < self._position and (
            chunk := os.pread(self._descriptor, min(REREAD, self._position - at), at)
        ):
            at += len(chunk)
            checksum = fast.crc32(chunk, checksum)
        # A file that was cut short gets its own message.
        if at == self._position and checksum != self._checksum:
            raise _rewritten()

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _rewritten() -> Incomplete:
    return Incomplete("failed", "the file was rewritten while it was read")


def _message(error: OSError) -> str:
    """The system's message for an error, without the path."""
    return os.strerror(error.errno or errno.EIO)
