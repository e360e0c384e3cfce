# SPDX-License-Identifier: Apache-2.0
"""A file system whose files fail as failing disks and file servers do: FUSE without a library.

Needs /dev/fuse and the right to mount; UNAVAILABLE says what is missing, or ''.
"""

import contextlib
import ctypes
import errno
import os
import stat
import struct
import threading
import time
from typing import NamedTuple

from tests.servers.process import Server

_libc = ctypes.CDLL(None, use_errno=True)
_NOSUID_NODEV = 2 | 4
_DETACH = 2
_ROOT = 1
#: Seconds for which the kernel may remember a name or a size.
_VALID = 1
_REQUEST = struct.Struct("IIQQIIII")
_LOOKUP, _FORGET, _GETATTR, _OPEN, _READ, _RELEASE, _FLUSH = 1, 2, 3, 14, 15, 18, 25
_INIT, _OPENDIR, _READDIR, _RELEASEDIR, _INTERRUPT, _BATCH_FORGET = 26, 27, 28, 29, 36, 42
_UNANSWERED = (_FORGET, _INTERRUPT, _BATCH_FORGET)
_MOST = 128 * 1024


class File(NamedTuple):
    """fails_at: from this byte on reads are EIO. opens: else open() is EACCES.
    delay: seconds before each read."""

    content: bytes
    fails_at: int | None = None
    opens: bool = True
    delay: float = 0


class FailingDisk(Server):
    """`files` (name -> File) in the folder `path`."""

    def __init__(self, files):
        super().__init__("failing-disk")
        self.path = self.root / "mounted"
        self._names = {name.encode(): node for node, name in enumerate(files, _ROOT + 1)}
        self._files = dict(enumerate(files.values(), _ROOT + 1))

    def _begin(self):
        self.path.mkdir()
        self._device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        self._resources.callback(os.close, self._device)
        _mount(self._device, self.path)
        server = threading.Thread(target=self._serve, daemon=True)
        server.start()
        self._resources.callback(server.join)
        self._resources.callback(_libc.umount2, os.fsencode(self.path), _DETACH)

    def _serve(self):
        while True:
            try:
                request = os.read(self._device, _MOST + 4096)
            except OSError as error:
                if error.errno in (errno.EINTR, errno.ENOENT, errno.EAGAIN):
                    continue
                return  # unmounted
            _, operation, unique, node, *_ = _REQUEST.unpack_from(request)
            if operation in _UNANSWERED:
                continue
            try:
                error, answer = 0, self._answer(operation, node, request[_REQUEST.size :])
            except OSError as failure:
                error, answer = -failure.errno, b""
            with contextlib.suppress(OSError):  # the reader may have been killed
                head = struct.pack("IiQ", 16 + len(answer), error, unique)
                os.write(self._device, head + answer)

    def _answer(self, operation, node, asked):
        if operation == _INIT:
            return struct.pack("IIIIHHIIHHI28x", 7, 31, _MOST, 0, 12, 9, _MOST, 1, 32, 0, 0)
        if operation == _LOOKUP:
            found = self._names.get(asked.rstrip(b"\0"))
            if found is None:
                raise OSError(errno.ENOENT, "")
            return struct.pack("QQQQII", found, 0, _VALID, _VALID, 0, 0) + self._attributes(found)
        if operation == _GETATTR:
            return struct.pack("QII", _VALID, 0, 0) + self._attributes(node)
        if operation == _OPEN and not self._files[node].opens:
            raise OSError(errno.EACCES, "")
        if operation in (_OPEN, _OPENDIR):
            return struct.pack("QII", 0, 0, 0)
        if operation == _READ:
            return self._read(self._files[node], *struct.unpack_from("QQI", asked))
        if operation == _READDIR:
            _, offset, _ = struct.unpack_from("QQI", asked)
            return b"" if offset else self._listing()
        if operation in (_RELEASE, _FLUSH, _RELEASEDIR):
            return b""
        raise OSError(errno.ENOSYS, "")

    def _listing(self):
        """All names, which are few."""
        return b"".join(
            struct.pack("QQII", node, node, len(name), stat.S_IFREG >> 12)
            + name.ljust(-(-len(name) // 8) * 8, b"\0")
            for name, node in self._names.items()
        )

    def _attributes(self, node):
        size = len(self._files[node].content) if node in self._files else 0
        mode = stat.S_IFREG | 0o644 if node in self._files else stat.S_IFDIR | 0o755
        return struct.pack(
            "QQQQQQIIIIIIIIII", node, size, 0, 0, 10**9, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0
        )

    def _read(self, file, handle, offset, size):
        time.sleep(file.delay)
        if file.fails_at is not None and offset + size > file.fails_at:
            raise OSError(errno.EIO, "")
        return file.content[offset : offset + size]


def _mount(device, path):
    options = f"fd={device},rootmode=40000,user_id={os.geteuid()},group_id={os.getegid()}"
    place = os.fsencode(path)
    if _libc.mount(b"failing", place, b"fuse", _NOSUID_NODEV, options.encode()):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


@contextlib.contextmanager
def covered(path):
    """An empty file system stands in the place of what is mounted there, as a bare folder would."""
    if _libc.mount(b"bare", os.fsencode(path), b"tmpfs", _NOSUID_NODEV, None):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    try:
        yield
    finally:
        _libc.umount2(os.fsencode(path), _DETACH)


def _unavailable():
    try:
        with FailingDisk({}):
            return ""
    except OSError as error:
        return f"FUSE: {error.strerror}"


UNAVAILABLE = _unavailable()
