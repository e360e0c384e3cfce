# SPDX-License-Identifier: Apache-2.0
"""The memory of a server: its database of runs, whose failure costs no answer."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from oslogserve.errors import SourceError
from oslogserve.jobs.overview import Findings
from oslogserve.metrics import Metrics
from oslogserve.seen import NAME, Cause, Run, Seen
from oslogserve.seen.rules import Rules
from oslogserve.seen.runs import ended_at, run_of
from oslogserve.sources.guard import CircuitBreaker
from oslogserve.threads import started

if TYPE_CHECKING:
    from oslogserve.seen.database import Database

_T = TypeVar("_T")
#: Seconds for all of a question.
LONGEST = 5


class Memory:
    """For many threads. While the database fails, no run is seen, and none is kept."""

    def __init__(self, database: "Database | None", metrics: Metrics, rules: Rules) -> None:
        """database: None if no runs are kept."""
        self.rules = rules
        #: For how many days runs are kept; 0 if none are.
        self.days = database.days if database else 0
        #: True if readers get a list of them.
        self.is_listed = database is not None and database.is_listed
        self._database = database
        self._metrics = metrics
        if database:
            # A database whose disk is full answers all the same: that ends no outage of writing.
            self._reading = CircuitBreaker(NAME, database.location, metrics)
            self._writing = CircuitBreaker(NAME, database.location, metrics)

    def ask(self, question: Callable[["Database"], _T], *, writes: bool = False) -> _T:
        """The answer of the database. Raises SourceError, also if no runs are kept or there is no answer in time.

        A thread waits for it: the libraries bound no wait for a server that is stopped, or whose network is gone.
        """
        database = self._database
        if database is None:
            raise SourceError(NAME, "no runs are kept", "refused")
        try:
            with (self._writing if writes else self._reading).calling():
                try:
                    return started(lambda: question(database), NAME).result(LONGEST)
                except TimeoutError:
                    what = f"there was no answer in {LONGEST} s"
                    raise SourceError(NAME, what, "timeout") from None
        except SourceError:
            self._metrics["seen_failures_total"].inc()
            raise

    def ask_or(
        self, otherwise: _T, question: Callable[["Database"], _T], *, writes: bool = False
    ) -> _T:
        try:
            return self.ask(question, writes=writes)
        except SourceError:
            return otherwise

    def seen(self, run: Run) -> Seen | None:
        """What other runs had of the first log's cause with a fingerprint; None for none, or if nobody can tell."""
        firsts: dict[str, Cause] = {}
        for one in run.causes:
            firsts.setdefault(one.log, one)
        cause = next((one for one in firsts.values() if one.exact), None)
        return cause and self.ask_or(None, lambda database: database.seen(run, cause))

    def remember(
        self, path: bytes, found: Findings, is_run: Callable[[], bool] = lambda: True
    ) -> str:
        """Keeps the run of a folder, and returns what became of it.

        That is "failures" or "passes" if it is kept now, "open" if it has not ended or does not say how, "failed" if
        the database fails, "" if no runs are kept or the folder is no run's, else the refusal of Database. An earlier
        run in the folder of an open one is forgotten. is_run: called only of a run that would be kept.
        """
        if self._database is None:
            return ""
        run = run_of(path, found)
        if run is None:
            ended = ended_at(one.file for one in found.logs) or 0
            with suppress(UnicodeDecodeError):  # such a folder never had one
                folder = path.decode()
                self.ask_or(None, lambda database: database.forget(folder, ended))
            return "open"
        outcome = self.ask_or("failed", lambda database: database.refusal(run.path, run.ended))
        if not outcome:
            if not is_run():
                return ""
            outcome = self.ask_or("failed", lambda database: database.remember(run), writes=True)
        self._metrics["seen_runs_total", outcome].inc()
        if outcome != "kept":
            return outcome
        return "failures" if run.has_failed else "passes"

    def close(self) -> None:
        if self._database:
            self._database.close()
