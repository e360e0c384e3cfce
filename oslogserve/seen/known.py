# SPDX-License-Identifier: Apache-2.0
"""What people know of causes: rules with a title and a link."""

from collections.abc import Sequence
from typing import NamedTuple

from oslogserve.lines.search import rewritten
from oslogserve.native import Patterns
from oslogserve.seen import Run

#: Characters of a line that are searched.
REACH = 400


class Known(NamedTuple):
    """What a rule says of a cause that it knows."""

    title: str
    #: Of a bug, say; "" for none.
    url: str


class Rule(NamedTuple):
    """Patterns in RE2's syntax: an empty one fits everything."""

    says: Known
    #: Of a line of the cause.
    pattern: str
    #: Of the names of the job and of the log.
    job: str = ""
    file: str = ""
    #: Where it is written: file and line.
    where: str = ""


class Rules:
    """The rules of a folder, in the order of their names. All are tried at once, in linear time."""

    def __init__(self, rules: Sequence[Rule] = ()) -> None:
        """Raises ValueError if the patterns are too large together."""
        self.rules = rules
        self._jobs, self._files, self._lines = (
            Patterns([rewritten(pattern) for pattern in patterns])
            for patterns in (
                [rule.job for rule in rules],
                [rule.file for rule in rules],
                [rule.pattern for rule in rules],
            )
        )

    def __len__(self) -> int:
        return len(self.rules)

    def known(self, run: Run) -> list[Known]:
        """What the rules say of the run's causes, each once."""
        return [*dict.fromkeys(self.rules[place].says for place in self.hits(run))]

    def hits(self, run: Run) -> list[int]:
        """The places of the rules that know a cause of the run."""
        if not self.rules:
            return []
        of_job = _hits(self._jobs, run.job.job)
        found: set[int] = set()
        for cause in run.causes:
            candidates = (of_job & _hits(self._files, cause.log)) - found
            for line in cause.lines if candidates else ():
                found |= candidates & _hits(self._lines, line)
        return sorted(found)


def _hits(patterns: Patterns, text: str) -> set[int]:
    return set(patterns.hits(text[:REACH].encode("utf-8", "replace")))
