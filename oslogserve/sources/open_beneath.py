# SPDX-License-Identifier: Apache-2.0
"""How a path below a root is opened: `pure` is the definition, `native` its twin in Rust.

Each system call of the pure one releases the interpreter and then waits for it again, which under
load takes longer than the call. The native one waits once.
"""

import errno
import os
import stat
from typing import NamedTuple, Protocol

from oslogserve.native import CORE


class OpenFile(NamedTuple):
    """An open file or folder. Whoever gets it closes it."""

    #: None where `head` is all of the file: it was closed already.
    descriptor: int | None
    is_folder: bool
    size: int
    modified_ns: int
    inode: int
    #: The first bytes of the file, as many as were to be read.
    head: bytes

    def close(self) -> None:
        if self.descriptor is not None:
            os.close(self.descriptor)


class OpenBeneath(Protocol):
    def __call__(self, root: bytes, path: bytes, head_size: int) -> OpenFile:
        """Opens a file or folder, never a FIFO, a socket or a device.

        Raises OSError: ENOENT where there is neither a file nor a folder, EXDEV where a link led
        out of the root.
        """


def pure(root: bytes, path: bytes, head_size: int) -> OpenFile:
    place = root + b"/" + path
    if not _is_file_or_folder(os.stat(place).st_mode):
        raise OSError(errno.ENOENT, "neither file nor folder")
    # Should a FIFO take its place just now, it does not block.
    descriptor = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    is_read = False
    try:
        # Where the kernel went, not where the path seems to go: nothing can change in between.
        if not path_is_within(os.readlink(b"/proc/self/fd/%d" % descriptor), root):
            raise OSError(errno.EXDEV, "a link leads out of the root")
        status = os.fstat(descriptor)
        size = status.st_size
        head = b""
        if head_size and stat.S_ISREG(status.st_mode):
            # A file that says that it is empty may have something to say all the same.
            head = os.read(descriptor, min(head_size, size or head_size))
        is_read = 0 < len(head) == size
    except BaseException:
        os.close(descriptor)
        raise
    if is_read:
        os.close(descriptor)
    is_folder = stat.S_ISDIR(status.st_mode)
    kept = None if is_read else descriptor
    return OpenFile(kept, is_folder, size, status.st_mtime_ns, status.st_ino, head)


def _is_file_or_folder(mode: int) -> bool:
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def path_is_within(path: bytes, folder: bytes) -> bool:
    """True not for any common prefix: /srv/logs-private is not within /srv/logs."""
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def native(root: bytes, path: bytes, head_size: int) -> OpenFile:
    return OpenFile(**CORE.open_beneath(root, path, head_size))


#: By the name of the renderer that comes with it.
BY_NAME: dict[str, OpenBeneath] = {"pure": pure, "native": native}
