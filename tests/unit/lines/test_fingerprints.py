# SPDX-License-Identifier: Apache-2.0

import pytest

from oslogserve.lines import fingerprints as module
from oslogserve.lines.fingerprints import SIZE, exception_of, headline, normalised


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
        ["Error: Parse error on line 12:"],
        ["CMake Error at /usr/share/cmake-3.2/FindPackage.cmake:138 (message):"],
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
        'The command "$WRAPPER ci/build.sh" failed and exited with 2 during .',
        "Error: Command 'npm run e2e' returned non-zero exit status 1.",
        "ERROR: InvocationError for command /x/bin/pytest -q (exited with code 1)",
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
        'The command "$WRAPPER ci/build.sh" exited with 124.',
    ],
)
def test_an_outcome_that_says_why_has_one(told):
    assert {*fingerprints(cause(told))} >= {"exact"}


@pytest.mark.parametrize(
    ("why", "told", "wanted"),
    [
        ("severity", ["no space left"], "no space left"),
        ("severity", ["2790 ERROR a.b [req-1 c] no route to host"], "no route to host"),
        ("severity", ["2790 ERROR a.b [-]"], "2790 ERROR a.b [-]"),
        ("severity", ["Failure:", "the lid is open", "more"], "Failure: the lid is open"),
        ("severity", ["Fixer.hs:38:10: error:", "", "not in scope"], "Fixer.hs:38:10: error: not in scope"),
        ("severity", ["Traceback (most recent call last):", 'File "a.py", line 1', "KeyError: 1"], "KeyError: 1"),
        ("severity", ["E       AssertionError: no"], "AssertionError: no"),
        ("severity", ['fatal: [a]: FAILED! => {"changed": false, "msg": "no package b"}'], "no package b"),
        ("severity", ["fatal: [a]: FAILED! => {", '"msg": "no package b",'], "no package b"),
        ("severity", ["fatal: [a]: FAILED! => changed=false ", "msg: no package b"], "no package b"),
        ("severity", ["fatal: [a]: FAILED! => changed=true ", "msg: non-zero return code", "c: no lid"], "c: no lid"),
        ("severity", ['fatal: [a]: FAILED! => {"msg": "non-zero return code", "stderr": "x\\nno lid"}'], "no lid"),
        ("severity", ['fatal: [a]: FAILED! => {"msg": "non-zero return code", "rc": 1}'], "non-zero return code"),
        ("severity", ['fatal: [a]: FAILED! => {"module_stderr": "KeyError: 1\\r\\nclosed\\r\\n", "msg": "MODULE FAILURE\\nSee"}'], "KeyError: 1"),
        ("severity", [r'fatal: [a]: FAILED! => {"msg": "no\ud800 \u001b[0;31mlid\u001b[0m\u0000\r"}'], "no lid"),
        ("test", ["FAIL: test_a (t.T)"], "FAIL: test_a (t.T)"),
        ("test", ["_____ test_a _____", "> assert lid", "E   ValueError: open"], "test_a: ValueError: open"),
        ("test", ["FAIL: test_a", "Traceback (most recent call last):", "AssertionError: 1 != 2"], "FAIL: test_a: AssertionError: 1 != 2"),
        ("test", ["--- FAIL: TestA", "a_test.go:9:", "a_test.go:9: got 4"], "--- FAIL: TestA: a_test.go:9: got 4"),
        ("test", ["a_test.go:9: got 4", "--- FAIL: TestA (0.01s)", "FAIL a.TestA"], "--- FAIL: TestA (0.01s): a_test.go:9: got 4"),
        ("test", ["1) A ships", "Failure/Error: a.ship", "NoMethodError:", "no method", "# a.rb:1"], "1) A ships: NoMethodError: no method"),
        ("test", ["1) A adds", "Failure/Error: expect(a).to eq(1)", "expected: 1"], "1) A adds: Failure/Error: expect(a).to eq(1)"),
        ("test", ["not ok 6 no errors", "---", "expected: lid", "..."], "not ok 6 no errors: expected: lid"),
        ("test", ["1) the lid", "2) the pan"], "1) the lid"),
    ],
)  # fmt: skip
def test_a_headline_has_the_failures_own_words(why, told, wanted):
    assert headline(why, told) == wanted


def test_results_over_several_lines_that_failed_for_other_reasons_differ():
    one, other = (
        cause("fatal: [a]: FAILED! => {", f'"msg": "no {what}"') for what in ("lid", "pan")
    )
    assert fingerprints(one)["exact"] != fingerprints(other)["exact"]


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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("took 1.52s at 10:11:12", "took 93s at 22:01:00"),
        ("commit 3f9d2c1b77 is gone", "commit 0a9d2c1b99eeff is gone"),
        (
            "volume 1b4e28ba-2fa1-11d2-883f-0016d3cca427",
            "volume 6fa459ea-ee8a-3ca4-894e-db77e160355e",
        ),
        ("connect to 10.4.0.17:5672 refused", "connect to 192.0.2.250:40001 refused"),
        ("at 0x7f3a90 in main", "at 0x55d0c8e1f0 in main"),
        ("open /tmp/tmpab12cd/x.conf: no such file", "open /tmp/tmpzz91/x.conf: no such file"),
        ("see tmp_k3j4h2_out", "see tmp_9s8d7f_out"),
        ("foo.py:123: NameError: x", "foo.py:98: NameError: x"),
        ("on Tue, 3 Mar it broke", "on Fri, 13 Nov it broke"),
        ("a  b\tc", "a b c"),
        ("at Tue Nov 24 10:00:00 2026", "at Wed Nov  4 11:30:12 2026"),
        ("since 2026-11-24T10:00:00Z", "since 2026-01-02T03:04:05.678+01:00"),
        ("commit 3F9D2C1B77 is gone", "commit 0A9D2C1B99EEFF is gone"),
        ("got 1731 rows, want 1730", "got 1829 rows, want 1828"),
        ("got 17 pods of 20", "got 3 pods of 20"),
        ("assert 0.125 == 0.25", "assert 0.75 == 0.5"),
        ("malloc returned 0x7f3a90aabbcc", "malloc returned 0x55d0c8e1f0aa"),
        ("pod web-5d9c7b6f4-x2x9z: no", "pod web-84bbd8c9cd-kq7wv: no"),
        ("open a/tmp-12-AbCdEf/x: no", "open a/tmp-9041-9hK2Lm/x: no"),
        ("open a/tmp-1204kd93hx2: no", "open a/tmp-99dj38sk2xq: no"),
        ("/workspace/job/src/a.c: no", "/workspace/job@2/src/a.c: no"),
        ("cd /workspace/job@tmp: no", "cd /workspace/job@12@tmp: no"),
        ("open /builds/t1_xB3fq/0/a/b: no", "open /builds/9sKd-Ba1/12/a/b: no"),
        ("on runner-t1xb3fq-project-7-concurrent-0", "on runner-9skdba1-project-7-concurrent-3"),
        ("host fv-az1234-567 is full", "host fv-az88-12 is full"),
        ("open /home/runner/work/_temp/k3j4h2: no", "open /home/runner/work/_temp/zz_91: no"),
        ("waited 1m2.3s for it", "waited 9.1s for it"),
        ("built 1.2.3-4-gabc1234", "built 1.2.4-11-g0123abc"),
        ("branch PR-123 has no file", "branch PR-88 has no file"),
        (
            'File "/src/a/b.py", line 3, in test_q',
            'File "/home/zuul/src/a/b.py", line 99, in test_q',
        ),
    ],
)
def test_what_differs_from_run_to_run_does_not_count(one, other):
    assert normalised(one) == normalised(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("mount failed with exit code 32", "mount failed with exit code 1"),
        ("rc=137 from qemu", "rc=1 from qemu"),
        ("mirror answered HTTP 503", "mirror answered HTTP 404"),
        ("server returned status 401", "server returned status 500"),
        ("OSError: [Errno 28] no space", "OSError: [Errno 13] no space"),
        ("E231 missing whitespace", "E501 missing whitespace"),
        ("src/a.ts: TS2345", "src/a.ts: TS2339"),
        ("FAIL: test_server_2", "FAIL: test_server_3"),
        ("HTTPError: 404 Client Error: for url", "HTTPError: 429 Client Error: for url"),
        ("server answered 404", "server answered 503"),
        ("curl: (6) no host", "curl: (7) no connection"),
        ("pod web-default-agent: no", "pod web-primary-agent: no"),
        ("web-5d9c7b6f4-x2x9z: no", "api-5d9c7b6f4-x2x9z: no"),
        ("step build-linux-arm64", "step build-macos-arm64"),
        ("open a/tmp-cache/x: no", "open a/tmp-store/x: no"),
        ("/workspace/job@2/src/a.c: no", "/workspace/job@2/src/b.c: no"),
        ("/workspace/job@next: no", "/workspace/job@main: no"),
        ("a/job@2: no", "a/job: no"),
        ("needs six==1.2", "needs six==3.4.5"),
        ("/tmp/build/src/parser.c: no", "/tmp/build/src/lexer.c: no"),
        ("--- FAIL: TestCloud2 ", "--- FAIL: TestCloud3 "),
        ("URL returned error: 404", "URL returned error: 503"),
        ("HTTP Error 404: no", "HTTP Error 500: no"),
        ("Unexpected HTTP response: 404", "Unexpected HTTP response: 502"),
        ("HTTP/1.1 404 of mirror", "HTTP/1.1 503 of mirror"),
        ("E   assert 404 == 200", "E   assert 500 == 200"),
        ("E   assert 2 == 3", "E   assert 14 == 12"),
        ("expected:<3> but was:<4>", "expected:<7> but was:<4>"),
        ("expected 3 to equal 2", "expected 5 to equal 2"),
        (
            "Failed asserting that 3 matches expected 4.",
            "Failed asserting that 3 matches expected 2.",
        ),
        ("AssertionError: 200 != 404", "AssertionError: 200 != 503"),
        ("expected: <200> but was: <404>", "expected: <200> but was: <500>"),
        ("expected 404 to equal 200", "expected 500 to equal 200"),
        ("left: 404", "left: 500"),
        ("assert a.status_code == 404", "assert a.status_code == 500"),
        ("StatusCode=500", "StatusCode=502"),
        ("ERROR 1045 (28000): no", "ERROR 1049 (42000): no"),
        ("SQLSTATE[08006] no", "SQLSTATE[42000] no"),
        ("[WinError 10061] no", "[WinError 10060] no"),
        ("exit status 0xC0000005", "exit status 0xC0000135"),
        ("exited with code 3221225477", "exited with code 3221225781"),
        ("HRESULT: 0x80070005", "HRESULT: 0x80070002"),
        ("CVE-2024-1234 in zlib", "CVE-2024-9876 in zlib"),
        ("E   assert 404 in [200, 201]", "E   assert 500 in [200, 201]"),
        ("E   assert 3 < 2", "E   assert 4 < 2"),
        ("assert <Response [404]>.ok", "assert <Response [500]>.ok"),
        ("assert 'a1' == 'a2'", "assert 'a1' == 'a3'"),
        ("a.c:4:4: error: 'x1' undeclared", "a.c:4:4: error: 'x2' undeclared"),
        ("upload: error 404 from it", "upload: error 503 from it"),
        ("mount: error: 2", "mount: error: 13"),
        ("errcode 5 from it", "errcode 7 from it"),
        ("Which is: 3", "Which is: 4"),
        ("3", "4"),
        ('File "/src/a.py", line 3, in one', 'File "/src/a.py", line 3, in other'),
        ('File "/src/a.py", line 3, in one', 'File "/src/b.py", line 3, in one'),
    ],
)
def test_codes_and_numbers_in_names_count(one, other):
    assert normalised(one) != normalised(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12 - net_test (Failed)", "7 - net_test (Failed)"),
        ("FAIL in (t) (core_test.clj:12)", "FAIL in (t) (core_test.clj:30)"),
        ("Failure → spec/a_spec.lua @ 12", "Failure → spec/a_spec.lua @ 30"),
        ("[chromium] > a.spec.ts:3:5 > logs in", "[chromium] > a.spec.ts:9:1 > logs in"),
        ("src/a_test.cc:34: Failure", "src/a_test.cc:70: Failure"),
    ],
)
def test_the_line_and_the_place_of_a_failed_test_do_not_count_in_its_name(one, other):
    assert normalised(one, is_name=True) == normalised(other, is_name=True)


def test_ports_among_the_parameters_in_a_name_count():
    one, other = (f"FAILED a.py::test_x[example.org:{port}]" for port in (80, 443))
    assert normalised(one, is_name=True) != normalised(other, is_name=True)


@pytest.mark.parametrize(
    "line",
    [
        "KeyError: 'x'",
        "E   AssertionError: assert 1 == 2",
        "java.lang.IllegalStateException: no",
        "smoke.errors.VolumeFailed: volume smoke-418 is in status 'error'",
        "thread 'main' panicked at src/main.rs:2:5",
        "main.c:3:1: error: expected ';'",
    ],
)
def test_the_exception_is_found_behind_its_stack(line):
    stack = "Traceback (most recent call last):", "Error Trace: a_test.go:3", "raise Failed()"
    assert exception_of([*stack, line, "x.Y: later"]) == line
    assert exception_of(stack) == ""


@pytest.mark.parametrize(
    "line",
    [
        "Error Message:",
        "error: |-",
        "thread 'a' panicked at src/lib.rs:3:5:",
    ],
)
def test_of_a_line_that_announces_an_exception_the_next_one_is_it(line):
    assert exception_of(["not ok 3", line, "boom", "at x"]) == "boom"
    assert exception_of([line]) == line
