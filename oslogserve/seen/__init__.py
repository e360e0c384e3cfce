# SPDX-License-Identifier: Apache-2.0
"""What runs of jobs failed for, kept for some weeks: has this cause been seen before, and where?

A run is a job's folder. It is remembered once, by its path, whoever reads it.
"""

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

#: Of metrics, and of the errors of the database.
NAME = "seen"
#: Fingerprints of a run that are kept. A cause has up to two.
MOST_FINGERPRINTS = 8
#: Characters of a cause's text, and of the names of a run, its job and its log. A longer path has no run.
MOST_TEXT, MOST_NAME, MOST_PATH = 200, 100, 1000
#: Characters of all lines of a run's causes that are kept, for rules.
MOST_TOLD = 700


class Cause(NamedTuple):
    """The cause of a failure that a log tells, or another failure of it; of a run that passed, one that it survived."""

    #: The log's name below the run's folder.
    log: str
    line: int
    text: str
    #: Fingerprints, see lines.fingerprints; "" for none.
    exact: str
    failure: str = ""
    #: Its lines, joined by line feeds. Of a run that is kept, those of its first causes.
    told: str = ""

    @property
    def fingerprints(self) -> list[str]:
        return [*filter(None, (self.exact, self.failure))]


def first_causes(causes: Iterable[Cause]) -> list[Cause]:
    """The first causes with an exact fingerprint that none before has, until a run has no room for more.

    The first one has its other fingerprint too; the next ones have theirs where room is left.
    """
    firsts: dict[str, Cause] = {}
    for one in causes:
        if one.exact:
            firsts.setdefault(one.exact, one)
        if len(firsts) == MOST_FINGERPRINTS:
            break
    failures = [*dict.fromkeys(one.failure for one in firsts.values() if one.failure)]
    failures = failures[: max(1, MOST_FINGERPRINTS - len(firsts))]
    found = islice(firsts.values(), MOST_FINGERPRINTS - len(failures))
    return [one if one.failure in failures else one._replace(failure="") for one in found]


class Run(NamedTuple):
    """A run of a job that has ended."""

    #: Of its folder, as in a URL, without slashes at its ends.
    path: str
    #: When its last log was written, in seconds since 1970.
    ended: int
    has_failed: bool
    #: "" for what is not known. The change with its patch set.
    job: str = ""
    project: str = ""
    branch: str = ""
    change: str = ""
    #: That of the likeliest log first. Of each log, its cause is before its other failures.
    causes: tuple[Cause, ...] = ()
    #: True if its consoles show more failures than these.
    is_cut: bool = False
    #: True if the first cause is what it failed for, and not an error beside logs that failed and do not tell why.
    is_told: bool = True
    #: The hash of what it built; "" if that is not known.
    commit: str = ""

    def with_cause(self, fingerprint: str) -> "Run":
        """The run with one of its causes alone, that of a fingerprint that it has."""
        return self._replace(
            causes=tuple(one for one in self.causes if fingerprint in one.fingerprints)[:1]
        )


class Others(NamedTuple):
    """The other runs that had a failure of a run."""

    cause: Cause
    #: The fingerprint that they have; the exact one if there are none.
    fingerprint: str
    #: Runs that failed, and jobs of theirs; runs that passed.
    runs: int
    jobs: int
    passed: int
    #: The first one that failed.
    first: Run | None

    @property
    def is_exact(self) -> bool:
        return self.fingerprint == self.cause.exact


class Seen(NamedTuple):
    """What the runs that are kept tell of a run's cause."""

    others: Others
    #: If no other run has the cause: another failure in its log that some have; None for none.
    another: Others | None
    #: True if the run ended before all others.
    is_first: bool
    #: True if runs of this job that passed are kept with all failures of their consoles, and no run that passed
    #: has a fingerprint of the cause.
    never_passed: bool
    #: Runs that failed, of any cause, if no other has this one; and the days for which they are kept.
    failed_runs: int
    days: int
    #: True if there is a list of the runs.
    is_listed: bool
    #: The last run of this job and branch that passed, and the first one after it that failed, both before this run; None
    #: if one of them is not known.
    turn: tuple[Run, Run] | None


class Recent(NamedTuple):
    """A cause of several runs."""

    fingerprint: str
    #: Runs that failed in the time asked for, and jobs of theirs; runs that passed.
    runs: int
    jobs: int
    passed: int
    #: When the first one that failed ended, in seconds since 1970.
    first: int
    #: The last one that failed, with this cause alone.
    run: Run
    #: Runs that failed on each day, the last day at the end.
    days: tuple[int, ...]
