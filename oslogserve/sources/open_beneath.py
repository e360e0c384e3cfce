# SPDX-License-Identifier: Apache-2.0
"""Opening of a path below a root: `pure` is the definition, `native` its twin in Rust.

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

    def is_same_folder(self, other: "OpenFile") -> bool:
        if self.descriptor is None or other.descriptor is None:
            return False
        return os.path.sameopenfile(self.descriptor, other.descriptor)

    def close(self) -> None:
        if self.descriptor is not None:
            os.close(self.descriptor)


class OpenBeneath(Protocol):
    def __call__(self, root: bytes, path: bytes, head_size: int, follows_links: bool) -> OpenFile:
        """Opens a file or folder, never a FIFO, a socket or a device.

        Raises OSError: ENOENT where there is neither a file nor a folder, EXDEV where an absolute
        link or ".." leads out of the root, ELOOP for a link where follows_links is false. Nothing
        outside of the root is looked at, so that no answer depends on it.
        """


#: As many does the kernel follow on the way to one file.
MOST_LINKS = 40
#: Names a place without opening it: nothing happens to a FIFO or a device.
_PLACE = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


def pure(root: bytes, path: bytes, head_size: int, follows_links: bool) -> OpenFile:
    place = _place_beneath(root, path, follows_links)
    try:
        mode = os.fstat(place).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise OSError(errno.ENOENT, "neither file nor folder")
        descriptor = os.open(b"/proc/self/fd/%d" % place, os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(place)
    try:
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


def _place_beneath(root: bytes, path: bytes, follows_links: bool) -> int:
    """A descriptor of the place, which was reached from folder to folder."""
    places = [os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)]
    segments = path.split(b"/")[::-1]
    links = 0
    try:
        while segments:
            segment = segments.pop()
            if segment == b"..":
                if len(places) == 1:
                    raise OSError(errno.EXDEV, "the path leads out of the root")
                os.close(places.pop())
            elif segment not in (b"", b"."):
                places.append(os.open(segment, _PLACE, dir_fd=places[-1]))
            if stat.S_ISLNK(os.fstat(places[-1]).st_mode):
                links += 1
                if not follows_links or links > MOST_LINKS:
                    raise OSError(errno.ELOOP, "a link that is not followed")
                segments += _target(places[-1]).split(b"/")[::-1]
                os.close(places.pop())
        return places.pop()
    finally:
        for place in places:
            os.close(place)


def _target(link: int) -> bytes:
    target = os.readlink(b"", dir_fd=link)
    if target.startswith(b"/"):
        raise OSError(errno.EXDEV, "a link leads out of the root")
    return target


#: The kernel is too old for openat2, a sandbox forbids it, or folders were moved meanwhile.
_WITHOUT_OPENAT2 = (errno.ENOSYS, errno.EPERM, errno.EAGAIN)


def native(root: bytes, path: bytes, head_size: int, follows_links: bool) -> OpenFile:
    try:
        return OpenFile(**CORE.open_beneath(root, path, head_size, follows_links))
    except OSError as error:
        if error.errno not in _WITHOUT_OPENAT2:
            raise
        return pure(root, path, head_size, follows_links)


#: By the name of the renderer that comes with it.
BY_NAME: dict[str, OpenBeneath] = {"pure": pure, "native": native}
