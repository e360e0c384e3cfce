# SPDX-License-Identifier: Apache-2.0
"""The compressions of stored logs: suffixes of names, encodings, and media types; and the zlib that is used."""

import os
import zlib
from typing import Any

#: zlib's interface, from ISA-L if that is installed: it compresses several times as fast. Unlike zlib's, its objects
#: cannot be copied.
fast: Any
try:
    from isal import isal_zlib as fast
except ImportError:
    fast = zlib

GZIP_WBITS = 31

#: The encoding that a stored name's suffix declares. In this order a log's name is tried with each.
SUFFIXES = {".gz": "gzip", ".zst": "zstd"}
#: The media types of stored bytes, by how they are compressed, see `logs.decode.packed_as`.
MEDIA_TYPES = {
    "gzip": "application/gzip",
    "zlib": "application/zlib",
    "deflate": "application/zlib",
    "zstd": "application/zstd",
}


def encoding_of(name: bytes | str) -> str:
    """The encoding that a stored name declares, or ""."""
    return SUFFIXES.get(os.fsdecode(os.path.splitext(name)[1]), "")


def stored_names(name: str) -> list[str]:
    """The names under which a log may be stored, from the first that is tried."""
    return [name, *(name + suffix for suffix in SUFFIXES)]


def stored_paths(path: bytes) -> list[bytes]:
    """The paths under which a log may be stored, from the first that is tried."""
    return [path, *(path + suffix.encode() for suffix in SUFFIXES)]


def plain_name(name: str) -> str:
    """The name without the suffix of a compression."""
    suffix = os.path.splitext(name)[1]
    return name.removesuffix(suffix) if suffix in SUFFIXES else name
