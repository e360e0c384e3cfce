# SPDX-License-Identifier: Apache-2.0
"""User formats: patterns that operators configure, compiled by RE2 for its linear cost."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import re2

from oslogserve.lines.grammar.severities import SEVERITIES, WORDS

#: A time goes into attributes unescaped.
_NEVER_IN_TIME = frozenset(b'&<>"\r\n')


@dataclass(frozen=True)
class UserFormat:
    """A section [format NAME]. The first user format that matches a line counts before the grammar
    of heads, which fills in what it does not show.

    pattern: in RE2's syntax, over a line's beginning, with groups named time, severity or both.
    words: what the latter may hold, in upper case -> its severity; empty for the usual words.
    """

    name: str
    pattern: bytes
    words: Mapping[bytes, str]

    @property
    def ranks(self) -> dict[bytes, int]:
        """The rank of each word, in upper case."""
        if not self.words:
            return {word: says.rank for word, says in WORDS.items()}
        return {word: SEVERITIES.index(name) for word, name in self.words.items()}


class Found(NamedTuple):
    """Time and severity in a line. start, end: the time's place, equal for none. severity: b""
    for none."""

    start: int
    end: int
    severity: bytes


class CompiledFormat:
    """A user format, ready to match. Raises ValueError, naming the format and its fault."""

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
        rank = self._ranks.get((word or b"").upper(), 0)
        return Found(start, end, SEVERITIES[rank].encode() if rank else b"")
