# SPDX-License-Identifier: Apache-2.0
"""Content-Encoding: gzip, streamed."""

from collections.abc import Iterable, Iterator

from oslogserve.fastzlib import Z_SYNC_FLUSH, gzip_compressor


def gzipped(pieces: Iterable[bytes], level: int) -> Iterator[bytes]:
    """One gzip member. Each piece can be read as soon as it is here: nothing of it is held back.

    level: of gzip_compressor().
    """
    compressor = gzip_compressor(level)
    for piece in pieces:
        if piece:
            yield compressor.compress(piece) + compressor.flush(Z_SYNC_FLUSH)
    yield compressor.flush()
