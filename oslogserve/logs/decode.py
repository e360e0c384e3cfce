# SPDX-License-Identifier: Apache-2.0
"""Decodes stored logs: gzip with all its members, and deflate. Checks that the end is complete."""

import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Protocol

from oslogserve.errors import Incomplete
from oslogserve.fastzlib import GZIP_WBITS, fast, igzip_lib
from oslogserve.logs.media_type import is_binary

GZIP_MAGIC = b"\x1f\x8b"
#: Bytes of a piece of output. They bound memory, whatever the compression ratio.
PIECE = 256 * 1024
#: zlib's parameter for each format. RFC 9110's deflate is zlib's format, yet some send raw deflate.
_WBITS = {"gzip": GZIP_WBITS, "zlib": 15, "deflate": -15}
#: Declared encodings, by the compression that they name.
_DECLARED = {"gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate"}
#: First bytes that show whether a log is text although it is declared as compressed.
_LOOKED_AT = 1024


class Decoded:
    """The text of a stored log; iterate once. Inflated pieces have at most PIECE bytes.

    Each chunk yields at least one piece, maybe an empty one, so that a caller can charge the time
    between them. Raises Incomplete if the stored bytes end early or are damaged.
    """

    def __init__(
        self,
        chunks: Iterable[bytes],
        encoding: str = "",
        again: Callable[[], Iterable[bytes]] | None = None,
        piece_size: int = PIECE,
    ) -> None:
        """chunks: the stored bytes. encoding: the declared Content-Encoding, see packed_as().
        piece_size: bytes of a piece, at most PIECE.

        again: opens the same stored bytes again. With it, the faster decoder (ISA-L) is used. It drops
        output just before a damage, so a damaged log is read twice. If a log ends early, it may lose
        two bytes.
        """
        self._chunks = iter(chunks)
        self._encoding = encoding
        self._again = again
        self._piece_size = piece_size
        #: True if it was read to its end and is exactly one gzip member.
        self.is_one_member = False

    def __iter__(self) -> Iterator[bytes]:
        head = b""
        for chunk in self._chunks:
            head += chunk
            if len(head) >= 2:
                break
        stored = chain((head,), self._chunks) if head else iter(())
        packing = packed_as(head, self._encoding)
        if not packing:
            yield from stored
        elif self._again is None or fast is zlib:
            yield from self._inflated_to_the_damage(stored, packing)
        else:
            yield from self._inflated(stored, packing, self._again)

    def _inflated(
        self, chunks: Iterable[bytes], packing: str, again: Callable[[], Iterable[bytes]]
    ) -> Iterator[bytes]:
        """Yields all output up to a damage, from the faster decoder as far as possible."""
        size = checksum = 0
        try:
            for piece in self._members(chunks, packing, _fast_decoder):
                size += len(piece)
                checksum = fast.crc32(piece, checksum)
                yield piece
            return
        except fast.error:
            pass  # the call that failed lost its output
        second_checksum = 0
        for piece in self._inflated_to_the_damage(again(), packing):
            second_checksum = fast.crc32(piece[:size], second_checksum)
            yield piece[size:]
            size = max(0, size - len(piece))
        if second_checksum != checksum:  # what was yielded came from other bytes
            why = (
                "it was damaged when first read, not when read again: the lines above may be wrong"
            )
            raise Incomplete("corrupt", why)

    def _inflated_to_the_damage(self, chunks: Iterable[bytes], packing: str) -> Iterator[bytes]:
        """Yields all output up to a damage, from the slower decoder."""
        try:
            yield from self._members(chunks, packing, _CarefulDecoder)
        except zlib.error as error:
            raise Incomplete("corrupt", f"the compressed data is damaged ({error})") from None

    def _members(
        self, chunks: Iterable[bytes], packing: str, new_decoder: "Callable[[str], _Decoder]"
    ) -> Iterator[bytes]:
        """Yields the output of all gzip members, or of a single deflate stream, in pieces."""
        decoder, size = new_decoder(packing), self._piece_size
        is_first = packing == "gzip"
        is_new, header = is_first, b""

        def inflated(chunk: bytes, is_last: bool = False) -> Iterator[bytes]:
            nonlocal decoder, is_first, is_new, header
            has_more = bool(chunk)
            while has_more:
                if decoder.eof:
                    is_first = is_first and not chunk
                    chunk = chunk.lstrip(b"\0")  # tar and dd pad with zeros; gzip ignores them too
                    if not chunk:
                        break
                    if packing != "gzip" or chunk[:1] != GZIP_MAGIC[:1]:
                        raise Incomplete("corrupt", "what follows the compressed data is not gzip")
                    decoder, is_new = new_decoder(packing), True
                if is_new and not is_last and not _has_header(chunk):
                    header = chunk  # ISA-L misreads a header with several fields in two calls
                    break
                is_new = False
                piece = decoder.decompress(chunk, size)
                yield piece
                chunk = decoder.unused_data if decoder.eof else b""
                # A full piece may have more behind it, also where all input was taken.
                is_full = len(piece) == size
                has_more = bool(chunk) if decoder.eof else is_full or not decoder.needs_input

        for chunk in chunks:
            chunk, header = header + chunk, b""
            yield from _joined(inflated(chunk), size)
        yield from inflated(header, is_last=True)
        if not decoder.eof:
            raise Incomplete("truncated", "the compressed data ends early")
        self.is_one_member = is_first


def _has_header(start: bytes) -> bool:
    """True if the start of a gzip member has its whole header, or is longer than any header."""
    flags, at = start[3:4], 10
    if not flags or len(start) > PIECE:
        return bool(flags)
    if flags[0] & 4:
        at += 2 + int.from_bytes(start[10:12], "little")
    for field in (8, 16):  # name, comment
        if flags[0] & field:
            at = start.find(b"\0", at) + 1
            if not at:
                return False
    return at + (flags[0] & 2) <= len(start)


def _joined(pieces: Iterable[bytes], most: int) -> Iterator[bytes]:
    """Yields the pieces, small ones joined to at most `most` bytes; at least one, maybe an empty one.

    A gzip may have a member for each byte.
    """
    small: list[bytes] = []
    size = 0
    try:
        for piece in pieces:
            if size + len(piece) > most:
                yield b"".join(small)
                small, size = [], 0
            small.append(piece)
            size += len(piece)
            if size == most:  # a full piece need not wait for the next
                yield b"".join(small)
                small, size = [], 0
    except Exception:
        yield b"".join(small)
        raise
    yield b"".join(small)


def packed_as(chunk: bytes, encoding: str = "") -> str:
    """The compression of a log, by its first stored chunk: gzip, zlib, deflate (raw), or '' for none.

    The bytes decide: gzip needs no declaration, and text is text even if it is declared as compressed.
    Bytes that are neither belong to a damaged log of the declared compression.
    """
    if chunk.startswith(GZIP_MAGIC):
        return "gzip"
    declared = _DECLARED.get(encoding, "")
    if not declared or len(chunk) < 2:
        return declared
    if declared == "deflate":
        if chunk[0] & 0x0F == 8 and int.from_bytes(chunk[:2], "big") % 31 == 0:
            return "zlib"
        if _is_raw_deflate(chunk):
            return declared
    return declared if is_binary(chunk[:_LOOKED_AT]) else ""


def _is_raw_deflate(chunk: bytes) -> bool:
    """True for raw deflate. It has no magic number, and zlib can decode the beginning of some texts."""
    decoder = zlib.decompressobj(_WBITS["deflate"])
    try:
        decoder.decompress(chunk, PIECE)
    except zlib.error:
        return False
    if decoder.eof:
        return not decoder.unused_data.strip(b"\0")
    return not chunk.isascii()


class _Decoder(Protocol):
    """A decoder of one stream. It keeps the input that it has not consumed."""

    @property
    def eof(self) -> bool:
        """True behind the stream's end."""

    @property
    def needs_input(self) -> bool:
        """True if all input is consumed. Behind a full piece, more of its output may follow."""

    @property
    def unused_data(self) -> bytes:
        """The input behind the stream's end."""

    def decompress(self, chunk: bytes, most: int) -> bytes:
        """Up to `most` bytes of output."""


def _fast_decoder(packing: str) -> _Decoder:
    flags = {"gzip": igzip_lib.DECOMP_GZIP, "zlib": igzip_lib.DECOMP_ZLIB}
    decoder: _Decoder = igzip_lib.IgzipDecompressor(flags.get(packing, igzip_lib.DECOMP_DEFLATE))
    return decoder


class _CarefulDecoder:
    """zlib's decoder: slower, but without losing the output before a damage."""

    eof = False
    needs_input = True
    unused_data = b""

    def __init__(self, packing: str) -> None:
        self._decoder = zlib.decompressobj(_WBITS[packing])
        self._rest = b""

    def decompress(self, chunk: bytes, most: int) -> bytes:
        # A call that fails drops its output: it is repeated with less.
        chunk = self._rest + chunk
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
        self._rest = self._decoder.unconsumed_tail + chunk[size:]
        self.needs_input = not self._rest
        return piece


def beginning(chunk: bytes, size: int = 1024, encoding: str = "") -> bytes | None:
    """The log's first bytes, from its first stored chunk; None if that is damaged."""
    packing = packed_as(chunk, encoding)
    if not packing:
        return chunk[:size]
    try:
        return zlib.decompressobj(_WBITS[packing]).decompress(chunk, size)
    except zlib.error:
        return None


def length(pieces: Iterable[bytes], most: int) -> int | None:
    """Reads all pieces and counts their bytes; None if the log is incomplete or has over `most`."""
    total = 0
    try:
        for piece in pieces:
            total += len(piece)
            if total > most:
                return None
    except Incomplete:
        return None
    return total


class Reading:
    """The pieces of a log until it breaks off; iterate once."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        #: Why it broke off, known at the end; None if it did not.
        self.broke_off: Incomplete | None = None

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._pieces
        except Incomplete as error:
            self.broke_off = error


def exactly(size: int, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the first `size` bytes, which were announced; bytes appended since are left out.

    Raises Incomplete if the bytes end early. The last piece is held until the source has ended
    without an error, so that a client sees an incomplete answer break off.
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
