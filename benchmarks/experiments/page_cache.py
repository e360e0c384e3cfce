# SPDX-License-Identifier: Apache-2.0
"""Files in the kernel's page cache: taken out of it, and counted in it."""

import ctypes
import mmap
import os
from collections.abc import Callable
from pathlib import Path

from oslogserve.bench.samples import Request

_libc = ctypes.CDLL(None, use_errno=True)


class NotDropped(Exception):
    """Raised where the kernel keeps a file, or does not say whether it does."""


def drop(path: Path) -> None:
    """Takes a file's bytes out of the cache; its inode stays there. Raises NotDropped."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)  # what is not written yet cannot be dropped
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)
    if left := cached_pages(path):
        raise NotDropped(f"{left} pages of {path.name} stay there")


def dropping(paths: Callable[[Request], list[Path]]) -> Callable[[Request], None]:
    """A function that drops the files of a request. Raises NotDropped."""

    def drop_all(request: Request) -> None:
        for path in paths(request):
            drop(path)

    return drop_all


def kept(_: Request) -> None:
    """Drops nothing, so that warm logs are fetched as cold ones are: one by one."""


def cached_pages(path: Path) -> int:
    """The count of a file's pages in the cache. The file must not be empty. Raises NotDropped."""
    # Not by reading without waiting: that lets the kernel read ahead.
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) as mapped,
    ):
        pages = (ctypes.c_ubyte * -(-len(mapped) // mmap.PAGESIZE))()
        start = ctypes.c_char.from_buffer(mapped)
        address = ctypes.c_void_p(ctypes.addressof(start))
        failed = _libc.mincore(address, ctypes.c_size_t(len(mapped)), pages)
        del start  # else the file cannot be unmapped
        if failed:
            raise NotDropped(f"mincore: {os.strerror(ctypes.get_errno())}")
        return sum(page & 1 for page in pages)
