# SPDX-License-Identifier: Apache-2.0
"""User formats: patterns that operators configure."""

from collections.abc import Mapping
from dataclasses import dataclass

from oslogserve.lines.grammar.severities import SEVERITIES, WORDS


@dataclass(frozen=True)
class UserFormat:
    """A section [format NAME]. The first one that matches a line decides its time and severity.

    The grammar of heads adds the one that is missing. pattern: in RE2's syntax, matched at a line's
    beginning, with groups named time, severity or both. words: severities by the words in upper case
    that the severity group may hold; empty for the usual words.
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
