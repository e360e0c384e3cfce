# SPDX-License-Identifier: Apache-2.0
"""Stored bytes to log bytes: gzip (all members) and deflate, in bounded pieces, end checked."""

import zlib
from collections.abc import Iterable, Iterator
from itertools import chain

from oslogserve.errors import Incomplete

GZIP_MAGIC = b"\x1f\x8b"
#: Bytes of output that one call may make: memory stays flat whatever the expansion ratio.
PIECE = 256 * 1024
#: What zlib calls wbits. RFC 9110 says that deflate is zlib; raw deflate is what some send.
_WBITS = {"gzip": 31, "zlib": 15, "deflate": -15}


def decoded(chunks: Iterable[bytes], encoding: str = "") -> Iterator[bytes]:
    """The log's own bytes, in pieces of at most PIECE bytes or as the source cut them.

    encoding: the declared Content-Encoding, see packed_as().
    Raises Incomplete where the stored bytes end early or are damaged.
    """
    chunks = iter(chunks)
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= 2:
            break
    stored = chain((head,), chunks) if head else iter(())
    packed = packed_as(head, encoding)
    if packed:
        yield from _inflated(stored, packed)
    else:
        yield from stored


def packed_as(chunk: bytes, encoding: str = "") -> str:
    """'gzip', 'zlib', 'deflate' (raw) or '' for plain: of a log whose first stored chunk this is.

    The bytes decide, not the declared encoding: gzip is recognised undeclared, and a declaration
    that the bytes belie is ignored.
    """
    if chunk.startswith(GZIP_MAGIC):
        return "gzip"
    if encoding != "deflate" or len(chunk) < 2:
        return ""
    if chunk[0] & 0x0F == 8 and int.from_bytes(chunk[:2], "big") % 31 == 0:
        return "zlib"
    return "deflate" if _is_raw_deflate(chunk) else ""


def _is_raw_deflate(chunk: bytes) -> bool:
    """Raw deflate has no magic, and zlib takes some text for it for a while."""
    decoder = zlib.decompressobj(_WBITS["deflate"])
    try:
        decoder.decompress(chunk, PIECE)
    except zlib.error:
        return False
    if decoder.eof:
        return not decoder.unused_data.strip(b"\0")
    return not chunk.isascii()


def _inflated(chunks: Iterable[bytes], packed: str) -> Iterator[bytes]:
    decoder = zlib.decompressobj(_WBITS[packed])
    for chunk in chunks:
        piece = b""
        while chunk or len(piece) == PIECE:
            if decoder.eof:
                chunk = chunk.lstrip(b"\0")  # tar and dd pad with zeros; gzip ignores them too
                if not chunk:
                    break
                if packed != "gzip" or chunk[:1] != GZIP_MAGIC[:1]:
                    raise Incomplete("corrupt", "what follows the compressed data is not gzip")
                decoder = zlib.decompressobj(_WBITS[packed])
            before = decoder.copy()
            try:
                piece = decoder.decompress(chunk, PIECE)
            except zlib.error as error:
                yield from _up_to_the_damage(before, chunk)
                raise Incomplete("corrupt", f"the compressed data is damaged ({error})") from None
            if piece:
                yield piece
            chunk = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
    if not decoder.eof:
        raise Incomplete("truncated", "the compressed data ends early")


def _up_to_the_damage(decoder: "zlib._Decompress", chunk: bytes) -> Iterator[bytes]:
    """What the failed call would have given: byte by byte, for zlib drops the output of a
    call that fails. At most once for a log, over one chunk."""
    try:
        for position in range(len(chunk)):
            piece = decoder.decompress(chunk[position : position + 1])
            if piece:
                yield piece
    except zlib.error:
        return


def beginning(chunk: bytes, size: int = 1024, encoding: str = "") -> bytes:
    """The first bytes of the log whose first stored chunk this is; undecoded where damaged."""
    packed = packed_as(chunk, encoding)
    if not packed:
        return chunk[:size]
    try:
        return zlib.decompressobj(_WBITS[packed]).decompress(chunk, size)
    except zlib.error:
        return chunk[:size]


def until_incomplete(pieces: Iterable[bytes], missing: list[Incomplete]) -> Iterator[bytes]:
    """Ends where the log breaks off, and leaves in `missing` why it did."""
    try:
        yield from pieces
    except Incomplete as error:
        missing.append(error)


def exactly(size: int, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """As many bytes as were announced: what was appended since is left out, and where the
    bytes end early Incomplete is raised."""
    left = size
    for piece in pieces:
        piece = piece[:left]
        left -= len(piece)
        yield piece
        if not left:
            return
    if left:
        raise Incomplete("truncated", f"{left} of {size} bytes are missing")
