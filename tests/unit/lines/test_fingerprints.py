# SPDX-License-Identifier: Apache-2.0

import pytest

from oslogserve.lines import fingerprints as module
from oslogserve.lines.fingerprints import SIZE
from oslogserve.lines.varying import normalised


def cause(*told, why="severity"):
    return why, told


def fingerprints(cause, chapter=None):
    return module.fingerprints(*cause, chapter)


def test_runs_with_the_same_lines_have_the_same_fingerprints():
    one = cause("10:11 pull of image 17 failed", "dial tcp 10.0.0.1:443: timeout")
    other = cause("22:47 pull of image 3 failed", "dial tcp 10.0.0.9:443: timeout")
    assert fingerprints(one) == fingerprints(other)
    assert {*fingerprints(one)} == {"exact"}
    assert len(fingerprints(one)["exact"]) == SIZE
    more = cause(*one[1], "image is not known")
    assert fingerprints(more)["exact"] != fingerprints(one)["exact"]


def test_a_failed_test_is_known_by_its_name_and_exception_whatever_else_it_printed():
    head = "FAIL: test_boot (nova.tests.TestServers)"
    one = cause(head, "waited 12 s", "TimeoutError: no port", "left: 1", why="test")
    other = cause(head, "TimeoutError: no port", why="test")
    assert fingerprints(one)["exact"] != fingerprints(other)["exact"]
    assert fingerprints(one)["failure"] == fingerprints(other)["failure"]
    for wrong in (
        cause("FAIL: test_stop (nova.tests.TestServers)", "TimeoutError: no port", why="test"),
        cause(head, "KeyError: 'port'", why="test"),
    ):
        assert fingerprints(one)["failure"] != fingerprints(wrong)["failure"]


def test_a_failed_step_is_known_by_its_name_and_exception():
    one = cause("Traceback (most recent call last):", "KeyError: 'x'", "done in 3 s")
    other = cause("retried 4 times", "KeyError: 'x'")
    assert (
        fingerprints(one, "TASK [deploy]")["failure"]
        == fingerprints(other, "TASK [deploy]")["failure"]
    )
    assert (
        fingerprints(one, "TASK [test]")["failure"]
        != fingerprints(other, "TASK [deploy]")["failure"]
    )
    assert "failure" not in fingerprints(cause("no such image"), "TASK [deploy]")


@pytest.mark.parametrize(
    "told",
    [
        ["KeyError: 'name'"],
        ["Traceback (most recent call last):", "AssertionError"],
        ["IndexError: list index out of range"],
        ["AttributeError: 'NoneType' object has no attribute 'a_rather_long_name_of_one'"],
        ['Exception in thread "main" java.lang.NullPointerException'],
        ["panic: runtime error: index out of range [3] with length 3", "goroutine 1 [running]:"],
        ["TypeError: Cannot read properties of undefined (reading 'the_name_of_a_member')"],
        ["/bin/sh: line 3: 2345 Segmentation fault      (core dumped)"],
        ["Killed"],
        ["KeyError: 'name'", 'File "/a/main.py", line 7, in <module>'],
        ["panic: test timed out after 10m0s"],
        ["panic: close of closed channel"],
        ["fatal error: concurrent map writes"],
        ["TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'"],
        ["ValueError: invalid literal for int() with base 10: 'a rather long text of a file'"],
        ["json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"],
        ["UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid byte"],
        ["asyncio.exceptions.TimeoutError"],
        ["socket.timeout: timed out"],
        ["java.net.SocketTimeoutException: Read timed out"],
        ['java.lang.NullPointerException: Cannot invoke "String.length()" because "a" is null'],
        ["Coverage failure: total of 88 is less than fail-under=90"],
    ],
)
def test_a_crash_that_any_program_may_have_is_known_by_its_step_too(told):
    one, other = (fingerprints(cause(*told), step) for step in ("TASK [deploy]", "TASK [test]"))
    assert one["exact"] != other["exact"]
    assert "exact" not in fingerprints(cause(*told))


@pytest.mark.parametrize(
    "step",
    [
        'Executing "step_script" stage of the job script',
        "step_script",
        "/bin/sh -xe /tmp/jenkins18219.sh",
    ],
)
def test_the_name_of_a_step_that_all_jobs_have_does_not_tell_such_crashes_apart(step):
    assert fingerprints(cause("KeyError: 'name'"), step) == {}
    assert {*fingerprints(cause("ValueError: no key in a.conf" + " or b.conf" * 4), step)} == {
        "exact",
        "failure",
    }


@pytest.mark.parametrize(
    "line",
    [
        "ModuleNotFoundError: No module named 'yaml'",
        "OSError: [Errno 28] No space left on device",
        "smoke.errors.VolumeFailed: volume smoke-418 is in status 'error'",
        "/bin/sh: line 1: 12345 Killed                  ./run-tests",
        "AttributeError: module 'inspect' has no attribute 'getargspec'",
        'File "/a/pods.py", line 7, in delete_pod',
    ],
)
def test_one_that_says_what_is_wrong_is_known_by_its_lines(line):
    one, other = (fingerprints(cause(line), step) for step in ("TASK [deploy]", None))
    assert one["exact"] == other["exact"]


def test_a_failed_test_without_a_name_is_known_by_its_step():
    told = "Traceback (most recent call last):", "raise Late()", "ops.Late: no port"
    one, other = (fingerprints(cause(*told, why="test"), step) for step in ("tests", "smoke"))
    assert one["failure"] != other["failure"]
    assert "failure" not in fingerprints(cause(*told, why="test"))


def test_a_failed_test_of_go_has_the_name_below_its_messages():
    ends = "--- FAIL: TestA/1 (0.0s)", "--- FAIL: TestA/1 (2.3s)", "--- FAIL: TestA/2 (0.0s)"
    told = ([f"a_test.go:{at}: no", "ops.Late: no port", end] for at, end in enumerate(ends))
    one, other, wrong = (fingerprints(cause(*lines, why="test")) for lines in told)
    assert one == other
    assert {*one} == {"exact", "failure"}
    assert wrong["failure"] != one["failure"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("FAIL: test_1000 (tests.x.T)", "FAIL: test_2000 (tests.x.T)"),
        ("FAILED test_a.py::test_b[1-2]", "FAILED test_a.py::test_b[7-9]"),
        ("--- FAIL: TestParse/2024 (0.01s)", "--- FAIL: TestParse/2025 (0.01s)"),
        ("not ok 12 - case 12", "not ok 13 - case 13"),
    ],
)
def test_numbers_in_the_name_of_a_failed_test_count(one, other):
    assert fingerprints(cause(one, why="test")) != fingerprints(cause(other, why="test"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1) DbTest::testA with data set #2", "12) DbTest::testA with data set #2"),
        ("not ok 3 it parses 2", "not ok 14 it parses 2"),
        ("── 1. Failure: names (@test-a.r#8) ──", "── 2. Failure: names (@test-a.r#8) ──"),
    ],
)
def test_the_place_of_a_failed_test_in_its_run_does_not_count(one, other):
    several = [fingerprints(cause(name, "ValueError: no", why="test")) for name in (one, other)]
    assert several[0] == several[1]


def test_the_worker_that_ran_a_test_does_not_count():
    head, error = "____ test_x ____", "E   assert 2 == 3"
    workers = "[gw0] linux -- Python 3.12.1 /a/python", "[gw3] linux -- Python 3.12.4 /b/python"
    one, other = (fingerprints(cause(head, worker, error, why="test")) for worker in workers)
    assert one == other


def test_a_failed_test_with_a_short_name_has_one_by_what_any_program_may_print():
    one, other = (fingerprints(cause(f"● S \u203a {n}", "KeyError: 'a'", why="test")) for n in "ab")
    assert {*one} == {"exact", "failure"}
    assert not {*one.values()} & {*other.values()}


def test_a_suite_that_did_not_run_has_one_by_what_is_below():
    head = "● Test suite failed to run"
    one, other = (fingerprints(cause(head, f"no module {a}", why="test")) for a in ("one", "two"))
    assert {*one} == {"exact"}
    assert one != other


def test_how_long_a_failed_test_took_does_not_count():
    one, other = "--- FAIL: TestCloud (2.62s)", "--- FAIL: TestCloud (13.10s)"
    assert fingerprints(cause(one, why="test")) == fingerprints(cause(other, why="test"))


@pytest.mark.parametrize(
    "told",
    [
        "ERROR: Build did NOT complete successfully",
        "Errors while running CTest",
        "ERROR: Job failed: execution took longer than 1h0m0s seconds",
        "There are test failures.",
        "##[error]Process completed with exit code 1.",
        'The command "make test" exited with 2.',
        "ERROR: Job failed: exit code 1",
        "Build step failed",
        "3 tests failed",
        "FAILED (errors=1)",
        "...",
        "● Test suite failed to run",
        "##[error]The operation was canceled.",
        "##[error]The job running on runner A 12 has exceeded the maximum execution time of 360 minutes.",
        "Error: The runner has received a shutdown signal. This can happen when it is stopped.",
        "Aborted by Jane Doe",
        "Finished: ABORTED",
        "ERROR: Job failed (system failure): prepare environment: exit status 1. Check https://a.example/x",
        'ERROR: Uploading artifacts as "archive" to coordinator... error',
        "[ERROR] Failed to execute goal a.b:surefire:3.2:test (test) on project x: There are test failures.",
        "Error: Sequence aborted after failed subtask",
        'fatal: [a]: FAILED! => {"censored": "the output has been hidden", "changed": false}',
        'fatal: [a]: FAILED! => {"msg": "All items completed"}',
    ],
)
def test_a_cause_that_is_only_an_outcome_has_none(told):
    assert fingerprints(cause(told)) == {}


@pytest.mark.parametrize(
    "told",
    [
        "ERROR: Job failed (system failure): no space left on device",
        'fatal: [a]: FAILED! => {"msg": "All items completed", "results": [{"msg": "no key"}]}',
        "[ERROR] Failed to execute goal a.b:compiler:3.2:compile (main) on project x: no JDK",
    ],
)
def test_an_outcome_that_says_why_has_one(told):
    assert {*fingerprints(cause(told))} >= {"exact"}


def test_the_end_of_a_log_has_none():
    assert fingerprints(cause("something that was printed last", why="end")) == {}


def test_hostile_lines_take_little_time_each():
    for text in (
        "tmp" * 10**5,
        "1" * 10**6,
        "a1" * 10**5,
        "/tmp/" * 10**5,
        "f" * 10**6,
        "exit " * 10**5,
        "status code " * 10**5,
        "java.lang." * 10**5,
        "Key" * 10**5 + "Error",
        "a: " * 10**5,
        "1m1h" * 10**5,
        ".a:1" * 10**5,
        "fatal: [" + "=> {" * 10**5,
        'File "' + "/" * 10**6,
    ):
        assert len(normalised(text)) <= 400
        assert len(normalised(text, is_name=True)) <= 400
        assert fingerprints(cause(text), "step") is not None
