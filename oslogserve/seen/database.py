# SPDX-License-Identifier: Apache-2.0
"""The database of runs: SQLite, or PostgreSQL for several servers."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    create_engine,
    delete,
    event,
    func,
    insert,
    literal,
    select,
    text,
    tuple_,
)
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from oslogserve import messages
from oslogserve.errors import SourceError
from oslogserve.seen import (
    ANY,
    MOST_NAME,
    MOST_PATH,
    MOST_TEXT,
    MOST_TOLD,
    Cause,
    Named,
    Others,
    Recent,
    Run,
    first_causes,
)
from oslogserve.seen.memory import NAME
from oslogserve.seen.tables import VERSION, causes, jobs, runs, sightings, tables, versions

DAY = 24 * 3600
#: Seconds that a question waits for the database, and a writer for another one.
TIMEOUT = 2
#: Runs that are removed at once after their time, and seconds between two such removals of a process.
MOST_REMOVED, PAUSE = 500, 60
#: Runs that are read at once where all are.
MOST_AT_ONCE = 500
#: A number for the lock of PostgreSQL under which tables are made.
_LOCK = 0x6F6C7365
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
        self._engine = create_engine(url, **_options(url))
        #: Without a password.
        self.location = self._engine.url.render_as_string()
        if self._engine.dialect.name == "sqlite":
            event.listen(self._engine, "connect", _set_up_sqlite)
            event.listen(self._engine, "begin", _begin_sqlite)
        self._is_made = False
        self._removed_at = 0.0

    def remember(self, run: Run) -> str:
        """Keeps the run.

        Returns "kept", "known" if it is there already, "old" if it is too old, or "unfit" if its path is too
        long or no text.
        """
        path, run = run.path, _bounded(run, int(self._now()))
        if path != run.path or len(path.encode()) > MOST_PATH:
            return "unfit"
        if run.ended < self._oldest():
            return "old"
        if not self._added(run):
            return "known"
        self._remove_old()
        return "kept"

    def _added(self, run: Run) -> bool:
        for _ in range(MOST_TRIES):
            if self.has(run.path, run.ended):
                return False
            try:
                with self._connected(writes=True) as connection:
                    connection.execute(delete(runs).where(runs.c.path == run.path))
                    _add(connection, run)
            except IntegrityError:  # another process was faster with this run, or with its job
                continue
            return True
        raise SourceError(NAME, "other processes keep adding the same rows")

    def has(self, path: str, ended: int) -> bool:
        """True if the run of this path that ended then is kept. A time in the future may be any."""
        with self._connected() as connection:
            same = runs.c.path == _cut(path, None)
            if ended < int(self._now()):
                same &= runs.c.ended == ended
            return connection.execute(select(runs.c.id).where(same)).scalar() is not None

    def forget(self, path: str, before: int) -> None:
        """Removes the run of this path if it ended before then. Writes only if there is one."""
        is_old = (runs.c.path == _cut(path, None)) & (runs.c.ended < min(before, int(self._now())))
        with self._connected() as connection:
            if connection.execute(select(runs.c.id).where(is_old)).scalar() is None:
                return
        with self._connected(writes=True) as connection:
            connection.execute(delete(runs).where(is_old))

    def others(self, fingerprint: str, path: str) -> Others:
        """The runs with the fingerprint, but for the one of this path."""
        with self._connected() as connection:
            same = runs.c.path == _cut(path, None)
            own = connection.execute(select(runs.c.id).where(same)).scalar()
            where = self._with(fingerprint) & (sightings.c.run != (own or 0))
            counted = select(func.count(), func.count(sightings.c.job.distinct()))
            failed, passed = where & sightings.c.has_failed, where & ~sightings.c.has_failed
            number, of_jobs = connection.execute(counted.where(failed)).one()
            healthy = connection.execute(select(func.count()).where(passed)).scalar_one()
            first = select(sightings.c.run).where(failed).order_by(sightings.c.ended).limit(1)
            found = _runs(connection, runs.c.id.in_(first)) if number else {}
        return Others(number, of_jobs, healthy, next(iter(found.values()), None))

    def failed_runs(self) -> int:
        """How many runs that failed are kept."""
        with self._connected() as connection:
            where = runs.c.has_failed & (runs.c.ended >= self._oldest())
            return int(connection.execute(select(func.count()).where(where)).scalar_one())

    def has_passed_runs(self) -> bool:
        """True if a run that passed is kept."""
        where = ~runs.c.has_failed & (runs.c.ended >= self._oldest())
        with self._connected() as connection:
            return connection.execute(select(runs.c.id).where(where).limit(1)).scalar() is not None

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
                found += _runs(connection, runs.c.id.in_(last.subquery().select())).values()
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
                found = _runs(connection, runs.c.id.in_(several))
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

    @contextmanager
    def _connected(self, writes: bool = False) -> Iterator[Connection]:
        """A transaction. Raises SourceError, IntegrityError."""
        try:
            if not self._is_made:
                self._make()
            with self._begun(writes) as connection:
                yield connection
        except IntegrityError:
            raise
        except SQLAlchemyError as error:
            # Another process, of another version, may have removed the tables.
            self._is_made = False
            raise SourceError(NAME, _sentence(error)) from error

    @contextmanager
    def _begun(self, writes: bool) -> Iterator[Connection]:
        with self._engine.connect() as connection:
            connection = connection.execution_options(writes=writes)
            if not writes and self._engine.dialect.name == "postgresql":
                # As SQLite has it: all that is read in a transaction is of the same moment.
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    def _make(self) -> None:
        """Makes the tables where they are missing, or of another version."""
        with self._begun(writes=False) as connection:  # it waits for no writer
            self._is_made = self._version(connection) == VERSION
        if self._is_made:
            return
        with self._begun(writes=True) as connection:
            if self._engine.dialect.name == "postgresql":
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
            found = self._version(connection)
            if found != VERSION:
                if found:
                    messages.log(
                        f"the runs that were seen are of version {found} and are removed: "
                        "`oslogserve seen` remembers them again"
                    )
                tables.drop_all(connection)
                tables.create_all(connection)
                connection.execute(insert(versions).values(version=VERSION))
        self._is_made = True

    def _version(self, connection: Connection) -> str | None:
        """The version of the tables; None if there are none."""
        has_tables = self._engine.dialect.has_table(connection, versions.name)
        return connection.execute(select(versions.c.version)).scalar() if has_tables else None

    def close(self) -> None:
        self._engine.dispose()


def _options(url: str) -> dict[str, Any]:
    """What the engine needs, by the kind of database."""
    if url.startswith("sqlite"):
        waits = {"connect_args": {"timeout": TIMEOUT}, "pool_timeout": TIMEOUT}
        return {
            **waits,
            "poolclass": QueuePool,
        }  # also for one in memory, whose pool would not wait
    settings = f"-c statement_timeout={TIMEOUT}s -c lock_timeout={TIMEOUT}s"
    return {
        "connect_args": {"connect_timeout": TIMEOUT, "options": settings},
        "pool_timeout": TIMEOUT,
        "pool_pre_ping": True,
    }


def _set_up_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None  # the driver would begin transactions late
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _sentence(error: SQLAlchemyError) -> str:
    """What the database said, in its first line, without the statement and its values."""
    said = str(getattr(error, "orig", None) or error).strip()
    return messages.visible(said.partition("\n")[0][:MOST_TEXT])


def _bounded(run: Run, now: int) -> Run:
    """The run as it is kept. Jobs may write any name, and set any time."""
    return run._replace(
        path=_cut(run.path, None),
        ended=min(run.ended, now),
        job=Named(*(_cut(name) for name in run.job)),
        change=_cut(run.change),
        causes=tuple(_bounded_causes(first_causes(run.causes))),
    )


def _bounded_causes(several: Iterable[Cause]) -> Iterator[Cause]:
    left = MOST_TOLD
    for one in several:
        told = _cut(one.told, left)
        left -= len(told)
        yield one._replace(log=_cut(one.log), text=_cut(one.text, MOST_TEXT), told=told)


def _cut(value: str, most: int | None = MOST_NAME) -> str:
    """The beginning of a text that any database takes."""
    return value[:most].replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _add(connection: Connection, run: Run) -> None:
    """Raises IntegrityError if another process adds it at the same time."""
    values = {"path": run.path, "ended": run.ended, "has_failed": run.has_failed}
    job = _job(connection, run.job)
    added = insert(runs).values(**values, job=job, change=run.change).returning(runs.c.id)
    number = connection.execute(added).scalar_one()
    rows = [
        {
            **one._asdict(),
            "run": number,
            "place": place,
            "exact": bytes.fromhex(one.exact),
            "failure": bytes.fromhex(one.failure),
        }
        for place, one in enumerate(run.causes)
    ]
    if rows:
        connection.execute(insert(causes), rows)
    of_run = {"run": number, "job": job, "ended": run.ended, "has_failed": run.has_failed}
    leading = next((one.exact for one in run.causes), "")
    found = [
        {
            **of_run,
            "fingerprint": bytes.fromhex(fingerprint),
            "is_leading": fingerprint == leading,
        }
        for fingerprint in {digest for one in run.causes for digest in one.fingerprints}
    ]
    if found:
        connection.execute(insert(sightings), found)


def _job(connection: Connection, named: Named) -> int:
    """The number of a job. Raises IntegrityError if another process adds it at the same time."""
    is_it = (jobs.c.job == named.job) & (jobs.c.project == named.project)
    number = connection.execute(
        select(jobs.c.id).where(is_it & (jobs.c.branch == named.branch))
    ).scalar()
    if number is None:
        added = insert(jobs).values(**named._asdict()).returning(jobs.c.id)
        number = connection.execute(added).scalar_one()
    return int(number)


def _is_of(named: Named) -> ColumnElement[bool]:
    """True of the sightings of a job."""
    if not any(named):
        return literal(True)
    names = (jobs.c[name] == _cut(value) for name, value in named._asdict().items() if value)
    return sightings.c.job.in_(select(jobs.c.id).where(and_(*names)))


def _runs(connection: Connection, where: ColumnElement[bool]) -> dict[int, Run]:
    """The runs by their numbers, the last one first."""
    columns = (runs, jobs.c.job.label("name"), jobs.c.project, jobs.c.branch)
    asked = select(*columns).join(jobs, jobs.c.id == runs.c.job).where(where)
    rows = connection.execute(asked.order_by(runs.c.ended.desc(), runs.c.id.desc())).all()
    of_them = select(causes).where(causes.c.run.in_([row.id for row in rows]))
    found: dict[int, list[Cause]] = {}
    for row in connection.execute(of_them.order_by(causes.c.place)):
        fingerprints = row.exact.hex(), row.failure.hex()
        cause = Cause(row.log, row.line, row.text, *fingerprints, row.told)
        found.setdefault(row.run, []).append(cause)
    return {row.id: _run(row, found.get(row.id, ())) for row in rows}


def _run(row: Row[Any], of_run: Sequence[Cause]) -> Run:
    named = Named(row.name, row.project, row.branch)
    return Run(row.path, row.ended, row.has_failed, named, row.change, tuple(of_run))


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
    found = _runs(connection, runs.c.id.in_({number for _, number in numbers}))
    return {fingerprint: found[number] for fingerprint, number in numbers}
