# SPDX-License-Identifier: Apache-2.0
"""A masked copy of a file, which is uploaded in its place.

What is sent is what was searched, whoever writes to the file meanwhile. A compressed text is
inflated, masked and compressed again. What is no text is searched, but never changed.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import BinaryIO, NamedTuple

from oslogserve.encodings import encoding_of
from oslogserve.errors import Incomplete
from oslogserve.logs.decode import Decoded, Reading, first_bytes
from oslogserve.logs.media_type import passed_through_as
from oslogserve.native import Masking, Packer
from oslogserve.upload.masks import Masks, masked
from oslogserve.upload.payload import PIECE, is_compressible, pieces_of, write_gzip


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
    encoding = encoding_of(name)
    begins = first_bytes(os.pread(whole.file.fileno(), PIECE, 0)[: whole.size], encoding)
    media_type = passed_through_as(name, begins.text, ())
    is_text = media_type is None or is_compressible(media_type)
    pieces = pieces_of(whole.file, 0, whole.size)
    masking = masks.begin()
    with TemporaryFile() as file, TemporaryFile() as repacked:
        if not begins.packing:
            file.writelines(masked(pieces, masking))
            broke_off = None
        else:
            text = Reading(Decoded(_kept(pieces, file), encoding))
            for _ in masked(text, masking):
                pass
            broke_off = text.broke_off
        copy = _flushed(file, masking, broke_off)
        found = masks.names(masking.counts)
        if not (found or broke_off) or (is_text and not begins.packing):
            yield copy
        elif is_text:
            text = Reading(Decoded(pieces_of(copy.file, 0, copy.size), encoding))
            write = _WRITERS[begins.packing]
            write(repacked, masked(text, masks.begin()), broke_off is None)
            yield _flushed(repacked, masking, broke_off)
        elif found:
            raise Unmasked(f"it has {found}, and it is no text, plain or compressed")
        else:
            raise Unmasked(f"it cannot be searched for what is masked: {broke_off}")


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


def _flushed(file: BinaryIO, masking: Masking, broke_off: Incomplete | None) -> Copy:
    file.flush()
    return Copy(file, file.tell(), masking.counts, broke_off)
