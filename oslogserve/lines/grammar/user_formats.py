# SPDX-License-Identifier: Apache-2.0
"""User formats: patterns that operators configure."""

from collections.abc import Mapping
from dataclasses import dataclass

from oslogserve.lines.grammar.severities import SEVERITIES, WORDS


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
