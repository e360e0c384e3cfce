# SPDX-License-Identifier: Apache-2.0
"""A masked copy of a file, which is uploaded in its place.

What is sent is what was searched, whoever writes to the file meanwhile. A compressed text is
inflated, masked and compressed again. What is no text is searched, but never changed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from tempfile import TemporaryFile
from typing import BinaryIO, NamedTuple

from oslogserve.compression import encoding_of
from oslogserve.errors import Incomplete, Undecodable
from oslogserve.logs.decode import Decoded, packed_as
from oslogserve.logs.media_type import passed_through_as
from oslogserve.native import Masking, Packer
from oslogserve.upload.masks import Masks, masked
from oslogserve.upload.payload import is_compressible, pieces_of, write_gzip

#: First bytes of a text, by which its kind is told.
_HEAD = 1024
_NO_TEXT = "it has {}, and it is no text, plain or compressed"


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


class Unmasked(Exception):
    """Raised for a file that cannot be masked, so that it is not uploaded."""


class Copy(NamedTuple):
    """The first bytes of a file, to be uploaded."""

    file: BinaryIO
    size: int
    #: How often each value was found in them, see Masks.
    counts: Sequence[int] = ()
    #: Why the masked text breaks off; None if it does not.
    broke_off: Incomplete | None = None


@contextmanager
def masked_copy(whole: Copy, name: str, masks: Masks) -> Iterator[Copy]:
    """Context with a masked copy of a file. Raises Unmasked, Changed, OSError."""
    head, pieces = _with_head(pieces_of(whole.file, 0, whole.size))
    packing = packed_as(head, encoding_of(name)) if head else ""
    with TemporaryFile() as file, TemporaryFile() as repacked:
        if packing:
            yield _of_packed(pieces, name, packing, masks, file, repacked)
            return
        masking = masks.begin()
        file.writelines(masked(pieces, masking))
        found = masks.names(masking.counts)
        if found and not _is_text(name, head):
            raise Unmasked(_NO_TEXT.format(found))
        yield _flushed(file, masking.counts)


def _of_packed(
    stored: Iterator[bytes],
    name: str,
    packing: str,
    masks: Masks,
    file: BinaryIO,
    repacked: BinaryIO,
) -> Copy:
    """The copy of a compressed file: as it is in `file`, or masked in `repacked`.

    The stored bytes are searched, too. They may have what is no text: the name in a gzip's header, a
    skippable frame of Zstandard.
    """
    around, masking = masks.begin(), masks.begin()
    text = Reading(Decoded(_searched(_kept(stored, file), around), packing, layers=0))
    head, pieces = _with_head(iter(text))
    if packed_as(head):
        raise Unmasked("it is compressed twice, so it cannot be searched for what is masked")
    size = sum(map(len, masked(pieces, masking)))
    counts = [*map(max, masking.counts, around.counts)]
    found = masks.names(counts)
    broke_off = text.broke_off
    if not (found or broke_off):
        return _flushed(file, counts)
    is_text = _is_text(name, head)
    if packing.startswith("utf-16"):
        raise Unmasked(f"it is in UTF-16, so it cannot be masked; found: {found or broke_off}")
    if found and not is_text:
        raise Unmasked(_NO_TEXT.format(found))
    if broke_off and (not size or not is_text or isinstance(broke_off, Undecodable)):
        raise Unmasked(f"it cannot be searched for what is masked: {broke_off}")
    file.flush()
    again = Reading(Decoded(pieces_of(file, 0, file.tell()), packing, layers=0))
    _WRITERS[packing](repacked, masked(again, masks.begin()), broke_off is None)
    return _flushed(repacked, counts, broke_off)


def _with_head(pieces: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The first bytes of pieces, and all pieces."""
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= _HEAD:
            break
    return head[:_HEAD], chain((head,), pieces)


def _is_text(name: str, head: bytes) -> bool:
    media_type = passed_through_as(name, head, ())
    return media_type is None or is_compressible(media_type)


def _searched(pieces: Iterable[bytes], masking: Masking) -> Iterator[bytes]:
    """Yields pieces as they are, and counts in them what would be masked."""
    for piece in pieces:
        masking.feed(piece)
        yield piece
    masking.finish()


def _kept(pieces: Iterable[bytes], file: BinaryIO) -> Iterator[bytes]:
    """Yields pieces, and writes each to a file."""
    for piece in pieces:
        file.write(piece)
        yield piece


def _write_zstd(target: BinaryIO, pieces: Iterable[bytes], is_whole: bool) -> None:
    packer = Packer()
    target.writelines(map(packer.feed, pieces))
    target.write(packer.finish(is_whole))


#: By the compression. Each writes an end only for a whole text.
_WRITERS: dict[str, Callable[[BinaryIO, Iterable[bytes], bool], object]] = {
    "gzip": write_gzip,
    "zstd": _write_zstd,
}


def _flushed(file: BinaryIO, counts: Sequence[int], broke_off: Incomplete | None = None) -> Copy:
    file.flush()
    return Copy(file, file.tell(), counts, broke_off)
