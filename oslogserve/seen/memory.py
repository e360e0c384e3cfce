# SPDX-License-Identifier: Apache-2.0
"""The memory of a server: its database of runs, whose failure costs no answer."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from oslogserve.background import started
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.seen import ANY, NAME, Cause, Named, Others, Recent, Run
from oslogserve.seen.rules import Rules
from oslogserve.sources.breaker import CircuitBreaker, Outages

if TYPE_CHECKING:
    from oslogserve.seen.database import Database

_T = TypeVar("_T")
#: Seconds for all of a question.
LONGEST = 5


class Another(NamedTuple):
    """A failure beside a run's cause that other runs had."""

    cause: Cause
    #: The fingerprint that others have.
    fingerprint: str
    others: Others

    @property
    def is_exact(self) -> bool:
        return self.fingerprint == self.cause.exact


class Told(NamedTuple):
    """What is known of a run's cause."""

    cause: Cause
    #: The fingerprint that others have; the exact one if none has any.
    fingerprint: str
    others: Others
    #: Runs that failed, of any cause, if no other has this one; and the days for which they are kept.
    failed_runs: int
    days: int
    #: True if the run ended before all others.
    is_first: bool
    #: True if runs of this job that passed are kept with all failures of their consoles, and no run that passed
    #: has either fingerprint.
    never_passed: bool
    #: If no other run has the cause: another failure in its log that some have; None for none.
    another: Another | None
    #: True if there is a list of the runs.
    is_listed: bool

    @property
    def is_exact(self) -> bool:
        return self.fingerprint == self.cause.exact


class Memory:
    """For many threads. While the database fails, nothing is known, and nothing is kept."""

    def __init__(
        self, database: "Database | None", metrics: Metrics, rules: Rules, is_listed: bool = True
    ) -> None:
        """database: None if no runs are kept. is_listed: false if readers get no list of them."""
        self.rules = rules
        self.is_listed = is_listed and database is not None
        self._database = database
        self._metrics = metrics
        if database:
            self._breaker = CircuitBreaker(NAME, metrics)
            self._outages = Outages(NAME, database.location)

    @property
    def days(self) -> int:
        """For how many days runs are kept; 0 if none are."""
        return self._database.days if self._database else 0

    def told(self, run: Run) -> Told | None:
        """What is known of the first log's cause with a fingerprint; None for none, or if nothing can be known."""
        cause = next((one for one in run.causes_of_logs if one.exact), None)
        if cause is None:
            return None
        return self._asked(lambda database: _told(database, run, cause, self.is_listed), None)

    def refusal(self, path: str, ended: int) -> str:
        """Why a run is not to be kept, see Database. "failed" if the database fails."""
        return self._asked(lambda database: database.refusal(path, ended), "failed")

    def remember(self, run: Run, is_run: Callable[[], bool] = lambda: True) -> str:
        """Keeps a run, see Database.

        "failed" if the database fails, "" if no runs are kept or the run's folder is none. is_run: true if it is
        one; called only of a run that would be kept.
        """
        if self._database is None:
            return ""
        outcome = self.refusal(run.path, run.ended)
        if not outcome:
            if not is_run():
                return ""
            outcome = self._asked(lambda database: database.remember(run), "failed")
        self._metrics["seen_runs_total", outcome].inc()
        return outcome

    def forget(self, path: str, before: int) -> None:
        """Removes the run of a folder that was written again since then: another one is in its place."""
        self._asked(lambda database: database.forget(path, before), None)

    def recent(self, days: int, most: int, named: Named = ANY) -> list[Recent]:
        """See Database. Raises SourceError."""
        return self._called(lambda database: database.recent(days, named, most))

    def runs(
        self, fingerprint: str, most: int, days: int | None = None, named: Named = ANY
    ) -> list[Run]:
        """See Database. Raises SourceError."""
        return self._called(lambda database: database.runs(fingerprint, most, days, named))

    def _asked(self, ask: Callable[["Database"], _T], otherwise: _T) -> _T:
        if self._database is None:
            return otherwise
        try:
            return self._called(ask)
        except SourceError:
            return otherwise

    def _called(self, ask: Callable[["Database"], _T]) -> _T:
        """Raises SourceError."""
        database = self._database
        if database is None:
            raise SourceError(NAME, "no runs are kept", "refused")
        try:
            with self._outages.watching(), self._breaker.calling():
                return _in_time(lambda: ask(database))
        except SourceError:
            self._metrics["seen_failures_total"].inc()
            raise

    def close(self) -> None:
        if self._database:
            self._database.close()


def _told(database: "Database", run: Run, cause: Cause, is_listed: bool) -> Told:
    """Raises SourceError."""
    # The cause's log is in the run even where the page is that of a folder above or below.
    log = f"{run.path}/{cause.log}".lstrip("/")
    asked = {one: database.others(one, log) for one in cause.fingerprints}
    fingerprint = next((one for one, others in asked.items() if others.runs), cause.exact)
    others = asked[fingerprint]
    first, ended = others.first, others.own_end or run.ended
    has_passed = any(one.passed for one in asked.values())
    return Told(
        cause,
        fingerprint,
        others,
        failed_runs=0 if others.runs else database.failed_runs(),
        days=database.days,
        is_first=bool(first and 0 < ended < first.ended),
        never_passed=not has_passed and database.tells_all_that_passed(run.job),
        another=None if others.runs else _another(database, run, cause, log),
        is_listed=is_listed,
    )


def _another(database: "Database", run: Run, cause: Cause, log: str) -> Another | None:
    """Raises SourceError. log: the path of the cause's log."""
    of_log = [one for one in run.causes if one.log == cause.log and one != cause]
    by_fingerprint = {one: failure for failure in reversed(of_log) for one in failure.fingerprints}
    in_order = [one for failure in of_log for one in failure.fingerprints]
    fingerprint = database.first_failed(in_order, log)
    if fingerprint is None:
        return None
    return Another(by_fingerprint[fingerprint], fingerprint, database.others(fingerprint, log))


def _in_time(ask: Callable[[], _T]) -> _T:
    """The answer of a database. Raises SourceError, also if there is none in time.

    A thread waits for it: the libraries bound no wait for a server that is stopped, or whose network is gone.
    """
    try:
        return started(ask, NAME).result(LONGEST)
    except TimeoutError:
        raise SourceError(NAME, f"there was no answer in {LONGEST} s", "timeout") from None
