# SPDX-License-Identifier: Apache-2.0
"""The words of a log's lines, to tell which lines of another log have no like in it.

Numbers, hashes, addresses, names of temporary files, months and days of the week are no words: they
differ from run to run. The native core does the same (core/src/known.rs).
"""

import re
from collections.abc import Iterator

#: Bytes of a line that are compared.
REACH = 16 * 1024
#: Words and pairs of neighbouring words that are kept. The native core needs 16 bytes for each.
MOST = 512 * 1024
#: A line is new if at least one in so many of its words and pairs is not known.
SHARE = 5
#: The longest word that hexadecimal digits alone can be, next to a colon or a hyphen.
_GROUP = 4
#: Digits and letters from which on a hexadecimal word is a hash.
_HASH = 6

_RUN = re.compile(rb"tmp[./_-]?[0-9A-Za-z_]*|[0-9A-Za-z\x80-\xff]+")
#: Letters with digits on one side at most.
_LETTERS = re.compile(rb"[0-9]*([A-Za-z\x80-\xff]{2,})|([A-Za-z\x80-\xff]{2,})[0-9]+").fullmatch
_HEXADECIMAL = re.compile(rb"[0-9A-Fa-f]+").fullmatch
_HAS_DIGIT = re.compile(rb"[0-9]").search
_GROUP_BEFORE = re.compile(rb"[0-9A-Za-z][:-]").fullmatch
_GROUP_BEHIND = re.compile(rb"[:-][0-9A-Za-z]").match
_CALENDAR = frozenset(
    b"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec Mon Tue Wed Thu Fri Sat Sun".split()
)


class Known:
    """The words and pairs of neighbouring words of a log's lines."""

    def __init__(self) -> None:
        self._hashes: set[int] = set()
        #: The beginning of a line whose end was not fed yet.
        self._unfinished = b""
        #: True if words were left out for MOST.
        self.is_full = False

    def feed(self, piece: bytes) -> None:
        """Takes a piece of the log, cut anywhere."""
        *lines, self._unfinished = (self._unfinished + piece).split(b"\n")
        self._unfinished = self._unfinished[:REACH]
        for line in lines:
            self._add(line)

    def finish(self) -> None:
        """Takes the last line."""
        self._add(self._unfinished)
        self._unfinished = b""

    def _add(self, line: bytes) -> None:
        for found in _hashes(line):
            if len(self._hashes) < MOST:
                self._hashes.add(found)
            elif found not in self._hashes:
                self.is_full = True

    @property
    def size(self) -> int:
        """Bytes of memory, roughly."""
        return 96 * len(self._hashes)

    def is_new(self, line: bytes) -> bool:
        """True if the log has no like of the line, which may have its line feed."""
        total = unseen = 0
        for found in _hashes(line):
            total += 1
            unseen += found not in self._hashes
        return unseen * SHARE >= total > 0


def _hashes(line: bytes) -> Iterator[int]:
    """Yields the hashes of the line's words and of each pair of neighbours."""
    before = b""
    for word in words_of(line[:REACH]):
        yield hash(word)
        if before:
            yield hash((before, word))
        before = word


def words_of(line: bytes) -> Iterator[bytes]:
    """Yields the words of a line, without those that differ from run to run."""
    for run in _RUN.finditer(line):
        if run[0].startswith(b"tmp"):
            yield b"tmp"
            continue
        letters = _LETTERS(run[0])
        if letters and not _is_hash(run[0]) and not _is_group(line, *run.span()):
            word: bytes = letters[1] or letters[2]
            if word not in _CALENDAR:
                yield word


def _is_hash(run: bytes) -> bool:
    return len(run) >= _HASH and bool(_HAS_DIGIT(run) and _HEXADECIMAL(run))


def _is_group(line: bytes, start: int, end: int) -> bool:
    """True for a part of an address or of a UUID that may have no digit, such as "be" in "fa:be:04"."""
    if end - start > _GROUP or not _HEXADECIMAL(line[start:end]):
        return False
    before = _GROUP_BEFORE(line[max(0, start - 2) : start])
    return bool(before or _GROUP_BEHIND(line, end))
