# SPDX-License-Identifier: Apache-2.0
"""The file of a log's words, by which other logs are compared with it without reading it."""

import struct

from oslogserve.fastzlib import fast
from oslogserve.index.log_index import inflated
from oslogserve.native import Known

#: Identifies a file, with the version of its format.
_MAGIC = b"oslogserve-words 1\n"
_CHECKSUM = struct.Struct(">I")
#: Bytes of a list of words. The core's limits allow fewer.
_MOST_LIST = 2 * 1024 * 1024
_LEVEL = 2
#: The least ratio of a log's stored bytes to those of the file. To read the words of a smaller log again is
#: cheaper than the place in the directory.
_LEAST_RATIO = 8


def file_of(words: bytes, stored_size: int) -> bytes:
    """The file of a list of words of the core; empty if it would be large for such a log."""
    packed = fast.compress(words, _LEVEL) if words else b""
    if not packed or _LEAST_RATIO * len(packed) > stored_size:
        return b""
    return b"".join((_MAGIC, _CHECKSUM.pack(fast.crc32(packed)), packed))


def known_in(content: bytes) -> Known:
    """The words in a file. Raises ValueError if it is none, or damaged."""
    begin = len(_MAGIC) + _CHECKSUM.size
    packed = memoryview(content)[begin:]
    if content[:begin] != _MAGIC + _CHECKSUM.pack(fast.crc32(packed)):
        raise ValueError("it is no list of words, or damaged")
    return Known.of_list(inflated(packed, _MOST_LIST))
