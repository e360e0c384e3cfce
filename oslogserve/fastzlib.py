# SPDX-License-Identifier: Apache-2.0
"""zlib's interface, and a decoder of streams, from ISA-L if that is installed: several times as fast.

Unlike zlib's, ISA-L's objects cannot be copied.
"""

import zlib
from typing import Any

fast: Any
#: isal.igzip_lib; None without ISA-L. Its decoder keeps the input that is not consumed, and is a third
#: faster than isal_zlib's, which copies it at each call.
igzip_lib: Any
try:
    from isal import igzip_lib
    from isal import isal_zlib as fast
except ImportError:
    fast, igzip_lib = zlib, None

GZIP_WBITS = 31
