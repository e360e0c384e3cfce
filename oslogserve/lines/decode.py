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
        for piece in _members(chunks, packed, fast.decompressobj, when_one_member):
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
            piece = decoder.decompress(chunk, PIECE)
            if piece:
                yield piece
            chunk = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
    if not decoder.eof:
        raise Incomplete("truncated", "the compressed data ends early")
    if is_first:
        when_one_member()


class _CarefulDecoder:
    """zlib's decoder, slower, but without loss of the output up to a damage."""

    eof = False
    unused_data = unconsumed_tail = b""

    def __init__(self, wbits: int) -> None:
        self._decoder = zlib.decompressobj(wbits)

    def decompress(self, chunk: bytes, most: int) -> bytes:
        """Up to `most` bytes of output. A call that fails drops its output: repeat it with less."""
        size = len(chunk)
        while True:
            before = self._decoder.copy()
            try:
                piece = self._decoder.decompress(chunk[:size], most)
                break
            except zlib.error:
                self._decoder = before
                size //= 2
                if not size:
                    raise
        self.eof = self._decoder.eof
        self.unused_data = self._decoder.unused_data + chunk[size:]
        self.unconsumed_tail = self._decoder.unconsumed_tail + chunk[size:]
        return piece


def _inflated_to_the_damage(
    chunks: Iterable[bytes], packed: str, when_one_member: Callable[[], None]
) -> Iterator[bytes]:
    """All output up to a damage, by the slower decoder."""
    try:
        yield from _members(chunks, packed, _CarefulDecoder, when_one_member)
    except zlib.error as error:
        raise Incomplete("corrupt", f"the compressed data is damaged ({error})") from None


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
