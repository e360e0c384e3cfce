# SPDX-License-Identifier: Apache-2.0
"""The answer to a request, and the body that the server iterates over.

An Answer is made by a handler, and final: a status, headers, pieces that are read while they are sent, and a list of
what is missing. The list is the answer's own. It may grow until the last piece was taken: a log breaks off, a budget is
spent, a source stops answering. Each reason was also told in the pieces, since not all servers can break a connection;
the body counts them, and an answer that misses something has failed.

answer() decides what does not depend on the content: compression, the length if it is known, and that HEAD has no body.
A short content is compressed at once, so that it has a length; a long one piece by piece, each flushed, so that a
reader sees the first lines while the last ones are read.

A Body is a class and no generator, so that close() also works before the first byte: a generator that is closed before
its first piece never runs its `finally`, and would leak what the pieces are read from.
"""

import os
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from oslogserve.compression import GZIP_WBITS, fast
from oslogserve.errors import ClientLeft, Header, Incomplete
from oslogserve.http import NO_STORE
from oslogserve.http.request import Request
from oslogserve.metrics import Metrics, size_class

#: Bytes of a small answer, which is sent as a whole: as much as a block of a large log.
MOST_GATHERED = 256 * 1024
#: Bytes from which an answer is compressed: less fits into one packet.
LEAST_COMPRESSED = 1024
#: ISA-L's memory level. A higher one is not faster and does not pack better (with 256 KiB pieces).
_MEMORY_LEVEL = 4
NOSNIFF = ("X-Content-Type-Options", "nosniff")


@dataclass(kw_only=True)
class Answer:
    status: str = "200 OK"
    headers: list[Header] = field(default_factory=list)
    pieces: Iterable[bytes] = ()
    #: Metric labels: the view, and the source of the log that is sent.
    view: str = "other"
    source: str = "none"
    #: Stored bytes of that log; None for no log, or if its source does not say.
    stored_size: int | None = None
    #: Why the content is incomplete. Grows while the pieces are read.
    missing: list[Incomplete] = field(default_factory=list)
    #: Charges each piece that the server gets. bytes.
    note_sent: Callable[[int], None] = lambda size: None
    #: Closes what the pieces are read from, and may be called before they are; None if nothing is left open for them.
    close: Callable[[], None] | None = None
    #: The view that a 304 confirms; "" for other answers, and if it is not known.
    confirmed: str = ""


def answer(
    request: Request,
    content: bytes | Iterable[bytes],
    headers: Sequence[Header],
    *,
    length: int | None = None,
    encoding: str = "",
    is_compressible: bool = False,
    **about: Any,
) -> Answer:
    """The answer.

    content: its pieces may be read before the status is sent. length: bytes, None if it is not known. encoding:
    Content-Encoding of the content. is_compressible: true if it may be compressed for a client that accepts it.
    about: further fields of the Answer.
    """
    pieces: Iterable[bytes] = [content] if isinstance(content, bytes) else content
    if isinstance(content, bytes):
        length = len(content)
    if is_compressible and request.gzip_level is not None:
        if length is None:
            pieces, encoding = gzipped(pieces, request.gzip_level), "gzip"
        elif length >= LEAST_COMPRESSED:
            compressed = b"".join(gzipped(pieces, request.gzip_level))
            pieces, length, encoding = [compressed], len(compressed), "gzip"
    headers = [*headers, NOSNIFF]
    if length is not None:
        headers.append(("Content-Length", str(length)))
    if encoding:
        headers.append(("Content-Encoding", encoding))
    pieces = () if request.is_head else pieces
    return Answer(headers=headers, pieces=pieces, **about)


def redirect(request: Request, to: str, status: str) -> Answer:
    """A redirect. to: the address; a relative one also works behind a server that rewrites URLs."""
    return answer(request, b"", [("Location", to), NO_STORE], status=status)


def gathered(pieces: Iterable[bytes]) -> tuple[Iterable[bytes], int | None]:
    """The pieces joined, and their size. More than MOST_GATHERED: the pieces as they are, and None."""
    rest = iter(pieces)
    taken = []
    size = 0
    for piece in rest:
        taken.append(piece)
        size += len(piece)
        if size > MOST_GATHERED:
            return chain(taken, rest), None
    return [b"".join(taken)], size


def gzipped(pieces: Iterable[bytes], level: int) -> Iterator[bytes]:
    """Yields one gzip member, flushed after each piece. level: 0, the fastest, to 3."""
    compressor: Any
    if fast is zlib:  # which would not compress with level 0
        compressor = zlib.compressobj(max(level, 1), zlib.DEFLATED, GZIP_WBITS)
    else:
        compressor = fast.compressobj(level, zlib.DEFLATED, GZIP_WBITS, _MEMORY_LEVEL)
    for piece in pieces:
        if piece:
            yield compressor.compress(piece) + compressor.flush(zlib.Z_SYNC_FLUSH)
    yield compressor.flush()


class Body:
    """Iterator over an answer's pieces.

    A class, not a generator, so that close() also works before the first byte (HEAD, a client that
    left). If the body fails midway, this is counted, and the server breaks the connection.
    """

    def __init__(
        self,
        answer: Answer,
        metrics: Metrics,
        started: float,
        note: Callable[["Body"], None] | None = None,
    ) -> None:
        """started: when the request came, by time.perf_counter(). note: called once, at the end."""
        self.answer = answer
        #: "complete", "aborted" (the client left) or "failed".
        self.ending = "aborted"
        #: Seconds from the request to the first byte that the server got, None for none; and to the end.
        self.first_byte: float | None = None
        self.seconds = 0.0
        #: Bytes.
        self.sent = 0
        self._pieces = iter(answer.pieces)
        self._metrics = metrics
        self._started = started
        self._note = note
        self._is_closed = False
        metrics["responses_total", answer.status[:3]].inc()
        metrics["worker_responses_total", str(os.getpid())].inc()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            piece = next(self._pieces)
        except StopIteration:
            self.ending = "failed" if self.answer.missing else "complete"
            raise
        except ClientLeft:
            raise
        except Exception as error:
            self.ending = "failed"
            if isinstance(error, Incomplete):
                self.answer.missing.append(error)
            raise
        if self.first_byte is None:
            self.first_byte = time.perf_counter() - self._started
        self.sent += len(piece)
        self.answer.note_sent(len(piece))
        return piece

    def fail(self) -> None:
        """Closes an answer that never began."""
        self.ending = "failed"
        self.close()

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        answer, metrics = self.answer, self._metrics
        if answer.close:
            answer.close()
        size = size_class(answer.stored_size)
        key = "response_seconds", answer.source, answer.view, self.ending, size
        self.seconds = time.perf_counter() - self._started
        metrics[key].observe(self.seconds)
        for error in answer.missing:
            metrics["incomplete_logs_total", answer.source, error.reason].inc()
        metrics["sent_bytes_total", answer.view].inc(self.sent)
        metrics["requests_in_progress"].dec()
        metrics["threads_busy", str(os.getpid())].dec()
        if self._note is not None:
            self._note(self)
