# SPDX-License-Identifier: Apache-2.0
"""Verification of stored bytes by their checksums, while they go by."""

import sys
from collections.abc import Iterable, Iterator
from hashlib import md5
from typing import NamedTuple

from oslogserve.errors import Incomplete

#: More bytes than any log has.
ALL = sys.maxsize


class Checksum(NamedTuple):
    """The MD5 of stored bytes, which follow those of the checksum before."""

    #: Bytes that it covers; ALL for all that come.
    size: int
    #: In hexadecimal digits; "" where the bytes have none.
    md5: str


#: Expected after the last of several checksums: nothing.
NOTHING = Checksum(ALL, md5(usedforsecurity=False).hexdigest())


def within(checksums: Iterable[Checksum], first: int, end: int) -> Iterator[Checksum]:
    """Checksums of the bytes from `first` up to `end`; those that reach beyond have no MD5."""
    at = 0
    for size, digest in checksums:
        covered = min(at + size, end) - max(at, first)
        at += size
        if covered > 0:
            yield Checksum(covered, digest if covered == size else "")


class Verifier:
    """Raises Incomplete after the last byte of a checksum that does not match."""

    def __init__(self, checksums: Iterable[Checksum]) -> None:
        self._checksums = iter(checksums)
        self._begin(Checksum(ALL, ""))

    def _begin(self, default: Checksum) -> None:
        self._left, self._expected = next(self._checksums, default)
        self._md5 = md5(usedforsecurity=False)

    def update(self, chunk: bytes) -> None:
        while len(chunk) >= self._left:
            self._add(chunk[: self._left])
            chunk = chunk[self._left :]
            self.end()
            self._begin(NOTHING)
        self._add(chunk)
        self._left -= len(chunk)

    def _add(self, chunk: bytes) -> None:
        if self._expected:
            self._md5.update(chunk)

    def end(self) -> None:
        """Verifies the bytes of the last checksum. Raises Incomplete."""
        if self._expected and self._md5.hexdigest() != self._expected:
            raise Incomplete("corrupt", "what was stored is damaged, its checksum does not fit")
