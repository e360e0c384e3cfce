# SPDX-License-Identifier: Apache-2.0
"""What a log says in its last sentences: whether it failed or passed, whatever ran it; and levels by content."""

import json

import pytest

from oslogserve.lines.selection import Wanted
from tests.kit.renderers import answered

WORK = ["sowing bed 1", "sowing bed 2", "sowing bed 3"]

#: Last lines of logs that failed.
FAILED = [
    "Process exited with status 3",
    "[drone:exec] command exited with code 2",
    "ERROR: pipeline failed",
    "!!! Job 4711 aborted after 3m 2s",
    "*** Build is failed ***",
    "=== Task Finished: FAILURE ===",
    "[woodpecker] step deploy: exit code 1",
    "Container web exited with code 137",
    "error: script returned exit code 1",
    "Job state: FAILED",
    "\U0001f6a8 Error: The command exited with status 4",
    "runner[12]: process terminated by signal 9",
    "pod kiln-0 terminated with exit code 143",
    "Command killed by signal SIGKILL",
    "Stage 'deploy' has failed",
    "Unsuccessful job run with exit code: 2",
    "Step timed out after 30 minutes",
    "The task exceeded the maximum run time of 60 minutes",
    "No output received for 10m0s",
    "[bitbucket] Script exited with non-zero status 127",
    "Target deploy failed.",
    "Result: FAILURE",
    "Test suite failed",
    "Failed: 3",
    "12 passed, 2 failed",
    "Conclusion: timed_out",
    '{"level":"error","msg":"Process did not finish before 2h0m0s timeout"}',
    "\u2502 Error: Unsupported attribute",
    "Execution failed with exit code 1 (took 3s)",
    "not ok 4 - waters",
    "[ERROR] Command finished with exit status: 5",
    "Failed 1 tests. Passed 58 tests.",
    "===> Failures occurred running tests: 1",
    "error: update failed",
    "ERROR: Service oven did not complete successfully",
    "Finished task 'sow' with result: Failed",
    "Stopped since return code of [sow.sh] was 3 while expected 0",
    "[error] Failed: Total 41, Failed 1, Errors 0, Passed 40",
    "error: building kiln:clay failed with: SOW_FAILED",
    "INFO: EXECUTION FAILURE",
    "RESULTS    : PASS 3 | ERROR 0 | FAIL 1 | SKIP 1",
    "make: *** No rule to make target 'bed'.  Stop.",
    "+ exit 2",
    "ERROR: Build did NOT complete successfully",
    "The barrow responded with a non-zero exit status. It assumes",
    "++ exit 3",
    "Skipping cache upload for failed step",
    "error: failed to push some refs to 'https://git.example.org/bed.git'",
    "Operation has completed with phase: Failed",
    "Phase:              Failed",
    "Child return code was: 1",
    "Chocolatey installed 0/1 packages. 1 packages failed.",
    "Deployment completed unsuccessfully",
    "Deployment to production was not successful",
    "==> Build failed \U0001f61e",
    "Build failed :|",
    "Pipeline failed with errors",
    "build [web] failed: exit status 1. Docker build ran into internal error.",
    "script exited abnormally with status 1",
    "+++ exited with 1 +++",
    "exit code: 1 duration: 3s",
    "Command exited with non-zero exit-code: 65",
    "Stopping at first error",
    "*** Aborting...",
]
#: Last lines of logs that passed.
PASSED = [
    "[cirrus] Build succeeded!",
    "Successful job run with exit code: 0",
    "Pipeline finished successfully",
    "[drone] Task completed with exit code 0",
    "# fail 0",
    "12 tests, 40 assertions, 0 failures",
    "40 run, 0 failed",
    "Deployment succeeded",
    "Workflow run succeeded.",
    "[2025-09-14T08:12:00Z] Job succeeded",
    "0 errors, 0 failures",
    "18 scenarios (18 passed)",
    "Failed: 0",
    "=== 12 tests passed, 3 skipped ===",
    "Tests: 12 passed, 3 todo",
    "40 tests, 0 errors, 3 skips",
    "100% specs passed, 0 failed out of 3",
    "Final result: passed (3 beds)",
    "Successfully installed bed-1.0",
    "Build completed successfully, 12 total actions",
    "succeeded",
    "All 11 tests passed.",
    "Ran 2 out of 12 tests: 12 tests pass.",
    "+ exit 0",
]
#: Last lines of logs that say of neither; none of them is a failure.
NEITHER = [
    "not ok 2 - waters # TODO no can",
    "not ok 2 - waters # SKIP no tap",
    "Mirror failed, retrying in 5 seconds",
    "fetch failed: will retry",
    "make: [Makefile:3: clean] Error 1 (ignored)",
    "Job lint failed (allowed to fail)",
    "error: 0, warning: 0",
    "errors handled: all",
    "  --exit-code N   exit with code 1 if a bed is dry",
    "# FAIL:  0",
    "*** ERROR-free since bed 3 ***",
    "Test failed_login passed",
    "there are no problems",
    "0 problems (0 errors, 0 warnings)",
    "ok=3 changed=1 unreachable=0 failed=0",
    "Tests run: 3, Failures: 0, Errors: 0",
    "the following tests are run:",
    "Assertions failed: 0",
    "5 vulnerabilities (3 moderate, 2 high)",
    "For more information, see https://example.org/return-codes",
    "restart: on-failure",
    "List of failures",
    "exit 1 (expected)",
    "Failed test runs: none",
    "TIMEOUT: none",
    "  status: ok",
    "***timeout set***",
    "Total requests: 12, failed: 3",
    "error 404 (Not Found)",
    "Coverage threshold: 90%",
    "Mean squared error: 0.12",
    "wrote docs/errors.html",
    "see how failures are handled",
    "no errors found",
    "XFAIL tests/test_bed.py::test_dry - known",
    "command exited with code 0",
    "$ ./check || exit 1",
    "error: bed 3 refused, falling back to bed 2",
    "fetch failed, using cached seeds",
    "sowing failed, but will try again: bed 3 is dry",
    "This problem might be caused by a dry bed.",
    "Please refer to the chapter on errors in the manual.",
    "Failed: 0, passed: 12, total: 12",
    "Exit status: 0",
    "exit code: 0 duration: 3s",
    "Phase:              Succeeded",
    "0 packages failed",
    "Child return code was: 0",
]

#: Headings above the failed tests, of many runners.
HEADINGS = [
    "Failed Tests (2):",
    "=== FAILED TESTS ===",
    "The following scenarios have failed:",
    "These specs failed:",
    "There were 2 failures:",
    "List of failed test cases",
    "!!! Broken tests !!!",
    "\u2716 failing suites:",
    "Failing specs:",
    "Summary of failures:",
    "Unsuccessful checks:",
    "## Failed features",
    "Completed with 1 error, 0 partial successes, and 1 warning:",
]
#: Sentences that say that something failed, and not why.
OUTCOMES = [
    "Aborting due to 3 previous errors",
    "lake: error: giving up after 2 failures",
    "could not build target 'kiln'",
    "error: could not complete the build",
    "[forge] There were failed checks.",
    "An error occurred while running the hooks",
    "(kiln / Test) Compilation failed",
    "[kiln] Linking failed",
    "fastlane finished with errors",
    "[09:14:24]: fastlane finished with errors",
    "[ERROR] For more information about this, try `kiln --explain K7`",
    "[ERROR] Re-run with -v",
    "error: wheel-build-failed",
    "error: 1 dependencies of derivation '/nix/store/a-unit.drv' failed to build",
    "libiconv/1.16@a/testing: ERROR: Package '5d1c' build failed",
    "Command failed with exit code 255: hugo --gc --minify",
    "4 problems (3 errors, 1 warning)",
    "12 files inspected, 3 offenses detected",
    "Found 3 violations",
    "Ran: 12, passed: 9, failed: 3",
    "Assertions run: 12, errors: 1",
    "\u2139 failed 2",
    "kiln-1 : ok=3 skipped=1 failed=1",
    "[runner] exit code 2 (0.3 seconds)",
    "** ARCHIVE FAILED **",
    "yarrow ERR! stopped",
    "ld.kiln: error: linker returned 1 exit code",
    "Error: Command failed: sow",
    "Error executing the test process",
    "FAILED (failures=1, skipped=2)",
    "! Emergency stop.",
]
#: Errors that name what failed, and not why.
NAMES = [
    "FAILED: beds/3/soil.o",
    "ERROR: /kiln/BED:14:11: Sowing soil.kl failed: (Exit 1): sow failed",
    "error: failed to run custom build command for `bed v1.0`",
    "ERROR: bed-1.0 do_sow: ExecutionError('/kiln/run.do_sow', 1)",
    "ERROR: bed-1.0 do_sow: sow_all failed",
    ":: RuntimeError: Failed to run the build script for part 'bed'.",
]
#: First lines of reports of failed tests, and tests that are only named, of many runners.
TESTS = [
    "UNRESOLVED: kiln :: fires.ll (3 of 40)",
    "XPASS: kiln/fires.c",
    "--- FAIL: kiln fires",
    "[FAIL] kiln/bed.spec > bed > is wet",
    "\u2716 FAILED  kiln/bed.spec \u203a is wet",
    "Failed kiln_fires [3ms]",
    "3/9 kiln ....***Timeout 0.1 s",
    "* bed 3 *** FAILURE ***",
    "sowing bed 3 ......FAILED",
    "Executing the specs in 'kiln' failed.",
    "Failed assertion: bed is wet",
    "broken example #3",
    '\u2718 Test "bed is wet" failed after 0.001 seconds',
    "Scenario 'bed is wet' failed (3 ms)",
    "Spec [kiln] errored",
    "Test waters() crashed",
    "kiln.fires ... ERROR",
    "bed_test: FAIL",
    "bed is wet [FAIL]",
    "[FAIL] kiln.fires",
    "error: 'bed.test.is wet' failed: expected 3, found 2",
    "(3/5) bed/water.py:Bed.test_wet FAILED: 3 != 4",
    "bed is wet:          FAIL",
    "%%% bed_SUITE ==> is_wet: FAILED",
    "==> X kiln.BedSuite.is wet  0.055s kiln.CompareException: BedSuite:109",
]
#: Errors that no level tells.
ERRORS = [
    "zsh: command not found: sow",
    "/bin/sh: 3: sow: not found",
    "run/build.sh: line 5: npm: command not found",
    "Cannot find module 'bed'",
    "could not resolve dependency bed",
    "Precondition failed: bed.wet",
    "invariant violated",
    "No compatible version found: bed",
    "[!] No matching provisioning profiles found and can not create a new one",
    "An exception occurred while sowing",
    "K0301: [dry-bed] bed 3",
    "Files would be reformatted: bed.kt",
    "[\u2717] bed.md: link 3",
    "Coverage for lines (71%) does not meet the threshold (90%)",
    "\u2503 error: no bed",
    "Error loading bed.so",
    "Error fetching seeds from shed",
    "Failure/Error: expect(bed).to be_wet",
    "1.  AssertionError   bed 3 is wet",
]
#: Lines that locate a fault, and tell of it if nothing better does.
WEAK = [
    "bed.py:3:1: K301 bed 3",
    "\u274c  /git/Net/Client.swift:48:31: value of type 'Session' has no member 'sow'",
    "Bedfile:3 KL3006 bed 3",
    "^-----^ KC2086 (info): bed 3",
    "KRN501 Bed 3",
]
#: Sentences of a failure that tell of it if nothing better does.
WORDS = [
    "- bed 3 is in the plan as 1.0, but that does not satisfy your constraint",
    "section `soil' won't fit in bed 3",
    "bed 3 overflowed by 9112 bytes",
]

#: Lines, and whether they are errors.
LEVELS = {
    "Fatal Python error: Segmentation fault": True,
    "object.Exception@source/bed.d(12): bed 3 is wet": True,
    "?ASlink-Error-Could not get 200 consecutive bytes in internal RAM": True,
    "?ASlink-Warning-Undefined Global '_bed' referenced by module 'main'": False,
    "%LINK-F-OPENIN, error opening bed.obj as input": True,
    "tests/test_x.py ...Fatal Python error: Aborted": True,
    "May  1 10:00:00 h kernel: Out of memory: Killed process 12 (java)": True,
    "May  1 10:00:00 h kernel: java[12]: segfault at 0 ip 00007f error 4 in libjvm.so": True,
    "May  1 10:00:00 h kernel: Oops: 0002 [#1] SMP": True,
    "May  1 10:00:00 h systemd[1]: a.service: Failed with result 'timeout'.": True,
    "signal: killed": True,
    "#  SIGSEGV (0xb) at pc=0x00007f1d880007f0, pid=8233, tid=0x00007f1d7fd8e700": True,
    "Received signal 11 SEGV_MAPERR 000000000000": True,
    "Caught signal 11 (Segmentation fault: address not mapped)": True,
    "Program received signal SIGABRT, Aborted.": True,
    "Fatal error. System.AccessViolationException: no": True,
    "A fatal error was encountered.": True,
    "received SIGTERM, stopping": False,
    "installing a handler of SIGSEGV": False,
    "Segmentation fault (core dumped)": True,
    "Aborted": True,
    "*** stack smashing detected ***: terminated": True,
    "double free or corruption (out)": True,
    "terminate called after throwing an instance of 'std::runtime_error'": True,
    "a.c:3:9: runtime error: signed integer overflow: 2 + 2": True,
    "SUMMARY: ThreadSanitizer: data race a.c:3": True,
    "==12== Invalid read of size 4": True,
    "# A fatal error has been detected by the Java Runtime Environment:": True,
    "/usr/bin/ld: a.o: in function `main': a.c:3: undefined reference to `b'": True,
    "collect2: error: ld returned 1 exit status": True,
    "CRASH REPORT Process <0.1.0> with 0 neighbours crashed": True,
    "lua: a.lua:3: attempt to index a nil value (global 'b')": True,
    "PHP Fatal error:  Uncaught TypeError: no": True,
    "thread 'main' panicked at src/main.rs:3:5:": True,
    "/usr/bin/ld: a.o:(.bss+0x10): multiple definition of `b'; c.o: first defined here": True,
    "/usr/bin/sow: cd: line 3: can't cd to beds": True,
    "./sow.sh: line 3: BED: unbound variable": True,
    "./sow.sh: line 31:   412 Terminated              sow": False,
    "sow.sh: line 3: warning: here-document at line 1 delimited by end-of-file": False,
    "Unhandled Exception: System.InvalidOperationException: no": True,
    "a.rb:3:in `b': undefined method `c' (NoMethodError)": True,
    "test err::error::plain ... FAILED": True,
    "test err::error::unary ... ok": False,
    "test err::fatal::b ... ignored": False,
    "test failed::failure ... ok": False,
    "not ok 2 - x # TODO later": False,
    "May  1 10:00:00 h kernel: panic=30 is set": False,
    "error: 0, warning: 0": False,
    "reading sources... [ 50%] errors": False,
    "  --fatal-warnings   exit with an error on the first warning": False,
    "segfault handler installed": False,
    "signals.c compiled": False,
}


@pytest.fixture(scope="module")
def told_by(renderer):
    def told_by(*lines):
        log = "".join(line + "\n" for line in lines).encode()
        return answered(renderer, [log], Wanted("summary"))[0]

    return told_by


@pytest.mark.parametrize("last", FAILED)
def test_a_sentence_of_failure_at_the_end_fails_the_log(told_by, last):
    summary = told_by(*WORK, "bed 3 is dry", last)
    assert summary["failed"]
    assert not summary["passed"]
    assert summary["cause"]


@pytest.mark.parametrize("last", PASSED)
def test_a_sentence_of_success_at_the_end_passes_the_log(told_by, last):
    summary = told_by(*WORK, last)
    assert summary["passed"]
    assert not summary["failed"]
    assert summary["cause"] is None or summary["cause"]["why"] == "end"


@pytest.mark.parametrize("last", NEITHER)
def test_a_sentence_that_tells_of_no_failure_fails_nothing(told_by, last):
    assert not told_by(*WORK, last)["failed"]


@pytest.mark.parametrize("heading", HEADINGS)
def test_below_a_heading_is_the_first_failed_test(told_by, heading):
    cause = told_by(*WORK, heading, "kiln::fires", "", *WORK)["cause"]
    assert (cause["line"], cause["why"]) == (5, "test")


@pytest.mark.parametrize("test", TESTS)
def test_the_first_failed_test_is_the_cause(told_by, test):
    cause = told_by(*WORK, test, "    wanted 3, got 4", "", *WORK)["cause"]
    assert (cause["line"], cause["why"]) == (4, "test")


@pytest.mark.parametrize("error", ERRORS)
def test_a_sentence_of_an_error_is_the_cause(told_by, error):
    cause = told_by(*WORK, error, *WORK, "Job failed")["cause"]
    assert (cause["line"], cause["why"]) == (4, "severity")


@pytest.mark.parametrize("weak", WEAK)
def test_a_line_that_locates_a_fault_is_the_cause(told_by, weak):
    cause = told_by(*WORK, weak, *WORK, "Job failed")["cause"]
    assert (cause["line"], cause["why"]) == (4, "failed step")


@pytest.mark.parametrize("word", WORDS)
def test_a_sentence_of_a_failure_is_the_cause_and_the_name_of_a_file_is_none(told_by, word):
    cause = told_by(*WORK, word, "  - errors.md", "fail/bed", *WORK, "Job failed")["cause"]
    assert (cause["line"], cause["last"], cause["why"]) == (4, 4, "failed step")


@pytest.mark.parametrize("name", NAMES)
def test_an_error_that_only_names_what_failed_gives_way_to_the_one_behind_it(told_by, name):
    assert told_by(*WORK, name, *WORK, "Job failed")["cause"]["line"] == 4
    told = ["soil.kl:3:1: error: no soil", "error: no bed"]
    cause = told_by(*WORK, name, name, "sow -o soil.o", *told, "Job failed")["cause"]
    assert (cause["line"], cause["last"]) == (7, 8)
    assert told_by(*WORK, *told, name, "Job failed")["cause"]["line"] == 4
    assert told_by(*WORK, name, *WORK * 9, *told, "Job failed")["cause"]["line"] == 32


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_sentence_without_a_reason_gives_way_to_one_with_it(told_by, outcome):
    summary = told_by(*WORK, "bed 3 cannot be sown", "bed 4: sown", outcome)
    assert summary["failed"]
    assert summary["cause"]["line"] == 4


@pytest.mark.parametrize(
    "killed", ["command terminated with exit code 137", "Exited with code exit status 143"]
)
def test_what_a_signal_stopped_is_the_cause_if_nothing_else_tells(told_by, killed):
    assert told_by(*WORK, killed)["cause"]["line"] == 4
    assert told_by(*WORK, "ERROR: bed 3 is dry", killed)["cause"]["line"] == 4


@pytest.mark.parametrize(("line", "is_error"), LEVELS.items())
def test_levels_follow_the_content(renderer, line, is_error):
    rows = b"".join(renderer([line.encode() + b"\n"], Wanted("jsonl")))
    severity = json.loads(rows.split(b"\n")[0])["severity"]
    assert (severity in {"ERROR", "CRITICAL"}) == is_error


def test_a_sign_with_a_duration_alone_names_no_failed_test(renderer):
    lines = ["kiln: error: cannot repair the lid", " \u2715 0.96s", *WORK]
    log = "".join(f"{line}\n" for line in lines).encode()
    found, _ = answered(renderer, [log], Wanted("summary", written=1.4e9))
    assert (found["cause"]["line"], found["cause"]["why"]) == (1, "severity")
