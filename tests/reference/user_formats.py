# SPDX-License-Identifier: Apache-2.0
"""User formats, compiled with RE2, which matches in linear time."""

import re2

from oslogserve.lines.grammar.user_formats import UserFormat
from tests.reference.members import Found

#: Bytes that no time may have: it goes into HTML attributes unescaped.
_NEVER_IN_TIME = frozenset(b'&<>"\r\n')


class CompiledFormat:
    """A user format, ready to match. Raises ValueError that names the format and its fault."""

    def __init__(self, user_format: UserFormat) -> None:
        options = re2.Options()
        options.log_errors = False
        options.encoding = re2.Options.Encoding.LATIN1  # a pattern is of bytes
        try:
            pattern = re2.compile(user_format.pattern, options)
        except re2.error as error:
            raise ValueError(f"{user_format.name}: {error.args[0]!s}") from None
        groups = pattern.groupindex  # in bytes, as the pattern is
        self._match = pattern.match
        self._time = groups.get(b"time")
        self._severity = groups.get(b"severity")
        self._ranks = user_format.ranks

    def seen_in(self, line: bytes) -> Found | None:
        """Time and severity in a line; None if the format does not match."""
        found = self._match(line)
        if not found:
            return None
        start, end = found.span(self._time) if self._time else (0, 0)
        if start < 0 or not _NEVER_IN_TIME.isdisjoint(line[start:end]):
            start = end = 0
        word = found[self._severity] if self._severity else None
        rank = self._ranks.get((word or b"").upper())
        return Found(start, end, rank)
