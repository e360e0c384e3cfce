# SPDX-License-Identifier: Apache-2.0
"""Compresses as gzip, zstd and pzstd do."""

import gzip

import zstandard


def frame(text, level=3, **options):
    """A frame with a checksum. options: parameters of the compression."""
    options = {"write_checksum": True, **options}
    parameters = zstandard.ZstdCompressionParameters.from_level(level, **options)
    return zstandard.ZstdCompressor(compression_params=parameters).compress(text)


def streamed(text, **options):
    """A frame that does not say its size, as of a pipe. options: parameters of the compression."""
    parameters = zstandard.ZstdCompressionParameters(**options)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    return packer.compress(text) + packer.flush()


def skippable(content, kind=0):
    """A frame without text. kind: 0 to 15."""
    return bytes([0x50 + kind]) + b"\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content


def frames(text, size):
    """A frame for each `size` bytes, and before each one with its size, as of pzstd."""
    packed = [frame(text[at : at + size]) for at in range(0, len(text), size)]
    return b"".join(skippable(len(one).to_bytes(4, "little")) + one for one in packed)


def stored_as(name, text):
    """The bytes of a log with this name. Zstandard has a frame for each twentieth."""
    if name.endswith(".gz"):
        return gzip.compress(text, 1, mtime=0)
    return frames(text, -(-len(text) // 20)) if name.endswith(".zst") else text
