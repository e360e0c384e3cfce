# SPDX-License-Identifier: Apache-2.0
"""Opens a path below a root: by Linux's openat2, or folder by folder where the kernel refuses that."""

import errno
import os
import stat
from typing import NamedTuple

from oslogserve import native


class OpenFile(NamedTuple):
    """An open file or folder, to be closed by the caller."""

    #: None if `head` is the whole file, which is closed then.
    descriptor: int | None
    is_folder: bool
    size: int
    modified_ns: int
    inode: int
    #: The first bytes of the file, as many as were requested.
    head: bytes

    def identity(self) -> tuple[int, int]:
        """Device and inode of an open folder, which no other has."""
        if self.descriptor is None:
            raise ValueError("it is closed")
        return os.fstat(self.descriptor).st_dev, self.inode

    def close(self) -> None:
        if self.descriptor is not None:
            os.close(self.descriptor)


#: The kernel's own limit for one path.
MOST_LINKS = 40
#: Refers to a path without opening it: nothing happens to a FIFO or a device.
_REFER = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


def open_by_folder(root: bytes, path: bytes, head_size: int, follows_links: bool) -> OpenFile:
    """The same as open_beneath without openat2. Under load it waits for each system call's turn."""
    reference = _reference(root, path, follows_links)
    try:
        mode = os.fstat(reference).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise OSError(errno.ENOENT, "neither file nor folder")
        descriptor = os.open(b"/proc/self/fd/%d" % reference, os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(reference)
    try:
        status = os.fstat(descriptor)
        size = status.st_size
        head = b""
        if head_size and stat.S_ISREG(status.st_mode):
            # A file of size 0 may still have content, as in /proc.
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


def _reference(root: bytes, path: bytes, follows_links: bool) -> int:
    """A descriptor that refers to the path, followed folder by folder."""
    opened = [os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)]
    segments = path.split(b"/")[::-1]
    links = 0
    try:
        while segments:
            segment = segments.pop()
            if segment == b"..":
                if len(opened) == 1:
                    raise OSError(errno.EXDEV, "the path leads out of the root")
                os.close(opened.pop())
            elif segment not in (b"", b"."):
                opened.append(os.open(segment, _REFER, dir_fd=opened[-1]))
            if stat.S_ISLNK(os.fstat(opened[-1]).st_mode):
                links += 1
                if not follows_links or links > MOST_LINKS:
                    raise OSError(errno.ELOOP, "a link that is not followed")
                target = os.readlink(b"", dir_fd=opened[-1])
                if target.startswith(b"/"):
                    raise OSError(errno.EXDEV, "a link leads out of the root")
                segments += target.split(b"/")[::-1]
                os.close(opened.pop())
        return opened.pop()
    finally:
        for descriptor in opened:
            os.close(descriptor)


#: Errors of openat2: the kernel is too old, a sandbox forbids it, or folders were moved meanwhile.
_WITHOUT_OPENAT2 = (errno.ENOSYS, errno.EPERM, errno.EAGAIN)


def open_beneath(root: bytes, path: bytes, head_size: int, follows_links: bool) -> OpenFile:
    """Opens a file or folder below a root, never a FIFO, a socket or a device.

    Raises OSError: ENOENT for neither a file nor a folder, EXDEV for an absolute link or a ".." out of
    the root, ELOOP for a link if follows_links is false. It looks at nothing outside of the root, so
    that no answer depends on that. One call of the native core, which holds no lock of the interpreter.
    """
    try:
        return OpenFile(**native.open_beneath(root, path, head_size, follows_links))
    except OSError as error:
        if error.errno not in _WITHOUT_OPENAT2:
            raise
        return open_by_folder(root, path, head_size, follows_links)
