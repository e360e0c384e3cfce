# SPDX-License-Identifier: Apache-2.0
"""Drops files from the kernel's page cache, and counts their pages there."""

import ctypes
import mmap
import os
from collections.abc import Callable
from pathlib import Path

from oslogserve.bench.samples import Request

_libc = ctypes.CDLL(None, use_errno=True)


class NotDropped(Exception):
    """Raised if the kernel keeps a file, or does not tell."""


def drop(path: Path) -> None:
    """Drops a file's bytes from the cache; its inode stays. Raises NotDropped."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)  # only bytes that are on the disk can be dropped
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
    """Drops nothing. With it, warm logs are fetched one by one, as cold ones are."""


def cached_pages(path: Path) -> int:
    """The number of a file's pages in the cache. The file must not be empty. Raises NotDropped."""
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
