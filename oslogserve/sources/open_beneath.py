# SPDX-License-Identifier: Apache-2.0
"""How what lies under a path is opened: `pure` is the definition, `native` its twin in Rust.

Each step of it lets other threads run and then waits for its turn again, which under load takes
longer than the step. The twin waits once.
"""

import errno
import os
import stat
from typing import NamedTuple, Protocol

from oslogserve.native import CORE


class File(NamedTuple):
    """A file or folder that was opened.

    descriptor: to be closed by who gets it; None where `first` is all of the file. seconds and
    nanoseconds: when it was modified. first: bytes.
    """

    descriptor: int | None
    is_folder: bool
    size: int
    seconds: int
    nanoseconds: int
    inode: int
    first: bytes


class Opening(Protocol):
    def __call__(self, root: bytes, path: bytes, most: int) -> File:
        """Reads at most `most` bytes of a file. A FIFO, a socket or a device is not opened.

        Raises OSError: ENOENT where there is neither a file nor a folder, EXDEV where a link led
        out of the root.
        """


def pure(root: bytes, path: bytes, most: int) -> File:
    place = root + b"/" + path
    if not _is_file_or_folder(os.stat(place).st_mode):
        raise OSError(errno.ENOENT, "neither file nor folder")
    # Should a FIFO take its place just now, it does not block.
    file = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    is_whole = False
    try:
        # Where the kernel went, not where the path seems to go: nothing can change in between.
        if not path_is_within(os.readlink(b"/proc/self/fd/%d" % file), root):
            raise OSError(errno.EXDEV, "a link leads out of the root")
        status = os.fstat(file)
        size = status.st_size
        first = b""
        if most and stat.S_ISREG(status.st_mode):
            # A file that says that it is empty may have something to say all the same.
            first = os.read(file, min(most, size or most))
        is_whole = 0 < len(first) == size
    except BaseException:
        os.close(file)
        raise
    if is_whole:
        os.close(file)
    return File(
        None if is_whole else file,
        stat.S_ISDIR(status.st_mode),
        size,
        *divmod(status.st_mtime_ns, 10**9),
        status.st_ino,
        first,
    )


def _is_file_or_folder(mode: int) -> bool:
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def path_is_within(path: bytes, folder: bytes) -> bool:
    """Not a test for a prefix: /srv/logs-private is not within /srv/logs."""
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def native(root: bytes, path: bytes, most: int) -> File:
    return File(*CORE.opened(root, path, most))


BY_NAME: dict[str, Opening] = {"pure": pure, "native": native}
"""Of the renderers, which come with them."""
