# SPDX-License-Identifier: Apache-2.0
"""Sets up the C library's allocator."""

import ctypes

# glibc's numbers of its parameters.
_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8
#: So many threads can allocate at once. Memory that is free in one arena is of no use to the others.
ARENAS = 4
#: Bytes from which a buffer gets its own pages, which are returned to the system when it is freed.
#: By default, glibc raises this limit with each such buffer, up to 32 MiB.
LARGE = 1024 * 1024
#: Free bytes at an arena's end that are kept.
KEPT = 4 * LARGE


def set_up_malloc() -> None:
    """Lets threads share a few arenas and return large buffers. Call it before there are threads.

    By default, glibc gives each thread an arena, which keeps the memory of its requests: 80 MiB more
    for 24 tails at once. Other C libraries have no arenas.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, ARENAS)
        mallopt(_M_MMAP_THRESHOLD, LARGE)
        mallopt(_M_TRIM_THRESHOLD, KEPT)
