# SPDX-License-Identifier: Apache-2.0
"""Decodes stored logs: gzip, deflate and Zstandard, to the last member or frame, and UTF-16 with a byte order mark.

The bytes decide how a log is compressed, and not its name: jobs compress twice, not at all, or in another way than they
say. What is declared counts only where the bytes tell nothing. A text that is packed again is unpacked, too.

All that can be inflated is yielded before an error is raised, since the end of a broken log is what its reader wants
most. Pieces are bounded, whatever the ratio of compression, and each stored chunk gives at least one piece, maybe an
empty one, so that a caller can charge the time between them. At the end it is checked that the last member is whole.

The inflater is the native core's: it knows where a member ends, loses nothing before a damage, and can begin in the
middle of a log at a point that it told before.
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from oslogserve import native
from oslogserve.errors import Incomplete, Undecodable
from oslogserve.logs.media_type import is_binary

if TYPE_CHECKING:
    from oslogserve_core import Point

#: First bytes of a gzip.
_GZIP = b"\x1f\x8b"
#: First bytes of a Zstandard frame. A skippable one often comes first: pzstd and seekable files have one.
_ZSTD = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")
#: UTF-16's byte order marks. Four bytes that begin so, with zeros behind them, are UTF-32's.
_UTF_16 = {b"\xff\xfe": "utf-16le", b"\xfe\xff": "utf-16be"}
_NO_ASCII = bytes(range(128, 256))
#: Packings in each other: a job compresses what its tool has compressed already. More are an attack.
MOST_LAYERS = 3
#: Bytes that show the compression of a log.
_MAGIC_SIZE = 4
#: Bytes of a piece of output. They bound memory, whatever the compression ratio.
PIECE = 256 * 1024
#: Bytes of the largest window of Zstandard. A frame that needs a larger one is refused.
MOST_WINDOW = native.LIMITS["zstd.MOST_WINDOW"]
#: Compressions, by the declared encoding. RFC 9110's deflate is zlib's format, yet some send raw deflate.
_DECLARED = {"gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate", "zstd": "zstd"}
#: zlib's parameter for raw deflate.
_RAW_WBITS = -15
#: First bytes that show whether a log is text although it is declared as compressed.
_LOOKED_AT = 1024


class FirstBytes(NamedTuple):
    """The beginning of a log, which tells what kind of file it is."""

    #: Its compression, see packed_as().
    packing: str
    #: Its text; empty if that is damaged.
    text: bytes
    is_damaged: bool = False
    #: When it was compressed, or the file before that was last written, in seconds since 1970; 0 if unknown.
    packed_at: int = 0
    #: True if its text is packed again.
    is_layered: bool = False


class Decoded:
    """The text of a stored log; iterate once. Inflated pieces have at most PIECE bytes.

    Each chunk yields at least one piece, maybe an empty one, so that a caller can charge the time
    between them. Raises Incomplete if the stored bytes end early or are damaged, behind all that could
    be inflated; Undecodable if they need a larger window or a dictionary.
    """

    def __init__(
        self,
        chunks: Iterable[bytes],
        encoding: str = "",
        piece_size: int = PIECE,
        interval: int = 0,
        points: "list[Point] | None" = None,
        layers: int = MOST_LAYERS,
    ) -> None:
        """chunks: the stored bytes. encoding: the declared Content-Encoding, see packed_as().
        piece_size: bytes of a piece, at most PIECE. points: gets the places from which it can be inflated, see
        core/src/decode, `interval` bytes of text apart, once all was read; None if nobody wants them.
        layers: packings in each other that are unpacked; 0 to leave what is packed again as it is.
        """
        self._chunks = iter(chunks)
        self._encoding = encoding
        self._piece_size = piece_size
        self._interval = interval
        self._points = points
        self._layers = layers
        self._inflater: native.Inflater | None = None
        #: The text that is packed again.
        self._inner: Decoded | None = None
        #: True if it was read to its end and is exactly one gzip member or Zstandard frame.
        self.is_one_member = False

    def __iter__(self) -> Iterator[bytes]:
        head = b""
        for chunk in self._chunks:
            head += chunk
            if len(head) >= _MAGIC_SIZE:
                break
        stored = chain((head,), self._chunks) if head else iter(())
        packing = packed_as(head, self._encoding)
        return self._unpacked(self._inflated(stored, packing)) if packing else stored

    def memory(self) -> int:
        """Bytes of memory that unpacking it takes now."""
        own = self._inflater.memory if self._inflater else 0
        return own + (self._inner.memory() if self._inner else 0)

    def _unpacked(self, text: Iterator[bytes]) -> Iterator[bytes]:
        """The text, or what is packed in it."""
        head = b""
        try:
            for piece in text:
                head += piece
                if len(head) >= _MAGIC_SIZE:
                    break
                yield b""
        except Incomplete:
            if head:
                yield head
            raise
        if not self._layers or not packed_as(head):
            if head:
                yield head
            yield from text
            return
        if self._layers == 1:
            raise Undecodable("corrupt", f"it is compressed more than {MOST_LAYERS} times")
        again = chain((head,), text)
        self._inner = Decoded(again, "", self._piece_size, layers=self._layers - 1)
        yield from self._inner

    def _inflated(self, chunks: Iterable[bytes], packing: str) -> Iterator[bytes]:
        inflater = self._inflater = native.Inflater(packing, self._piece_size)
        if self._points is not None:
            inflater.collect_points(self._interval)
        for chunk in chunks:
            yield from inflated(inflater, chunk)
            if inflater.fault:
                break
        fault = inflater.fault_at_end
        if fault:
            raise (Undecodable if inflater.is_refused else Incomplete)(*fault)
        if not self._inner:
            self.is_one_member = inflater.is_one_member
            if self._points is not None:
                self._points += inflater.take_points()


def inflated(inflater: native.Inflater, chunk: bytes) -> Iterator[bytes]:
    """Yields what a chunk of stored bytes inflates to, up to a fault."""
    piece: bytes | None = inflater.feed(chunk)
    while piece is not None:
        yield piece
        piece = inflater.more()


def packed_as(chunk: bytes, encoding: str = "") -> str:
    """How a log is packed, by its first stored chunk: gzip, zlib, deflate (raw), zstd, utf-16le, utf-16be; '' for not.

    The bytes decide: gzip and zstd need no declaration, and text is text even if it is declared as compressed.
    Bytes that are neither belong to a damaged log of the declared compression.
    """
    if chunk.startswith(_GZIP):
        return "gzip"
    if _ZSTD.match(chunk):
        return "zstd"
    if encoded := _UTF_16.get(chunk[:2]):
        stored = chunk[2:_LOOKED_AT]
        head = stored.decode(encoded, "ignore").encode()
        # Text in any language has digits and ends of lines, and few other characters have a line feed's byte.
        is_text = 32 * len(head.translate(None, _NO_ASCII)) > len(head)
        is_text &= 2 * head.count(b"\n") > stored.count(b"\n") or b"\n" not in stored
        if is_text and not is_binary(head):
            return encoded
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
    decoder = zlib.decompressobj(_RAW_WBITS)
    try:
        decoder.decompress(chunk, PIECE)
    except zlib.error:
        return False
    if decoder.eof:
        return not decoder.unused_data.strip(b"\0")
    return not chunk.isascii()


def first_bytes(chunk: bytes, encoding: str = "", size: int = 1024) -> FirstBytes:
    """The log's first bytes, from its first stored chunk. encoding: see packed_as()."""
    packing = packed_as(chunk, encoding)
    if not packing:
        return FirstBytes("", chunk[:size])
    inflater = native.Inflater(packing, size)
    text = inflater.feed(chunk)
    if inflater.fault:
        return FirstBytes(packing, b"", is_damaged=True)
    packed_at = int.from_bytes(chunk[4:8], "little") if packing == "gzip" else 0
    is_layered = bool(packed_as(text))
    # A damaged inner one is told when it is read.
    text = first_bytes(text, size=size).text if is_layered else text
    return FirstBytes(packing, text, packed_at=packed_at, is_layered=is_layered)


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


def within(pieces: Iterable[bytes], first: int, end: int, at: int = 0) -> Iterator[bytes]:
    """Yields the bytes from `first` up to `end`. Reads all pieces. at: the place of the first one."""
    for piece in pieces:
        found = piece[max(0, first - at) : max(0, end - at)]
        at += len(piece)
        if found:
            yield found


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
