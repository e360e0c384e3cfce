# SPDX-License-Identifier: Apache-2.0
"""The text of an open file, which may be a pipe, and may be wanted twice."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from tempfile import TemporaryFile
from typing import IO

from oslogserve.logs.decode import Decoded, Reading

_CHUNK = 64 * 1024


class FileText:
    """The text of a file: the first piece at once, all pieces once, and again() then as often as wanted."""

    def __init__(self, stream: int, encoding: str, is_read_again: bool = False) -> None:
        """stream: its descriptor. encoding: see Decoded. is_read_again: what comes from a pipe is kept."""
        self._stream = stream
        self._encoding = encoding
        self._start = _place_in(stream)
        self._copy: IO[bytes] | None = None
        if is_read_again and self._start is None:
            self._copy = TemporaryFile()  # closed with the process  # noqa: SIM115
        self._reading = Reading(filter(None, Decoded(self._chunks(), encoding)))
        self._pieces = iter(self._reading)
        self.head = next(self._pieces, b"")

    def __iter__(self) -> Iterator[bytes]:
        """Yields the text. Raises Incomplete if it breaks off."""
        yield self.head
        yield from self._pieces
        if self._reading.broke_off:
            raise self._reading.broke_off

    def again(self) -> Iterator[bytes]:
        """Yields the text from its beginning. Raises Incomplete if it breaks off."""
        stream = self._copy.fileno() if self._copy else self._stream
        os.lseek(stream, self._start or 0, os.SEEK_SET)
        chunks = iter(partial(os.read, stream, _CHUNK), b"")
        return filter(None, Decoded(chunks, self._encoding))

    def _chunks(self) -> Iterator[bytes]:
        keep: Callable[[bytes], object] = self._copy.write if self._copy else len
        for chunk in iter(partial(os.read, self._stream, _CHUNK), b""):
            keep(chunk)
            yield chunk
        if self._copy:
            self._copy.flush()


def _place_in(stream: int) -> int | None:
    """The place in a file; None for a pipe."""
    try:
        return os.lseek(stream, 0, os.SEEK_CUR)
    except OSError:
        return None
