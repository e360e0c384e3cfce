# SPDX-License-Identifier: Apache-2.0
"""What is kept of runs, in a real PostgreSQL."""

import itertools
from contextlib import closing

import pytest
import requests
from sqlalchemy import create_engine, make_url, text

from oslogserve.cli import main
from oslogserve.errors import SourceError
from oslogserve.seen import tables
from oslogserve.seen.database import Database
from oslogserve.seen.tables import Connections
from tests.functional.test_seen import MIRROR, remember_beside_another_application, write_run
from tests.servers.gunicorn import Gunicorn
from tests.servers.postgresql import PostgreSQL
from tests.unit.seen.test_database import *
from tests.unit.seen.test_database import NOW, cause, run, seen

#: Of files.
NOT_OF_IT = (
    "test_a_folder_that_is_missing_is_made_for_its_owner_alone",
    "test_a_folder_that_cannot_be_made_is_named_until_it_can",
    "test_a_file_that_is_no_database_is_left_as_it_is",
    "test_a_file_that_is_removed_or_replaced_is_not_written_any_more",
    "test_a_file_that_is_damaged_is_left_as_it_is_until_somebody_removes_it",
    "test_a_file_that_root_makes_is_of_the_owner_of_its_folder",
    "test_a_database_that_may_not_be_written_is_read",
    "test_a_writer_waits_so_long_for_another_and_readers_do_not",
    "test_a_failed_run_takes_two_kilobytes_at_most",
)
for name in NOT_OF_IT:
    del globals()[name]

numbers = itertools.count()


@pytest.fixture(scope="module")
def postgresql():
    with PostgreSQL() as running:
        yield running


@pytest.fixture
def url(postgresql):
    """A database of this test alone."""
    name = f"seen{next(numbers)}"
    engine = create_engine(postgresql.url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return make_url(postgresql.url).set(database=name).render_as_string(hide_password=False)


def checked(url, tmp_path, capsys):
    """The status of check-config, and what it says of the database."""
    config = tmp_path / "site.conf"
    config.write_text(f"[disk]\nroot = {tmp_path}\n[seen]\ndatabase = {url}\n")
    return main(["check-config", str(config)]), capsys.readouterr().out.splitlines()[-1]


def test_check_config_asks_the_database(url, execute, tmp_path, capsys):
    assert checked(url, tmp_path, capsys) == (0, "# seen: ok")
    assert execute("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'oslogserve%'") == 0
    status, said = checked(f"{url}none", tmp_path, capsys)
    assert (status, said.count("does not exist")) == (1, 1)
    execute("CREATE USER guest PASSWORD 'p4ss'", "REVOKE CREATE ON SCHEMA public FROM public")
    guest = make_url(url).set(username="guest", password="p4ss").render_as_string(False)
    status, said = checked(guest, tmp_path, capsys)
    assert (status, said.partition(" (")[0]) == (1, "# seen: permission denied for schema public")
    assert "p4ss" not in said
    with closing(Database(url, 21)) as database:
        database.forget("a/1", NOW)
    execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO guest")
    status, said = checked(guest, tmp_path, capsys)
    assert (status, said.count("permission denied for table oslogserve_runs")) == (1, 1)


def test_several_servers_remember_together(url, tmp_path):
    given = url.replace("+psycopg", "")
    for number in range(2):
        write_run(tmp_path / f"logs/unit/{number}", MIRROR % number)
    config = f"[disk]\nroot = {tmp_path}/logs\n[seen]\ndatabase = {given}\n"
    with Gunicorn(config, workers=2) as one, Gunicorn(config, workers=2) as other:
        assert requests.get(f"{one.url}/unit/0/?format=overview", timeout=60).ok
        page = requests.get(f"{other.url}/unit/1/?format=overview", timeout=60).text
        assert "1 other run" in page
        [found] = requests.get(f"{one.url}/_oslogserve/seen", timeout=60).json()["causes"]
        assert found["runs"] == 2


def test_tables_of_another_application_in_the_same_database_are_left_alone(url, tmp_path):
    remember_beside_another_application(url, tmp_path)


def test_the_search_path_of_the_address_is_kept(url):
    with closing(Database(url, 21, lambda: NOW)) as others:
        others.remember(run("a/1", cause(1)))
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("CREATE SCHEMA own"))
        connection.execute(text("UPDATE oslogserve_version SET tables = 0"))
    with closing(Database(f"{url}?options=-csearch_path%3Down", 21, lambda: NOW)) as kept:
        assert kept.remember(run("a/2", cause(1))) == "kept"
    with engine.begin() as connection:
        for schema, path in ("public", "a/1"), ("own", "a/2"):
            found = connection.execute(text(f"SELECT path FROM {schema}.oslogserve_runs"))
            assert found.scalars().all() == [path]
    engine.dispose()


def test_a_writer_that_hangs_keeps_others_from_writing_for_so_long(url, monkeypatch):
    monkeypatch.setattr(tables, "MOST_IDLE", 1)
    hangs, kept = Connections(url), Database(url, 21, lambda: NOW)

    def hang():
        with hangs.transaction(writes=True) as connection:
            assert kept.remember(run("a/1", cause(1))) == "kept"
            connection.execute(text("SELECT 1"))

    with closing(hangs), closing(kept), pytest.raises(SourceError, match="idle"):
        hang()


def test_a_server_that_is_away_fails_at_once_and_is_used_when_it_is_back():
    with PostgreSQL() as server:
        kept = Database(server.url, 21, lambda: NOW)
        assert kept.remember(run("a/1", cause(1)))
        server.process.kill_family()
        with pytest.raises(SourceError) as raised:
            kept.remember(run("a/2", cause(1)))
        assert "SELECT" not in str(raised.value)
        (server.root / "data/postmaster.pid").unlink()
        server.start()
        assert kept.remember(run("a/2", cause(1)))
        assert seen(kept, 1).others.runs == 2
        kept.close()
