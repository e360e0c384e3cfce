# SPDX-License-Identifier: Apache-2.0
"""Which line of a log a summary shows as its cause, for each convention of tools."""

import pytest

from oslogserve.lines.fingerprints import fingerprints
from oslogserve.lines.selection import Selection, Wanted
from tests.kit.marked import MARKED
from tests.kit.renderers import answered
from tests.reference.grammar import compiled, table

#: Bytes of a line that are read, and of what is behind its time; lines of which a step keeps the last;
#: lines that end a group of errors; lines of a paragraph and of a report; lines behind an outcome that
#: show that it was survived.
REACH, LONGEST, RING, GAP, PARAGRAPH, REPORT, SURVIVED = 4096, 400, 64, 20, 12, 40, 400
OUTCOME_REACH, LAST_WORDS = 100, 10

TRAVIS_STEP = b"travis_time:start:0a1b2c3d\r\x1b[0K$ make %b"
TRAVIS_FAILED = b'The command "make %b" exited with 1.'
TRAVIS_PASSED = b'The command "make %b" exited with 0.'


@pytest.fixture(scope="module")
def found_in(renderer):
    """(the line of the cause, why; whether the log failed); None for no cause."""

    def found_in(*lines, **asked):
        log = b"".join(line + b"\n" for line in lines)
        summary, _ = answered(renderer, [log], Wanted("summary", Selection(**asked), 1.4e9))
        cause = summary["cause"]
        return cause and (cause["line"], cause["why"]), summary["failed"]

    return found_in


#: The marks and patterns of all rules, in the order in which they are tried.
RULES = [
    *((mark, row[1]) for mark, rows in table("marks.toml").items() for row in rows),
    *(("chapter", row["line"]) for row in table("chapters.toml")["chapters"]),
]
CAUSES = table("causes.toml")
PIECES = CAUSES["pieces"] | {"frame": f"(?:{CAUSES['marks']['frame']})*"}
CHAPTERS = len(table("chapters.toml")["chapters"])
#: Beginnings of patterns that may begin with any byte.
ANY = (".", r"\S", r"(?:\S", r"\w", r"[\w", "{frame}")


def test_each_row_is_the_first_that_matches_some_line():
    lines = [line.lstrip() for lines in MARKED.values() for line in lines]
    for rules in RULES[:-CHAPTERS], RULES[-CHAPTERS:]:
        patterns = [compiled(pattern, PIECES) for _, pattern in rules]
        firsts = {next((one for one in patterns if one.match(line)), None) for line in lines}
        assert not [one.pattern for one in patterns if one not in firsts]


@pytest.mark.parametrize("mark", MARKED)
def test_the_first_rule_that_matches_a_line_gives_its_mark(mark):
    for line in (line.lstrip() for line in MARKED[mark]):
        first, pattern = next(one for one in RULES if compiled(one[1], PIECES).match(line))
        assert first == mark, line
        is_hinted = any(hint.encode() in line for hint in CAUSES["marks"]["hints"])
        assert is_hinted or not pattern.startswith(ANY), line


@pytest.mark.parametrize(
    ("lines", "line", "why"),
    [
        ((b"a", b"ERROR: no b", b"c"), 2, "severity"),
        (
            (b"ERROR: too early", *[b"x"] * 30, b"ERROR: too late", b"ERROR: still later"),
            32,
            "severity",
        ),
        ((b"ERROR: no x", b"FAIL: test_it (tests.TestIt)", b"ERROR: no y"), 2, "test"),
        ((b"No Rakefile found", b"make: *** [all] Error 1"), 1, "failed step"),
        ((b"README.md:2180: Line longer than 80 characters", b"FAILED"), 1, "failed step"),
        ((b"cp: cannot stat 'a': No such file or directory", b"FAILED"), 1, "failed step"),
        ((b"file.py:76:1: W291 trailing whitespace", b"FAILED"), 1, "failed step"),
        ((b"file.py:76:1: E305 expected 2 blank lines", b"FAILED"), 1, "severity"),
        ((b"one", b"", b"two", b"three", b"FAILED"), 3, "end"),
        ((b"Failures:", b"", b"  1) it works", b"ERROR: no x"), 3, "test"),
        ((b"  1 failing", b"", b"  1) ", b"       it:", b"         works"), 4, "test"),
        ((b"rake aborted!", b"No such task"), 2, "severity"),
        ((b"  1) it works", b"     no", b"5 examples, 1 failure"), 1, "test"),
        ((b"  1) to do", b"ERROR: no x", b"FAILED"), 2, "severity"),
        ((b"--- FAIL: TestA", b"    --- PASS: TestA/a", b"    --- FAIL: TestA/b"), 3, "test"),
        ((b"--- FAIL: TestA", b"--- FAIL: TestB", b"    --- FAIL: TestB/b"), 1, "test"),
        ((b"Traceback (most recent call last):", b"  File a", b"ValueError: b"), 3, "severity"),
        (
            (b"ok 1 - handles an ERROR: x", b"+ echo ERROR: x", b"no such b", b"FAILED"),
            3,
            "failed step",
        ),
    ],
)
def test_the_line_that_tells_why_is_the_cause(found_in, lines, line, why):
    assert found_in(*lines)[0] == (line, why)


@pytest.mark.parametrize(
    "outcome",
    [
        *(b"3 failed, 117 passed", b"make: *** [all] Error 2", b"npm ERR! Test failed"),
        *(
            b"[INFO] BUILD FAILURE",
            b"Finished: FAILURE",
            b"##[error]Process completed with exit code 1.",
        ),
        *(TRAVIS_FAILED % b"b", b"[Zuul] Task exit code: 1"),
    ],
)
def test_an_outcome_is_no_cause(found_in, outcome):
    assert found_in(b"a", b"Unable to find b", outcome) == ((2, "failed step"), True)


NPM = [b"npm error code E404", b"npm error 404 Not Found - GET https://r/a", b"npm error"]


@pytest.mark.parametrize(
    "above",
    [
        [b"##[group]Run npm ci", b"##[endgroup]"],
        [b"Step 2/3 : RUN npm ci", b" ---> Running in 123456789abc"],
        [b"[Pipeline] sh", b"+ npm ci", b"npm warn deprecated a@1.0.6: Do not use it."],
    ],
)
def test_what_npm_itself_refuses_is_the_cause(cause_of, above):
    cause = cause_of(*above, *NPM, b"npm error A complete log of this run can be found in: /a")
    assert (cause["line"], cause["last"]) == (len(above) + 1, len(above) + 4)


def test_what_npm_says_of_a_script_that_failed_is_no_cause(found_in):
    failed = [b"no such a", b"npm ERR! code ELIFECYCLE", b"npm ERR! errno 1"]
    assert found_in(*failed) == ((1, "failed step"), True)


BUILDKIT = [
    b"#5 [builder 2/4] RUN make",
    b"#5 0.912 compiling",
    b"%b",
    b"#5 1.201 make: *** [all] Error 2",
    b'#5 ERROR: process "/bin/sh -c make" did not complete successfully: exit code: 2',
    b"------",
    b" > [builder 2/4] RUN make:",
    b"1.200 error: no a",
    b"------",
    b'ERROR: failed to solve: process "/bin/sh -c make" did not complete: exit code: 2',
]


@pytest.mark.parametrize(
    "error", [b"error: no a", b"error[E0308]: mismatched types", b"error TS2322: no number"]
)
def test_the_error_of_a_build_step_is_read_behind_the_number_of_the_step(cause_of, error):
    cause = cause_of(*(line.replace(b"%b", b"#5 1.200 " + error) for line in BUILDKIT))
    assert (cause["line"], cause["last"]) == (3, 3)


def test_an_image_that_is_not_found_fails_its_build(found_in):
    failed = b"ERROR: failed to solve: a:1: failed to resolve source metadata: not found"
    heading = b" > [internal] load metadata for docker.io/library/a:1:"
    named = [b"#3 [internal] load metadata", b"#3 ERROR: docker.io/library/a:1: not found"]
    assert found_in(*named, b"------", heading, b"------", failed) == ((2, "severity"), True)
    assert found_in(b"FROM a:1", failed) == ((2, "severity"), True)


def test_what_gradle_says_went_wrong_is_the_cause(found_in):
    failure = [b"FAILURE: Build failed with an exception.", b"", b"* What went wrong:"]
    tips = [b"", b"* Try:", b"> Run with --stacktrace option", b"", b"BUILD FAILED in 3s"]
    task = b"Execution failed for task ':a'."
    assert found_in(*failure, task, b"> Could not find a:b:1.", *tips) == ((5, "severity"), True)
    assert found_in(*failure, b"> Could not find a:b:1.", *tips) == ((4, "severity"), True)
    compiled = b"> Compilation failed; see the compiler error output for details."
    error = [b"A.java:3: error: no a", *[b""] * 30]
    assert found_in(*error, *failure, task, compiled, *tips) == ((1, "severity"), True)


@pytest.mark.parametrize(
    ("report", "last"),
    [
        (
            [
                *(b"=== FAILURES ===", b"____ test_div ____", b"", b"    def test_div():"),
                *(b">       assert 1 == 2", b"E       assert 1 == 2", b""),
                *(b"a.py:9: AssertionError", b"=== short test summary info ==="),
                *(b"FAILED a.py::test_div", b"=== 1 failed in 0.12s ==="),
            ],
            8,
        ),
        (
            [
                *(b"failures:", b"", b"---- b stdout ----"),
                *(b"thread 'b' panicked at src/lib.rs:5:9:", b"  left: 1", b" right: 2", b""),
                *(b"", b"failures:", b"    b", b"test result: FAILED. 1 passed; 1 failed"),
            ],
            6,
        ),
        (
            [
                *(b"  1) a.spec.ts:3:1 a", b"", b"    Error: no a", b"", b"    Expected: 1", b""),
                b"  1 failed",
            ],
            5,
        ),
        (
            [b"--- FAIL: TestB (0.00s)", b"    b_test.go:12: got 3", b"=== RUN   TestC", b"x"],
            2,
        ),
    ],
)
def test_the_report_of_a_failed_test_goes_on_to_its_error(cause_of, report, last):
    assert cause_of(*report)["last"] == last


@pytest.mark.parametrize(
    "reason",
    [
        b'ERROR: Job failed: failed to pull image "a:b": manifest for a:b not found',
        b"ERROR: Job failed (system failure): prepare environment: exit status 1",
    ],
)
def test_a_verdict_of_gitlab_that_tells_why_is_the_cause(found_in, reason):
    warning = b'WARNING: Failed to pull image with policy "always": no a'
    assert found_in(b"Using Docker executor", warning, reason) == ((3, "severity"), True)


def test_an_upload_behind_a_failed_script_of_gitlab_is_no_cause(found_in):
    script = [b'Executing "step_script" stage', b"Could not connect to a"]
    upload = [b"Uploading artifacts for failed job", b"ERROR: No files to upload"]
    verdict = b"ERROR: Job failed: exit code 1"
    assert found_in(*script, *upload, verdict) == ((2, "failed step"), True)
    after = [b"Running after_script", b"ERROR: no a", b"Uploading artifacts for successful job"]
    assert found_in(*script, *after, b"FATAL: too large", verdict) == ((6, "severity"), True)


@pytest.mark.parametrize(
    "finding",
    [
        b"     ^--^ SC2086 (info): Double quote to prevent globbing.",
        b"Dockerfile:3 DL3008 warning: Pin versions in apt get install.",
        b"F821 Undefined name `x`",
    ],
)
def test_what_a_linter_found_is_the_cause(found_in, finding):
    above = [b"In run.sh line 3:", b"echo $a", finding]
    below = [b"", b"For more information:", b"  https://example.org/a"]
    assert found_in(*above, *below, TRAVIS_FAILED % b"a") == ((3, "failed step"), True)


def test_lines_above_a_failed_test_of_go_that_say_where_belong_to_it(cause_of):
    located = [b"    b_test.go:12: got 3, want 4", b"    b_test.go:13: no a"]
    cause = cause_of(b"=== RUN   TestB", *located, b"--- FAIL: TestB (0.00s)", b"FAIL")
    assert (cause["line"], cause["last"]) == (2, 4)


def test_the_deeper_of_two_failed_tests_is_the_cause_behind_times_too(cause_of):
    log = [
        b"--- FAIL: TestA (0.00s)",
        b"    --- FAIL: TestA/b (0.00s)",
        b"        a_test.go:9: no b",
    ]
    for before in (b"", b"2024-03-04T05:06:07.1234567Z ", b"2024-03-04 05:06:07.123456 | node | "):
        cause = cause_of(*(before + line for line in log), before + b"FAIL")
        assert (cause["line"], cause["last"]) == (2, 3), before


@pytest.mark.parametrize(
    "error",
    [b"./a.sh: line 3: restorecon: command not found", b"Error: no a in the middle"],
)
def test_an_error_that_the_log_survives_for_long_is_not_the_cause_of_an_error_at_its_end(
    found_in, error
):
    end = b"cp: cannot stat '/boot/vmlinuz': No such file or directory"
    number = SURVIVED + 2
    assert found_in(error, *numbered(b"a", SURVIVED), end)[0] == (number, "failed step")
    assert found_in(error, *numbered(b"a", SURVIVED - 1), end)[0] == (1, "severity")
    assert found_in(error, *numbered(b"a", SURVIVED), end, b"b")[0] == (1, "severity")
    verdict = b"FAILED"
    assert found_in(error, *numbered(b"a", SURVIVED), b"b", verdict)[0] == (1, "severity")


def test_the_error_of_a_scriptlet_that_the_package_manager_survives_is_no_cause(found_in):
    survived = [
        b"/var/tmp/rpm-tmp.x1: line 3: restorecon: command not found",
        b"warning: %posttrans(kernel-core-5.14) scriptlet failed, exit status 127",
    ]
    assert found_in(*survived, *numbered(b"a", 30))[0][1] == "end"
    failed = b"error: %pre(a-1) scriptlet failed, exit status 127"
    assert found_in(b"a", b"", survived[0], failed)[0] == (3, "end")


def test_errors_of_steps_that_passed_do_not_count(found_in):
    passed = [TRAVIS_STEP % b"a", b"ERROR: provoked", TRAVIS_PASSED % b"a"]
    failed = [TRAVIS_STEP % b"b", b"cannot do b", TRAVIS_FAILED % b"b"]
    assert found_in(*passed, *failed, b"ERROR: still later") == ((5, "failed step"), True)
    assert found_in(*passed, *passed) == ((6, "end"), False)


def test_an_ignored_failure_does_not_count(found_in):
    log = [b"TASK [a]", b"fatal: [host]: FAILED! => {}", b"...ignoring", b"TASK [b]", b"ok: [host]"]
    assert found_in(*log) == ((5, "end"), False)


def test_without_a_verdict_the_step_that_shows_most_has_the_cause(found_in):
    steps = [b"TASK [a]", b"ERROR: no a", b"TASK [b]", b"not ok 1 - b", b"TASK [c]", b"ERROR: no c"]
    assert found_in(*steps) == ((4, "test"), False)


@pytest.mark.parametrize(
    "failed",
    [
        [b"3 errors", b"exited with code 1"],
        [b"npm ERR! code ETIMEDOUT"],
        [b"FAIL: test_it", b"why"],
        [b"\xc3\x97 Building wheel for a did not run successfully."],
    ],
)
def test_a_log_whose_last_outcome_says_that_all_went_well_did_not_fail(found_in, failed):
    assert found_in(*failed, b"", b"BUILD SUCCESS", b"bye") == ((len(failed) + 2, "end"), False)
    assert found_in(*failed, b"trying again", b"bye")[1]
    assert found_in(b"BUILD SUCCESS", *failed, b"bye")[1]


def test_an_error_behind_a_success_is_a_cause(found_in):
    log = [b"exited with code 1", b"BUILD SUCCESS", b"ERROR: no a"]
    assert found_in(*log) == ((3, "severity"), False)


def test_a_success_is_no_part_of_a_failed_tests_report(cause_of):
    verdict = TRAVIS_FAILED % b"a"
    cause = cause_of(b"FAIL: test_it", b"why", b"12 examples, 0 failures", b"bye", verdict)
    assert (cause["line"], cause["last"]) == (1, 2)


def test_a_log_that_goes_on_behind_a_failed_task_did_not_fail(found_in):
    rescued = [b"TASK [a]", b"fatal: [host]: FAILED! => {}", b"TASK [go back]", b"changed: [host]"]
    recap = b"host : ok=3 changed=1 unreachable=0 failed=%d skipped=0 rescued=1"
    assert found_in(*rescued, b"PLAY RECAP ***", recap % 0) == ((4, "end"), False)
    said = [b"TASK [b]", b"ERROR: no b", b"make: *** [b] Error 1", b"ok: [host]"]
    assert not found_in(*said, b"PLAY RECAP ***", recap % 0)[1]
    assert found_in(*said, b"PLAY RECAP ***", recap % 1, recap % 0)[1]
    assert found_in(*rescued, b"PLAY RECAP ***", recap % 1) == ((2, "severity"), True)
    cleaned = [b"PLAY [clean up]", b"TASK [b]", b"ok: [host]", b"PLAY RECAP ***", recap % 0]
    assert found_in(*rescued, b"PLAY RECAP ***", recap % 1, *cleaned) == ((2, "severity"), True)


def test_a_log_that_ends_with_a_task_of_ansible_that_failed_has_failed(found_in):
    task = [b"TASK [a]", b'fatal: [host]: FAILED! => {"msg": "no route"}']
    assert found_in(*task) == ((2, "severity"), True)
    assert found_in(*task, b"...ignoring") == ((3, "end"), False)


def test_a_numbered_list_is_no_failed_test(found_in):
    assert found_in(b"1) install it", b"2) start it", b"bye") == ((1, "end"), False)
    assert found_in(b"1) a: adds", b"why", b"1 failing") == ((1, "test"), True)


def test_a_step_that_was_stopped_is_its_own_cause(found_in):
    log = [TRAVIS_STEP % b"a", b"ERROR: no x", b'The command "make" exited with 124.']
    assert found_in(*log) == ((3, "severity"), True)


def numbered(text, count):
    """So many lines that tell nothing."""
    return [b"%b %d" % (text, number) for number in range(count)]


@pytest.mark.parametrize(
    "outcome",
    [
        b"%post(a-1.x86_64) scriptlet failed, exit status 127",
        b"make: *** [all] Error 2",
        b"Exited with code 1",
    ],
)
def test_an_outcome_that_the_log_survives_for_long_decides_nothing(found_in, outcome):
    above, below = numbered(b"installing", 147), numbered(b"installing", 2920)
    told = b"cp: cannot stat '/tmp/a': No such file or directory"
    cleaning = numbered(b"+ umount", 11)
    assert found_in(*above, outcome, *below, told, *cleaning) == ((3069, "end"), False)
    assert found_in(*above, outcome, *below, b"", b"done", b"bye") == ((3070, "end"), False)
    assert found_in(*above, outcome, *below, told, b"FAILED") == ((3069, "failed step"), True)
    assert found_in(b"no such a", outcome, *[b"x"] * SURVIVED)[0] == (1, "failed step")
    end = (SURVIVED + 3 - PARAGRAPH, "end")
    assert found_in(b"no such a", outcome, *[b"x"] * (SURVIVED + 1)) == (end, False)


def test_a_log_that_goes_on_for_long_behind_its_last_outcome_did_not_fail(found_in):
    failed = [b"no such a", b"make: *** [all] Error 2"]
    assert found_in(*failed, *[b"x"] * OUTCOME_REACH)[1]
    assert not found_in(*failed, *[b"x"] * (OUTCOME_REACH + 1))[1]
    crashed = b"tar: a: No space left on device"
    goes_on = [b"", *[b"x"] * OUTCOME_REACH]
    assert found_in(crashed, *goes_on[:-1])[1]
    assert found_in(crashed, *goes_on) == ((1, "severity"), False)
    verdict = [b"no such a", b"Exited with code 1"]
    assert found_in(*verdict, *[b"x"] * SURVIVED)[1]


def test_an_outcome_alone_is_a_failure_in_the_last_lines(found_in):
    said = [b"copying a", b"26 remembered (13 failed), 0 before"]
    assert found_in(*said, *[b"x"] * LAST_WORDS)[1]
    assert not found_in(*said, *[b"x"] * (LAST_WORDS + 1))[1]


@pytest.mark.parametrize(
    "said",
    [
        [b"2026-03-04 18:22:11.000 1 ERROR worker [-] job 7: make exited with code 1"],
        [b"FAIL: test_it", b"2026-03-04 18:22:11.000 1 ERROR worker [-] it broke"],
    ],
)
def test_what_a_service_survives_is_no_failure(found_in, said):
    goes_on = [b"2026-03-04 18:22:12.000 1 INFO worker [-] job %d" % n for n in range(50)]
    assert found_in(*goes_on, *said)[1]
    assert not found_in(*goes_on, *said, *goes_on)[1]
    assert not found_in(*goes_on, *said, *goes_on, *said)[1]
    goes_on = [b"INFO:worker.jobs:job %d" % n for n in range(50)]
    assert not found_in(*goes_on, *said, *goes_on, *said)[1]
    no_record = [b"running job 8"] * 50
    assert found_in(*no_record, *said, *no_record, *said)[1]


@pytest.mark.parametrize(
    "heading",
    [b"Error: Turbopack build failed with 1 errors:", b"Deploy FAILED due to the following:"],
)
def test_an_outcome_that_ends_with_a_colon_announces_the_cause(found_in, heading):
    log = b"> build", b"", heading, b"./src/page.tsx:16:1", b"A string cannot be imported."
    assert found_in(*log, b"", b"exited with code 1") == ((4, "severity"), True)


def test_a_numbered_test_that_failed_comes_before_a_list_that_names_it(found_in):
    report = b"[2/9] css/gap.html failed unexpectedly (text diff)", b'-FAIL expected "12px"'
    rest = [b"[%d/9] css/flex.html passed" % number for number in range(3, 10)]
    listed = b"", b"Failed test paths (1):", b"css/gap.html", b"exited with status 1"
    assert found_in(b"[1/9] css/a.html passed", *report, *rest, *listed) == ((2, "test"), True)


def test_a_warning_announces_no_failure(found_in):
    warning = b"warning: %post(a-1.x86_64) scriptlet failed, exit status 127"
    assert found_in(b"a", warning, b"b", b"", b"done") == ((5, "end"), False)


def test_a_verdict_of_its_tool_stands_whatever_follows(found_in):
    failed = [TRAVIS_STEP % b"a", b"cannot do a", TRAVIS_FAILED % b"a"]
    assert found_in(*failed, *[b"x"] * (2 * SURVIVED)) == ((2, "failed step"), True)
    failed = [b"cannot do a", b"script returned exit code 1", b"Finished: FAILURE"]
    assert found_in(*failed, *[b"x"] * (2 * SURVIVED)) == ((1, "failed step"), True)


def test_after_an_outcome_that_was_survived_the_next_one_counts(found_in):
    first = [b"cannot do a", b"1 error", *[b"x"] * (SURVIVED + 1)]
    second = [b"cannot do b", b"make: *** [b] Error 1"]
    assert found_in(*first, *second) == ((SURVIVED + 4, "failed step"), True)
    assert found_in(*first[:-3], *second) == ((1, "failed step"), True)


@pytest.mark.parametrize(
    "counts",
    [
        b"[WARNING] Tests run: 5, Failures: 0, Errors: 0, Skipped: 1",
        b"Tests run: 5, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 1.2 s",
        b"Tests: 5, Assertions: 9, Skipped: 1.",
    ],
)
def test_counts_of_tests_that_passed_are_no_failure(found_in, counts):
    assert found_in(b"a", counts, b"b") == ((1, "end"), False)
    failed = counts.replace(b"Failures: 0", b"Failures: 1").replace(b"Skipped: 1.", b"Errors: 1.")
    assert found_in(b"a", failed.replace(b"WARNING", b"ERROR"), b"b")[1]


@pytest.mark.parametrize("between", [[], [b"TASK [rescue]", b"ok: [host]"]])
@pytest.mark.parametrize(
    "failed",
    [
        b'fatal: [host]: FAILED! => {"changed": false, "msg": "No package a"}',
        b'fatal: [host]: FAILED! => {"msg": "non-zero return code", "stderr": "no a"}',
    ],
)
@pytest.mark.parametrize(
    "recap",
    [
        b"host : ok=9 changed=3 unreachable=0 failed=1 skipped=0",
        b"host | ok: 9 changed: 3 unreachable: 0 failed: 1",
    ],
)
def test_a_failed_task_is_the_cause_and_not_the_recap_of_its_play(found_in, failed, between, recap):
    log = [b"PLAY [all]", b"TASK [a]", b"ok: [host]", b"TASK [b]", failed, *between]
    log += [*numbered(b"  some", 24), b"PLAY RECAP ****", recap]
    assert found_in(*log) == ((5, "severity"), True)
    log = [b"##[group]Run play", b"##[endgroup]", *log]
    log.append(b"##[error]Process completed with exit code 2.")
    assert found_in(*log) == ((7, "severity"), True)


@pytest.mark.parametrize("head", [b" n=ansible | ", b" n=ansible ERROR| ", b" |  "])
def test_ansibles_own_log_has_its_failed_task_as_the_cause(found_in, head):
    log = [
        b"PLAY [all] ***",
        b"",
        b"TASK [a] ***",
        b"fatal: [host]: FAILED! => {}",
        b"",
        b"PLAY RECAP ***",
    ]
    log.append(b"host : ok=2 changed=1 unreachable=0 failed=1 skipped=0")
    stamped = [b"2026-03-04 10:00:01,123 p=12345 u=root" + head + line for line in log]
    assert found_in(*stamped) == ((4, "severity"), True)


def test_the_output_of_a_failed_task_tells_more_than_its_result(found_in):
    failed = b'fatal: [host]: FAILED! => {"msg": "non-zero return code"}'
    assert found_in(b"TASK [a]", b"no such b", failed) == ((2, "failed step"), True)
    assert found_in(b"TASK [a]", b"b", failed) == ((2, "end"), True)


@pytest.mark.parametrize(
    "log",
    [
        [b"Failures:", b"", b"  1) A cart adds", b"     Failure/Error: a", b"", b"  2) An order ships", b"     b", b"",
         b"2 examples, 2 failures", b"", b"Failed examples:", b"", b"rspec ./a.rb:1 # A cart adds", b"rspec ./a.rb:9 # An order ships"],
        [b"=== RUN   TestA", b"    a_test.go:9: no", b"--- FAIL: TestA (0.01s)", b"=== RUN   TestB", b"    b_test.go:9: no b",
         b"--- FAIL: TestB (0.01s)", b"", b"=== FAIL: a TestA (0.01s)", b"    a_test.go:9: no", b"", b"=== FAIL: a TestB (0.01s)",
         b"    b_test.go:9: no b"],
    ],
    ids=["rspec", "gotestsum"],
)  # fmt: skip
def test_a_recap_lists_no_failed_test_again(renderer, log):
    summary, _ = answered(renderer, [b"\n".join(log)], Wanted("summary", Selection(), 1.4e9))
    assert len(summary["other_failures"]) == 1


def test_a_failed_test_that_is_only_named_gives_way_to_an_error_that_names_it(renderer):
    log = b"""test pan::closes ... FAILED

failures:
    pan::closes

1 failed

thread 'pan::closes' panicked at src/lib.rs:1:9:
no lid

error: test run failed
"""
    summary, _ = answered(renderer, [log], Wanted("summary", Selection(), 1.4e9))
    cause = summary["cause"]
    assert (cause["line"], cause["why"]) == (8, "test")
    assert cause["told"] == [
        "pan::closes",
        "thread 'pan::closes' panicked at src/lib.rs:1:9:",
        "no lid",
    ]


@pytest.mark.parametrize("others", [[], [b"ok: [first]"], [b"ok: [first]", b"ok: [second]"]])
@pytest.mark.parametrize(
    "printed", [b"", b', "stderr": "no such b", "stdout": ""', b", 'stdout': 'no b'"]
)
def test_the_result_of_a_task_is_the_cause_and_not_the_hosts_that_it_is_ok_on(
    found_in, others, printed
):
    failed = b'fatal: [host]: FAILED! => {"msg": "non-zero return code"%b}' % printed
    recap = [b"PLAY RECAP ***", b"host : ok=1 changed=0 unreachable=0 failed=1 skipped=0"]
    assert found_in(b"TASK [a]", *others, failed, *recap) == ((2 + len(others), "severity"), True)


def test_output_in_the_result_of_a_task_tells_more_than_what_is_above_it(found_in):
    failed = b'fatal: [host]: FAILED! => {"msg": "non-zero return code", "stderr": "no such c"}'
    assert found_in(b"TASK [a]", b"no such b", failed) == ((3, "severity"), True)


@pytest.mark.parametrize("head", [b"", b"2026-03-04 10:00:01.123456 | "])
@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (
            [b"fatal: [a]: FAILED! => {", b'    "changed": false,', b'    "msg": "no b",', b"}"],
            ["fatal: [a]: FAILED! => {", '"msg": "no b",'],
        ),
        (
            [b"fatal: [a]: FAILED! => changed=true ", b"  msg: no b", b"  rc: 1", b"  stderr: ''", b"  cmd: c"],
            ["fatal: [a]: FAILED! => changed=true ", "msg: no b"],
        ),
        (
            [b"ERROR: no deployment", b"  code: 403", b"  message: quota exceeded", b"next: a", b"  reason: no"],
            ["ERROR: no deployment", "message: quota exceeded"],
        ),
        (
            [b"CMake Error at a.cmake:138 (message):", b"  Could NOT find b", b"  at c", b"Call Stack:"],
            ["CMake Error at a.cmake:138 (message):", "Could NOT find b"],
        ),
        (
            [b"thread 'main' panicked at src/main.rs:10:9:", b"no such lid", b"note: run again"],
            ["thread 'main' panicked at src/main.rs:10:9:", "no such lid"],
        ),
        (
            [b"NotFoundError: these are not there:", b"", b"  - b=3", b"", b"  see c"],
            ["NotFoundError: these are not there:", "- b=3"],
        ),
    ],
)  # fmt: skip
def test_what_an_error_announces_and_members_below_it_that_tell_why_are_told(
    renderer, head, lines, told
):
    log = b"".join(head + line + b"\n" for line in [b"TASK [a]", *lines, b"PLAY RECAP ***"])
    summary, _ = answered(renderer, [log], Wanted("summary", Selection(), 1.4e9))
    assert summary["cause"]["told"] == told


@pytest.mark.parametrize(
    "outcome",
    [
        b"ERROR: InvocationError: '/home/a/.tox/pep8/bin/flake8'",
        b"ERROR: InvocationError for command /a/bin/flake8 (exited with code 1)",
        b"pep8: exit 1 (0.93 seconds) /home/a> flake8 . pid=12",
        b"ERROR run: cmd failed. See logs at /var/log/a.log",
    ],
)
def test_what_only_says_that_a_command_failed_is_not_the_cause(found_in, outcome):
    told = b"./a.py:3:1: E305 expected 2 blank lines after class definition, found 1"
    summary = [b"_____ summary _____", b"ERROR:   pep8: commands failed"]
    assert found_in(told, *numbered(b"x", 30), outcome, *summary) == ((1, "severity"), True)
    assert found_in(b"no such a", b"x", outcome, *summary) == ((1, "failed step"), True)


def test_a_usage_text_is_not_the_cause(found_in):
    options = [b"  -x, --exitfirst  exits when a test fails", b"                   or an error"]
    usage = [b"Usage: run [options]", b"", b"Options:", *options * 9, b"", b"    no such option"]
    outcome = b"make: *** [test] Error 2"
    assert found_in(b"run: unrecognized option '-z'", *usage, outcome)[0] == (1, "failed step")
    assert found_in(b"run: no such option", *options[:1] * 30, outcome)[0] == (1, "failed step")
    log = [b"cannot a", *[b"x"] * 9, *usage, b"run: -x is missing", outcome]
    assert found_in(*log)[0] == (len(log) - 1, "failed step")


def test_a_recap_of_a_play_that_passed_is_no_failure(found_in):
    recap = [b"PLAY RECAP ****", b"host : ok=9 changed=3 unreachable=0 failed=0"]
    assert found_in(b"TASK [a]", b"ok: [host]", *recap) == ((2, "end"), False)


def test_a_cause_before_a_silent_step_that_failed_names_that_step(cause_of):
    earlier = [b"##[group]Run make", b"##[endgroup]", b"error: harmless"]
    failed = [b"##[group]Run ./check", b"./check", b"##[endgroup]"]
    verdict = b"##[error]Process completed with exit code 1."
    cause = cause_of(*earlier, *failed, verdict)
    assert (cause["line"], cause["silent_step"]) == (3, 4)
    assert "silent_step" not in cause_of(*earlier, *failed, b"no such a", verdict)


def test_a_silent_step_that_failed_shows_the_error_before_it(found_in):
    failed = [b"##[group]Run exit 1", b"exit 1", b"##[endgroup]"]
    verdict = b"##[error]Process completed with exit code 1."
    earlier = [b"##[group]Run make", b"##[endgroup]", b"fatal: no a", *[b"x"] * 50]
    assert found_in(*earlier, *failed, verdict) == ((3, "severity"), True)
    later = [*earlier, b"##[group]Run test", b"##[endgroup]", b"fatal: no b"]
    assert found_in(*later, *failed, verdict) == ((len(later), "severity"), True)
    failed.append(b"no such b")
    assert found_in(*earlier, *failed, verdict) == ((len(earlier) + 4, "failed step"), True)


def test_what_cleans_up_behind_a_failure_is_no_cause(found_in):
    log = [b"##[group]Run make", b"##[endgroup]", b"x", b"##[error]no a", b"Post job cleanup."]
    assert found_in(*log, *numbered(b"Cleaning up", 30), b"##[error]no b")[0] == (4, "severity")
    assert found_in(b"no such a", *log[4:], *numbered(b"Cleaning up", 30))[0] == (1, "end")


def test_a_verdict_on_the_whole_build_is_on_the_step_that_shows_most(found_in):
    build = [b"[Pipeline] { (Build)", b"+ make", b"cc: error: no a", b"make: *** [all] Error 1"]
    post = [b"[Pipeline] { (Declarative: Post Actions)", b"Recording test results"]
    for verdict in (b"ERROR: script returned exit code 2", b"Finished: FAILURE"):
        assert found_in(*build, *post, verdict) == ((3, "severity"), True)
    assert found_in(*post, b"no such a", b"Finished: FAILURE") == ((3, "failed step"), True)


def test_a_result_without_output_is_the_cause(found_in):
    before = b"2024-03-04 05:06:07.123456 | node | "
    result = [b"ERROR", b"{", b'  "msg": "No package a"', b"}"]
    log = [b"2024-03-04 05:06:07.123456 | TASK [a]", *(before + line for line in result)]
    assert found_in(*log) == ((2, "severity"), True)


def test_what_make_says_of_its_own_is_the_cause(found_in):
    told = b"make: *** No rule to make target 'a'.  Stop."
    assert found_in(b"x", told, b"y", b"FAILED") == ((2, "severity"), True)


def test_what_gitlab_does_behind_a_failed_script_is_no_cause(found_in):
    section = b"section_start:1772648533:%b\r\x1b[0K\x1b[0K\x1b[36;1m%b\x1b[0;m"
    after = [section % (b"after_script", b"Running after_script"), *numbered(b"clean", 30)]
    upload = section % (b"upload_artifacts_on_failure", b"Uploading artifacts for failed job")
    after += [upload, b"ERROR: No files to upload", b"ERROR: Job failed: exit code 1"]
    assert found_in(b"x", b"ERROR: no a", *after) == ((2, "severity"), True)
    after.remove(b"ERROR: No files to upload")
    assert found_in(b"x", b"no such a", *after) == ((2, "failed step"), True)


def test_a_step_that_took_too_long_is_stopped(found_in):
    stopped = b"##[error]The action 'Build' has timed out after 30 minutes."
    assert found_in(b"ERROR: no a", stopped, b"Post job cleanup.") == ((2, "severity"), True)


@pytest.mark.parametrize(
    "passed", [b"...ignoring", b"node | ok: Runtime: 0:00:01", b"node | ERROR: Ignoring Errors"]
)
def test_a_failed_command_of_a_task_that_passed_decides_nothing(found_in, passed):
    before = b"2024-03-04 05:06:07.123456 | "
    first = [b"TASK [a]", b"node | no such a", b"node | [Zuul] Task exit code: 1", passed, b""]
    second = [b"TASK [b]", b"node | no such b", b"node | [Zuul] Task exit code: 1", b"TASK [c]"]
    log = [before + line for line in (*first, *second, passed)]
    assert found_in(*log) == ((7, "failed step"), True)


def test_the_script_of_a_step_is_not_its_output(found_in):
    log = [b"##[group]Run make || echo failed", b"exit 1 # error", b"##[endgroup]"]
    output = [b"no such a", b"##[group]More", b"x", b"##[endgroup]"]
    assert found_in(*log, *output, b"##[error]Process completed with exit code 1.")[0][0] == 4
    assert found_in(*log, b"x", b"##[error]Process completed with exit code 1.")[0] == (4, "end")
    assert found_in(*log, b"##[error]Process completed with exit code 1.")[0] == (1, "end")


@pytest.mark.parametrize(
    "before",
    [
        b"2024-03-04T05:06:07.1234567Z ",
        b"\xef\xbb\xbf2024-03-04T05:06:07.1234567Z ",
        b"[2024-03-04T05:06:07.123Z] ",
        b"2024-03-04 05:06:07.123456 | ",
        b"2024-03-04 05:06:07.123456 | controller | ",
        b"2024-03-04 05:06:07.123456 | controller |   ",
        b"2024-03-04T05:06:07.1234567Z tests-1  | ",
        b"05:06:07 ",
        b"build\t12-May-2026 09:14:02\t",
        b"2024-03-04T05:06:07.1234567Z ==> builder.base: ",
        b"45%\r",
        b"\x1b[31m",
    ],
)
def test_a_line_is_read_behind_its_time(found_in, before):
    log = [b"TASK [a]", b"not ok 1 - a", b"[Zuul] Task exit code: 1", b"not ok 2"]
    assert found_in(*(before + line for line in log)) == ((2, "test"), True)


def test_the_result_of_a_task_of_zuul_is_no_cause(found_in):
    before = b"2024-03-04 05:06:07.123456 | controller | "
    result = (b"ERROR", b"{", b'  "msg": "non-zero return code",', b'  "rc": 1', b"}")
    tests = (b"smoke.test_a [1.2s] ... FAILED", b"smoke.test_b [0.2s] ... ok")
    report = (b"Failed 1 tests - output below:", b"smoke.test_a", b"Captured traceback:", b"~~~~")
    stack = (b"  Traceback (most recent call last):", b"", b'    File "a.py", line 1, in a', b"")
    raised = (b"  ValueError: no", b"")
    log = [before + line for line in (b"TASK [Test]", b"a.py:7:1: E305", *result)]
    assert found_in(*log) == ((2, "failed step"), True)
    log = [before + line for line in (b"TASK [Test]", *tests, *report, *stack, *raised, *result)]
    assert found_in(*log) == ((8, "test"), True)


@pytest.mark.parametrize(
    "last", [b"Finished: SUCCESS", b"Job succeeded", b"Done. Your build exited with 0."]
)
def test_a_log_that_says_that_it_passed_has_no_cause(found_in, last):
    assert found_in(b"ERROR: no x", last) == (None, False)
    assert found_in(b"ERROR: no x", last, b"", b"  ") == (None, False)
    assert found_in(last, b"ERROR: no x")[0] == (2, "severity")


def test_errors_alone_do_not_say_that_a_log_failed(found_in):
    assert found_in(b"a", b"ERROR: no b") == ((2, "severity"), False)
    assert found_in(b"a", b"ERROR: no b", b"make: *** [a] Error 1") == ((2, "severity"), True)
    assert found_in(b"a", b"FAIL: test_it (tests.TestIt)") == ((2, "test"), True)


def test_an_outcome_alone_is_the_end(found_in):
    info = b"2026-03-04 18:22:11.000 INFO a: b"
    assert found_in(info, b"make: *** [a] Error 1") == ((2, "end"), True)
    assert found_in(b"##[error]Process completed with exit code 1.") == ((1, "end"), True)


def test_lines_below_warning_are_its_end_at_most(found_in):
    info = b"2026-03-04 18:22:11.000 INFO a: 3 failed"
    assert found_in(info, info) == ((2, "end"), False)
    assert found_in(info, b"b", info) == ((2, "end"), False)


def test_a_log_without_a_failure_shows_its_end(found_in):
    assert found_in() == (None, False)
    assert found_in(b"a", b"", b"b", b"c") == ((3, "end"), False)
    assert found_in(b"", b"  ") == (None, False)


def test_a_cause_has_its_lines_its_time_and_a_bounded_text_without_colours(cause_of):
    line = b"\x1b[31m2024-03-04 05:06:08 not ok 1 " + b"x" * 900 + b"\r"
    found = cause_of(b"2024-03-04 05:06:07 x", line, b"  one", b"  two", b"", b"three")
    text = found.pop("text")
    assert text.startswith("2024-03-04 05:06:08 not ok 1 xxx")
    assert len(text) == 300
    assert found.pop("told")[1:] == ["one", "two"]
    assert {*found.pop("fingerprints")} == {"exact"}
    assert found == {"line": 2, "last": 4, "time": "2024-03-04T05:06:08", "why": "test"}


def test_what_is_held_is_bounded(found_in, cause_of):
    assert found_in(b"no such a", *[b"x"] * RING, b"FAILED")[0] == (RING - PARAGRAPH + 1, "end")
    assert cause_of(b"not ok 1", *[b"x"] * 99)["last"] == REPORT + 1
    apart = [b"ERROR: no a", *[b"x"] * (GAP - 1), b"ERROR: no b"]
    assert found_in(*apart)[0] == (1, "severity")
    assert found_in(*apart[:1], b"x", *apart[1:])[0] == (GAP + 2, "severity")
    assert found_in(b"x" * REACH + b"\rERROR", b"x" * LONGEST + b" error", b"y")[0] == (1, "end")


def test_the_name_of_a_level_alone_tells_nothing(found_in):
    assert found_in(b"  Error", b"    reads", b"ERROR: it broke", *[b"goes on"] * 5)[0] == (
        3,
        "severity",
    )


def test_the_exceptions_of_one_stack_are_one_cause_however_long_it_is(found_in, cause_of):
    calls = [b"\tat a.It.works(It.java:%d)" % number for number in range(2 * GAP)]
    stack = [b"ERROR: it broke", *calls, b"Caused by: a.DryException: bed 3", *calls[:2]]
    assert cause_of(*stack)["last"] == len(stack) - 2
    assert found_in(stack[0], *[b"goes on"] * 2 * GAP, *stack[-3:]) == (
        (2 * GAP + 2, "severity"),
        False,
    )


def test_a_log_that_ends_with_an_exception_below_its_stack_has_failed(found_in):
    stack = [b"Traceback (most recent call last):", b'  File "it.py", line 3, in it', b"    it()"]
    stack.append(b"ValueError: it broke")
    assert found_in(b"starts", *stack) == ((5, "severity"), True)
    assert found_in(b"starts", *stack, b"goes on") == ((5, "severity"), False)
    assert found_in(b"starts", stack[-1]) == ((2, "severity"), False)


def test_the_stack_of_a_failed_test_ends_with_its_exception(cause_of):
    heading = (b"Captured traceback:", b"~~~~", b"    Traceback (most recent call last):", b"")
    frames = (b'      File "a.py", line 1, in a', b"    raise ValueError('no')", b"")
    found = cause_of(*heading, *frames, b"    ValueError: no", b"x", b"Ran: 2 tests in 1 sec.")
    assert (found["line"], found["last"]) == (3, 8)
    assert cause_of(*heading, *[b"x"] * 99, b"    ValueError: no")["last"] == REPORT + 3


def test_the_name_above_a_stack_is_told_first(cause_of):
    name = b"smoke.test_a[id-1]"
    stack = (b"Captured traceback:", b"~~~~", b"Traceback (most recent call last):", b"no: no")
    found = cause_of(b"===", name, b"-" * len(name), b"", *stack)
    assert (found["line"], found["text"]) == (7, "Traceback (most recent call last):")
    assert found["told"] == [name.decode(), found["text"], "no: no"]
    assert cause_of(name, b"----", *stack)["told"] == found["told"][1:]
    assert cause_of(b"----", b"----", *stack)["told"] == found["told"][1:]


DOCTEST = (
    *(b"it_test.cpp:9:", b"TEST CASE:  it works", b""),
    b"it_test.cpp:12: ERROR: CHECK( it() == 7 ) is NOT correct!",
    *(b"  values: CHECK( 6 == 7 )", b"", b"=" * 79, b"[doctest] Status: FAILURE!"),
)
BOOST = (
    b"Running 2 test cases...",
    b'it_test.cpp(12): error: in "it/works": check it() == 7 has failed [6 != 7]',
    *(b"", b'*** 1 failure is detected in the test module "it"'),
)
KAOCHA = (
    *(b"[(F.)]", b"Randomized with --seed 7", b""),
    *(b"FAIL in it.core-test/it-works (core_test.clj:4)", b"Expected:", b"  7", b"Actual:", b"  6"),
    b"2 tests, 2 assertions, 1 failures.",
)


@pytest.mark.parametrize(
    ("lines", "line", "told"),
    [
        (DOCTEST, 4, (1, 3, 4)),
        (BOOST, 2, (1,)),
        (KAOCHA, 4, (3, 4, 5, 6, 7)),
    ],
)
def test_a_row_alone_tells_a_tools_failed_test_and_its_report(cause_of, lines, line, told):
    found = cause_of(*lines)
    assert (found["line"], found["why"]) == (line, "test")
    assert found["told"] == [lines[place].strip().decode() for place in told]


def test_all_messages_above_a_failed_test_of_go_are_told(cause_of):
    messages = (b"    a_test.go:7: ", b"        Error:  not equal", b"        actual: 404")
    found = cause_of(b"=== RUN   TestA", b"    free", *messages, b"--- FAIL: TestA (0.0s)")
    assert (found["line"], found["last"]) == (3, 6)
    assert found["told"][1:] == ["Error:  not equal", "actual: 404", "--- FAIL: TestA (0.0s)"]
    found = cause_of(b"=== RUN   TestA", b"    free", b"--- FAIL: TestA (0.0s)")
    assert found["told"] == ["--- FAIL: TestA (0.0s)"]
    subtest = (b"--- FAIL: TestA (0.0s)", b"    --- FAIL: TestA/one (0.0s)")
    found = cause_of(b"=== RUN   TestA/one", *messages, *subtest)
    assert (found["line"], found["last"]) == (6, 6)
    assert found["told"][::2] == ["--- FAIL: TestA/one (0.0s)", "Error:  not equal"]


def test_the_cause_is_of_the_lines_that_a_filter_leaves(found_in):
    log = [b"not ok 1", b"ERROR: no x", b"y"]
    assert found_in(*log, level="ERROR")[0] == (1, "test")
    assert found_in(*log, first=2)[0] == (2, "severity")
    assert found_in(*log, first=3) == ((3, "end"), False)


def test_a_cause_has_the_text_of_its_lines_and_their_fingerprints(cause_of):
    found = cause_of(
        b"step 1",
        b"2013-09-27 18:22:11.248 ERROR disk 12 is full",
        b"  between",
        b"\x1b[31mERROR: no volume\x1b[0m",
        b"step 2",
    )
    told = ["ERROR disk 12 is full", "ERROR: no volume"]
    assert (found["line"], found["last"], found["told"]) == (2, 4, told)
    assert found["fingerprints"] == fingerprints("severity", told) != {}


def test_of_a_cause_of_many_lines_the_first_are_told(cause_of):
    found = cause_of(*(b"2013-09-27 18:22:11.248 ERROR no %d" % number for number in range(100)))
    assert (found["line"], found["last"], len(found["told"])) == (1, 100, 40)
    assert (found["told"][0], found["told"][-1]) == ("ERROR no 0", "ERROR no 39")


def test_an_end_is_told_in_its_order(cause_of):
    found = cause_of(b"a", b"", b"b", b"c", b"d", b"")
    assert (found["why"], found["line"], found["last"]) == ("end", 3, 5)
    assert found["told"] == ["b", "c", "d"]
    assert found["fingerprints"] == {}


@pytest.mark.parametrize(
    ("lines", "is_verdict"),
    [
        ((b"no such a", TRAVIS_FAILED % b"b"), True),
        ((b"x", b"##[error]it broke"), True),
        ((b"##[group]Run make", b"##[endgroup]", b"##[error]it broke"), True),
        ((b"FAIL: test_a (tests.A)", b"1 failed"), False),
    ],
)
def test_a_verdict_is_told_apart_from_what_only_shows_a_failure(renderer, lines, is_verdict):
    log = b"".join(line + b"\n" for line in lines)
    summary = answered(renderer, [log], Wanted("summary", Selection(), 1.4e9))[0]
    assert (summary["failed"], summary["verdict"]) == (True, is_verdict)


@pytest.fixture(scope="module")
def others_in(renderer):
    """The lines of the failures beside the cause."""

    def others_in(*lines):
        log = b"".join(line + b"\n" for line in lines)
        summary = answered(renderer, [log], Wanted("summary", Selection(), 1.4e9))[0]
        return [one["line"] for one in summary.get("other_failures", ())]

    return others_in


GONE = b"ERROR: the mirror is gone"
GREEN = b"Job succeeded"
GITHUB_STEP = b"##[group]Run ./it", b"##[endgroup]"
GITHUB_END = b"Post job cleanup.", b"Cleaning up orphan processes"
STOPPED_ONCE = TRAVIS_STEP % b"a", GONE, b"Process completed with exit code 1.", *[b"x"] * 450


@pytest.mark.parametrize("last", [b"Job complete, result: SUCCESS", b"Finished: SUCCESS"])
def test_a_result_behind_a_time_is_no_level(found_in, last):
    assert found_in(GONE, b"2026-11-26 03:32:10.720747 | " + last) == (None, False)


@pytest.mark.parametrize(
    ("lines", "survived"),
    [
        ((GONE, b"a", GREEN), [1]),
        ((GONE, *[b"x"] * 25, b"ERROR: no a", *[b"x"] * 25, b"ERROR: no b", GREEN), [1, 27, 53]),
        ((TRAVIS_STEP % b"a", GONE, TRAVIS_PASSED % b"a", GREEN), [2]),
        ((b"TASK [a]", b"fatal: [host]: FAILED! => {}", b"...ignoring", b"ok: [host]"), [2]),
        ((b"TASK [a]", b"FAIL: test_it (tests.TestIt)", b"TASK [b]", b"ok: [host]", GREEN), [2]),
        ((*STOPPED_ONCE, TRAVIS_PASSED % b"a", GREEN), [2]),
        ((*GITHUB_STEP, GONE, b"a", b"== 4 passed in 1.2s ==", *GITHUB_END), [3]),
    ],
)
def test_a_build_that_went_on_shows_what_it_survived(others_in, lines, survived):
    assert others_in(*lines) == survived


@pytest.mark.parametrize(
    "lines",
    [
        (b"a", GREEN),
        (GONE, b"a"),
        (GONE, *[b"x"] * 25, b"ERROR: no a"),
        (b"TASK [a]", b"ok: [host]"),
        (b"TASK [a]", GONE),
        (b"one", b"FAILED", GREEN),
        (TRAVIS_STEP % b"a", GONE, TRAVIS_PASSED % b"a", TRAVIS_STEP % b"b", TRAVIS_FAILED % b"b"),
    ],
)
def test_nothing_was_others_in_a_log_that_failed_is_no_build_or_shows_no_error(others_in, lines):
    assert others_in(*lines) == []


def test_the_first_failures_with_different_lines_are_told(others_in):
    steps = [[TRAVIS_STEP % b"a", b"ERROR: no %d" % (number // 2)] for number in range(40)]
    lines = [line for step in steps for line in (*step, TRAVIS_PASSED % b"a")]
    assert others_in(*lines, GREEN) == [2 + 6 * number for number in range(11)]


def test_a_failure_that_was_survived_has_the_fingerprints_of_one_that_was_not(renderer, cause_of):
    lines = [b"##[group]Run make", b"ERROR: no a", *[b"  at 0x%d" % (10**6 + n) for n in range(9)]]
    log = b"".join(line + b"\n" for line in (*lines, GREEN))
    [one] = answered(renderer, [log], Wanted("summary", Selection(), 1.4e9))[0]["other_failures"]
    failed = cause_of(*lines, b"##[error]Process completed with exit code 1.")
    assert one["fingerprints"] == failed["fingerprints"]
    assert (one["line"], one["text"]) == (2, "ERROR: no a")
    assert one["told"] == failed["told"][:4]


PYTEST = (
    *(b"=== FAILURES ===", b"___ test_aa ___", b"", b"E   AssertionError: no a", b""),
    *(b"___ test_zeta ___", b"", b"E   AssertionError: no zeta", b""),
    *(b"___ summary ___", b"=== 2 failed in 0.12s ==="),
)
GO = (
    *(b"--- FAIL: TestA (0.00s)", b"    a_test.go:3: no a", b"--- FAIL: TestB (0.00s)"),
    *(b"    --- FAIL: TestB/one (0.00s)", b"        b_test.go:5: no one"),
    *(b"    --- FAIL: TestB/two (0.00s)", b"        b_test.go:9: no two", b"FAIL"),
)
NUMBERED = (
    b"2 failing",
    b"",
    b"  1) it adds",
    b"     no sum",
    b"",
    b"  2) it subtracts",
    b"     none",
)
RUST = (
    *(b"failures:", b"", b"---- tests::a stdout ----", b"no a", b""),
    *(b"---- tests::b stdout ----", b"no b", b"", b"test result: FAILED. 0 passed; 2 failed"),
)
FAILED_TASKS = (
    *(b"TASK [a]", b"FAIL: test_a (tests.TestIt)", b"TASK [b]", b"ERROR: no b"),
    *(b"TASK [c]", b"FAIL: test_c (tests.TestIt)", b"PLAY RECAP", b"host : ok=1 failed=1"),
)


@pytest.mark.parametrize(
    ("lines", "others"),
    [
        (PYTEST, [6]),
        ((b"=== FAILURES ===", *PYTEST[5:], b"=== ERRORS ===", *PYTEST[5:]), []),
        (GO, [4, 6]),
        (NUMBERED, [6]),
        (RUST, [6]),
        (FAILED_TASKS, [2]),
        ((b"not ok 1 a", b"not ok 2 b", b"1..2"), [2]),
        ((b"test_a ... FAIL", b"test_b ... FAIL", b"=====", b"FAIL: test_a", b"FAIL: test_b"), [5]),
        ((*RUST[:-1], b"", b"failures:", b"    tests::a", b"    tests::b", b"", RUST[-1]), [6]),
        ((*GO, *GO), [4, 6]),
        ((b"not ok 1 a", b"  no", b"  b", b"not ok 2 c", b"  b", b"not ok 1 a", b"  b"), [4]),
        ((b"Failure:", b"a [x.rb:1]:", b"no", b"", b"Failure:", b"b [x.rb:1]:", b"no"), [5]),
        (
            (
                b"not ok 1 a",
                b" no",
                b"not ok 2 b",
                b" no",
                b"",
                b"The following tests failed:",
                b" a",
            ),
            [3],
        ),
    ],
)
def test_of_a_log_that_failed_its_other_failed_tests_are_told(others_in, lines, others):
    assert others_in(*lines) == others


def test_of_a_step_that_went_on_each_failed_test_is_told(others_in):
    tests = [b"FAIL: test_%d (tests.TestIt)" % number for number in range(5)]
    assert others_in(b"TASK [a]", *tests, b"TASK [b]", b"ok: [host]", GREEN) == [2, 3, 4, 5, 6]


def test_failed_tests_are_told_before_errors_and_at_most_eleven(others_in):
    errors = [line for number in range(12) for line in (b"TASK [a]", b"ERROR: no %d" % 7**number)]
    tests = [b"FAIL: test_%d (tests.TestIt)" % number for number in range(12)]
    lines = *errors, b"TASK [b]", *tests, b"TASK [c]", b"ok: [host]", GREEN
    assert others_in(*lines) == [*range(26, 37)]


@pytest.mark.parametrize(("lines", "size"), [(PYTEST, 4), (RUST, 3), (NUMBERED, 2)])
def test_another_failed_test_has_the_fingerprints_of_the_first_one(renderer, cause_of, lines, size):
    log = b"".join(line + b"\n" for line in lines)
    [other] = answered(renderer, [log], Wanted("summary", Selection(), 1.4e9))[0]["other_failures"]
    place = other["line"] - 1
    heading = lines[:2] if lines is not PYTEST else lines[:1]
    first = cause_of(*heading, *lines[place : place + size], *lines[9:])
    assert first["fingerprints"] == other["fingerprints"]


def test_what_a_failed_test_tells_ends_before_lists_of_tests(cause_of):
    for heading in (b"[ERROR] Errors: ", b"[ERROR] Failures: ", b"[WARNING] Flakes: "):
        test = b"testBoot(a.BootTest)  Time elapsed: 0.1 sec  <<< ERROR!"
        lines = test, b"java.io.IOException: gone", b"", heading, b"[ERROR]   BootTest.testBoot:38"
        assert cause_of(*lines)["told"] == [line.decode() for line in lines[:2]]


def test_what_a_failed_test_of_pytest_tells_has_the_line_of_its_source(cause_of):
    source, error = b">       assert add(1) == 3", b"E       assert 2 == 3"
    body = b"    def test_add():", b"        one = 1", source, error
    lines = (
        b"=== FAILURES ===",
        b"___ test_add ___",
        b"",
        *body,
        b"",
        b"test_a.py:3: AssertionError",
    )
    told = cause_of(*lines, b"=== 1 failed in 0.12s ===")["told"]
    assert told[:3] == [line.decode() for line in (lines[1], source, error)]


def test_a_job_of_zuul_that_took_too_long_failed_for_that(found_in):
    lines = b"TASK [a]", b"ERROR: a mirror is slow", b"RUN END RESULT_TIMED_OUT: [a/run.yaml@main]"
    assert found_in(*lines, b"POST-RUN START: [a/post.yaml@main]", b"TASK [b]", b"ok: [host]") == (
        (3, "severity"),
        True,
    )


def test_a_failed_test_that_passes_after_all_is_no_cause(cause_of):
    log = [
        b"--- FAIL: TestSlow (0.05s)",
        b"--- FAIL: TestSum (0.00s)",
        b"    sum_test.go:14: got 4",
        b"FAIL",
    ]
    assert cause_of(*log)["line"] == 1
    assert cause_of(*log, b"--- PASS: TestSlow (0.01s)", b"FAIL")["line"] == 2
    assert cause_of(*log, b"--- PASS: TestSlower (0.01s)", b"FAIL")["line"] == 1


def test_what_an_item_survived_is_no_cause(cause_of):
    log = [
        b"#1 0.014 fatal: no such commit",
        *[b"#2 0.1 a"] * 30,
        b"#3 0.2 wget: server returned error: 404",
    ]
    failed = [*log, b"#3 ERROR: it did not complete"]
    assert cause_of(log[0], b"#1 DONE 7.3s", *failed[1:])["line"] == 34
    assert cause_of(log[0], b"#2 DONE 7.3s", *failed[1:])["line"] in (1, 34)


def test_a_list_of_failed_tests_gives_way_to_the_report_of_the_same_name(cause_of):
    report = [
        b"2/3 Test #2: net ...***Failed    0.02 sec",
        b"net.c:12: could not bind",
        b"3/3 Test #3: b ... Passed",
    ]
    listed = [
        b"The following tests FAILED:",
        b"\t  2 - net (Failed)",
        b"Errors while running CTest",
    ]
    assert cause_of(*report, b"", *listed)["line"] == 1
    other = [line.replace(b"net", b"dns") for line in report]
    assert cause_of(*other, b"", *listed)["line"] == 6


def test_a_report_ends_where_another_test_passes(cause_of):
    log = [
        b"Renew a lease      | FAIL |",
        b"299 != 300",
        *[b"Case %d   | PASS |" % n for n in range(9)],
    ]
    assert (cause_of(*log)["line"], cause_of(*log)["last"]) == (1, 2)


def test_a_guess_below_an_outcome_is_no_cause(found_in):
    crash = b"ERROR: bed 3 is gone"
    guess = (b"  This problem might be caused by water.", b"  Please refer to the manual.")
    wrong = (b"* What went wrong:", b"Execution failed for task ':sow'.", *guess)
    assert found_in(crash, *[b"x"] * 30, *wrong, b"", b"BUILD FAILED in 3s")[0] == (1, "severity")


def test_of_steps_that_show_nothing_the_last_that_speaks_of_a_failure_tells(found_in):
    first, second = b"[Pipeline] { (Sow)", b"[Pipeline] { (Clean)"
    sown = (b"sowing failed, but will try again: it is dry", b"* Failed to sow bed 3", b"b")
    end = (b"cleaned", b"ERROR: script returned exit code 1")
    assert found_in(first, *sown, second, *end)[0] == (3, "failed step")
    assert found_in(first, *sown, second, b"Failed to clean it", *end)[0] == (6, "failed step")
    assert found_in(first, b"b", second, *end)[0] == (4, "end")


def test_a_list_that_only_names_what_failed_gives_way_to_an_error_above_it(found_in):
    heading = (b"FAILED test targets:", b"\tsow/beds.feature:3  Beds are wet")
    error = b"AssertionError: bed 3 is dry"
    assert found_in(b"a", *heading, b"", b"Job failed")[0] == (3, "test")
    assert found_in(error, b"bed 4 is wet", *heading, b"", b"Job failed")[0] == (1, "severity")
    reason = (heading[0], b"\tbeds_0: bed 3 is dry")
    assert found_in(b"ERROR: noise", *reason, b"", b"Job failed")[0] == (3, "test")


def test_a_failed_test_in_a_file_of_tests_that_failed_tells(found_in):
    inner = b"  \xe2\x94\x80\xe2\x94\x80 Failure ('test-bed.R:14:3'): bed 3 is wet"
    outer = (b"Running the tests in 'tests/beds.R' failed.", b"Last 3 lines of output:")
    assert found_in(*outer, inner, b"  bed 3 is dry", b"", b"Job failed")[0] == (3, "test")
    assert found_in(*outer, b"  bed 3 is dry", b"", b"Job failed")[0] == (1, "test")


def test_a_count_of_no_errors_is_no_word_of_a_failure(found_in):
    warnings = [b"    src/emit.lua:6:5: accessing undefined variable 'out'"]
    log = [
        b"Checking src/emit.lua   1 warning",
        b"",
        *warnings,
        b"",
        b"Checking src/util.lua    OK",
    ]
    end = (b"", b"Total: 1 warning / 0 errors in 2 files", TRAVIS_FAILED % b"a")
    assert found_in(TRAVIS_STEP % b"a", *log, *end) == ((4, "failed step"), True)


@pytest.mark.parametrize(
    "error",
    [
        b"core.exception.AssertError@source/ring.d(7): wrapped value lost",
        b"?ASlink-Error-Could not get 200 consecutive bytes in internal RAM for area DSEG.",
    ],
)
def test_an_error_with_its_place_or_its_tool_in_its_name_is_told(found_in, error):
    log = [
        b"main.c:4: warning 84: 'x' may be used before initialization",
        error,
        b"",
        b"wrap around",
    ]
    end = (b"make: *** [Makefile:5: check] Error 1",)
    assert found_in(*log, *end) == ((2, "severity"), True)


def test_an_error_tells_before_the_program_that_ran_it(cause_of):
    end = b"Error: execution of an external program failed: '/a/test_it '"
    assert cause_of(b"a", b"error: no b", b"c", end)["line"] == 2


def test_what_a_failed_test_expected_is_in_its_report_whatever_its_line_begins_with(cause_of):
    expected = [b"  [FAILED] Expected", b"      <int>: 299", b"  to equal", b"      <int>: 300"]
    report = [
        b"\xe2\x80\xa2 [FAILED] [0.031 seconds]",
        b"Lease [It] renews",
        b"/w/lease_test.go:33",
    ]
    cause = cause_of(*report, b"", *expected, b"Ran 30 of 30 Specs in 0.204 seconds", b"FAIL!")
    assert cause["line"] == 1
    assert "[FAILED] Expected" in cause["told"]


def test_an_error_right_below_a_failed_test_in_a_list_is_told_with_it(cause_of):
    item = b"\xe2\x9c\x96 [8/41] Building Counting.Double (1.4s)"
    notes = [b"trace: .> lean Double.lean", b"warning: Double.lean:12:6: unused variable `h`"]
    error = b"error: Double.lean:31:4: unsolved goals"
    log = [item, *notes, error, b"case succ", b"\xe2\x9c\x94 [9/41] Built Counting.Parity (1.1s)"]
    cause = cause_of(*log, b"error: build failed")
    assert (cause["line"], cause["last"]) == (1, 5)
    assert error.decode() in cause["told"]


def test_a_command_that_failed_by_its_code_tells_before_words_above_it(found_in):
    words = b"systemd[1]: Failed to start Load Kernel Modules."
    named = b"vm-test> !!! RequestedAssertionFailed: command `curl a` failed (exit code 22)"
    end = b"error: builder for 'a.drv' failed with exit code 1;"
    assert found_in(words, *[b"b"] * 6, named, b"cleanup", end) == ((8, "severity"), True)
    assert found_in(b"b", b"error: no a", named, end) == ((2, "severity"), True)


def test_what_a_pipeline_does_behind_its_stages_is_no_end_of_it(found_in):
    build = [
        b"[Pipeline] stage",
        b"[Pipeline] { (Lint)",
        b"src/A.hs:3:8-27: Warning: Use concatMap",
    ]
    found = [b"Found:", b"  concat (map show xs)", b"", b"1 hint", b"[Pipeline] // stage"]
    post = [b"[Pipeline] stage", b"[Pipeline] { (Declarative: Post Actions)", b"[WS-CLEANUP] done"]
    end = [b"[Pipeline] // node", b"ERROR: script returned exit code 1", b"Finished: FAILURE"]
    assert found_in(*build, *found, *post, *end) == ((3, "failed step"), True)
    report = b"ERROR: None of the test reports contained any result"
    assert found_in(build[1], b"b", *post, report, *end) == ((6, "severity"), True)


def test_the_line_of_the_source_that_throws_is_no_error(found_in):
    reason = b"autoreconf: failed to run libtoolize: No such file or directory"
    source = b"    raise ProcessError('Command exited with status %d:' %"
    end = b"spack.util.executable.ProcessError: Command exited with status 1:"
    assert found_in(b"builds", reason, b"b", source, end)[0] == (2, "failed step")


def test_a_level_and_a_colon_announce_the_error_below(found_in):
    lines = (b":: error: ", b":: bed 3 is dry", *[b"goes on"] * 5)
    assert found_in(b"a", *lines)[0] == (3, "severity")
    assert found_in(b"a", b":: error: ", b"", b"ERROR: no bed")[0] == (4, "severity")


def test_the_first_outcome_may_announce_the_error_below(found_in):
    time, outcome = b"00:19 deploy:assets:precompile", b"      01 Compilation failed:"
    error = b"      01 Module not found: bed 3"
    assert found_in(time, b"      01 rake", outcome, error, b"cap stopped")[0] == (4, "severity")
    listed = (b"The following build commands failed:", b"\tCompileC bed.o")
    assert found_in(b"bed.c:3:1: error: dry", b"** BUILD FAILED **", *listed)[0][0] == 1
    assert found_in(b"bed 3 is not wet", b"** BUILD FAILED **", *listed)[0][0] == 1
    ended = b"ProcessError: Command exited with status 1:"
    assert found_in(b"bed 3 is not wet", ended, b"    'sow' '--deep'")[0][0] == 1


def test_an_exclamation_mark_before_a_warning_is_no_error_of_latex(found_in):
    warning = b"! This container is having trouble accessing https://registry.k8s.io"
    errors = (b"! Undefined control sequence.", b"! LaTeX Error: File `bed.sty' not found.")
    for error in errors:
        lines = (warning, *[b"goes on"] * 30, error, *[b"goes on"] * 30, b"Job failed")
        assert found_in(*lines)[0] == (32, "severity")
        assert found_in(error, *[b"goes on"] * 30, *lines[:1], b"Job failed")[0][0] == 1


def test_a_test_that_passes_behind_a_failed_one_takes_only_itself_back(found_in):
    failed = [b"[ RUN      ] test_count", b"[  FAILED  ] test_count"]
    passed = [b"[ RUN      ] test_null", b"[       OK ] test_null", b"b"]
    assert found_in(*failed, *passed) == ((2, "test"), True)
    again = [b"[ RUN      ] test_count", b"[       OK ] test_count", b"b"]
    assert not found_in(*failed, *passed, *again)[1]


def test_an_item_whose_state_says_that_it_failed_tells_why(cause_of):
    row = b"  %b | 7:32:44 PM | %-20b | Project | %b"
    done = [row % (b"1/9", b"CREATE_COMPLETE", b"Role")] * 3
    failed = row % (b"2/9", b"CREATE_FAILED", b"Build is not authorized")
    undone = [row % (b"3/9", b"DELETE_COMPLETE", b"Role")] * 3
    assert cause_of(*done, failed, *undone, b"Stack a failed")["line"] == 4


def test_a_condition_that_nobody_handles_is_an_error_whatever_its_name_is(cause_of):
    told = [b"Unhandled SB-INT:SIMPLE-PARSE-ERROR in thread main:", b"  junk in string"]
    assert cause_of(b"a", *told, b"", b"unhandled condition, quitting")["line"] == 2


def test_a_failure_in_a_function_of_a_package_gives_way_to_what_it_printed(cause_of):
    told = b"install: cannot stat 'a': No such file or directory"
    end = [b"==> ERROR: A failure occurred in package().", b"    Aborting..."]
    assert cause_of(b"a", told, *end)["line"] == 2
