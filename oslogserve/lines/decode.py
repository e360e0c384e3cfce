# SPDX-License-Identifier: Apache-2.0
"""Decoding of stored logs: gzip (all members) and deflate, in bounded pieces, their end checked."""

import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from oslogserve.errors import Incomplete
from oslogserve.fastzlib import GZIP_WBITS, fast

GZIP_MAGIC = b"\x1f\x8b"
#: Bytes of a piece of output, so that memory stays flat whatever the compression ratio.
PIECE = 256 * 1024
#: What zlib calls wbits. RFC 9110 says that deflate is zlib; raw deflate is what some send.
_WBITS = {"gzip": GZIP_WBITS, "zlib": 15, "deflate": -15}


def decoded(
    chunks: Iterable[bytes],
    encoding: str = "",
    again: Callable[[], Iterable[bytes]] | None = None,
    when_one_member: Callable[[], None] = lambda: None,
) -> Iterator[bytes]:
    """The decoded log, in pieces of at most PIECE bytes or as the source cut them.

    encoding: the declared Content-Encoding, see packed_as(). again: opens the same stored bytes
    once more; with it a faster decoder is used, which loses output close before a damage, so that
    a damaged log is read twice. It may lose two bytes of a log that ends early.
    when_one_member: called at the end of a gzip that is one member and nothing else.

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
        yield from _inflated(stored, packed, again, when_one_member)
    else:
        yield from stored


def packed_as(chunk: bytes, encoding: str = "") -> str:
    """The compression of a log by its first stored chunk: gzip, zlib, deflate (raw), or '' for none.

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
    """True for raw deflate, which has no magic; zlib decodes the beginning of some texts too."""
    decoder = zlib.decompressobj(_WBITS["deflate"])
    try:
        decoder.decompress(chunk, PIECE)
    except zlib.error:
        return False
    if decoder.eof:
        return not decoder.unused_data.strip(b"\0")
    return not chunk.isascii()


def _inflated(
    chunks: Iterable[bytes],
    packed: str,
    again: Callable[[], Iterable[bytes]] | None,
    when_one_member: Callable[[], None],
) -> Iterator[bytes]:
    if again is None or fast is zlib:
        yield from _inflated_to_the_damage(chunks, packed, when_one_member)
        return
    given = checksum = 0
    try:
        for piece in _members(chunks, packed, fast.decompressobj, _inflate, when_one_member):
            given += len(piece)
            checksum = fast.crc32(piece, checksum)
            yield piece
        return
    except fast.error:
        pass  # and the call that failed lost what stood before the damage
    same = 0
    for piece in _inflated_to_the_damage(again(), packed, when_one_member):
        same = fast.crc32(piece[:given], same)
        if given < len(piece):
            yield piece[given:]
        given = max(0, given - len(piece))
    if same != checksum:  # of another copy, then
        why = "it was damaged when first read, not when read again: what stands above may be wrong"
        raise Incomplete("corrupt", why)


def _members(
    chunks: Iterable[bytes],
    packed: str,
    new_decoder: Callable[[int], Any],
    inflate: Callable[[Any, bytes, int], bytes],
    when_one_member: Callable[[], None],
) -> Iterator[bytes]:
    """The output of all members of a gzip, or of the one stream of the others, in pieces."""
    decoder = new_decoder(_WBITS[packed])
    is_first = packed == "gzip"
    for chunk in chunks:
        piece = b""
        while chunk or len(piece) == PIECE:
            if decoder.eof:
                is_first = is_first and not chunk
                chunk = chunk.lstrip(b"\0")  # tar and dd pad with zeros; gzip ignores them too
                if not chunk:
                    break
                if packed != "gzip" or chunk[:1] != GZIP_MAGIC[:1]:
                    raise Incomplete("corrupt", "what follows the compressed data is not gzip")
                decoder = new_decoder(_WBITS[packed])
            piece = inflate(decoder, chunk, PIECE)
            if piece:
                yield piece
            chunk = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
    if not decoder.eof:
        raise Incomplete("truncated", "the compressed data ends early")
    if is_first:
        when_one_member()


def _inflate(decoder: Any, chunk: bytes, most: int) -> bytes:
    piece: bytes = decoder.decompress(chunk, most)
    return piece


class _Damage(Exception):
    """A failed call. before: a copy of the decoder from before it. chunk: its input."""

    def __init__(self, before: "zlib._Decompress", chunk: bytes, error: zlib.error) -> None:
        self.before = before
        self.chunk = chunk
        self.error = error


def _inflated_to_the_damage(
    chunks: Iterable[bytes], packed: str, when_one_member: Callable[[], None]
) -> Iterator[bytes]:
    """All output up to a damage, by the slower decoder."""

    def inflate(decoder: "zlib._Decompress", chunk: bytes, most: int) -> bytes:
        before = decoder.copy()
        try:
            return decoder.decompress(chunk, most)
        except zlib.error as error:
            raise _Damage(before, chunk, error) from None

    try:
        yield from _members(chunks, packed, zlib.decompressobj, inflate, when_one_member)
    except _Damage as damage:
        yield from _up_to_the_damage(damage.before, damage.chunk)
        why = f"the compressed data is damaged ({damage.error})"
        raise Incomplete("corrupt", why) from None


def _up_to_the_damage(decoder: "zlib._Decompress", chunk: bytes) -> Iterator[bytes]:
    """The output of a failed call, which zlib drops: decoded again byte by byte. At most once for
    a log, over one chunk."""
    gathered = bytearray()
    try:
        for position in range(len(chunk)):
            piece = decoder.decompress(chunk[position : position + 1])
            if len(gathered) + len(piece) > PIECE:
                yield bytes(gathered)
                gathered.clear()
            gathered += piece
    except zlib.error:
        pass
    if gathered:
        yield bytes(gathered)


def length(
    chunks: Iterable[bytes],
    encoding: str,
    most: int,
    when_one_member: Callable[[], None] = lambda: None,
) -> int | None:
    """The decoded log's size in bytes; None if it is incomplete, or larger than `most`.

    encoding, when_one_member: as for decoded().
    """
    total = 0
    # again: output before a damage is not needed.
    pieces = decoded(chunks, encoding, again=lambda: (), when_one_member=when_one_member)
    try:
        for piece in pieces:
            total += len(piece)
            if total > most:
                return None
    except Incomplete:
        return None
    return total


def behind(first: int, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces without their first `first` bytes."""
    for piece in pieces:
        if first < len(piece):
            yield piece[first:]
        first = max(0, first - len(piece))


def beginning(chunk: bytes, size: int = 1024, encoding: str = "") -> bytes:
    """The log's first bytes, from its first stored chunk; undecoded if damaged."""
    packed = packed_as(chunk, encoding)
    if not packed:
        return chunk[:size]
    try:
        return zlib.decompressobj(_WBITS[packed]).decompress(chunk, size)
    except zlib.error:
        return chunk[:size]


def until_incomplete(pieces: Iterable[bytes], missing: list[Incomplete]) -> Iterator[bytes]:
    """The pieces up to where the log breaks off; the reason is added to `missing`."""
    try:
        yield from pieces
    except Incomplete as error:
        missing.append(error)


def exactly(size: int, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The first `size` bytes, as announced: what was appended since is left out.

    Raises Incomplete where the bytes end early. The last piece is delayed until the source has
    ended without an error, so that a client sees an incomplete answer break off.
    """
    left = size
    last = b""
    try:
        for piece in pieces:
            if last:
                yield last
                last = b""
            if not left:
                return
            last = piece[:left]
            left -= len(last)
    except Incomplete:
        if last and left:
            yield last
        raise
    if last:
        yield last
    if left:
        raise Incomplete("truncated", f"{left} of {size} bytes are missing")
