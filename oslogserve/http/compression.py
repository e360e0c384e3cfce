# SPDX-License-Identifier: Apache-2.0
"""Content-Encoding: gzip for clients that take it, streamed."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from webob.acceptparse import create_accept_encoding_header

from oslogserve.fastzlib import Z_SYNC_FLUSH, gzip_compressor
from oslogserve.http import Answer

#: Less fits into one packet as it is.
WORTH_IT = 1024


def takes_gzip(environ: dict[str, Any]) -> bool:
    accepted = environ.get("HTTP_ACCEPT_ENCODING")
    return accepted is not None and _names_gzip(accepted)


@lru_cache(maxsize=256)
def _names_gzip(accepted: str) -> bool:
    """Whether it stands there and is liked no less than the bytes as they are. What is not
    understood names nothing."""
    liked = {
        coding.lower(): quality
        for coding, quality in create_accept_encoding_header(accepted).parsed or ()
    }
    quality: float = liked.get("gzip", 0.0)
    return quality > 0 and quality >= liked.get("identity", liked.get("*", 0.0))


def gzip(answer: Answer, level: int) -> None:
    """Compresses what `answer` has, unless it is too little. level: of gzip_compressor()."""
    if isinstance(answer.pieces, list):
        if sum(map(len, answer.pieces)) < WORTH_IT:
            return
        answer.pieces = [b"".join(gzipped(answer.pieces, level))]
        answer.headers = [
            ("Content-Length", str(len(answer.pieces[0])))
            if header[0] == "Content-Length"
            else header
            for header in answer.headers
        ]
    else:
        answer.pieces = gzipped(answer.pieces, level)
    answer.headers.append(("Content-Encoding", "gzip"))


def gzipped(pieces: Iterable[bytes], level: int) -> Iterator[bytes]:
    """Each piece can be read as soon as it is here: nothing of it is held back."""
    compressor = gzip_compressor(level)
    for piece in pieces:
        if piece:
            yield compressor.compress(piece) + compressor.flush(Z_SYNC_FLUSH)
    yield compressor.flush()
