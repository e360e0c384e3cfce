# SPDX-License-Identifier: Apache-2.0
"""Transactions of the database of runs, whose tables are made where they are missing."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, create_engine, event, insert, inspect, make_url, select
from sqlalchemy.exc import DisconnectionError, SQLAlchemyError

from oslogserve import messages
from oslogserve.errors import SourceError
from oslogserve.seen import MOST_TEXT, NAME
from oslogserve.seen.tables import VERSION, tables, versions

#: Seconds that a question waits for the database, and a writer for another one.
TIMEOUT = 2
#: Seconds after which PostgreSQL ends a transaction of a process that hangs: others may wait to write.
MOST_IDLE = 10
#: A number for the lock of PostgreSQL under which one at a time writes.
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
                if lack:
                    tables.drop_all(connection)
                if lack is not None:  # else another process has made them
                    tables.create_all(connection)
                    connection.execute(insert(versions).values(VERSION))
        if lack:
            messages.log(
                f"the runs that were seen {lack} and are removed: `oslogserve seen` remembers them again"
            )
        self._is_made = True


def _lack(connection: Connection) -> str | None:
    """Why the tables must be made, "" if there are none; None if they are there.

    Raises SourceError if those that are there are not to be used: they are of a later version, or may be somebody else's.
    """
    inspector = inspect(connection)
    there = [one for one in tables.sorted_tables if inspector.has_table(one.name)]
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
        if unlike or 0 < len(rest) < len(tables.tables) - 1:
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
    return None if len(there) == len(tables.tables) else "have lost a table"


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
