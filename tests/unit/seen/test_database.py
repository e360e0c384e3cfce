# SPDX-License-Identifier: Apache-2.0
"""What is kept of runs, in SQLite; tests/functional/test_postgresql.py has the same tests."""

import itertools
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress

import pytest
from sqlalchemy import create_engine, text

from oslogserve.errors import SourceError
from oslogserve.seen import (
    MOST_FINGERPRINTS,
    MOST_NAME,
    MOST_PATH,
    MOST_TEXT,
    MOST_TOLD,
    Cause,
    Run,
    database,
    first_causes,
    tables,
)
from oslogserve.seen.database import DAY, HOUR, MOST_IN_FOLDER, Database
from oslogserve.seen.tables import VERSION, schema

NOW = 1_790_000_000
#: A process that remembers runs: URL, seed, runs. It tells how often the database failed.
WRITER = """
import random, sys
from oslogserve.errors import SourceError
from oslogserve.seen.database import Database
from tests.unit.seen.test_database import NOW, cause, run
url, seed, count = sys.argv[1], *map(int, sys.argv[2:])
database = Database(url, 21, lambda: NOW)
order = [*range(count)]
random.Random(seed).shuffle(order)
for number in order:
    one = run(f"{number}/a", cause(number % 7), cause(number % 11 + 100), job=f"job {number % 13}")
    for attempt in reversed(range(20)):
        try:
            database.remember(one)
            break
        except SourceError:  # on a busy machine the others may keep SQLite locked for longer than it waits
            if not attempt:
                raise
    print(number, flush=True)
database.close()
"""


def fingerprint(number):
    return f"{number:032x}"


def cause(number, line="disk full", **more):
    fingerprints = fingerprint(2 * number), fingerprint(2 * number + 1)
    return Cause("a.txt", 7, line, *fingerprints)._replace(**more)


def run(path, *causes, ago=60, has_failed=True, **named):
    return Run(path, NOW - ago, has_failed, **named, causes=causes)


def seen(kept, number, path="new"):
    """What a run of this path is told of a cause."""
    return kept.seen(run(path, cause(number)), cause(number))


def failed_runs(kept):
    return seen(kept, 10**6).failed_runs


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/seen.sqlite"


@pytest.fixture
def opened(url, monkeypatch):
    """Opens the database, as a process does."""
    # The disk of a machine with other work to do may take longer than a reader would wait.
    monkeypatch.setattr(tables, "TIMEOUT", 60)
    several = []

    def opening(now=NOW, days=21):
        several.append(Database(url, days, lambda: now))
        return several[-1]

    yield opening
    for one in several:
        one.close()


@pytest.fixture
def kept(opened):
    return opened()


@pytest.fixture
def rows(url):
    """The number of rows of a table."""
    engine = create_engine(url)

    def counted(table):
        with engine.connect() as connection:
            return connection.execute(text(f"SELECT count(*) FROM oslogserve_{table}")).scalar_one()

    yield counted
    engine.dispose()


@pytest.fixture
def execute(url):
    """Executes statements as another client of the database, and returns the value that the last one has."""
    engine = create_engine(url)

    def executed(*statements):
        with engine.begin() as connection:
            for one in statements:
                result = connection.execute(text(one))
            return result.scalar() if result.returns_rows else None

    yield executed
    engine.dispose()


def test_a_run_is_kept_once_by_its_path(kept, opened):
    one = run("a/1", cause(1))
    assert kept.remember(one) == "kept"
    assert kept.remember(one) == "known"
    assert opened().remember(one._replace(has_failed=False)) == "known"
    assert kept.refusal("a/1", one.ended) == "known"
    assert kept.refusal("a/1", one.ended + 1) == ""
    assert kept.runs(fingerprint(2), 9) == [one]


def test_a_run_at_the_same_path_replaces_an_earlier_one(kept, rows):
    assert kept.remember(run("a/1", cause(1), cause(2))) == "kept"
    later = run("a/1", cause(3), ago=30)
    assert kept.remember(later) == "kept"
    assert kept.runs(fingerprint(2), 9) == []
    assert kept.runs(fingerprint(6), 9) == [later]
    assert (rows("runs"), rows("causes"), rows("sightings")) == (1, 1, 2)


def test_a_run_is_forgotten_if_its_folder_was_written_since(kept, rows, monkeypatch):
    one = run("a/1", cause(1))
    kept.remember(one)
    kept.remember(run("a/2", cause(2)))
    kept.forget("a/1", one.ended)
    kept.forget("a/3", NOW)
    assert rows("runs") == 2
    kept.forget("a/1", one.ended + 1)
    assert (rows("runs"), rows("sightings")) == (1, 2)
    with monkeypatch.context() as patch:
        patch.setattr(
            database, "delete", None
        )  # where nothing is to be forgotten, nothing is written
        kept.forget("a/1", NOW)


def test_others_are_the_runs_but_for_the_one_that_asks(kept):
    first = run("a/3", cause(1), ago=300, job="unit", project="nova", branch="main")
    for one in (
        run("a/1", cause(1), job="unit"),
        run("a/2", cause(1), ago=200, job="tempest"),
        first,
        run("a/4", cause(1), has_failed=False),
        run("a/5", cause(2)),
    ):
        assert kept.remember(one) == "kept"
    others = seen(kept, 1, "a/1").others
    assert others[2:] == (2, 2, 1, first)
    assert (others.is_exact, seen(kept, 1, "a/1").is_first) == (True, False)
    assert seen(kept, 1, "a/3").others.runs == 2
    assert seen(kept, 1, "a/3").is_first
    other_lines = cause(1)._replace(exact=fingerprint(99))
    others = kept.seen(run("new", other_lines), other_lines).others
    assert (others.runs, others.is_exact) == (3, False)
    assert seen(kept, 2, "a/5").others == (cause(2), fingerprint(4), 0, 0, 0, None)
    assert failed_runs(kept) == 4


def test_the_turn_is_the_last_run_of_the_job_that_passed_and_the_next_one_that_failed(kept):
    of_job = {"job": "unit", "project": "nova", "branch": "main"}
    passed = run("a/2", ago=800, has_failed=False, commit="0123abc", **of_job)
    failed = run("a/3", cause(2), ago=700, **of_job)
    own = run("a/5", cause(1), ago=500, **of_job)
    for one in (
        run("a/1", ago=900, has_failed=False, **of_job),
        passed,
        run("b/3", cause(1), ago=750, **{**of_job, "branch": "stable"}),
        failed,
        run("a/4", cause(1), ago=600, **of_job),
        run("a/6", ago=400, has_failed=False, **of_job),
        run("a/7", cause(1), ago=300, **of_job),
    ):
        kept.remember(one)
    for _ in range(2):
        assert kept.seen(own, cause(1)).turn == (passed, failed)
        kept.remember(own)
    assert kept.seen(failed, cause(2)).turn is None
    assert kept.seen(own._replace(path="new", job="other"), cause(1)).turn is None


def test_a_folder_below_a_run_belongs_to_it(kept):
    for path in ("a/1", "a/10"):
        kept.remember(run(path, cause(1), cause(2)))
    for path in ("a/1", "a/1/sub", "a/1/sub/sub"):
        assert seen(kept, 1, path).others.runs == 1
    assert seen(kept, 1, "a").others.runs == 2
    kept.remember(run("", cause(3)))
    another = kept.seen(run("b/1", cause(9), cause(3), cause(1)), cause(9)).another
    assert (another.cause, another.fingerprint) == (cause(1), fingerprint(2))
    assert seen(kept, 3, "").others.runs == 0


def test_a_cause_of_several_logs_counts_once(kept):
    assert kept.remember(run("a/1", cause(1), cause(1, log="b.txt"))) == "kept"
    assert [len(one.causes) for one in kept.runs(fingerprint(2), 9)] == [1]
    assert seen(kept, 1).others.runs == 1
    [found] = kept.recent(7)
    assert (found.runs, found.run.causes[0].log) == (1, "a.txt")


@pytest.mark.parametrize(
    ("number", "both"), [(1, 1), (4, 4), (5, 3), (6, 2), (7, 1), (8, 1), (40, 1)]
)
def test_the_first_causes_of_a_run_are_kept_by_all_their_lines_before_other_fingerprints(
    number, both
):
    several = [cause(place) for place in range(number)]
    first = first_causes(iter(several))
    assert [one.exact for one in first] == [one.exact for one in several[:7]]
    assert [one.failure for one in first if one.failure] == [one.failure for one in several[:both]]
    assert first_causes(first) == first
    only_exact = [one._replace(failure="") for one in several]
    assert first_causes(only_exact) == only_exact[:8]


def test_a_run_that_passed_is_never_the_first_one_that_failed(kept):
    kept.remember(run("a/1", cause(1), ago=500, has_failed=False))
    assert seen(kept, 1).others[2:] == (0, 0, 1, None)
    assert kept.recent(7) == []


def test_the_last_runs_are_told_those_that_passed_behind(kept):
    for number in range(6):
        kept.remember(run(f"a/{number}", cause(1), ago=10 * number, has_failed=number % 2 == 1))
    found = [one.path for one in kept.runs(fingerprint(2), 9, most=5)]
    assert found == ["a/1", "a/3", "a/5", "a/0", "a/2"]
    assert [one.path for one in kept.runs(fingerprint(2), 9, most=2)] == ["a/1", "a/3"]


def test_recent_causes_are_counted_by_day(kept):
    for number, ago in enumerate((60, DAY - 1, DAY + 1, 3 * DAY, 8 * DAY)):
        kept.remember(run(f"a/{number}", cause(1), ago=ago, job=f"job {number % 2}"))
    kept.remember(run("b/1", cause(2), ago=10))
    kept.remember(run("b/2", cause(1), ago=9 * DAY, has_failed=False))
    first, second = kept.recent(7)
    assert (first.fingerprint, first.runs, first.jobs) == (fingerprint(2), 4, 2)
    assert first.days == (0, 0, 0, 1, 0, 1, 2)
    assert (first.first, first.run.ended, first.passed) == (NOW - 3 * DAY, NOW - 60, 0)
    assert first.run.path == "a/0"
    assert second.runs == 1
    assert [one.runs for one in kept.recent(21)] == [5, 1]
    assert kept.recent(21)[0].passed == 1
    assert [one.runs for one in kept.recent(7, job="job 1")] == [2]
    assert len(kept.recent(7, most=1)) == 1


def test_the_run_that_a_recent_cause_shows_is_one_that_it_counts(kept):
    kept.remember(run("a/1", cause(1), job="x"))
    kept.remember(run("a/2", cause(1), job="y"))
    kept.remember(run("a/3", cause(1), job="x", has_failed=False))
    [found] = kept.recent(7, job="x")
    assert (found.runs, found.run.path) == (1, "a/1")


def test_runs_are_kept_for_so_many_days_and_then_removed(kept, opened, rows):
    old = run("a/1", cause(1), ago=20 * DAY)
    assert kept.remember(old) == "kept"
    assert kept.remember(run("a/2", cause(1), ago=21 * DAY + 1)) == "old"
    assert seen(kept, 1).others.runs == 1
    later = opened(now=NOW + 2 * DAY)
    assert seen(later, 1).others[2:] == (0, 0, 0, None)
    assert later.runs(fingerprint(2), 99) == later.recent(21) == [*later.all_runs()] == []
    assert failed_runs(later) == 0
    assert later.remember(run("a/3", cause(2))) == "kept"
    assert (rows("runs"), rows("causes"), rows("sightings")) == (1, 1, 2)


def test_a_clock_that_jumps_ahead_and_back_leaves_the_runs_there(kept, opened):
    for number in range(100):
        kept.remember(run(f"{number}/a", cause(1)))
    jumped = opened(now=NOW + 60 * DAY)
    assert jumped.remember(run("new/1", cause(2), ago=-60 * DAY)) == "kept"
    assert failed_runs(kept) >= 98


def test_numbers_beyond_those_of_the_database_are_the_largest(kept):
    far = run("a/1", cause(1)._replace(line=2**40), ago=NOW - 2**33)
    assert kept.remember(far) == "kept"
    [found] = kept.runs(fingerprint(2), 9)
    assert (found.ended, found.causes[0].line) == (NOW, 2**31 - 1)


def test_no_run_gets_the_causes_of_one_that_was_removed(kept, opened):
    kept.remember(run("a/1", cause(1), ago=20 * DAY))
    later = opened(now=NOW + 2 * DAY)
    later.remember(run("a/2"))
    later.remember(run("a/3"))
    assert later.runs(fingerprint(2), 99) == []


def test_tables_of_an_earlier_version_are_made_anew(kept, opened, execute, capsys):
    assert kept.remember(run("a/1", cause(1))) == "kept"
    execute(
        "UPDATE oslogserve_version SET tables = 0, fingerprints = 9",
        "ALTER TABLE oslogserve_causes RENAME COLUMN told TO something",
    )
    newer = opened()
    assert failed_runs(newer) == 0
    assert "the runs that were seen are of version 0.9 and are removed" in capsys.readouterr().err
    assert newer.remember(run("a/1", cause(1))) == "kept"
    assert failed_runs(opened()) == 1
    assert failed_runs(kept) == 1
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("numbers", ["tables = tables + 1", "fingerprints = fingerprints + 1"])
def test_tables_of_a_later_version_are_left_alone_by_servers_that_run_and_that_start(
    kept, opened, rows, execute, numbers
):
    assert kept.remember(run("a/1", cause(1))) == "kept"
    execute(f"UPDATE oslogserve_version SET {numbers}")
    for older in (kept, opened(), kept):
        with pytest.raises(SourceError, match="of a later release: this one, of version"):
            failed_runs(older)
        with pytest.raises(SourceError, match="neither reads nor removes them"):
            older.remember(run("a/2", cause(1)))
    assert rows("runs") == 1


#: What another application, and a release of other tables, may have in the same database.
FOREIGN = {
    "jobs": "id INTEGER PRIMARY KEY, job TEXT",
    "runs": "id INTEGER PRIMARY KEY, path TEXT UNIQUE",
    "causes": "id INTEGER PRIMARY KEY, job INTEGER REFERENCES jobs (id)",
    "sightings": "run INTEGER",
    "oslogserve_seen": "version VARCHAR(20) PRIMARY KEY",
}


def test_tables_of_another_application_are_left_alone(kept, opened, execute):
    for name, columns in FOREIGN.items():
        value = "'4.3'" if name == "oslogserve_seen" else "1"
        first = columns.partition(" ")[0]
        execute(
            f"CREATE TABLE {name} ({columns})", f"INSERT INTO {name} ({first}) VALUES ({value})"
        )
    execute("CREATE INDEX runs_by_end ON runs (path)", "CREATE INDEX runs_by_job ON runs (id)")
    execute("CREATE INDEX ix_sightings_run ON sightings (run)")
    assert kept.remember(run("a/1", cause(1))) == "kept"
    execute("UPDATE oslogserve_version SET tables = 0")
    assert failed_runs(opened()) == 0
    assert kept.remember(run("a/1", cause(1))) == "kept"
    for name in FOREIGN:
        assert execute(f"SELECT count(*) FROM {name}") == 1


@pytest.mark.parametrize("name", [*schema.tables])
def test_a_table_that_may_be_of_another_application_is_refused(opened, execute, name):
    execute(f"CREATE TABLE {name} (id INTEGER)", f"INSERT INTO {name} VALUES (1)")
    refused = opened()
    for _ in range(2):
        with pytest.raises(SourceError, match=f"^its table {name} may be another application's"):
            refused.remember(run("a/1", cause(1)))
    assert execute(f"SELECT count(*) FROM {name}") == 1
    execute(f"DROP TABLE {name}")
    assert refused.remember(run("a/1", cause(1))) == "kept"


def test_a_check_leaves_a_database_as_it_was(opened, rows, execute):
    opened().check()
    assert opened().remember(run("a/1", cause(1))) == "kept"
    execute("UPDATE oslogserve_version SET tables = 0")
    opened().check()
    assert execute("SELECT tables FROM oslogserve_version") == 0
    assert rows("runs") == 1


@pytest.mark.parametrize("name", ["oslogserve_runs", "oslogserve_version"])
def test_a_check_fails_where_runs_would_not_be_kept(opened, execute, name):
    execute(f"CREATE TABLE {name} (id INTEGER)")
    with pytest.raises(SourceError, match=f"^its table {name} may be another application's"):
        opened().check()


def test_tables_that_another_application_refers_to_are_left_in_one_sentence(
    kept, opened, execute, capsys
):
    kept.remember(run("a/1", cause(1)))
    execute(
        "CREATE TABLE notes (run INTEGER REFERENCES oslogserve_runs (id))",
        "INSERT INTO notes SELECT id FROM oslogserve_runs",
        "UPDATE oslogserve_version SET tables = 0",
    )
    for ask in (lambda: failed_runs(opened()), lambda: kept.remember(run("a/2", cause(1)))):
        with pytest.raises(
            SourceError, match=r"FOREIGN KEY constraint failed|other objects depend"
        ):
            ask()
    assert execute("SELECT count(*) FROM notes") == 1
    assert "removed" not in capsys.readouterr().err
    execute(f"UPDATE oslogserve_version SET tables = {VERSION[0]}")
    with pytest.raises(SourceError, match=r"foreign key constraint|FOREIGN KEY constraint"):
        kept.forget("a/1", NOW)


@pytest.mark.parametrize("name", [*schema.tables])
def test_a_table_that_somebody_drops_is_made_anew(kept, opened, execute, rows, name):
    kept.remember(run("a/1", cause(1)))
    execute(f"DROP TABLE {name}" + ("" if kept.location.startswith("sqlite") else " CASCADE"))
    with suppress(SourceError):  # the first question finds it
        kept.remember(run("a/1", cause(1), ago=30))
    assert kept.remember(run("a/2", cause(1))) == "kept"
    for one in (kept, opened()):
        assert {one.path for one in one.runs(fingerprint(2), 9)} >= {"a/2"}
    assert rows(name.removeprefix("oslogserve_")) > 0


@pytest.mark.parametrize(
    "hostile", ["\0", "\ud800", "a\0b\udcff", "'; DROP TABLE runs; --", "\u202e"]
)
def test_any_text_is_kept(kept, hostile):
    one = run("a/1", cause(1, line=hostile, log=hostile, told=hostile), job=hostile)
    assert kept.remember(one._replace(change=hostile)) == "kept"
    [found] = kept.runs(fingerprint(2), 9)
    assert len(found.job) == len(hostile)
    assert kept.recent(7, job=found.job)[0].run == found
    assert seen(kept, 1, "\0\ud800" + hostile).others.runs == 1
    assert kept.refusal("\0" + hostile, NOW) == "unfit"


@pytest.mark.parametrize("path", ["x" * (MOST_PATH + 1), "\xe4" * MOST_PATH, "a\0b", "a\udcff"])
def test_a_path_that_is_no_text_or_too_long_has_no_run(kept, path):
    assert kept.remember(run(path, cause(1))) == "unfit"
    assert failed_runs(kept) == 0


def test_a_run_of_a_million_causes_takes_no_more_room_than_another(kept, rows):
    long = "\xe4" * 10**6
    causes = (cause(number, line=long, told=long, log=long) for number in range(1000))
    one = run(
        "\xe4" * (MOST_PATH // 2), *causes, **dict.fromkeys(("job", "project", "branch"), long)
    )
    assert kept.remember(one._replace(change=long)) == "kept"
    assert (rows("causes"), rows("sightings")) == (MOST_FINGERPRINTS - 1, MOST_FINGERPRINTS)
    [found] = kept.all_runs()
    assert len(found.causes[0].text) == MOST_TEXT
    assert len(found.causes[0].log) == len(found.change) == len(found.job) == MOST_NAME
    assert sum(len(one.told) for one in found.causes) == MOST_TOLD


def test_a_folder_has_so_many_runs_of_an_hour(kept, rows):
    hour = NOW // HOUR * HOUR

    def remember(path, ended):
        return kept.remember(run(path, cause(1))._replace(ended=ended))

    several = [remember(f"a/{number}", hour - number) for number in range(1, MOST_IN_FOLDER + 3)]
    assert several == ["kept"] * MOST_IN_FOLDER + ["crowded"] * 2
    assert kept.refusal("a/new", hour - HOUR) == "crowded"
    assert remember("a/new", hour - HOUR - 1) == remember("a/now", NOW) == "kept"
    assert remember("b/new", hour - 1) == remember("a/c/new", hour - 1) == "kept"
    assert remember("a/1", hour - 1) == "known"
    assert remember("a/1", hour - 2) == "kept"  # it takes the place of the other
    assert rows("runs") == MOST_IN_FOLDER + 4


def test_runs_of_weeks_that_are_remembered_at_once_are_all_kept(kept):
    for number in range(2 * MOST_IN_FOLDER):
        assert kept.remember(run(f"a/{number}", ago=number * HOUR // 2)) == "kept"


@pytest.mark.parametrize("ended", [2**31, 2**40, 2**70])
def test_no_run_ends_in_the_future(kept, ended):
    assert kept.remember(run("a/1", cause(1))._replace(ended=ended)) == "kept"
    assert kept.runs(fingerprint(2), 9)[0].ended == NOW


def test_a_folder_has_so_many_runs_of_the_future_as_of_this_hour(kept):
    ends = [NOW + 2 * DAY + number * HOUR for number in range(MOST_IN_FOLDER + 1)]
    several = [kept.remember(run(f"a/{n}")._replace(ended=end)) for n, end in enumerate(ends)]
    assert several == ["kept"] * MOST_IN_FOLDER + ["crowded"]
    assert {kept.refusal("a/new", end) for end in ends} == {"crowded"}


@pytest.mark.parametrize("ended", [0, -1, -(2**70)])
def test_a_run_of_no_time_is_not_kept(kept, ended):
    assert kept.remember(run("a/1", cause(1))._replace(ended=ended)) == "old"


def test_a_folder_that_is_missing_is_made_for_its_owner_alone(tmp_path):
    folder = tmp_path / "some/where"
    kept = Database(f"sqlite:///{folder}/seen.sqlite", 21, lambda: NOW)
    assert not folder.exists()
    assert kept.remember(run("a/1", cause(1))) == "kept"
    assert folder.stat().st_mode & 0o777 == 0o700
    shutil.rmtree(folder)  # while it runs
    assert kept.remember(run("a/1", cause(1))) == "kept"
    kept.close()


def test_a_folder_that_cannot_be_made_is_named_until_it_can(tmp_path):
    (tmp_path / "file").touch()
    away = Database(f"sqlite:///{tmp_path}/file/later/seen.sqlite", 21, lambda: NOW)
    for _ in range(2):
        with pytest.raises(SourceError, match=r"^the folder .*/file/later cannot be made: Not a "):
            away.refusal("a/1", NOW)
    (tmp_path / "file").unlink()
    assert away.remember(run("a/1", cause(1))) == "kept"
    away.close()


@pytest.mark.parametrize("how", ["removed", "removed alone", "moved", "replaced"])
def test_a_file_that_is_removed_or_replaced_is_not_written_any_more(tmp_path, kept, opened, how):
    file = tmp_path / "seen.sqlite"
    kept.remember(run("a/1", cause(1)))
    if how == "moved":
        file.rename(tmp_path / "other.sqlite")
    for one in tmp_path.glob("seen.sqlite" if how == "removed alone" else "seen.sqlite*"):
        one.unlink()
    if how == "replaced":
        opened().remember(run("a/2", cause(1)))
    assert failed_runs(kept) == (how == "replaced")
    assert kept.remember(run("a/1", cause(1))) == "kept"
    assert failed_runs(kept) == failed_runs(opened()) == 1 + (how == "replaced")


@pytest.mark.parametrize("content", [b"", b"no database " * 1000])
def test_a_file_that_is_damaged_is_left_as_it_is_until_somebody_removes_it(tmp_path, kept, content):
    file = tmp_path / "seen.sqlite"
    for number in range(20):
        kept.remember(run(f"a/{number}", cause(number)))
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    damaged = content or file.read_bytes()[:4096].ljust(file.stat().st_size, b"\xff")
    # In a process of its own: one that closes a file drops its own locks on it.
    write = ["dd", f"of={file}", "status=none", "iflag=fullblock"]
    subprocess.run(write, input=damaged, check=True)
    for _ in range(3):
        with pytest.raises(SourceError, match=r"malformed|not a database"):
            kept.runs(cause(1).exact, 9)
        with pytest.raises(SourceError, match=r"malformed|not a database"):
            kept.remember(run("a/99", cause(1)))
    assert file.read_bytes() == damaged
    assert {one.name for one in tmp_path.iterdir()} <= {
        file.name,
        f"{file.name}-wal",
        f"{file.name}-shm",
    }
    file.unlink()
    assert kept.remember(run("a/3", cause(1))) == "kept"
    assert failed_runs(kept) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_file_that_root_makes_is_of_the_owner_of_its_folder(tmp_path, kept):
    os.chown(tmp_path, 1234, 2345)
    kept.remember(run("a/1", cause(1)))
    files = [*tmp_path.glob("seen.sqlite*")]
    assert len(files) == 3
    assert {(one.stat().st_uid, one.stat().st_gid) for one in files} == {(1234, 2345)}


def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path):
    file = tmp_path / "seen.sqlite"
    file.write_bytes(b"no database " * 1000)
    kept = Database(f"sqlite:///{file}", 21, lambda: NOW)
    with pytest.raises(SourceError, match="file is not a database"):
        kept.remember(run("a/1", cause(1)))
    assert file.read_bytes() == b"no database " * 1000
    kept.close()


def test_a_database_that_may_not_be_written_is_read(tmp_path, kept):
    kept.remember(run("a/1", cause(1)))
    url = f"sqlite:///file:{tmp_path}/seen.sqlite?mode=ro&uri=true"
    only_read = Database(url, 21, lambda: NOW)
    with pytest.raises(SourceError):
        only_read.remember(run("a/2", cause(1)))
    assert failed_runs(only_read) == 1
    only_read.close()


def test_a_writer_waits_so_long_for_another_and_readers_do_not(url, opened, monkeypatch):
    monkeypatch.setattr(tables, "TIMEOUT", 0.2)
    kept = opened()
    kept.remember(run("a/1", cause(1)))
    engine = create_engine(url)
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        started = time.monotonic()
        with pytest.raises(SourceError, match="locked"):
            kept.remember(run("a/2", cause(1)))
        assert 0.1 < time.monotonic() - started < 2
        assert seen(kept, 1).others.runs == 1
        connection.rollback()
    engine.dispose()
    assert kept.remember(run("a/2", cause(1))) == "kept"


def test_readers_see_no_run_without_its_causes_while_it_is_replaced(kept, opened):
    ended = threading.Event()

    def replace():
        writer = opened()
        for ago in range(1000, 0, -1):
            if ended.is_set():
                break
            writer.remember(run("a/1", cause(ago % 2), cause(2), ago=ago))

    thread = threading.Thread(target=replace)
    thread.start()
    try:
        for number in range(200):
            found = kept.runs(fingerprint(number % 3 * 2), 9)
            assert all(one.causes for one in [*found, *(one.run for one in kept.recent(7))])
    finally:
        ended.set()
        thread.join()


@pytest.mark.parametrize("count", [150, pytest.param(10_000, marks=pytest.mark.long)])
def test_each_run_is_kept_once_by_processes_of_which_one_is_killed(url, count, kept, rows):
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, url, str(seed), str(count)], stdout=subprocess.PIPE
        )
        for seed in range(4)
    ]
    for _ in itertools.islice(
        writers[0].stdout, random.Random(1).randrange(count // 4, count // 2)
    ):
        pass
    writers[0].kill()
    for one in writers:
        one.communicate()
    assert [one.returncode for one in writers] == [-9, 0, 0, 0]
    assert (rows("runs"), rows("causes"), rows("sightings")) == (count, 2 * count, 4 * count)
    assert rows("jobs") == 13
    found = kept.recent(21)
    assert sum(one.runs for one in found) == count


def test_a_failed_run_takes_two_kilobytes_at_most(kept, tmp_path):
    def words(seed, most):
        letters = random.Random(seed).choices("abcdefghij  .:/", k=most)
        return "".join(letters)

    count = 300
    for number in range(count):
        causes = [
            cause(1000 * number + place, line=words(place, 150), told=words(place, 600))
            for place in range(2)
        ]
        path = f"periodic/opendev.org/openstack/nova/master/tempest-full/{number:07x}"
        kept.remember(run(path, *causes, job="tempest-full", project="openstack/nova"))
    kept.close()
    size = sum(file.stat().st_size for file in tmp_path.iterdir())
    assert size / count < 2048
