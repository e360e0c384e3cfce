# SPDX-License-Identifier: Apache-2.0
"""What other runs say of a job's cause: on its page, as JSON, and from the command."""

import os
import re
import shutil
import sqlite3
import threading
import time
from contextlib import closing

import pytest

from oslogserve.cli import main
from oslogserve.commands import seen
from oslogserve.jobs.walk import MOST_DEPTH
from oslogserve.seen import NAME, database
from oslogserve.seen.database import Database
from tests.unit.handlers.asking import HTML, Asking

DAY = 24 * 3600
INVENTORY = """\
all:
  vars:
    zuul:
      job: {job}
      branch: master
      change: '{change}'
      commit_id: '{commit}'
      project:
        canonical_name: {project}
"""
NOVA = "opendev.org/openstack/nova"


@pytest.fixture
def add(tmp_path):
    """Adds a run that ended some seconds ago, with a console of these lines."""

    def add(
        path, *lines, ago=2 * 3600, job="smoke", change=9123, report=None, project=NOVA, commit=""
    ):
        folder = tmp_path / "logs" / path
        (folder / "zuul-info").mkdir(parents=True)
        inventory = INVENTORY.format(job=job, change=change, project=project, commit=commit)
        (folder / "zuul-info/inventory.yaml").write_text(inventory)
        (folder / "job-output.txt").write_text("".join(f"{line}\n" for line in lines))
        if report:
            (folder / "job-output.json").write_text(report)
        for file in folder.rglob("*.*"):
            os.utime(file, (time.time() - ago,) * 2)
        return f"/{path}/"

    return add


@pytest.fixture
def ask(tmp_path):
    (tmp_path / "logs").mkdir(exist_ok=True)
    return Asking(tmp_path / "logs", seen_directory=str(tmp_path / "cache"))


@pytest.fixture
def kept(tmp_path):
    """Says of each run that is kept whether it failed."""

    def kept():
        with closing(sqlite3.connect(tmp_path / "cache/seen.sqlite")) as database:
            found = database.execute("SELECT path, has_failed FROM oslogserve_runs").fetchall()
        return {path: bool(failed) for path, failed in found}

    return kept


def refused(number=1):
    return "TASK [test]", f"ERROR: dial tcp 10.0.0.{number}:5000: connection refused", "ERROR"


PASSED = (
    '[{"phase": "run", "plays": [], "stats": {"node": {"failures": 0, "unreachable": 0, "ok": 3}}}]'
)

FAILED = PASSED.replace('"failures": 0', '"failures": 1')


def seen_on(answer):
    """The sentences of a page, without their tags."""
    found = re.findall(r'<p class="seen">(.*?)</p>', answer.text)
    return [re.sub(r"<[^>]*>", "", one) for one in found]


def test_a_page_tells_how_many_other_runs_failed_for_the_same_cause(add, ask):
    first = add("1/smoke/a1", *refused(1), ago=3 * DAY, change=9120)
    ask(f"{first}?format=overview")
    ask(f"{add('2/full/b2', *refused(2), ago=DAY, job='full')}?format=overview")
    answer = ask(f"{add('3/smoke/c3', *refused(3))}?format=overview")
    [sentence] = seen_on(answer)
    assert re.fullmatch(
        r"Seen in 2 other runs of 2 jobs since \w+day \d\d:\d\d UTC, first in change 9120\.",
        sentence,
    )
    [address] = re.findall(r'<p class="seen">.*?href="(.*?)"', answer.text)
    assert re.fullmatch("/_oslogserve/seen[?]cause=[0-9a-f]{32}", address)


@pytest.mark.parametrize(
    ("days", "when"), [(1, r"\w+day"), (6, r"\w+day"), (7, r"\d{4}-\d\d-\d\d")]
)
def test_a_weekday_names_no_day_a_week_ago(add, ask, days, when):
    ask(f"{add('1/smoke/a1', *refused(), ago=days * DAY)}?format=overview")
    [sentence] = seen_on(ask(f"{add('2/smoke/b2', *refused())}?format=overview"))
    assert re.search(rf" since {when} \d\d:\d\d UTC", sentence)


@pytest.mark.parametrize("is_kept", [True, False])
def test_the_run_that_was_first_is_told_so(add, ask, is_kept):
    first = add("1/smoke/a1", *refused(1), ago=3 * DAY, change=9120)
    if is_kept:
        ask(f"{first}?format=overview")
    other = add("2/full/b2", *refused(2), ago=DAY, job="full")
    assert ask(f"{other}?format=seen").json["seen"]["is_first"] is False
    [sentence] = seen_on(ask(f"{first}?format=overview"))
    assert sentence == "This is the first; since then in 1 other run of 1 job."
    assert ask(f"{first}?format=seen").json["seen"]["is_first"] is True


def test_without_a_list_nothing_leads_to_the_first_run(add, tmp_path):
    first, other = add("1/smoke/a1", *refused(), change=9120), add("2/smoke/b2", *refused())
    directory = str(tmp_path / "cache")
    ask = Asking(tmp_path / "logs", seen_directory=directory, seen_list="no")
    ask(f"{first}?format=overview")
    for view in ("seen", "summary"):
        seen = ask(f"{other}?format={view}").json["seen"]
        assert seen["href"] is None
        assert sorted(seen["first"]) == ["change", "commit", "ended"]


def test_a_run_is_counted_once_however_often_it_is_read(add, ask):
    path = add("1/smoke/a1", *refused(1))
    for _ in range(3):
        assert "in 21 days (" in seen_on(ask(f"{path}?format=overview"))[0]
    other = add("2/smoke/b2", *refused(2))
    assert seen_on(ask(f"{other}?format=overview"))[0].startswith("Seen in 1 other run of 1 job")
    assert ask.counted("seen_runs_total") == {'outcome="kept"': 2, 'outcome="known"': 2}


def test_a_cause_that_no_run_had_is_told_with_the_number_of_failed_runs(add, ask):
    ask(f"{add('1/smoke/a1', *refused())}?format=overview")
    answer = ask(f"{add('2/smoke/b2', 'ERROR: no such flavor m1.tiny')}?format=overview")
    assert seen_on(answer) == ["Not seen before in 21 days (1 failed run)."]


def test_runs_that_passed_with_the_cause_are_told(add, ask):
    ask(f"{add('1/smoke/a1', *refused())}?format=overview")
    healthy = add("2/smoke/b2", *refused(), "done", "done", report=PASSED)
    assert ask(f"{healthy}?format=seen").json["build"]["result"] == "succeeded"
    [sentence] = seen_on(ask(f"{add('3/smoke/c3', *refused())}?format=overview"))
    assert sentence.endswith("; also in 1 run that passed.")


def test_a_job_that_passed_tells_when_and_since_when_it_fails(add, ask):
    for path, ago, lines in (
        ("1/smoke/a", 9, ["all fine"]),
        ("2/smoke/b", 8, ["all fine"]),
        ("3/smoke/c", 7, refused()),
        ("4/smoke/d", 6, refused()),
        ("9/smoke/i", 1, ["all fine"]),
    ):
        report = PASSED if lines == ["all fine"] else None
        named = {"commit": "0123456789abcdef" if path[0] == "2" else "", "change": f"12{path[0]}"}
        ask(f"{add(path, *lines, ago=ago * DAY, report=report, **named)}?format=overview")
    path = add("5/smoke/e", *refused(2), ago=5 * DAY)
    answer = ask(f"{path}?format=overview")
    [sentence] = seen_on(answer)
    when = r"\S+ \d\d:\d\d UTC"
    told = rf" This job passed last {when} \(0123456789\), failing since {when} \(123\)\."
    assert re.search(rf"[a-z]\.{told}$", sentence)
    told = re.search('<p class="seen">.*</p>', answer.text)[0]
    links = re.findall('href="(.*?)"', told)[1:]
    assert links == [f"/{run}/?format=overview" for run in ("2/smoke/b", "3/smoke/c")]
    seen = ask(f"{path}?format=seen").json["seen"]
    assert (seen["passed_last"]["path"], seen["failing_since"]["path"]) == (
        "2/smoke/b",
        "3/smoke/c",
    )
    assert seen["passed_last"]["commit"] == "0123456789abcdef"


@pytest.mark.parametrize("named", [{"job": "full"}, {"project": "opendev.org/openstack/glance"}])
def test_since_when_it_fails_is_of_the_job_and_needs_both_runs(add, ask, named):
    ask(f"{add('1/smoke/a', 'all fine', ago=9 * DAY, report=PASSED)}?format=overview")
    first = add("2/smoke/b", *refused(), ago=8 * DAY)
    for path in (first, add("3/full/c", *refused(), ago=7 * DAY, **named)):
        answer = ask(f"{path}?format=overview")
        assert "failing since" not in seen_on(answer)[0]
        seen = ask(f"{path}?format=seen").json["seen"]
        assert seen["passed_last"] is seen["failing_since"] is None


@pytest.mark.parametrize("end", [["Finished: SUCCESS"], ["TASK [upload]", "ok: [node]"]])
def test_so_are_those_whose_console_survived_it(add, ask, end):
    ask(f"{add('1/smoke/a1', *refused())}?format=overview")
    lines = *refused()[:2], "TASK [other]", "ERROR: not the same", *["x"] * 30, *end
    ask(f"{add('2/smoke/b2', *lines, report=PASSED)}?format=overview")
    [sentence] = seen_on(ask(f"{add('3/smoke/c3', *refused())}?format=overview"))
    assert sentence.endswith("; also in 1 run that passed.")


def test_never_in_a_run_that_passed_is_said_only_if_one_of_the_job_is_kept(add, ask):
    ask(f"{add('1/smoke/a1', *refused())}?format=overview")
    path = add("2/smoke/b2", *refused())
    assert "passed" not in seen_on(ask(f"{path}?format=overview"))[0]
    ask(f"{add('3/full/c3', 'all fine', job='full', report=PASSED)}?format=overview")
    other = {"project": "opendev.org/openstack/neutron"}
    ask(f"{add('3/smoke/c4', 'all fine', report=PASSED, **other)}?format=overview")
    assert "passed" not in seen_on(ask(f"{path}?format=overview"))[0]
    ask(f"{add('4/smoke/d4', 'all fine', report=PASSED)}?format=overview")
    [sentence] = seen_on(ask(f"{path}?format=overview"))
    assert sentence.endswith("; never in a run of this job that passed.")


def test_never_is_not_said_if_a_run_of_the_job_passed_behind_more_failures_than_are_kept(add, ask):
    ask(f"{add('1/full/a', 'all fine', job='full', report=PASSED)}?format=overview")
    errors = [f"ERROR: no {chr(97 + number) * 9}" for number in range(12)]
    steps = [line for error in errors for line in (f"TASK [{error[-3:]}]", error)]
    ask(f"{add('1/smoke/a', *steps, 'TASK [last]', 'ok', report=PASSED)}?format=overview")
    for job, is_said in (("full", True), ("smoke", False)):
        path = add(f"2/{job}/b", *refused(), job=job)
        [sentence] = seen_on(ask(f"{path}?format=overview"))
        assert ("never in a run" in sentence) == is_said
        assert ask(f"{path}?format=seen").json["seen"]["never_passed"] == is_said


def test_never_is_not_said_if_one_run_passed_whole_and_another_behind_more_than_are_kept(add, ask):
    errors = [f"ERROR: no {chr(97 + number) * 9}" for number in range(12)]
    steps = [line for error in errors for line in (f"TASK [{error[-3:]}]", error)]
    ask(f"{add('1/smoke/a', 'all fine', report=PASSED)}?format=overview")
    path = add("2/smoke/b", *refused())
    assert ask(f"{path}?format=seen").json["seen"]["never_passed"]
    ask(f"{add('3/smoke/c', *steps, 'TASK [last]', 'ok', report=PASSED)}?format=overview")
    ask(f"{add('4/smoke/d', 'all fine again', report=PASSED)}?format=overview")
    assert not ask(f"{path}?format=seen").json["seen"]["never_passed"]
    assert "never in a run" not in seen_on(ask(f"{path}?format=overview"))[0]


def test_never_is_not_said_if_a_run_passed_with_the_same_exception_among_other_lines(add, ask):
    head, end = "FAIL: test_boot (nova.tests.TestServers)", ("Ran 3 tests", "FAILED (failures=1)")
    lines = "TASK [test]", head, "a wait", "TimeoutError: no port", *end
    ask(f"{add('1/smoke/a1', *lines)}?format=overview")
    lines = *lines[:2], "another wait", *lines[3:], "TASK [upload]", "ok: [node]"
    ask(f"{add('2/smoke/b2', *lines, report=PASSED)}?format=overview")
    [sentence] = seen_on(
        ask(f"{add('3/smoke/c3', *lines[:2], 'a wait', *lines[3:6])}?format=overview")
    )
    assert sentence.startswith("Seen in 1 other run")
    assert "passed" not in sentence
    seen = ask("/3/smoke/c3/?format=seen").json["seen"]
    assert (seen["passed"], seen["never_passed"]) == (0, False)


def test_nothing_is_told_of_the_errors_of_a_run_that_passed(add, ask):
    ask(f"{add('1/smoke/a1', *refused())}?format=overview")
    path = add("2/smoke/b2", *refused(), report=PASSED)
    assert seen_on(ask(f"{path}?format=overview")) == []
    assert ask(f"{path}?format=seen").json["seen"] is None


def test_of_a_run_that_passed_eight_fingerprints_are_kept_those_of_its_console_first(
    add, ask, tmp_path
):
    lines = [f"ERROR: no {chr(97 + number) * 9}" for number in range(12)]
    steps = [one for line in lines for one in (f"TASK [{line[-3:]}]", line)]
    path = add("1/smoke/a1", *steps, "TASK [last]", "ok", report=PASSED)
    service = tmp_path / "logs/1/smoke/a1/a-service.log"
    service.write_text("2013-09-27 18:22:11 CRITICAL the disk is full\n" * 2)
    ask(f"{path}?format=overview")
    with sqlite3.connect(tmp_path / "cache/seen.sqlite") as database:
        found = database.execute(
            "SELECT log, text FROM oslogserve_causes ORDER BY place"
        ).fetchall()
        [[fingerprints]] = database.execute("SELECT count(*) FROM oslogserve_sightings")
    database.close()
    assert found == [("job-output.txt", line) for line in [lines[-1], *lines[:7]]]
    assert fingerprints == 8


@pytest.mark.parametrize("end", ["Job succeeded", "= 12 passed in 3.01s =\nbye", "ok"])
def test_a_console_whose_last_words_say_so_tells_that_a_run_passed(add, ask, end):
    ask(f"{add('1/smoke/a1', 'TASK [test]', 'collected 12 items', end)}?format=overview")
    assert ask.counted("seen_runs_total") == ({} if end == "ok" else {'outcome="kept"': 1})


RECAP = "PLAY RECAP", "node | ok: 3 changed: 2 unreachable: 0 failed: 0 skipped: 0"


@pytest.mark.parametrize(
    ("result", "has_failed"),
    [
        ("SUCCESS", False),
        *((one, True) for one in ("FAILURE", "POST_FAILURE", "RETRY_LIMIT", "ABORTED")),
        *((one, True) for one in ("CANCELED", "DISK_FULL", "NODE_FAILURE", "SKIPPED")),
    ],
)
def test_the_result_of_zuul_decides_whether_a_run_failed(add, ask, kept, result, has_failed):
    end = *RECAP, f"2026-11-26 03:32:10.720747 | Job complete, result: {result}"
    ask(f"{add('1/smoke/a1', 'TASK [test]', 'ok', *end)}?format=overview")
    ignored = "TASK [try]", "node | cannot do it", "node | ERROR", "TASK [test]", "ok"
    ask(f"{add('2/smoke/b2', *ignored, *end)}?format=overview")
    assert kept() == {"1/smoke/a1": has_failed, "2/smoke/b2": has_failed}


@pytest.mark.parametrize("end", [(*RECAP, "Job complete, result: SUCCESS"), ("Job succeeded",)])
def test_a_run_passed_if_its_console_says_so_whatever_its_other_logs_show(
    add, ask, kept, tmp_path, end
):
    path = add("1/smoke/a1", "TASK [test]", "ok", *end)
    log = tmp_path / "logs/1/smoke/a1/attempt-1.log"
    log.write_text("\n".join(failing("test_boot")))
    os.utime(log, (time.time() - 2 * 3600,) * 2)
    ask(f"{path}?format=overview")
    assert kept() == {"1/smoke/a1": False}
    [sentence] = seen_on(ask(f"{add('2/smoke/b2', *failing('test_boot'))}?format=overview"))
    assert sentence.endswith("; also in 1 run that passed.")


@pytest.mark.parametrize("name", ["console-1.log", "job-output-subnode.txt"])
def test_a_run_with_several_consoles_passed_only_if_all_say_so(add, ask, kept, tmp_path, name):
    path = add("1/smoke/a1", "TASK [test]", "ok", "Job succeeded")
    other = tmp_path / "logs/1/smoke/a1" / name
    other.write_text("\n".join(failing("test_boot")))
    os.utime(other, (time.time() - 2 * 3600,) * 2)
    ask(f"{path}?format=overview")
    assert kept() == {"1/smoke/a1": True}


@pytest.mark.parametrize("number", ["1234567", "abcdef1", "a1bcdef", "1abcdef", "ffeedd2aa"])
def test_a_hash_is_no_name_of_a_job(add, ask, tmp_path, number):
    path = add(f"1/smoke/{number}", *refused(), job="''")
    shutil.rmtree(tmp_path / f"logs/1/smoke/{number}/zuul-info")
    ask(f"{path}?format=overview")
    [cause] = ask("/_oslogserve/seen", HTTP_ACCEPT="application/json").json["causes"]
    assert cause["last_run"]["job"] == "smoke"


def test_a_run_of_a_tag_is_listed_by_it_as_one_of_a_branch_is(add, ask, tmp_path):
    head = "Running with gitlab-runner 17.0.0 (0a1b2c3d)", "  on docker-7 AbCdEf12"
    checkout = "Checking out 0a1b2c3d as detached HEAD (ref is v1.2)..."
    path = add("1/smoke/a1", *head, checkout, *refused(), "ERROR: Job failed: exit code 1")
    shutil.rmtree(tmp_path / "logs/1/smoke/a1/zuul-info")
    ask(f"{path}?format=overview")
    for branch, count in (("v1.2", 1), ("main", 0)):
        listed = ask(f"/_oslogserve/seen?branch={branch}", HTTP_ACCEPT="application/json").json
        assert [cause["last_run"]["branch"] for cause in listed["causes"]] == ["v1.2"] * count


def test_the_only_log_of_a_run_tells_that_it_passed(add, ask, tmp_path):
    path = add("1/smoke/a1", "Finished: SUCCESS")
    console = tmp_path / "logs/1/smoke/a1/job-output.txt"
    console.rename(console.with_name("0_build.txt"))
    shutil.rmtree(tmp_path / "logs/1/smoke/a1/zuul-info")
    ask(f"{path}?format=overview")
    assert ask.counted("seen_runs_total") == {'outcome="kept"': 1}


#: Above a run in a/b/c/d/e/1.
ABOVE = ["/", "/a/", "/a/b/", "/a/b/c/", "/a/b/c/d/", "/a/b/c/d/e/"]


@pytest.mark.parametrize("view", ["overview", "seen", "brief"])
def test_the_folders_above_a_run_are_no_runs(add, ask, kept, view):
    several = [add("a/b/c/d/e/1", *refused()), add("other/2", *refused())]
    for folder in [*ABOVE, *several]:
        assert ask(f"{folder}?format={view}").status_int == 200
    assert kept() == {"a/b/c/d/e/1": True, "other/2": True}
    seen = ask("/other/2/?format=seen").json["seen"]
    assert (seen["runs"], seen["jobs"]) == (1, 1)


def test_a_marked_folder_below_a_run_belongs_to_it(add, ask, kept, tmp_path):
    path = add("1/smoke/a1", *refused())
    below = add("1/smoke/a1/controller/logs", *refused())
    ask(f"{below}?format=overview")
    assert ask.counted("seen_runs_total") == {}
    for folder in (path, below, add("1/smoke/b1", *refused())):
        ask(f"{folder}?format=overview")
    assert kept() == {"1/smoke/a1": True, "1/smoke/b1": True}
    for folder in (path, below, "/1/smoke/"):
        assert " 1 other run of 1 job" in seen_on(ask(f"{folder}?format=overview"))[0]


@pytest.mark.parametrize(("depth", "is_run"), [(MOST_DEPTH, True), (MOST_DEPTH + 1, False)])
def test_a_run_is_so_deep_at_most(add, ask, tmp_path, monkeypatch, capsys, depth, is_run):
    path = add("/".join("abcdefghijklmnopq"[:depth]), *refused())
    ask(f"{path}?format=overview")
    assert ask.counted("seen_runs_total") == ({'outcome="kept"': 1} if is_run else {})
    monkeypatch.setenv("CACHE_DIRECTORY", str(tmp_path / "cache"))
    assert main(["seen", "--root", str(tmp_path / "logs")]) == 0
    assert capsys.readouterr().out.startswith(f"0 remembered (0 failed), {int(is_run)} before")


@pytest.mark.parametrize(
    ("name", "is_run"), [("console.txt", True), ("0_build.txt", True), ("build.log", False)]
)
def test_a_folder_of_several_logs_is_a_run_by_its_marks_alone(add, tmp_path, kept, name, is_run):
    path = add("1/smoke/a1", *refused())
    folder = tmp_path / "logs/1/smoke/a1"
    shutil.rmtree(folder / "zuul-info")
    (folder / "job-output.txt").rename(folder / name)
    shutil.copy2(folder / name, folder / "other.log")
    for marks in ([], ["build.*"]):
        given = {"serve_job_marks": marks[0]} if marks else {}
        directory = str(tmp_path / "cache")
        ask = Asking(tmp_path / "logs", seen_directory=directory, **given)
        ask(f"{path}?format=overview")
        assert bool(kept()) == (is_run or bool(marks))


def test_folders_that_say_they_are_runs_fill_no_list(add, tmp_path, monkeypatch, capsys, ask):
    monkeypatch.setenv("CACHE_DIRECTORY", str(tmp_path / "cache"))
    most = 5
    for module in (database, seen):
        monkeypatch.setattr(module, "MOST_IN_FOLDER", most)
    ended = time.time() // 3600 * 3600 - 7200
    for number in range(most + 2):
        add(f"1/evil/{number}", *refused(), job="tempest-full")
        os.utime(tmp_path / f"logs/1/evil/{number}/job-output.txt", (ended,) * 2)
        inventory = tmp_path / f"logs/1/evil/{number}/zuul-info/inventory.yaml"
        os.utime(inventory, (ended,) * 2)
    for counts in (f"{most} remembered ({most} failed), 0", "0 remembered (0"):
        assert main(["seen", "--root", str(tmp_path / "logs")]) == 0
        told = capsys.readouterr().out
        assert told.startswith(counts)
        assert f", 2 beyond {most} of one folder and hour, " in told
    for number in range(most + 2):
        ask(f"/1/evil/{number}/?format=seen")
    counted = {'outcome="known"': most, 'outcome="crowded"': 2}
    assert ask.counted("seen_runs_total") == counted


def test_a_database_that_does_not_answer_costs_no_answer(add, ask, monkeypatch):
    path = add("1/smoke/a1", *refused())
    monkeypatch.setattr("oslogserve.seen.memory.LONGEST", 0.01)
    is_over = threading.Event()
    monkeypatch.setattr(Database, "seen", lambda *_: is_over.wait(60))
    try:
        answer = ask(f"{path}?format=overview")
    finally:
        is_over.set()
    for thread in threading.enumerate():
        if thread.name == NAME:  # it has a connection until its question is answered
            thread.join()
    assert (answer.status_int, seen_on(answer)) == (200, [])


def test_a_rule_knows_a_cause_without_a_fingerprint(add, tmp_path):
    rules = tmp_path / "known"
    rules.mkdir()
    (rules / "a.yaml").write_text("pattern: cannot allocate\ntitle: out of memory\n")
    path = add(
        "1/smoke/a1", "pages cannot allocate", "##[error]Process completed with exit code 1."
    )
    found = Asking(tmp_path / "logs", known_rules=str(rules))(f"{path}?format=seen").json
    assert [one["title"] for one in found["known"]] == ["out of memory"]


def test_a_run_with_a_time_in_the_future_is_kept_once(add, ask):
    path = add("1/smoke/a1", *refused(), ago=-30 * DAY, report=FAILED)
    for _ in range(3):
        ask(f"{path}?format=overview")
    assert ask.counted("seen_runs_total") == {'outcome="kept"': 1, 'outcome="known"': 2}


def test_the_same_test_with_the_same_exception_is_told_where_the_lines_differ(add, ask):
    head = "FAIL: test_boot (nova.tests.TestServers)"
    for number, said in enumerate(("a wait", "another wait")):
        lines = head, said, "TimeoutError: no port", "Ran 3 tests", "FAILED (failures=1)"
        answer = ask(f"{add(f'{number}/smoke/a{number}', *lines)}?format=overview")
    [sentence] = seen_on(answer)
    assert sentence.startswith("The same failed with the same exception in 1 other run of 1 job")


def failing(*names):
    reports = [(f"FAIL: {name} (tests.TestIt)", f"AssertionError: no {name}") for name in names]
    return (
        "TASK [test]",
        *(line for report in reports for line in report),
        "",
        "Ran 9 tests",
        "FAILED (failures=1)",
    )


def test_a_run_is_found_by_any_of_its_failed_tests(add, ask):
    for number in range(2):
        ask(f"{add(f'{number}/smoke/a', *failing('test_aa', 'test_zeta'))}?format=overview")
    path = add("2/smoke/b2", *failing("test_zeta"))
    seen = ask(f"{path}?format=seen").json["seen"]
    assert (seen["runs"], seen["by"], seen["another"]) == (2, "exact", None)
    runs = ask(seen["href"], HTTP_ACCEPT="application/json").json["runs"]
    assert [one["path"] for one in runs] == ["2/smoke/b2", "1/smoke/a", "0/smoke/a"]
    assert {one["line"] for one in runs} == {2, 4}
    listed = ask("/_oslogserve/seen", HTTP_ACCEPT="application/json").json["causes"]
    assert [(one["text"].split()[1], one["runs"]) for one in listed] == [
        ("test_aa", 2),
        ("test_zeta", 1),
    ]


def test_a_run_is_found_by_any_of_seven_failed_tests(add, ask):
    names = [f"test_{chr(97 + place) * 5}" for place in range(7)]
    ask(f"{add('1/smoke/a', *failing(*names, 'test_last'))}?format=overview")
    for name in names:
        path = add(f"2/smoke/{name}", *failing(name, "test_last"))
        seen = ask(f"{path}?format=summary").json["seen"]
        assert (seen["by"], seen["runs"]) == ("exact", 1)


def test_another_failure_that_runs_had_is_told_if_the_cause_is_new(add, ask):
    for number in range(2):
        ask(f"{add(f'{number}/smoke/a', *failing('test_zeta'))}?format=overview")
    lines = failing("test_zeta")
    ask(f"{add('2/smoke/a', *lines, 'TASK [upload]', 'ok: [node]', report=PASSED)}?format=overview")
    path = add("3/smoke/b", *failing("test_new", "test_other", "test_zeta"))
    answer = ask(f"{path}?format=overview")
    [sentence] = seen_on(answer)
    assert sentence == (
        "Not seen before in 21 days (2 failed runs); never in a run of this job that passed. Another failure "
        "of this run, &#34;FAIL: test_zeta (tests.TestIt): AssertionError: no test_zeta&#34;, was seen in 2 other "
        "runs of 1 job; also in 1 run that passed."
    )
    another = ask(f"{path}?format=seen").json["seen"]["another"]
    assert (another["line"], another["by"], another["runs"], another["passed"]) == (
        6,
        "exact",
        2,
        1,
    )
    assert another["href"] in answer.text
    assert ask(f"{path}?format=summary").json["seen"]["another"] == another


def test_another_failure_with_the_same_exception_is_told_as_such(add, ask):
    lines = "TASK [test]", "FAIL: test_zeta (tests.TestIt)", "a wait", "TimeoutError: no port"
    ask(f"{add('1/smoke/a', *lines, 'FAILED (failures=1)')}?format=overview")
    new = "TASK [test]", "FAIL: test_new (tests.TestIt)", "AssertionError: no new"
    path = add("2/smoke/b", *new, lines[1], "another wait", lines[3], "FAILED (failures=2)")
    [sentence] = seen_on(ask(f"{path}?format=overview"))
    assert ", was seen with the same exception in 1 other run of 1 job." in sentence


def test_json_has_what_the_page_tells(add, ask):
    ask(f"{add('1/smoke/a1', *refused(), change=9120)}?format=seen")
    path = add("2/smoke/b2", *refused())
    found = ask(f"{path}?format=seen").json
    summary = ask(f"{path}?format=summary").json
    assert found["seen"] == summary["seen"]
    seen = found["seen"]
    assert (seen["by"], seen["runs"], seen["jobs"], seen["passed"], seen["days"]) == (
        "exact",
        1,
        1,
        0,
        21,
    )
    assert seen["first"]["change"] == "9120"
    assert seen["first"]["href"] == "/1/smoke/a1/?format=overview"
    [cause] = found["causes"]
    assert cause["cause"]["fingerprints"]["exact"] == seen["fingerprint"]
    assert ask(seen["first"]["href"]).status_int == 200


def test_a_run_that_may_go_on_is_not_remembered(add, ask):
    path = add("1/smoke/a1", *refused(), ago=60)
    assert seen_on(ask(f"{path}?format=overview")) == [
        "Not seen before in 21 days (0 failed runs)."
    ]
    assert seen_on(ask(f"{path}?format=overview")) == [
        "Not seen before in 21 days (0 failed runs)."
    ]
    assert ask.counted("seen_runs_total") == {}


def test_a_folder_whose_name_is_no_text_makes_no_other_run_forgotten(add, ask, tmp_path):
    kept = add("1/smoke/a?", *refused())
    ask(f"{kept.replace('?', '%3F')}?format=overview")
    odd = tmp_path / "logs/1/smoke" / os.fsdecode(b"a\xff")
    odd.mkdir()
    (odd / "job-output.txt").write_text("TASK [test]\n")
    assert ask("/1/smoke/a%FF/?format=overview").status_int == 200
    other = add("2/smoke/b2", *refused())
    assert seen_on(ask(f"{other}?format=overview"))[0].startswith("Seen in 1 other run")


def test_a_run_is_forgotten_when_its_folder_has_another_that_goes_on(add, ask, tmp_path):
    path = add("1/smoke/a1", *refused())
    other = add("2/smoke/b2", *refused())
    ask(f"{path}?format=overview")
    assert seen_on(ask(f"{other}?format=overview"))[0].startswith("Seen in 1 other run")
    console = tmp_path / "logs/1/smoke/a1/job-output.txt"
    console.write_text("TASK [test]\n")
    ask(f"{path}?format=overview")
    assert seen_on(ask(f"{other}?format=overview"))[0].startswith("Not seen before")


@pytest.mark.parametrize("query", ["logs=*.txt", "level=ERROR", "since=2013-09-27", "source=disk"])
def test_an_answer_that_leaves_something_out_remembers_nothing(add, ask, query):
    ask(f"{add('1/smoke/a1', *refused())}?format=overview&{query}")
    assert ask.counted("seen_runs_total") == {}


def test_a_cause_that_is_only_an_outcome_is_not_told(add, ask):
    lines = "TASK [test]", "ERROR: Job failed: exit code 1"
    assert seen_on(ask(f"{add('1/smoke/a1', *lines)}?format=overview")) == []


def test_without_a_directory_nothing_is_told(add, tmp_path):
    path = add("1/smoke/a1", *refused())
    ask = Asking(tmp_path / "logs")
    assert seen_on(ask(f"{path}?format=overview")) == []
    assert ask(f"{path}?format=summary").json["seen"] is None


def test_a_database_that_fails_costs_no_answer(add, ask, tmp_path, capfd):
    path = add("1/smoke/a1", *refused())
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache/seen.sqlite").write_bytes(b"no database" * 1000)
    for _ in range(9):
        answer = ask(f"{path}?format=overview")
        assert (answer.status_int, seen_on(answer)) == (200, [])
    assert ask.counted("seen_failures_total")[""] >= 5
    assert capfd.readouterr().err.count("seen fails in process") == 1


def test_a_server_without_the_runs_of_a_later_release_says_so_once(add, ask, tmp_path, capfd):
    path = add("1/smoke/a1", *refused())
    ask(f"{path}?format=overview")
    with closing(sqlite3.connect(tmp_path / "cache/seen.sqlite")) as database, database:
        database.execute("UPDATE oslogserve_version SET tables = tables + 1")
    for _ in range(3):
        answer = ask(f"{path}?format=overview")
        assert (answer.status_int, seen_on(answer)) == (200, [])
    told = capfd.readouterr().err
    assert told.count("seen fails in process") == told.count("of a later release") == 1


def test_hostile_names_and_texts_are_escaped(add, ask):
    evil = 'ERROR: <script>alert("x")</script> is not known'
    lines = "TASK [test]", evil, "ERROR"
    ask(f"{add('1/smoke/a1', *lines, change='<b>&')}?format=overview")
    answer = ask(f"{add('2/smoke/b2', *lines)}?format=overview", **HTML)
    assert "first in change &lt;b&gt;&amp;." in answer.text
    assert "<script>alert" not in answer.text


def test_a_link_is_below_the_mount_point(add, ask):
    ask(f"{add('1/smoke/a1', *refused())}?format=overview")
    path = add("2/smoke/b2", *refused())
    seen = ask(f"{path}?format=seen", SCRIPT_NAME="/htmlify").json["seen"]
    assert seen["first"]["href"].endswith("/1/smoke/a1/?format=overview")


def test_the_command_remembers_runs_and_goes_on_where_it_was(add, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CACHE_DIRECTORY", str(tmp_path / "cache"))
    add("1/smoke/a1", *refused())
    add("2/smoke/b2", "all fine", report=PASSED)
    root = str(tmp_path / "logs")
    assert main(["seen", "--root", root]) == 0
    assert capsys.readouterr().out.startswith("2 remembered (1 failed), 0 before, ")
    add("3/smoke/c3", *refused())
    assert main(["seen", "--root", root, "./3/", "1/smoke"]) == 0
    assert capsys.readouterr().out.startswith("1 remembered (1 failed), 1 before, ")
    with sqlite3.connect(tmp_path / "cache/seen.sqlite") as database:
        [[runs]] = database.execute("SELECT count(*) FROM oslogserve_runs")
    database.close()
    assert runs == 3


def test_the_command_says_that_a_folder_is_inside_a_run(add, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CACHE_DIRECTORY", str(tmp_path / "cache"))
    add("1/smoke/a1", *refused())
    add("1/smoke/a1/controller/logs", *refused())
    root = str(tmp_path / "logs")
    assert main(["seen", "--root", root, "1/smoke/a1/controller"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("0 remembered (0 failed), 0 before, 1 inside a run, ")
    belongs = "1/smoke/a1/controller: not remembered: it belongs to the run in 1/smoke/a1\n"
    assert told.err.endswith(belongs)
    assert main(["seen", "--root", root]) == 0
    assert capsys.readouterr().out.startswith("1 remembered (1 failed), 0 before, ")


def test_the_command_counts_runs_that_are_too_old_by_their_own_name(
    add, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("CACHE_DIRECTORY", str(tmp_path / "cache"))
    add("1/smoke/a1", *refused(), ago=22 * DAY)
    for path in (".", "./"):
        assert main(["seen", "--root", str(tmp_path / "logs"), path]) == 0
        assert capsys.readouterr().out.startswith("0 remembered (0 failed), 0 before, 1 too old, ")


def test_the_command_says_what_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("CACHE_DIRECTORY", raising=False)
    assert main(["seen", "--root", str(tmp_path)]) == 2
    assert "no runs are kept" in capsys.readouterr().err
    monkeypatch.setenv("CACHE_DIRECTORY", str(tmp_path))
    assert main(["seen"]) == 2
    assert "nothing to read" in capsys.readouterr().err
    assert main(["seen", "--root", str(tmp_path), "no/such"]) == 1
    told = capsys.readouterr()
    assert "no/such: not remembered: " in told.err
    assert told.out.startswith("0 remembered (0 failed), 0 before, 1 not remembered, ")
