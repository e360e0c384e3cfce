# SPDX-License-Identifier: Apache-2.0
"""The file of SQLite's database: whose it is, whether it was replaced, and whether it still is a database."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock

from oslogserve import messages

#: The end of the name of a file that was emptied, overwritten or damaged.
BROKEN = ".broken"
#: How any database of SQLite begins.
_HEADER = b"SQLite format 3\0"

#: What tells a file from another one at its path.
Identity = tuple[int, int]


class Watched:
    """The file that had the tables. For many threads.

    It is held open until another one takes its place: closing a file drops all locks that SQLite has on it
    in this process.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._path = ""
        self._identity: Identity | None = None
        self._number: int | None = None

    def watch(self, path: str, found: Identity | None) -> None:
        """Watches the file of this identity from now on. path: "" for a database in memory."""
        with self._lock:
            if not path or found == self._identity:
                return
            self._close()
            with suppress(OSError):
                self._number = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                self._path, self._identity = path, _identity_of(os.fstat(self._number))
            if self._identity != found:  # it was replaced meanwhile
                self._close()

    def is_overwritten(self, opened: Identity | None) -> bool:
        """True if the file of this identity had the tables, and does not begin as a database any more."""
        with self._lock:
            if self._number is None or opened != self._identity:
                return False
            return os.pread(self._number, len(_HEADER), 0) != _HEADER

    def set_aside(self) -> None:
        """Moves the file away, unless another process did so before: another file is there then."""
        with self._lock:
            path, had_tables = self._path, self._identity
        if not path:
            return
        with suppress(OSError), _locked(os.path.dirname(path)):
            if identity(path) != had_tables:
                return
            for ending in ("-wal", "-shm"):
                with suppress(FileNotFoundError):
                    os.unlink(path + ending)
            os.replace(path, f"{path}{BROKEN}")
            messages.log(
                f"{path} is no database any more, so it is kept as {os.path.basename(path)}{BROKEN}: "
                "`oslogserve seen` remembers its runs again"
            )

    def close(self) -> None:
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._number is not None:
            os.close(self._number)
        self._path, self._identity, self._number = "", None, None


@contextmanager
def _locked(folder: str) -> Iterator[None]:
    """Keeps other processes out that lock the folder. Raises OSError."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)


def identity(path: str) -> Identity | None:
    """The identity of the file at a path; None if there is none."""
    with suppress(OSError):
        return _identity_of(os.stat(path))
    return None


def _identity_of(found: os.stat_result) -> Identity:
    return found.st_dev, found.st_ino


def remove_leftovers(path: str) -> None:
    """Removes what belongs to a file that was removed: SQLite would read it as the new file's.

    Only the process that makes the new file does.
    """
    if os.path.isabs(path) and os.path.exists(f"{path}-shm") and not os.path.exists(path):
        with suppress(OSError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644))
            for ending in ("-wal", "-shm"):
                os.unlink(path + ending)


def give_to_owner_of_folder(path: str) -> None:
    """Lets the server's user write a file that root has made. SQLite makes the others of the same owner."""
    file, folder = os.lstat(path), os.stat(os.path.dirname(path))
    if file.st_size == 0 and file.st_nlink == 1 and file.st_uid != folder.st_uid:
        os.chown(path, folder.st_uid, folder.st_gid, follow_symlinks=False)
