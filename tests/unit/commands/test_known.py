# SPDX-License-Identifier: Apache-2.0
"""`oslogserve known check`, over a database of its own."""

import time

import pytest

from oslogserve.cli import main
from oslogserve.seen import Cause, Run, database
from oslogserve.seen.database import Database


def run(path, line, has_failed=True, told="", job=""):
    cause = Cause("job-output.txt", 7, line, "ab" * 16, "", told)
    return Run(path, int(time.time()) - 60, has_failed, job, causes=(cause,))


@pytest.fixture
def check(tmp_path, capsys, monkeypatch):
    """Checks these rules on these runs: the exit status, and what it printed."""
    monkeypatch.setattr(database, "MOST_AT_ONCE", 3)

    def checking(rules, *runs):
        kept = Database(f"sqlite:///{tmp_path}/seen.sqlite", 21)
        for one in runs:
            assert kept.remember(one) == "kept"
        kept.close()
        folder = tmp_path / "rules"
        folder.mkdir()
        (folder / "a.yaml").write_text(rules)
        config = tmp_path / "oslogserve.conf"
        config.write_text(f"[seen]\ndirectory = {tmp_path}\n")
        status = main(["known", "check", str(folder), "--config", str(config)])
        out, err = (text.replace(f"{folder}/", "") for text in capsys.readouterr())
        return status, out, err

    return checking


def test_each_rule_says_which_runs_it_hits(check):
    runs = [run(f"a/{number}", "the mirror is gone") for number in range(7)]
    several = run("b/1", "FAIL: x", told="FAIL: x\ndisk full", job="unit")
    rules = (
        "- {pattern: mirror .* gone, title: Mirror}\n- {pattern: full, job: ^unit$, title: Disk}\n"
    )
    status, out, err = check(rules, *runs, several, Run("c/1", int(time.time()), True))
    assert (status, err) == (0, "")
    first, *others = out.splitlines()
    assert first == "2 rules, 8 runs with a cause"
    assert others[0] == "a.yaml:1: Mirror: 7 failed runs"
    assert len({*others[1:4]} & {f"    a/{number}" for number in range(7)}) == 3
    assert others[4:] == ["a.yaml:2: Disk: 1 failed run", "    b/1"]


def test_a_rule_that_hits_runs_that_passed_is_warned_of(check):
    runs = [run(f"a/{number}", "retrying") for number in range(3)]
    status, out, err = check(
        "pattern: retrying\ntitle: Retry\n", *runs, run("b/1", "retrying", has_failed=False)
    )
    assert status == 1
    assert "Retry: 3 failed runs" in out
    told = "a.yaml:1: it hits 1 run that passed, 25 % of its hits, such as b/1"
    assert err == f"oslogserve: {told}\n"


def test_so_is_one_that_hits_nothing(check):
    status, out, err = check("pattern: no such\ntitle: None\n", run("a/1", "disk full"))
    assert (status, err) == (1, "oslogserve: a.yaml:1: it hits no run\n")
    assert "None: 0 failed runs" in out


def test_faults_of_rules_are_told(check):
    status, out, err = check("pattern: (a\ntitle: x\n")
    assert (status, out) == (1, "")
    assert err.startswith("oslogserve: a.yaml:1: pattern: it takes a regular expression")


def test_names_are_escaped(check):
    _, out, _ = check('pattern: x\ntitle: "a\\e[31m"\n', run("a/\x1b[31m", "x"))
    assert "\x1b" not in out


def test_without_runs_it_says_so(tmp_path, capsys):
    assert main(["known", "check", str(tmp_path)]) == 2
    assert "no runs are kept" in capsys.readouterr().err


def test_a_database_that_fails_is_told(tmp_path, capsys):
    (tmp_path / "seen.sqlite").write_bytes(b"no database " * 1000)
    config = tmp_path / "oslogserve.conf"
    config.write_text(f"[seen]\ndirectory = {tmp_path}\n")
    assert main(["known", "check", str(tmp_path), "--config", str(config)]) == 2
    told = capsys.readouterr().err
    assert f"{tmp_path}/seen.sqlite cannot be read: file is not a database" in told
    assert "Try again soon" not in told
