# SPDX-License-Identifier: Apache-2.0
"""The command `oslogserve known check`: tries rules on the runs that are kept."""

import argparse
import sys
from collections import Counter, defaultdict
from contextlib import closing

from oslogserve.assembly import database_of
from oslogserve.config import ConfigError, load
from oslogserve.errors import SourceError
from oslogserve.seen.rules import usable_rules
from oslogserve.text import counted, in_lines, visible

#: Runs of a rule that are named.
MOST_NAMED = 3


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
    runs = 0
    # By the place of a rule, and whether the runs failed: how many it hits, and paths of the first ones.
    hits: Counter[tuple[int, bool]] = Counter()
    named: defaultdict[tuple[int, bool], list[str]] = defaultdict(list)
    with closing(database):
        try:
            for run in database.all_runs():
                runs += 1
                for place in rules.hits(run):
                    hits[place, run.has_failed] += 1
                    if hits[place, run.has_failed] <= MOST_NAMED:
                        named[place, run.has_failed].append(run.path)
        except SourceError as error:
            raise ConfigError(f"{database.location} cannot be read: {error}") from error
    print(f"{counted(len(rules), 'rule')}, {counted(runs, 'run')} with a cause")
    status = 0
    for place, rule in enumerate(rules.rules):
        failed, passed = hits[place, True], hits[place, False]
        title = f"{rule.where}: {rule.title}: {counted(failed, 'failed run')}"
        print("\n    ".join(map(visible, [title, *named[place, True]])))
        warning = "" if failed else "it hits no run"
        if passed:
            share = round(100 * passed / (failed + passed))
            warning = f"it hits {counted(passed, 'run')} that passed, {share} % of its hits"
            warning += f", such as {', '.join(named[place, False])}"
        if warning:
            status = 1
            print(f"oslogserve: {visible(f'{rule.where}: {warning}')}", file=sys.stderr)
    return status
