# SPDX-License-Identifier: Apache-2.0
"""zlib's interface by ISA-L, several times faster, where its wheel is installed; else zlib.

Unlike zlib's, ISA-L's objects cannot be copied.
"""

import zlib
from typing import Any

fast: Any
try:
    from isal import isal_zlib as fast
except ImportError:
    fast = zlib

Z_SYNC_FLUSH = zlib.Z_SYNC_FLUSH
GZIP_WBITS = 31
#: For its compressor: more is no faster and packs no better (measured with 256 KiB pieces).
_MEMORY = 4


def gzip_compressor(level: int) -> Any:
    """level: 0, the least, to 3. zlib's 0 does not compress at all, so 1 takes its place."""
    if fast is zlib:
        return zlib.compressobj(max(level, 1), zlib.DEFLATED, GZIP_WBITS)
    return fast.compressobj(level, zlib.DEFLATED, GZIP_WBITS, _MEMORY)
