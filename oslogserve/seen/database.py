# SPDX-License-Identifier: Apache-2.0
"""The database of runs: what is kept, and what it answers.

A run is a job's folder, and a row; its causes are rows with two fingerprints, one of all lines of the cause, one of the
failed test and its exception alone. A question is a fingerprint, and the answer how many other runs have it, in how
many jobs, since when, and whether runs that passed have it too: then it is no cause.

A run is remembered once, by its path, whoever reads it: the same folder read again says nothing new. If the folder was
written again since, another run has taken its place. Rows are small, and go after some weeks.

Each question is one transaction, in SQLite for one machine or PostgreSQL for several. One process writes at a time. If
the database fails or hangs, its caller knows nothing, and no answer fails.
"""

import time
from collections.abc import Callable, Iterator
from hashlib import blake2b

from sqlalchemy import (
    ColumnElement,
    Connection,
    delete,
    func,
    insert,
    select,
    tuple_,
)

from oslogserve.jobs.walk import MOST_DEPTH
from oslogserve.seen import (
    MOST_PATH,
    MOST_TOLD,
    Cause,
    Others,
    Recent,
    Run,
    Seen,
    first_causes,
)
from oslogserve.seen.tables import Connections, causes, jobs, runs, sightings, storable

HOUR = 3600
DAY = 24 * HOUR
#: Runs of a folder that ended in the same hour. A job may write more folders that look like runs. It is not the hour in
#: which they are remembered: a command remembers those of weeks at once. All jobs of a change are some dozens.
MOST_IN_FOLDER = 60
#: Seconds between two removals of old runs by a process, and runs that it removes then for each one that it has kept
#: since. So a clock that jumps ahead by weeks, and back, does not empty the tables.
PAUSE, REMOVED_FOR_EACH = 60, 2
#: Runs that are read at once where all are.
MOST_AT_ONCE = 500


class Database(Connections):
    """Runs of the last days. For many threads; a process makes its own.

    All methods raise SourceError if the database fails.
    """

    def __init__(
        self,
        url: str,
        days: int,
        now: Callable[[], float] = time.time,
        is_listed: bool = True,
    ) -> None:
        """url: of SQLAlchemy. days: for which runs are kept. is_listed: false if readers get no list of them.

        Does not connect yet.
        """
        super().__init__(url)
        self.days = days
        self.is_listed = is_listed
        self._now = now
        #: When old runs were last removed, and how many were kept since.
        self._removed_at, self._kept = 0.0, 0

    def remember(self, run: Run) -> str:
        """Keeps the run, and returns "kept", or else the refusal."""
        with self.transaction(writes=True) as connection:
            if refusal := self._refusal(connection, run.path, run.ended):
                return refusal
            connection.execute(delete(runs).where(runs.c.path == run.path))
            _add(connection, run, min(run.ended, int(self._now())))
            self._kept += 1
            if time.monotonic() >= self._removed_at + PAUSE:
                most, self._kept = REMOVED_FOR_EACH * self._kept, 0
                self._removed_at = time.monotonic()
                old = select(runs.c.id).where(runs.c.ended < self._oldest()).limit(most)
                connection.execute(delete(runs).where(runs.c.id.in_(old)))
        return "kept"

    def refusal(self, path: str, ended: int) -> str:
        """Why the run of this path that ended then is not to be kept; "" if it is.

        "unfit" if its path is too long or no text, "old" if it is too old, "known" if it is there already, "crowded"
        if its folder has as many of that hour as may be. If it ended in the future, one of any time is the same.
        """
        with self.transaction() as connection:
            return self._refusal(connection, path, ended)

    def _refusal(self, connection: Connection, path: str, ended: int) -> str:
        now = int(self._now())
        if storable(path) != path or len(path.encode()) > MOST_PATH:
            return "unfit"
        if ended < self._oldest():
            return "old"
        own_end = connection.execute(select(runs.c.ended).where(runs.c.path == path)).scalar()
        if own_end is not None:  # a run that takes the place of another is no further one
            return "known" if ended == own_end or ended >= now else ""
        hour = min(ended, now) // HOUR * HOUR
        beside = (runs.c.folder == _folder_of(path)) & runs.c.ended.between(hour, hour + HOUR - 1)
        number = connection.execute(select(func.count()).where(beside)).scalar_one()
        return "crowded" if number >= MOST_IN_FOLDER else ""

    def forget(self, path: str, before: int) -> None:
        """Removes the run of this path if it ended before then. Writes only if there is one."""
        is_old = (runs.c.path == path) & (runs.c.ended < min(before, int(self._now())))
        with self.transaction() as connection:
            if connection.execute(select(runs.c.id).where(is_old)).scalar() is None:
                return
        with self.transaction(writes=True) as connection:
            connection.execute(delete(runs).where(is_old))

    def seen(self, run: Run, cause: Cause) -> Seen:
        """What other runs had of the cause. Its run need not be kept."""
        # Its own run is of the highest folder above its log: the page may be of one above or below that.
        names = f"{run.path}/{cause.log}".lstrip("/").split("/")[:MOST_DEPTH]
        above = runs.c.path.in_(["/".join(names[:depth]) for depth in range(len(names) + 1)])
        of_own = select(runs.c.id, runs.c.ended).where(above).order_by(runs.c.path).limit(1)
        oldest = self._oldest()
        with self.transaction() as connection:
            own = connection.execute(of_own).first()
            own_run, ended = own or (0, run.ended)
            beside = (sightings.c.run != own_run) & (sightings.c.ended >= oldest)
            several = [_others(connection, beside, cause, one) for one in cause.fingerprints]
            others = next((one for one in several if one.runs), several[0])
            never_passed = not any(one.passed for one in several)
            another, failed_runs = None, 0
            if not others.runs:
                another = _another(connection, beside, run, cause)
                failed = runs.c.has_failed & (runs.c.ended >= oldest)
                failed_runs = connection.execute(select(func.count()).where(failed)).scalar_one()
            if never_passed:
                of_job = select(jobs.c.id).filter_by(job=run.job, project=run.project)
                passed = ~runs.c.has_failed & (runs.c.ended >= oldest) & runs.c.job.in_(of_job)
                are_cut = select(runs.c.is_cut).where(passed).distinct()
                never_passed = [*connection.execute(are_cut).scalars()] == [False]
            before = (runs.c.id != own_run) & runs.c.ended.between(oldest, ended)
            turn = _turn(connection, before, run)
        is_first = others.first is not None and 0 < ended < others.first.ended
        of_runs = failed_runs, self.days, self.is_listed, turn
        return Seen(others, another, is_first, never_passed, *of_runs)

    def runs(self, fingerprint: str, days: int, most: int = 100, **names: str) -> list[Run]:
        """The last runs with the fingerprint and that cause, the last one first, those that passed behind the others.

        names: see _recent().
        """
        recent = (sightings.c.fingerprint == fingerprint) & self._recent(days, names)
        in_order = sightings.c.has_failed.desc(), sightings.c.ended.desc()
        last = select(sightings.c.run).where(recent).order_by(*in_order).limit(most)
        with self.transaction() as connection:
            found = _runs(connection, runs.c.id.in_(last)).values()
        several = (one.with_cause(fingerprint) for one in found)
        return sorted(several, key=lambda run: not run.has_failed)

    def recent(self, days: int, most: int = 100, **names: str) -> list[Recent]:
        """The leading causes of runs that failed in the last days, those of most runs first. names: see _recent()."""
        fingerprint, number, last = sightings.c.fingerprint, func.count(), sightings.c.ended
        recent = self._recent(days, names)
        where = sightings.c.is_leading & sightings.c.has_failed & recent
        of_jobs = func.count(sightings.c.job.distinct())
        counted = select(fingerprint, number, of_jobs, func.min(last), func.max(last)).where(where)
        in_order = number.desc(), func.max(last).desc()
        counted = counted.group_by(fingerprint).order_by(*in_order).limit(most)
        with self.transaction() as connection:
            rows = connection.execute(counted).all()
            is_listed = fingerprint.in_([one for one, *_ in rows])
            day = ((int(self._now()) - last) // DAY).label("day")
            by_day = select(fingerprint, day, number).where(where & is_listed)
            found = connection.execute(by_day.group_by(fingerprint, day))
            of_days = {(one, past): count for one, past, count in found}
            passed = select(fingerprint, number).where(is_listed & ~sightings.c.has_failed & recent)
            healthy = dict(map(tuple, connection.execute(passed.group_by(fingerprint))))
            ends = tuple_(fingerprint, last).in_([(one, end) for one, *_, end in rows])
            newest = select(fingerprint, func.max(sightings.c.run)).where(where & ends)
            numbers = dict(map(tuple, connection.execute(newest.group_by(fingerprint))))
            shown = _runs(connection, runs.c.id.in_(numbers.values()))
        return [
            Recent(
                *(one, count, jobs_, healthy.get(one, 0), first),
                run=shown[numbers[one]].with_cause(one),
                days=tuple(of_days.get((one, past), 0) for past in reversed(range(days))),
            )
            for one, count, jobs_, first, _ in rows
        ]

    def all_runs(self) -> Iterator[Run]:
        """Yields all runs with causes, of which some are read at a time."""
        last = 0
        kept = runs.c.id.in_(select(causes.c.run)) & (runs.c.ended >= self._oldest())
        while True:
            next_ones = select(runs.c.id).where(kept & (runs.c.id > last)).order_by(runs.c.id)
            with self.transaction() as connection:
                found = _runs(connection, runs.c.id.in_(next_ones.limit(MOST_AT_ONCE)))
            if not found:
                return
            yield from found.values()
            last = max(found)

    def _oldest(self) -> int:
        return int(self._now()) - self.days * DAY

    def _recent(self, days: int, names: dict[str, str]) -> ColumnElement[bool]:
        """True of the sightings in the last days of jobs with these names; "" for any job, project or branch."""
        recent = sightings.c.ended >= int(self._now()) - min(days, self.days) * DAY
        if given := {name: value for name, value in names.items() if value}:
            recent &= sightings.c.job.in_(select(jobs.c.id).filter_by(**given))
        return recent


def _folder_of(path: str) -> bytes:
    """A digest of the path of the folder above."""
    return blake2b(path.rpartition("/")[0].encode(), digest_size=16).digest()


def _others(
    connection: Connection, beside: ColumnElement[bool], cause: Cause, fingerprint: str
) -> Others:
    """The runs with the fingerprint. beside: true of the sightings of all runs but the cause's own."""
    where = beside & (sightings.c.fingerprint == fingerprint)
    counted = select(sightings.c.has_failed, func.count(), func.count(sightings.c.job.distinct()))
    rows = connection.execute(counted.where(where).group_by(sightings.c.has_failed))
    counts = {has_failed: (number, of_jobs) for has_failed, number, of_jobs in rows}
    number, of_jobs = counts.get(True, (0, 0))
    passed, _ = counts.get(False, (0, 0))
    oldest = select(sightings.c.run).where(where & sightings.c.has_failed)
    oldest = oldest.order_by(sightings.c.ended).limit(1)
    found = _runs(connection, runs.c.id.in_(oldest)) if number else {}
    return Others(cause, fingerprint, number, of_jobs, passed, next(iter(found.values()), None))


def _another(
    connection: Connection, beside: ColumnElement[bool], run: Run, cause: Cause
) -> Others | None:
    """Those with the first other failure of the cause's log with which a run failed; None for none."""
    of_log = (one for one in run.causes if one.log == cause.log and one != cause)
    several = [(one, failure) for failure in of_log for one in failure.fingerprints]
    is_one = sightings.c.fingerprint.in_([one for one, _ in several])
    failed = select(sightings.c.fingerprint).where(beside & is_one & sightings.c.has_failed)
    there = {*connection.execute(failed.distinct()).scalars()}
    found = next(((failure, one) for one, failure in several if one in there), None)
    return found and _others(connection, beside, *found)


def _turn(connection: Connection, before: ColumnElement[bool], run: Run) -> tuple[Run, Run] | None:
    """See Seen. before: true of the runs that ended before this one."""
    of_job = select(jobs.c.id).filter_by(job=run.job, project=run.project, branch=run.branch)
    beside = before & runs.c.job.in_(of_job)
    ended = select(runs.c.id, runs.c.ended)
    passed = ended.where(beside & ~runs.c.has_failed).order_by(runs.c.ended.desc()).limit(1)
    if not (last := connection.execute(passed).first()):
        return None
    failed = ended.where(beside & runs.c.has_failed & (runs.c.ended > last.ended))
    if not (first := connection.execute(failed.order_by(runs.c.ended).limit(1)).first()):
        return None
    found = _runs(connection, runs.c.id.in_([last.id, first.id]))
    return found[last.id], found[first.id]


def _add(connection: Connection, run: Run, ended: int) -> None:
    """Adds the rows of a run."""
    named = {"job": run.job, "project": run.project, "branch": run.branch}
    job = connection.execute(select(jobs.c.id).filter_by(**named)).scalar()
    if job is None:
        added = insert(jobs).values(named).returning(jobs.c.id)
        job = connection.execute(added).scalar_one()
    of_run = {"ended": ended, "has_failed": run.has_failed, "job": job}
    row = {"path": run.path, "folder": _folder_of(run.path), "change": run.change, **of_run}
    row |= {"is_cut": run.is_cut, "commit_id": run.commit}
    added = insert(runs).values(row).returning(runs.c.id)
    number = connection.execute(added).scalar_one()
    kept, left, rows = first_causes(run.causes), MOST_TOLD, []
    for place, one in enumerate(kept):
        told = one.told[:left]
        left -= len(told)
        rows.append({**one._asdict(), "told": told, "run": number, "place": place})
    if rows:
        connection.execute(insert(causes), rows)
    fingerprints = {digest for one in kept for digest in one.fingerprints}
    found = [
        {
            **of_run,
            "run": number,
            "fingerprint": one,
            "is_leading": run.is_told and one == kept[0].exact,
        }
        for one in fingerprints
    ]
    if found:
        connection.execute(insert(sightings), found)


def _runs(connection: Connection, where: ColumnElement[bool]) -> dict[int, Run]:
    """The runs by their numbers, the last one first."""
    columns = (runs, jobs.c.job.label("name"), jobs.c.project, jobs.c.branch)
    asked = select(*columns).join(jobs, jobs.c.id == runs.c.job).where(where)
    rows = connection.execute(asked.order_by(runs.c.ended.desc(), runs.c.id.desc())).all()
    of_them = select(causes).where(causes.c.run.in_([row.id for row in rows]))
    by_run: dict[int, list[Cause]] = {}
    for number, _, *cause in connection.execute(of_them.order_by(causes.c.place)):
        by_run.setdefault(number, []).append(Cause(*cause))
    return {
        row.id: Run(
            *(row.path, row.ended, row.has_failed, row.name, row.project, row.branch, row.change),
            *(tuple(by_run.get(row.id, ())), row.is_cut),
            commit=row.commit_id,
        )
        for row in rows
    }
