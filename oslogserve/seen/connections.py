# SPDX-License-Identifier: Apache-2.0
"""Transactions of the database of runs, whose tables are made where they are missing."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, create_engine, event, insert, inspect, make_url, select, text
from sqlalchemy.exc import DisconnectionError, IntegrityError, SQLAlchemyError

from oslogserve import messages
from oslogserve.errors import SourceError
from oslogserve.seen import MOST_TEXT, NAME
from oslogserve.seen.tables import VERSION, tables, versions

#: Seconds that a question waits for the database, and a writer for another one.
TIMEOUT = 2
#: A number for the lock of PostgreSQL under which tables are made.
_LOCK = 0x6F6C7365
#: Attempts to make tables that somebody removes meanwhile.
_MOST_TRIES = 5


class Connections:
    """The connections of a process to SQLite or PostgreSQL. For many threads."""

    def __init__(self, url: str) -> None:
        """url: of SQLAlchemy. Does not connect yet."""
        self._engine = create_engine(url, **_options(url))
        #: Without a password.
        self.location = self._engine.url.render_as_string()
        self._is_postgresql = self._engine.dialect.name == "postgresql"
        if not self._is_postgresql:
            event.listen(self._engine, "do_connect", _begin_anew)
            event.listen(self._engine, "connect", _set_up_sqlite)
            event.listen(self._engine, "checkout", self._check_file)
            event.listen(self._engine, "begin", _begin_sqlite)
        self._is_made = False

    @contextmanager
    def transaction(self, writes: bool = False) -> Iterator[Connection]:
        """Raises SourceError; its cause is an IntegrityError if a row does not fit those of others."""
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
            if not isinstance(error, IntegrityError):  # else somebody may have dropped a table
                self._is_made = False
            # Without the statement and its values.
            said = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
            raise SourceError(NAME, messages.visible(said[:MOST_TEXT])) from error
        raise SourceError(NAME, "its tables are replaced again and again")

    def _check_file(self, _: object, record: Any, __: object) -> None:
        """Raises DisconnectionError if the connection's file was removed or replaced: the pool opens it anew."""
        path, opened = record.info["file"]
        if path and _identity(path) != opened:
            self._is_made = False
            raise DisconnectionError

    @contextmanager
    def _begun(self, writes: bool) -> Iterator[Connection]:
        with self._engine.connect() as connection:
            connection = connection.execution_options(writes=writes)
            if not writes and self._is_postgresql:
                # As SQLite has it: all that is read in a transaction is of the same moment.
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    def _make(self) -> None:
        """Makes the tables where they are missing, or of an earlier version. Raises SourceError."""
        with self._begun(writes=False) as connection:  # it waits for no writer
            is_made = _Found(connection).is_whole
        if not is_made:
            self._make_anew()
        self._is_made = True

    def _make_anew(self) -> None:
        """Raises SourceError."""
        why = ""
        with self._begun(writes=True) as connection:
            if self._is_postgresql:
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
            found = _Found(connection)
            if found.is_whole:
                return
            if found.version:
                why = f"are of version {_shown(found.version)}"
                if found.version == VERSION:
                    why = "have lost a table"
                if self._is_postgresql:
                    # Whoever reads has locked it first, too: so nobody waits in a circle.
                    connection.execute(text(f"LOCK TABLE {versions.name} IN ACCESS EXCLUSIVE MODE"))
                tables.drop_all(connection)
            tables.create_all(connection)
            connection.execute(insert(versions).values(VERSION))
        if why:
            messages.log(
                f"the runs that were seen {why} and are removed: `oslogserve seen` remembers them again"
            )

    def close(self) -> None:
        self._engine.dispose()


class _Found:
    """The tables of a database."""

    def __init__(self, connection: Connection) -> None:
        """Raises SourceError if these are not to be used: they are of a later version, or may be somebody else's."""
        inspector = inspect(connection)
        there = [one for one in tables.sorted_tables if inspector.has_table(one.name)]
        unlike = [
            one
            for one in there
            if {column["name"] for column in inspector.get_columns(one.name)} != {*one.c.keys()}
        ]
        #: None if no table says it.
        self.version = None
        if versions in there and versions not in unlike:
            self.version = _version(connection)
        is_all = len(there) == len(tables.tables)
        self.is_whole = is_all and self.version == VERSION
        if self.version and self.version > VERSION:
            raise SourceError(
                NAME,
                f"its tables are of version {_shown(self.version)}, of a later release: this one, of version "
                f"{_shown(VERSION)}, neither reads nor removes them",
            )
        # Somebody who dropped the table that says it has left all others.
        rest = [one for one in there if one is not versions]
        if not self.version and (unlike or 0 < len(rest) < len(tables.tables) - 1):
            raise SourceError(
                NAME,
                f"its table {(unlike or rest)[0].name} may be another application's: rename it, or drop it",
            )


def _version(connection: Connection) -> tuple[int, ...] | None:
    """What the table of the version says; None if it is empty."""
    return max(map(tuple, connection.execute(select(versions))), default=None)


def _shown(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _options(url: str) -> dict[str, Any]:
    """What the engine needs, by the kind of database."""
    if url.startswith("sqlite"):
        return {"connect_args": {"timeout": TIMEOUT}, "pool_timeout": TIMEOUT}
    # Behind the address's own, such as a search_path: those here would replace them.
    given = make_url(url).normalized_query.get("options", ())
    settings = [*given, f"-c statement_timeout={TIMEOUT}s", f"-c lock_timeout={TIMEOUT}s"]
    return {
        "connect_args": {"connect_timeout": TIMEOUT, "options": " ".join(settings)},
        "pool_timeout": TIMEOUT,
        "pool_pre_ping": True,
    }


def _begin_anew(_: object, __: object, arguments: Sequence[Any], ___: object) -> None:
    """Makes the folder, and removes what belongs to a file that was removed: SQLite would read it as the new file's."""
    path = Path(arguments[0])
    if not path.is_absolute():  # it is in memory, or a URI
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
    record.info["file"] = path, path and _identity(path)
    if path and os.geteuid() == 0:
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


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
