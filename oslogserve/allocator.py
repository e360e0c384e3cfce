# SPDX-License-Identifier: Apache-2.0
"""The C library's allocator."""

import ctypes

#: glibc's number for the most arenas.
_M_ARENA_MAX = -8
#: As many threads allocate at once without waiting. What is free in one arena is of no use to the others.
ARENAS = 4


def share_arenas() -> None:
    """Lets the threads of this process share their memory, before there are threads.

    glibc gives each thread an arena, which keeps what its requests took: 80 MiB more of 24 tails at
    once. Other libraries have no arenas.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, ARENAS)
