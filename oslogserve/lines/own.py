# SPDX-License-Identifier: Apache-2.0
"""Rows that operators add, compiled by RE2: its cost is linear whatever they write."""

import importlib
from collections.abc import Sequence

from oslogserve.lines.formats import LEVELS, OwnRow

#: A time goes into attributes as it is.
_NEVER_IN_TIME = frozenset(b'&<>"\r\n')


class OwnRows:
    """Raises ValueError, naming the row and its fault."""

    def __init__(self, rows: Sequence[OwnRow]) -> None:
        self._rows = [_Compiled(row) for row in rows]

    def seen_in(self, line: bytes) -> tuple[int, int, bytes] | None:
        """As Formats has it; None where no row fits."""
        return next((seen for row in self._rows if (seen := row.seen_in(line))), None)


class _Compiled:
    def __init__(self, row: OwnRow) -> None:
        re2 = importlib.import_module("re2")
        options = re2.Options()
        options.log_errors = False
        options.encoding = re2.Options.Encoding.LATIN1  # a pattern is of bytes
        try:
            pattern = re2.compile(row.pattern, options)
        except re2.error as error:
            raise ValueError(f"{row.name}: {error.args[0]!s}") from None
        groups = pattern.groupindex  # in bytes, as the pattern is
        self._match = pattern.match
        self._time = groups.get(b"time")
        self._severity = groups.get(b"severity")
        self._words = row.words or LEVELS

    def seen_in(self, line: bytes) -> tuple[int, int, bytes] | None:
        found = self._match(line)
        if not found:
            return None
        start, end = found.span(self._time) if self._time else (0, 0)
        if start < 0 or not _NEVER_IN_TIME.isdisjoint(line[start:end]):
            start = end = 0
        word = found[self._severity] if self._severity else None
        return start, end, self._words.get((word or b"").upper(), "").encode()
