# SPDX-License-Identifier: Apache-2.0
"""The C library's allocator."""

import ctypes

# glibc's numbers of its parameters.
_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8
#: As many threads allocate at once without waiting. What is free in one arena is of no use to the others.
ARENAS = 4
#: Bytes from which on a buffer has pages of its own, which the system gets back when it is freed. glibc
#: would raise this with each such buffer, up to 32 MiB, and keep them.
LARGE = 1024 * 1024
#: Free bytes at an arena's end that are kept.
KEPT = 4 * LARGE


def set_up_malloc() -> None:
    """Has the threads of this process share their memory and give large buffers back. To be called
    before there are threads.

    glibc gives each thread an arena, which keeps what its requests took: 80 MiB more of 24 tails at
    once. Other libraries have no arenas.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, ARENAS)
        mallopt(_M_MMAP_THRESHOLD, LARGE)
        mallopt(_M_TRIM_THRESHOLD, KEPT)
