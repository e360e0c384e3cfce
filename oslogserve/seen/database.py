# SPDX-License-Identifier: Apache-2.0
"""The database of runs: what is asked of it, and what is kept."""

import time
from collections.abc import Callable, Iterator, Sequence

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    delete,
    func,
    literal,
    select,
    tuple_,
)
from sqlalchemy.exc import IntegrityError

from oslogserve.errors import SourceError
from oslogserve.jobs.walk import MOST_DEPTH
from oslogserve.seen import ANY, MOST_PATH, NAME, Named, Others, Recent, Run
from oslogserve.seen.connections import Connections
from oslogserve.seen.rows import add, bounded, folder_of, runs_where, storable
from oslogserve.seen.tables import causes, jobs, runs, sightings

HOUR = 3600
DAY = 24 * HOUR
#: Runs of a folder that ended in the same hour. A job may write more folders that look like runs. It is not the hour in
#: which they are remembered: a command remembers those of weeks at once. All jobs of a change are some dozens.
MOST_IN_FOLDER = 60
#: Runs that are removed at once after their time, and seconds between two such removals of a process.
MOST_REMOVED, PAUSE = 500, 60
#: Runs that are read at once where all are.
MOST_AT_ONCE = 500
#: Attempts to add a run that other processes may add too.
MOST_TRIES = 5


class Database:
    """Runs of the last days. For many threads; a process makes its own.

    All methods raise SourceError if the database fails.
    """

    def __init__(self, url: str, days: int, now: Callable[[], float] = time.time) -> None:
        """url: of SQLAlchemy. days: for which runs are kept. Does not connect yet."""
        self._now = now
        self.days = days
        self._connections = Connections(url)
        self._connected = self._connections.transaction
        #: Without a password.
        self.location = self._connections.location
        self._removed_at = 0.0

    def remember(self, run: Run) -> str:
        """Keeps the run, and returns "kept", or else the refusal."""
        path, run = run.path, bounded(run, int(self._now()))
        for _ in range(MOST_TRIES):
            if refusal := self.refusal(path, run.ended):
                return refusal
            try:
                with self._connected(writes=True) as connection:
                    if refusal := self._refusal(connection, path, run.ended):
                        return refusal  # others were faster
                    connection.execute(delete(runs).where(runs.c.path == run.path))
                    add(connection, run)
            except SourceError as error:
                if isinstance(error.__cause__, IntegrityError):
                    continue  # another process was faster with this run, or with its job
                raise
            self._remove_old()
            return "kept"
        raise SourceError(NAME, "other processes keep adding the same rows")

    def refusal(self, path: str, ended: int) -> str:
        """Why the run of this path that ended then is not to be kept; "" if it is.

        "unfit" if its path is too long or no text, "old" if it is too old, "known" if it is there already, "crowded"
        if its folder has as many of that hour as may be. If it ended in the future, one of any time is the same.
        """
        if storable(path, None) != path or len(path.encode()) > MOST_PATH:
            return "unfit"
        if ended < self._oldest():
            return "old"
        with self._connected() as connection:
            return self._refusal(connection, path, ended)

    def _refusal(self, connection: Connection, path: str, ended: int) -> str:
        now = int(self._now())
        own_end = connection.execute(select(runs.c.ended).where(runs.c.path == path)).scalar()
        if own_end is not None:  # a run that takes the place of another is no further one
            return "known" if ended == own_end or ended >= now else ""
        hour = min(ended, now) // HOUR * HOUR
        beside = (runs.c.folder == folder_of(path)) & runs.c.ended.between(hour, hour + HOUR - 1)
        number = connection.execute(select(func.count()).where(beside)).scalar_one()
        return "crowded" if number >= MOST_IN_FOLDER else ""

    def forget(self, path: str, before: int) -> None:
        """Removes the run of this path if it ended before then. Writes only if there is one."""
        is_old = (runs.c.path == storable(path, None)) & (
            runs.c.ended < min(before, int(self._now()))
        )
        with self._connected() as connection:
            if connection.execute(select(runs.c.id).where(is_old)).scalar() is None:
                return
        with self._connected(writes=True) as connection:
            connection.execute(delete(runs).where(is_old))

    def others(self, fingerprint: str, path: str) -> Others:
        """The runs with the fingerprint, but for the one to which the folder or log of this path belongs."""
        with self._connected() as connection:
            own = connection.execute(_own(path)).first()
            where = self._with(fingerprint) & (sightings.c.run != (own.id if own else 0))
            counted = select(func.count(), func.count(sightings.c.job.distinct()))
            failed, passed = where & sightings.c.has_failed, where & ~sightings.c.has_failed
            number, of_jobs = connection.execute(counted.where(failed)).one()
            healthy = connection.execute(select(func.count()).where(passed)).scalar_one()
            oldest = select(sightings.c.run).where(failed).order_by(sightings.c.ended).limit(1)
            found = runs_where(connection, runs.c.id.in_(oldest)) if number else {}
        first = next(iter(found.values()), None)
        return Others(number, of_jobs, healthy, first, own.ended if own else None)

    def first_failed(self, fingerprints: Sequence[str], path: str) -> str | None:
        """The first of the fingerprints with which another run failed, see others(); None for none."""
        with self._connected() as connection:
            own_run = connection.execute(_own(path)).scalar() or 0
            failed = sightings.c.has_failed & (sightings.c.run != own_run)
            are_there = [select(1).where(self._with(one) & failed).exists() for one in fingerprints]
            found = connection.execute(select(*are_there)).one() if are_there else ()
        return next((one for one, is_it in zip(fingerprints, found, strict=True) if is_it), None)

    def failed_runs(self) -> int:
        """How many runs that failed are kept."""
        with self._connected() as connection:
            where = runs.c.has_failed & (runs.c.ended >= self._oldest())
            return int(connection.execute(select(func.count()).where(where)).scalar_one())

    def tells_all_that_passed(self, job: Named) -> bool:
        """True if runs of this job that passed are kept, on any branch, with all failures of their consoles."""
        where = ~runs.c.has_failed & (runs.c.ended >= self._oldest())
        is_it = (jobs.c.job == storable(job.job)) & (jobs.c.project == storable(job.project))
        where &= runs.c.job.in_(select(jobs.c.id).where(is_it))
        are_there = [
            select(1).where(where & (runs.c.is_cut == is_cut)).exists() for is_cut in (False, True)
        ]
        with self._connected() as connection:
            has_whole, has_cut = tuple(connection.execute(select(*are_there)).one())
        return bool(has_whole and not has_cut)

    def runs(
        self, fingerprint: str, most: int, days: int | None = None, named: Named = ANY
    ) -> list[Run]:
        """The last runs with the fingerprint, the last one first, those that passed behind the others.

        days: for how many; None for all.
        """
        recent = self._with(fingerprint) & _is_of(named)
        if days is not None:
            recent &= sightings.c.ended >= int(self._now()) - days * DAY
        with self._connected() as connection:
            found: list[Run] = []
            for has_failed in (True, False):
                where = recent & (sightings.c.has_failed == has_failed)
                last = select(sightings.c.run).where(where)
                last = last.order_by(sightings.c.ended.desc()).limit(most - len(found))
                found += runs_where(connection, runs.c.id.in_(last.subquery().select())).values()
        return found

    def recent(self, days: int, named: Named = ANY, most: int = 100) -> list[Recent]:
        """The leading causes of runs that failed in the last days, those of most runs first."""
        now = int(self._now())
        since = max(now - days * DAY, self._oldest())
        recent = (sightings.c.ended >= since) & _is_of(named)
        where = sightings.c.is_leading & sightings.c.has_failed & recent
        number = func.count().label("number")
        counted = (
            select(
                sightings.c.fingerprint,
                number,
                func.count(sightings.c.job.distinct()).label("jobs"),
                func.min(sightings.c.ended).label("first"),
                func.max(sightings.c.ended).label("last"),
            )
            .where(where)
            .group_by(sightings.c.fingerprint)
            .order_by(number.desc(), func.max(sightings.c.ended).desc())
            .limit(most)
        )
        with self._connected() as connection:
            rows = connection.execute(counted).all()
            several = [row.fingerprint for row in rows]
            by_day = _by_day(connection, where & sightings.c.fingerprint.in_(several), now)
            healthy = _passed(connection, several, recent)
            shown = _last_runs(connection, where, {row.fingerprint: row.last for row in rows})
        found = []
        for row in rows:
            each = by_day.get(row.fingerprint, {})
            per_day = tuple(each.get(day, 0) for day in reversed(range(days)))
            found.append(
                Recent(
                    *(row.fingerprint.hex(), row.number, per_day[-1], row.jobs),
                    *(healthy.get(row.fingerprint, 0), row.first, row.last),
                    *(shown[row.fingerprint], per_day),
                )
            )
        return found

    def batches(self) -> Iterator[list[Run]]:
        """Yields all runs with causes, some at a time."""
        last = 0
        with_causes = runs.c.id.in_(select(causes.c.run)) & (runs.c.ended >= self._oldest())
        while True:
            with self._connected() as connection:
                numbers = select(runs.c.id).where(with_causes & (runs.c.id > last))
                next_ones = numbers.order_by(runs.c.id).limit(MOST_AT_ONCE)
                several = connection.execute(next_ones).scalars().all()
                found = runs_where(connection, runs.c.id.in_(several))
            if not several:
                return
            yield [*found.values()]
            last = several[-1]

    def _oldest(self) -> int:
        return int(self._now()) - self.days * DAY

    def _with(self, fingerprint: str) -> ColumnElement[bool]:
        is_it = sightings.c.fingerprint == bytes.fromhex(fingerprint)
        return is_it & (sightings.c.ended >= self._oldest())

    def _remove_old(self) -> None:
        """Removes some runs that are too old, now and then."""
        if time.monotonic() < self._removed_at + PAUSE:
            return
        self._removed_at = time.monotonic()
        with self._connected(writes=True) as connection:
            old = select(runs.c.id).where(runs.c.ended < self._oldest()).limit(MOST_REMOVED)
            old = old.with_for_update(skip_locked=True)  # two that remove would wait for each other
            connection.execute(delete(runs).where(runs.c.id.in_(old.subquery().select())))

    def close(self) -> None:
        self._connections.close()


def _own(path: str) -> Select[tuple[int, int]]:
    """The number and the end of the run of this path, or of the highest folder above that is one."""
    names = storable(path, None).split("/")[:MOST_DEPTH]
    several = ("/".join(names[:depth]) for depth in range(len(names) + 1))
    is_it = runs.c.path.in_(several)
    return select(runs.c.id, runs.c.ended).where(is_it).order_by(runs.c.path).limit(1)


def _is_of(named: Named) -> ColumnElement[bool]:
    """True of the sightings of a job."""
    if not any(named):
        return literal(True)
    names = (jobs.c[name] == storable(value) for name, value in named._asdict().items() if value)
    return sightings.c.job.in_(select(jobs.c.id).where(and_(*names)))


def _by_day(
    connection: Connection, where: ColumnElement[bool], now: int
) -> dict[bytes, dict[int, int]]:
    """Runs by fingerprint and by the days since they ended."""
    day = ((now - sightings.c.ended) // DAY).label("day")
    counted = select(sightings.c.fingerprint, day, func.count()).where(where)
    found: dict[bytes, dict[int, int]] = {}
    for fingerprint, past, number in connection.execute(
        counted.group_by(sightings.c.fingerprint, day)
    ):
        found.setdefault(fingerprint, {})[past] = number
    return found


def _passed(
    connection: Connection, several: Sequence[bytes], recent: ColumnElement[bool]
) -> dict[bytes, int]:
    """Runs that passed, by fingerprint."""
    where = sightings.c.fingerprint.in_(several) & ~sightings.c.has_failed & recent
    counted = select(sightings.c.fingerprint, func.count()).where(where)
    found = connection.execute(counted.group_by(sightings.c.fingerprint))
    return {fingerprint: number for fingerprint, number in found}


def _last_runs(
    connection: Connection, where: ColumnElement[bool], last: dict[bytes, int]
) -> dict[bytes, Run]:
    """The last run of each fingerprint, with its cause. last: when it ended."""
    pairs = tuple_(sightings.c.fingerprint, sightings.c.ended).in_(last.items())
    newest = select(sightings.c.fingerprint, func.max(sightings.c.run)).where(where & pairs)
    numbers = connection.execute(newest.group_by(sightings.c.fingerprint)).all()
    found = runs_where(connection, runs.c.id.in_({number for _, number in numbers}))
    return {fingerprint: found[number] for fingerprint, number in numbers}
