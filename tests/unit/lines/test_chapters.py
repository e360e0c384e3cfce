# SPDX-License-Identifier: Apache-2.0
"""The chapters of a log's summary, for each convention of tools."""

import pytest

from oslogserve.lines.selection import Selection, Wanted
from tests.kit.renderers import answered

#: Chapters that are listed, those that failed behind them, and those that are open at once; bytes of a
#: name.
MOST, MOST_FAILED, MOST_OPEN, LONGEST_NAME = 500, 100, 64, 200


@pytest.fixture(scope="module")
def summary_of(renderer):
    def summary_of(*lines, **asked):
        log = b"".join(line + b"\n" for line in lines)
        return answered(renderer, [log], Wanted("summary", Selection(**asked), 1.4e9))[0]

    return summary_of


@pytest.fixture(scope="module")
def chapters_of(summary_of):
    """Name, first and last line, and outcome of each chapter."""

    def chapters_of(*lines, **asked):
        chapters = summary_of(*lines, **asked)["chapters"]
        return [(one["name"], one["first"], one["last"], one["outcome"]) for one in chapters]

    return chapters_of


@pytest.fixture(scope="module")
def times_of(summary_of):
    """Begin and duration of each chapter."""

    def times_of(*lines):
        return [(one["begin"], one["duration"]) for one in summary_of(*lines)["chapters"]]

    return times_of


def stamped(second, text, before=b"node | "):
    return b"2024-03-04 05:06:%02d.500000 | %b%b" % (second, before, text)


TASKS = [
    stamped(1, b"RUN START: [untrusted : a/run.yaml@main]", b""),
    stamped(1, b"PLAY [all]", b""),
    stamped(2, b"TASK [a : build]", b""),
    stamped(4, b"ok"),
    stamped(5, b"TASK [a : test]", b""),
    stamped(8, b"ERROR"),
    stamped(9, b"RUN END RESULT_NORMAL: [untrusted : a/run.yaml@main]", b""),
    stamped(9, b"PLAY RECAP", b""),
]


def test_tasks_of_ansible_are_in_plays_and_runs_of_zuul(chapters_of, times_of):
    assert chapters_of(*TASKS) == [
        ("RUN [untrusted : a/run.yaml@main]", 1, 7, None),
        ("PLAY [all]", 2, 6, None),
        ("a : build", 3, 4, "passed"),
        ("a : test", 5, 6, "failed"),
        ("PLAY RECAP", 8, 8, None),
    ]
    assert times_of(*TASKS)[1:4] == [
        ("2024-03-04T05:06:01.500000", 8.0),
        ("2024-03-04T05:06:02.500000", 3.0),
        ("2024-03-04T05:06:05.500000", 4.0),
    ]


def test_an_ignored_failure_of_a_task_passed(chapters_of):
    log = [b"TASK [a] ***", b"ok: [one]", b"fatal: [two]: FAILED! => {}", b"ok: [three]"]
    assert chapters_of(*log) == [("a", 1, 4, "failed")]
    assert chapters_of(*log, b"...ignoring") == [("a", 1, 5, "passed")]


def test_a_step_of_github_goes_on_behind_its_heading(chapters_of):
    log = [b"##[group]Run make", b"a", b"##[endgroup]", b"b", b"##[group]inner", b"c"]
    end = [b"##[endgroup]", b"d", b"##[error]Process completed with exit code 1."]
    assert chapters_of(*log, *end, b"Post job cleanup.", b"e") == [
        ("Run make", 1, 9, "failed"),
        ("inner", 5, 7, None),
        ("Post job cleanup", 10, 11, None),
    ]


def test_sections_of_azure(chapters_of):
    log = [b"##[section]Starting: Job", b"##[section]Starting: Build", b"a"]
    error = b"##[error]Bash exited with code '1'."
    end = [b"##[section]Finishing: Build", b"##[section]Finishing: Job", b"b"]
    assert chapters_of(*log, error, *end) == [("Job", 1, 6, None), ("Build", 2, 5, "failed")]


def test_stages_of_jenkins_nest(chapters_of):
    log = [b"[Pipeline] {", b"[Pipeline] { (Build)", b"[Pipeline] { (Branch: a)", b"[Pipeline] }"]
    end = [b"[Pipeline] }", b"[Pipeline] { (Test)", b"[Pipeline] }", b"[Pipeline] }"]
    assert chapters_of(*log, *end) == [
        ("Build", 2, 5, None),
        ("Branch: a", 3, 4, None),
        ("Test", 6, 7, None),
    ]
    shell = b"[job] $ /bin/sh -xe /tmp/a.sh"
    failed = b"Build step 'Execute shell' marked build as failure"
    assert chapters_of(shell, b"a", failed) == [("/bin/sh -xe /tmp/a.sh", 1, 3, "failed")]


def section(kind, seconds, name, shown=b""):
    return b"section_%b:%d:%b\r\x1b[0K%b" % (kind, seconds, name, shown)


def test_sections_of_gitlab_have_their_own_times(chapters_of, times_of):
    log = [
        section(b"start", 1560896352, b"a", b"Title of a"),
        section(b"start", 1560896353, b"b"),
        section(b"end", 1560896355, b"b"),
        section(b"end", 1560896362, b"a") + section(b"start", 1560896362, b"c[collapsed=true]"),
        section(b"end", 1560896360, b"c"),
        section(b"end", 1560896360, b"unknown"),
    ]
    assert chapters_of(*log) == [
        ("Title of a", 1, 3, None),
        ("b", 2, 3, None),
        ("c", 4, 5, None),
    ]
    assert times_of(*log) == [
        ("2019-06-18T22:19:12Z", 10.0),
        ("2019-06-18T22:19:13Z", 2.0),
        ("2019-06-18T22:19:22Z", None),
    ]


def test_commands_and_folds_of_travis(chapters_of, times_of):
    log = [
        b"travis_fold:start:system\r\x1b[0K\x1b[33;1mBuild system\x1b[0m",
        b"travis_fold:end:system\r\x1b[0K",
        b"travis_fold:start:git\r\x1b[0Ktravis_time:start:0a1b\r\x1b[0K$ git clone",
        b"travis_time:end:0a1b:start=1560896352000000000,finish=1560896353500000000\r\x1b[0K",
        b"travis_time:start:0a1c\r\x1b[0K$ make",
        b"travis_time:end:0a1c:start=1560896354250000000,finish=1560896353500000000\r\x1b[0K",
        b'The command "make" exited with 2.',
        b"\x1b[0K$ make again",
        b'The command "make again" exited with 0.',
    ]
    assert chapters_of(*log) == [
        ("Build system", 1, 2, None),
        ("git clone", 3, 4, None),
        ("make", 5, 7, "failed"),
        ("make again", 8, 9, "passed"),
    ]
    assert times_of(*log)[1:3] == [("2019-06-18T22:19:12Z", 1.5), ("2019-06-18T22:19:14.25Z", None)]


def test_plain_folds_of_travis_have_their_commands(chapters_of, times_of):
    log = [
        b"travis_fold:start:git.checkout\r",
        b"\x1b[0Ktravis_time:start:0a1b\r",
        b"\x1b[0K$ git clone\r",
        b"a\r",
        b"travis_time:end:0a1b:start=1560896352000000000,finish=1560896353500000000,duration=1\r",
        b"\x1b[0K$ cd a\r",
        b"travis_fold:end:git.checkout\r",
        b"\x1b[0K\r",
        b'echo -e "travis_fold:start:$fold"\r',
        b"travis_fold:start:apt\r",
        b"travis_fold:start:npm\r",
        b"travis_fold:end:npm\r",
    ]
    assert chapters_of(*log) == [
        ("git.checkout", 1, 7, None),
        ("git clone", 3, 5, None),
        ("cd a", 6, 6, None),
        ("apt", 10, 10, None),
        ("npm", 11, 12, None),
    ]
    assert times_of(*log)[1] == ("2019-06-18T22:19:12Z", 1.5)


def test_folds_that_a_command_of_travis_prints_are_in_it(chapters_of):
    log = [
        b"travis_time:start:0a1b\r\x1b[0K$ ./script",
        b"travis_fold:start:one\r",
        b"travis_time:start:of-the-script\r",
        b"travis_time:end:of-the-script:start=1560896352000000000,finish=1560896353500000000\r",
        b"travis_fold:end:one\r",
        b"travis_fold:start:two\r",
        b"not ok 1 - a",
        *(b"travis_fold:start:three\r", b"a"),
        (
            b"travis_time:end:0a1b:start=1560896352000000000,finish=1560896353500000000\r"
            b'\x1b[0K\x1b[31;1mThe command "./script" exited with 1.'
        ),
    ]
    assert chapters_of(*log) == [
        ("./script", 1, 10, "failed"),
        ("one", 2, 5, None),
        ("two", 6, 7, "failed"),
        ("three", 8, 9, None),
    ]


@pytest.mark.parametrize(
    "begin", [b"travis_fold:start:test\r\x1b[0K", b"travis_fold:start:test\r\n"]
)
def test_commands_of_travis_that_print_the_marks_of_a_fold_are_before_and_in_it(chapters_of, begin):
    def command(number, text, output=b""):
        end = b"%d:start=1560896352000000000,finish=1560896353500000000" % number
        verdict = b'\x1b[32;1mThe command "%b" exited with 0.' % text
        return [
            b"travis_time:start:%d\r\x1b[0K$ %b" % (number, text),
            *(output + b"travis_time:end:%b\r\x1b[0K%b" % (end, verdict)).split(b"\n"),
        ]

    log = command(1, b"echo start", begin) + command(2, b"make")
    log += command(3, b"echo end", b"travis_fold:end:test\r\x1b[0K") + command(4, b"ls")
    start = len(log) - 6
    assert chapters_of(*log) == [
        ("echo start", 1, start, "passed"),
        ("test", 2, start + 3, None),
        ("make", start + 1, start + 2, "passed"),
        ("echo end", start + 3, start + 4, "passed"),
        ("ls", start + 5, start + 6, "passed"),
    ]


def test_failed_tests_of_pytest_are_in_their_section(chapters_of, times_of):
    log = [
        *(b"=== test session starts ===", b"F", b"=== FAILURES ===", b"___ test_it ___", b"a"),
        *(b"=== short test summary info ===", b"b", b"=== 1 failed, 2 passed in 1.25s ==="),
        b"___ summary ___",
    ]
    assert chapters_of(*log) == [
        ("test session starts", 1, 8, "failed"),
        ("FAILURES", 3, 5, None),
        ("test_it", 4, 5, "failed"),
        ("short test summary info", 6, 7, None),
    ]
    assert times_of(*log)[0] == (None, 1.25)


def test_failed_tests_of_unittest_end_with_the_count(chapters_of):
    log = [b"FAIL: test_it (tests.TestIt)", b"a", b"ERROR: tests.TestIt.test_b", b"b"]
    assert chapters_of(*log, b"Ran 2 tests in 0.1s", b"c") == [
        ("test_it (tests.TestIt)", 1, 2, "failed"),
        ("tests.TestIt.test_b", 3, 4, "failed"),
    ]


def test_tests_of_go(chapters_of, times_of):
    log = [
        *(b"=== RUN   TestA", b"=== RUN   TestA/one", b"    --- PASS: TestA/one (0.25s)"),
        *(b"=== RUN   TestA/two", b"    --- SKIP: TestA/two (0.00s)", b"--- FAIL: TestA (1.50s)"),
        *(b"--- FAIL: TestB (0.00s)", b"    b.go:2: no", b"FAIL\tgithub.com/a/b\t0.1s"),
    ]
    assert chapters_of(*log) == [
        ("TestA", 1, 6, "failed"),
        ("TestA/one", 2, 3, "passed"),
        ("TestA/two", 4, 5, None),
        ("TestB", 7, 8, "failed"),
    ]
    assert [duration for _, duration in times_of(*log)] == [1.5, 0.25, 0.0, None]


def test_steps_of_docker_and_goals_of_maven(chapters_of):
    log = [b"Step 1/2 : FROM a", b"Step 2/2 : RUN mvn", b"[INFO] Building a 1.0 [1/2]"]
    goal = b"[INFO] --- compiler:3.1:compile (default) @ a ---"
    assert chapters_of(*log, goal, b"x", b"[INFO] BUILD SUCCESS") == [
        ("1/2 : FROM a", 1, 1, None),
        ("2/2 : RUN mvn", 2, 2, None),
        ("a 1.0 [1/2]", 3, 5, None),
        ("compiler:3.1:compile (default) @ a", 4, 5, None),
    ]


def test_a_step_of_docker_ends_where_the_image_is_built(chapters_of):
    log = [
        *(b"Step 1/2 : RUN pip install a", b"Successfully built a b", b" ---> 0a1b2c3d4e5f"),
        *(
            b"Step 2/2 : CMD a",
            b" ---> Running in 0a1b2c3d4e5f",
            b"Successfully built 4f3b2a1c0d9e",
        ),
        *(b"Successfully tagged x:latest", b"FAIL: test_it", b"ERROR: Job failed: exit code 1"),
    ]
    assert chapters_of(*log) == [
        ("1/2 : RUN pip install a", 1, 3, None),
        ("2/2 : CMD a", 4, 6, "passed"),
        ("test_it", 8, 9, "failed"),
    ]


@pytest.mark.parametrize(
    "end",
    [
        b"The command '/bin/sh -c make' returned a non-zero code: 2",
        b"ERROR: Service 'web' failed to build: The command '/a' returned a non-zero code: 2",
        b"The command '/bin/sh -c make " + b"a" * 400 + b"' returned a non-zero code: 2",
        b"COPY failed: stat a: file does not exist",
    ],
)
def test_a_step_of_docker_ends_where_it_fails(chapters_of, end):
    assert chapters_of(b"Step 1/2 : RUN make", b"make: error", end, b"more") == [
        ("1/2 : RUN make", 1, 3, "failed")
    ]
    assert chapters_of(b"make: error", end) == []


def test_steps_of_buildkit_are_chapters_as_far_as_they_do_not_wait_for_others(
    chapters_of, times_of
):
    log = [
        *(b"#1 [internal] load build definition from Dockerfile", b"#1 DONE 0.1s", b""),
        *(b"#5 [ 1/2] FROM a", b"#5 CACHED", b"", b"#6 [web internal] load build context"),
        *(b"#6 ...", b"", b"#7 [web 2/2] RUN make", b"#7 0.412 text", b"#7 DONE 61.2s", b""),
        *(b"#6 [web internal] load build context", b"#6 CANCELED", b"#8 exporting to image"),
        *(
            b"#8 exporting layers",
            b"#8 ERROR: failed to solve",
            b"------",
            b" > exporting to image",
        ),
    ]
    assert chapters_of(*log) == [
        ("[internal] load build definition from Dockerfile", 1, 2, "passed"),
        ("[ 1/2] FROM a", 4, 5, "passed"),
        ("[web internal] load build context", 7, 8, None),
        ("[web 2/2] RUN make", 10, 12, "passed"),
        ("[web internal] load build context", 14, 15, None),
        ("exporting to image", 16, 18, "failed"),
    ]
    assert [duration for _, duration in times_of(*log)] == [0.1, None, None, 61.2, None, None]


def test_a_step_of_buildkit_that_others_interrupt_has_the_time_of_each_part(times_of):
    log = [stamped(1, b"#6 [1/2] RUN a"), stamped(4, b"#6 ..."), stamped(5, b"#7 [2/2] RUN b")]
    end = [stamped(6, b"#7 CACHED"), stamped(7, b"#6 [1/2] RUN a"), stamped(9, b"#6 DONE 8.0s")]
    assert [duration for _, duration in times_of(*log, *end)] == [3.0, 1.0, 8.0]


@pytest.mark.parametrize(
    "line",
    [
        *(
            b"#0 0x4a0b in main a.c:1",
            b"#1 /a/b.php(12): c()",
            b"#12 [WIP] Fix it",
            b"#5 DONE 1.2s",
        ),
        *(b"#5 0.412 [1/2] it", b"# 5 [1/2] it", b"#6 CACHED", b"#7 exporting layers", b"#8 ..."),
    ],
)
def test_other_lines_that_begin_with_a_number_sign_are_no_steps(chapters_of, line):
    assert chapters_of(line, b"text") == []


def test_of_chapters_around_the_cause_only_the_innermost_failed(chapters_of):
    log = [
        *(section(b"start", 1, b"a", b"Outer"), section(b"start", 2, b"b", b"Inner")),
        *(b"not ok 1 - a", section(b"end", 3, b"b"), b"x", section(b"end", 4, b"a")),
        b"ERROR: Job failed: exit code 1",
    ]
    assert chapters_of(*log) == [("Outer", 1, 6, None), ("Inner", 2, 4, "failed")]


def test_the_chapter_that_holds_the_cause_failed(chapters_of):
    start = [
        section(b"start", 1, b"build", b"Build"),
        b"not ok 1 - a",
        section(b"end", 2, b"build"),
    ]
    log = [*start, section(b"start", 2, b"clean", b"Clean"), b"ERROR: Job failed: exit code 1"]
    assert chapters_of(*log) == [("Build", 1, 3, "failed"), ("Clean", 4, 5, None)]


def test_chapters_go_on_behind_the_verdict(chapters_of):
    assert chapters_of(b"Finished: FAILURE", b"TASK [a] ***", b"b") == [("a", 2, 3, None)]


@pytest.mark.parametrize("head", [b" n=ansible | ", b" |  "])
def test_ansibles_own_log_has_chapters(chapters_of, head):
    log = [b"PLAY [all] ***", b"TASK [a] ***", b"fatal: [host]: FAILED! => {}", b"PLAY RECAP ***"]
    stamped = [b"2026-03-04 10:00:01,123 p=12345 u=root" + head + line for line in log]
    assert chapters_of(*stamped) == [
        ("PLAY [all]", 1, 3, None),
        ("a", 2, 3, "failed"),
        ("PLAY RECAP", 4, 4, None),
    ]


def test_chapters_are_of_the_lines_that_a_filter_leaves(chapters_of):
    assert chapters_of(*TASKS, first=5, last=6) == [("a : test", 5, 6, "failed")]


def test_behind_the_first_ones_those_are_listed_that_failed(summary_of):
    tasks = [
        *(b"PLAY [b] ***", b"TASK [passed] ***", b"ok: [n]"),
        *(
            b"TASK [failed] ***",
            b"fatal: [n]",
            b"TASK [ignored] ***",
            b"fatal: [n]",
            b"...ignoring",
        ),
        *(b"FAIL: test_it (tests.TestIt)", b"a", b"Ran 2 tests in 0.1s"),
        *(b"TASK [unknown] ***", b"b", b"TASK [last] ***", b"fatal: [n]"),
    ]
    summary = summary_of(*[b"TASK [a] ***"] * MOST, *tasks)
    assert [
        (one["name"], one["first"] - MOST, one["last"] - MOST, one["outcome"])
        for one in summary["chapters"][MOST:]
    ] == [
        ("failed", 4, 5, "failed"),
        ("test_it (tests.TestIt)", 9, 10, "failed"),
        ("last", 14, 15, "failed"),
    ]
    assert summary["more_chapters"] == 4


def test_an_open_chapter_that_holds_the_cause_is_listed(summary_of):
    end = [section(b"start", 1, b"b"), b"not ok 1 - a", b"ERROR: Job failed: exit code 1"]
    summary = summary_of(*[b"TASK [a] ***"] * MOST, *end)
    assert [one["name"] for one in summary["chapters"][MOST:]] == ["b"]


def test_what_is_listed_is_bounded(summary_of, chapters_of):
    many = summary_of(*[b"TASK [a] ***"] * (MOST + 7))
    assert (len(many["chapters"]), many["more_chapters"]) == (MOST, 7)
    failed = summary_of(*[b"TASK [a] ***", b"fatal: [n]"] * (MOST + MOST_FAILED + 7))
    assert (len(failed["chapters"]), failed["more_chapters"]) == (MOST + MOST_FAILED, 7)
    [(name, *_)] = chapters_of(b"=== RUN   " + b"\xff" * 2 * LONGEST_NAME)
    assert name == "\N{REPLACEMENT CHARACTER}" * LONGEST_NAME
    deep = chapters_of(*[b"[Pipeline] { (a)"] * (MOST_OPEN + 1))
    assert [last for _, _, last, _ in deep[-3:]] == [MOST_OPEN + 1, MOST_OPEN, MOST_OPEN + 1]


def test_a_chapter_with_the_cause_of_a_later_one_that_shows_nothing_is_not_said_to_have_failed(
    chapters_of,
):
    log = [b"##[group]Run make || true", b"##[endgroup]", b"ERROR: no a"]
    failed = [b"##[group]Run exit 1", b"##[endgroup]"]
    verdict = b"##[error]Process completed with exit code 1."
    first = ("Run make || true", 1, 3, None)
    assert chapters_of(*log, *failed, verdict) == [first, ("Run exit 1", 4, 6, "failed")]
