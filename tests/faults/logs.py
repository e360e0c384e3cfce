# SPDX-License-Identifier: Apache-2.0
"""The logs that are read: seeded, and hardly smaller when packed."""

import base64
import functools
import gzip
import random

MEGABYTE = 1024 * 1024
#: Stored bytes of most logs, and of those that must be longer than all buffers on their way.
SIZE = 3 * MEGABYTE
LARGE = 16 * MEGABYTE
_HEAD = b"2024-03-28 12:20:43.570 1 INFO nova.compute [-] "


@functools.cache
def plain(size, seed=0):
    """About so many bytes, all of them in lines."""
    noise = base64.b85encode(random.Random(seed).randbytes(size * 4 // 5))
    width = 200 - len(_HEAD) - 1
    lines = (_HEAD + noise[at : at + width] for at in range(0, len(noise) * 3 // 4, width))
    return b"\n".join(lines) + b"\n"


@functools.cache
def stored(size, packed, seed=0):
    if packed:
        return gzip.compress(plain(size * 5 // 4, seed), 1, mtime=0)
    return plain(size, seed)
