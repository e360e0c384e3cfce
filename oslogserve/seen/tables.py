# SPDX-License-Identifier: Apache-2.0
"""The tables of runs, their causes and the fingerprints of these; and transactions, which make them where they are missing.

A database may have tables of other applications. All names here begin with "oslogserve_", those of indexes too.
Earlier releases had "oslogserve_seen", "jobs", "runs", "causes" and "sightings": take none of these names again.
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    TypeDecorator,
    UniqueConstraint,
    create_engine,
    delete,
    event,
    insert,
    inspect,
    make_url,
    select,
)
from sqlalchemy.exc import DisconnectionError, SQLAlchemyError

from oslogserve.errors import SourceError
from oslogserve.folders import check_folder
from oslogserve.lines import fingerprints
from oslogserve.seen import MOST_NAME, MOST_PATH, MOST_TEXT, MOST_TOLD, NAME
from oslogserve.text import log_message, visible

#: Of the tables and of the fingerprints in them. Tables of an earlier version are made anew, and runs are remembered
#: again. Later ones are left alone, so a number never goes back.
VERSION = (6, fingerprints.VERSION)
#: Seconds that a question waits for the database, and a writer for another one.
TIMEOUT = 2
#: Seconds after which PostgreSQL ends a transaction of a process that hangs: others may wait to write.
MOST_IDLE = 10
#: A number for the lock of PostgreSQL under which one at a time writes.
_LOCK = 0x6F6C7365
#: The largest number of a column.
LARGEST_NUMBER = 2**31 - 1
#: Attempts to make tables that somebody removes meanwhile.
_MOST_TRIES = 5

schema = MetaData()


def storable(text: str) -> str:
    """The text as any database takes it. Jobs may write any name."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


class Text(TypeDecorator[str]):
    """The beginning of a text, made storable."""

    impl = String
    cache_ok = True

    def __init__(self, length: int, is_cut: bool = True) -> None:
        """is_cut: False if a longer text is none of the column's."""
        super().__init__(length)
        self.length = length
        self.is_cut = is_cut

    def process_bind_param(self, value: str | None, _: Dialect) -> str:
        return storable((value or "")[: self.length if self.is_cut else None])


class Fingerprint(TypeDecorator[str]):
    """Hexadecimal digits."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, _: Dialect) -> bytes:
        return bytes.fromhex(value or "")

    def process_result_value(self, value: bytes | None, _: Dialect) -> str:
        return (value or b"").hex()


class Number(TypeDecorator[int]):
    """A number of 32 bits, as PostgreSQL has them; a larger one is the largest. A log may have more lines."""

    impl = Integer
    cache_ok = True

    def process_bind_param(self, value: int | None, _: Dialect) -> int:
        return max(-LARGEST_NUMBER, min(value or 0, LARGEST_NUMBER))


#: Its one row says that all other tables here are oslogserve's, and their VERSION. Every release reads it, so its
#: name and columns never change.
versions = Table(
    "oslogserve_version",
    schema,
    Column("tables", Integer, nullable=False),
    Column("fingerprints", Integer, nullable=False),
)

jobs = Table(
    "oslogserve_jobs",
    schema,
    Column("id", Integer, primary_key=True),
    Column("job", Text(MOST_NAME), nullable=False),
    Column("project", Text(MOST_NAME), nullable=False),
    Column("branch", Text(MOST_NAME), nullable=False),
    UniqueConstraint("job", "project", "branch"),
)

runs = Table(
    "oslogserve_runs",
    schema,
    Column("id", Integer, primary_key=True),
    Column("path", Text(MOST_PATH, is_cut=False), nullable=False, unique=True),
    #: A digest of the path of the folder above.
    Column("folder", LargeBinary, nullable=False),
    Column("ended", Number, nullable=False),
    Column("has_failed", Boolean, nullable=False),
    Column("job", ForeignKey("oslogserve_jobs.id"), nullable=False),
    Column("change", Text(MOST_NAME), nullable=False),
    Column("commit_id", Text(MOST_NAME), nullable=False),
    Column("is_cut", Boolean, nullable=False),
    Index("oslogserve_runs_by_folder", "folder", "ended"),
    Index("oslogserve_runs_by_end", "has_failed", "ended"),
    Index("oslogserve_runs_by_job", "job", "has_failed", "is_cut", "ended"),
    sqlite_autoincrement=True,  # so that no run gets the number of one that was removed
)

causes = Table(
    "oslogserve_causes",
    schema,
    Column("run", ForeignKey("oslogserve_runs.id", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("log", Text(MOST_NAME), nullable=False),
    Column("line", Number, nullable=False),
    Column("text", Text(MOST_TEXT), nullable=False),
    Column("exact", Fingerprint, nullable=False),
    Column("failure", Fingerprint, nullable=False),
    Column("told", Text(MOST_TOLD), nullable=False),
    sqlite_with_rowid=False,
)

#: One row for each run and fingerprint. It has what questions count, so that they read no other table.
sightings = Table(
    "oslogserve_sightings",
    schema,
    Column("fingerprint", Fingerprint, primary_key=True),
    Column("has_failed", Boolean, primary_key=True),
    Column("ended", Number, primary_key=True),
    Column("run", ForeignKey("oslogserve_runs.id", ondelete="CASCADE"), primary_key=True),
    Column("job", Integer, nullable=False),
    #: True for the exact fingerprint of the run's first cause, by which the list counts it.
    Column("is_leading", Boolean, nullable=False),
    Index("oslogserve_sightings_by_run", "run"),
    sqlite_with_rowid=False,
)


class Connections:
    """The connections of a process to SQLite or PostgreSQL. For many threads."""

    name = NAME

    def __init__(self, url: str) -> None:
        """url: of SQLAlchemy. Does not connect yet."""
        self._engine = create_engine(url, **_options(url))
        #: Without a password.
        self.location = self._engine.url.render_as_string()
        self.close = self._engine.dispose
        self._is_sqlite = self._engine.dialect.name == "sqlite"
        if self._is_sqlite:
            event.listen(self._engine, "do_connect", _begin_anew)
            event.listen(self._engine, "connect", _set_up_sqlite)
            event.listen(self._engine, "checkout", self._check_file)
        self._is_made = False

    @contextmanager
    def transaction(self, writes: bool = False) -> Iterator[Connection]:
        """All that is read in it is of the same moment, and one at a time writes. Raises SourceError."""
        try:
            for _ in range(_MOST_TRIES):
                if not self._is_made:
                    self._make()
                with self._begun(writes) as connection:
                    if self._is_made and _version(connection) == VERSION:
                        yield connection
                        return
                self._is_made = False
        except SQLAlchemyError as error:
            self._is_made = False  # somebody may have dropped a table
            raise _told(error) from error
        raise SourceError(NAME, "its tables are replaced again and again")

    def check(self) -> None:
        """Checks that runs can be kept. All is as it was behind it: no file is made, and no table. Raises SourceError."""
        path = self._engine.url.database or ""
        try:
            if self._is_sqlite and not os.path.exists(path):
                check_folder(os.path.dirname(path))
                return
            with self._begun(writes=True) as connection:
                _make_tables(connection, _lack(connection))
                connection.execute(delete(runs).where(runs.c.id < 0))  # none: whether it may
                connection.rollback()
        except SQLAlchemyError as error:
            raise _told(error) from error
        except OSError as error:
            raise SourceError(NAME, f"its folder: {error.strerror}") from error

    def _check_file(self, _: object, record: Any, __: object) -> None:
        """Raises DisconnectionError if the connection's file was removed or replaced: the pool opens it anew."""
        path, opened = record.info["file"]
        if _identity(path) != opened:
            self._is_made = False
            raise DisconnectionError

    @contextmanager
    def _begun(self, writes: bool) -> Iterator[Connection]:
        with self._engine.begin() as connection:
            if self._is_sqlite:
                first = "BEGIN IMMEDIATE" if writes else "BEGIN"
            elif writes:
                first = f"SELECT pg_advisory_xact_lock({_LOCK})"
            else:
                first = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"
            connection.exec_driver_sql(first)
            yield connection

    def _make(self) -> None:
        """Makes the tables where they are missing, or of an earlier version. Raises SourceError."""
        with self._begun(writes=False) as connection:  # it waits for no writer
            lack = _lack(connection)
        if lack is not None:
            with self._begun(writes=True) as connection:
                lack = _lack(connection)
                if lack and not self._is_sqlite:
                    # Whoever reads has locked it first, too: so nobody waits in a circle.
                    connection.exec_driver_sql(
                        f"LOCK TABLE {versions.name} IN ACCESS EXCLUSIVE MODE"
                    )
                _make_tables(connection, lack)
        if lack:
            log_message(
                f"the runs that were seen {lack} and are removed: `oslogserve seen` remembers them again"
            )
        self._is_made = True


def _told(error: SQLAlchemyError) -> SourceError:
    """Without the statement and its values."""
    said = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
    return SourceError(NAME, visible(said[:MOST_TEXT]))


def _make_tables(connection: Connection, lack: str | None) -> None:
    """lack: see _lack(). None if another process has made them."""
    if lack:
        schema.drop_all(connection)
    if lack is not None:
        schema.create_all(connection)
        connection.execute(insert(versions).values(VERSION))


def _lack(connection: Connection) -> str | None:
    """Why the tables must be made, "" if there are none; None if they are there.

    Raises SourceError if those that are there are not to be used: they are of a later version, or may be somebody else's.
    """
    inspector = inspect(connection)
    there = [one for one in schema.sorted_tables if inspector.has_table(one.name)]
    unlike = [
        one
        for one in there
        if {column["name"] for column in inspector.get_columns(one.name)} != {*one.c.keys()}
    ]
    version = None
    if versions in there and versions not in unlike:
        version = _version(connection)
    if version is None:
        # Somebody who dropped the table that says it has left all others.
        rest = [one for one in there if one is not versions]
        if unlike or 0 < len(rest) < len(schema.tables) - 1:
            foreign = (unlike or rest)[0].name
            raise SourceError(
                NAME,
                f"its table {foreign} may be another application's: rename it, or drop it",
            )
        return ""
    its, ours = (".".join(map(str, one)) for one in (version, VERSION))
    if version > VERSION:
        raise SourceError(
            NAME,
            f"its tables are of version {its}, of a later release: this one, of version {ours}, neither reads nor "
            "removes them",
        )
    if version < VERSION:
        return f"are of version {its}"
    return None if len(there) == len(schema.tables) else "have lost a table"


def _version(connection: Connection) -> tuple[int, ...] | None:
    """What the table of the version says; None if it is empty."""
    return max(map(tuple, connection.execute(select(versions))), default=None)


def _options(url: str) -> dict[str, Any]:
    """What the engine needs, by the kind of database."""
    if url.startswith("sqlite"):
        return {"connect_args": {"timeout": TIMEOUT}, "pool_timeout": TIMEOUT}
    # Behind the address's own, such as a search_path: those here would replace them.
    given = make_url(url).normalized_query.get("options", ())
    limits = {
        "statement_timeout": TIMEOUT,
        "lock_timeout": TIMEOUT,
        "idle_in_transaction_session_timeout": MOST_IDLE,
    }
    settings = [*given, *(f"-c {name}={seconds}s" for name, seconds in limits.items())]
    return {
        "connect_args": {"connect_timeout": TIMEOUT, "options": " ".join(settings)},
        "pool_timeout": TIMEOUT,
        "pool_pre_ping": True,
    }


def _begin_anew(_: object, __: object, arguments: Sequence[Any], ___: object) -> None:
    """Makes the folder, and removes what belongs to a file that was removed: SQLite would read it as the new file's."""
    path = Path(arguments[0])
    if not path.is_absolute():  # it is a URI
        return
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        why = f"the folder {path.parent} cannot be made: {error.strerror}"
        raise sqlite3.OperationalError(why) from error
    if os.path.exists(f"{path}-shm") and not path.exists():
        with suppress(OSError):  # only the process that makes the new file goes on
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644))
            for ending in ("-wal", "-shm"):
                os.unlink(f"{path}{ending}")


def _set_up_sqlite(connection: Any, record: Any) -> None:
    connection.isolation_level = None  # the driver would begin transactions late
    [(_, _, path)] = connection.execute("PRAGMA database_list").fetchall()
    record.info["file"] = path, _identity(path)
    if os.geteuid() == 0:
        # Lets the server's user write a file that root has made. SQLite makes the others of the same owner.
        file, folder = os.lstat(path), os.stat(os.path.dirname(path))
        if file.st_size == 0 and file.st_nlink == 1 and file.st_uid != folder.st_uid:
            os.chown(path, folder.st_uid, folder.st_gid, follow_symlinks=False)
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _identity(path: str) -> tuple[int, int] | None:
    """What tells the file from another one at its path; None if there is none."""
    with suppress(OSError):
        found = os.stat(path)
        return found.st_dev, found.st_ino
    return None
