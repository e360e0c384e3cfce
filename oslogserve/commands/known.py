# SPDX-License-Identifier: Apache-2.0
"""The command `oslogserve known check`: tries rules on the runs that are kept."""

import argparse
import sys
from contextlib import closing
from dataclasses import dataclass, field

from oslogserve.assembly import database_of
from oslogserve.config import ConfigError, load
from oslogserve.errors import SourceError
from oslogserve.humanize import counted
from oslogserve.messages import in_lines, visible
from oslogserve.seen import Run
from oslogserve.seen.database import Database
from oslogserve.seen.rules import Rules, usable_rules

#: Runs of a rule that are named.
MOST_NAMED = 3


@dataclass
class _Hits:
    """The runs that a rule knows."""

    failed: int = 0
    passed: int = 0
    #: Paths of the first ones that failed, and of the first ones that passed.
    named: list[str] = field(default_factory=list)
    passed_named: list[str] = field(default_factory=list)

    def add(self, run: Run) -> None:
        self.failed += run.has_failed
        self.passed += not run.has_failed
        named = self.named if run.has_failed else self.passed_named
        if len(named) < MOST_NAMED:
            named.append(run.path)


def check(options: argparse.Namespace) -> int:
    """Prints what each rule knows. The exit status is 1 if one has a fault or a warning, else 0.

    Raises ConfigError, also if the database fails.
    """
    rules, faults = usable_rules(options.folder)
    if faults:
        print(in_lines(ConfigError("\n".join(faults))), file=sys.stderr)
        return 1
    database = database_of(load(options.config))
    if database is None:
        raise ConfigError("no runs are kept: [seen] directory and database are both empty")
    with closing(database):
        try:
            runs, hits = _hits(rules, database)
        except SourceError as error:
            raise ConfigError(f"{database.location} cannot be read: {error}") from error
    print(f"{counted(len(rules), 'rule')}, {counted(runs, 'run')} with a cause")
    status = 0
    for rule, found in zip(rules.rules, hits, strict=True):
        title = f"{rule.where}: {rule.title}: {counted(found.failed, 'failed run')}"
        print("\n    ".join(map(visible, [title, *found.named])))
        if warning := _warning(found):
            status = 1
            print(f"oslogserve: {visible(f'{rule.where}: {warning}')}", file=sys.stderr)
    return status


def _hits(rules: Rules, database: Database) -> tuple[int, list[_Hits]]:
    """The number of runs, and what each rule hits of them. Raises SourceError."""
    found = [_Hits() for _ in rules.rules]
    count = 0
    for run in database.all_runs():
        count += 1
        for place in rules.hits(run):
            found[place].add(run)
    return count, found


def _warning(found: _Hits) -> str:
    if not found.passed:
        return "" if found.failed else "it hits no run"
    share = round(100 * found.passed / (found.failed + found.passed))
    hits = f"it hits {counted(found.passed, 'run')} that passed, {share} % of its hits"
    return f"{hits}, such as {', '.join(found.passed_named)}"
