# SPDX-License-Identifier: Apache-2.0
"""Which line a summary shows as the cause of a failed job of GitHub Actions."""

import re

import pytest

from oslogserve.lines.selection import Wanted
from tests.corpus import steps
from tests.kit.renderers import answered

HEAD = """Current runner version: '2.321.0'
##[group]GITHUB_TOKEN Permissions
Contents: read
##[endgroup]
Complete job name: test
##[group]Run actions/checkout@v4
with:
  repository: example/shop
##[endgroup]
[command]/usr/bin/git init /home/runner/work/shop/shop
hint: Using 'master' as the name for the initial branch. This default branch name
hint: is subject to change."""
POST = """Post job cleanup.
[command]/usr/bin/git version
http.https://github.com/.extraheader
Cleaning up orphan processes"""
EXIT = "##[error]Process completed with exit code 1."


def shown(line):
    """The content of a line, without colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", line).strip()


def step(output, verdict=EXIT):
    return f"##[group]Run ./it\n\x1b[36;1m./it || exit 1 # failed\x1b[0m\n##[endgroup]\n{output}\n{verdict}".rstrip()


@pytest.fixture(scope="module")
def cause_of(renderer):
    """The cause of a job with these steps, as the content of its line and its lines that are told."""

    def cause_of(*steps):
        lines = "\n".join([HEAD, *steps, POST]).encode().split(b"\n")
        stamp = b"2024-12-18T09:12:%02d.1234567Z %b\n"
        log = b"".join(stamp % (number // 60, line) for number, line in enumerate(lines))
        cause = answered(renderer, [b"\xef\xbb\xbf" + log], Wanted("summary"))[0]["cause"]
        return shown(lines[cause["line"] - 1].decode()), cause["told"]

    return cause_of


@pytest.mark.parametrize("case", steps(), ids=lambda case: case.name)
def test_the_cause_is_in_the_lines_that_a_reader_labelled(cause_of, case):
    first, _ = cause_of(case.text)
    assert first in map(shown, case.labelled)


@pytest.mark.parametrize(
    ("output", "first"),
    [
        ("Diff in /a.rs:1:\n" + "-a\n" * 30, "Diff in /a.rs:1:"),
        ("a.rst:14: Title too short\n" + "writing\n" * 30, "a.rst:14: Title too short"),
        ("| Total | 31 |\n| Errors | 1 |\n\n* [404] <a> | Failed", "* [404] <a> | Failed"),
    ],
)
def test_what_is_far_above_the_end_of_a_step_is_its_cause(cause_of, output, first):
    assert cause_of(step("x\n" + output))[0] == first


def test_a_failed_test_of_mocha_is_told_by_its_name_and_its_error(cause_of):
    head = "  Cart\n    #total()\n      1) adds\n\n  3 passing (84ms)\n  1 failing\n\n"
    report = "  1) Cart\n       #total()\n         adds:\n\n      AssertionError: 2 !== 3\n      at a.js:2"
    assert cause_of(step(head + report)) == (
        "adds:",
        ["1) Cart #total() adds:", "AssertionError: 2 !== 3", "at a.js:2"],
    )
    alone = "  1) adds\n     Failure/Error:\n       no a"
    assert cause_of(step("Failures:\n\n" + alone))[0] == "1) adds"


def test_a_step_that_the_job_went_on_from_gives_way_to_a_later_one_that_shows_more(cause_of):
    lint, tests = step("a.py:1:8: F401 unused"), step("FAIL: test_a (tests.TestA)")
    assert cause_of(lint, step("ok", ""), tests)[0] == "FAIL: test_a (tests.TestA)"
    assert cause_of(tests, lint)[0] == "FAIL: test_a (tests.TestA)"
    assert cause_of(lint, step("ERROR: no report"))[0] == "a.py:1:8: F401 unused"
    assert cause_of(lint, step("ok", ""), step(""))[0] == "a.py:1:8: F401 unused"


def test_what_fails_while_the_job_cleans_up_does_not_overrule_the_step_that_failed(renderer):
    cleanup = ["Post job cleanup.", "fatal: not a repository"]
    cleanup.append("##[error]The process '/usr/bin/git' failed with exit code 128")
    log = "\n".join([step("a\nb"), *cleanup]).encode()
    assert answered(renderer, [log], Wanted("summary"))[0]["cause"]["told"] == ["a", "b"]


def test_an_action_that_ends_with_an_error_failed(cause_of):
    action = step("##[error]Resource not accessible by integration", "")
    noise = step("\n".join(f"ERROR: relation {number} is missing" for number in range(30)), "")
    for job in [(action, noise), (noise, action), (action, step("##[error]no webhook", ""))]:
        assert cause_of(*job)[0] == "##[error]Resource not accessible by integration"
    buildx = "##[error]buildx failed with: ERROR: failed to solve: exit code: 2"
    assert cause_of(step("#9 1.1 a.c:3: error: no a", buildx), noise)[0].endswith("error: no a")


def test_a_step_that_was_canceled_shows_so_unless_it_shows_why(cause_of):
    canceled = "##[error]The operation was canceled."
    assert cause_of(step("Waiting for a\nWaiting for a", canceled))[0] == canceled
    assert cause_of(step("panic: no a\nWaiting for a", canceled))[0] == "panic: no a"
    assert cause_of(step("Waiting", canceled), step("error: no b"))[0] == "error: no b"


def test_the_names_of_job_and_step_that_githubs_client_writes_are_no_content(renderer):
    lines = [
        b"##[group]Run ./it",
        b"##[endgroup]",
        b"x",
        b"FAIL: test_a (tests.TestA)",
        EXIT.encode(),
    ]
    lines += [*POST.encode().split(b"\n"), b"ERROR: cleaning up"]
    log = b"".join(
        b"test (1)\tRun ./it\t2024-12-18T09:12:00.1234567Z %b\n" % line for line in lines
    )
    for first in (b"test (1)\tSet up\t\xef\xbb\xbf2024-12-18T09:12:00.1234567Z x\n", b""):
        summary = answered(renderer, [first + log], Wanted("summary"))[0]
        assert summary["cause"]["told"] == ["FAIL: test_a (tests.TestA)"]
        names = [one["name"] for one in summary["chapters"]]
        assert names == ["Run ./it", "test_a (tests.TestA)", "Post job cleanup"]


@pytest.mark.parametrize(
    ("said", "has_failed"),
    [
        ("##[error]a.go:3: no a", True),
        ("##[error]a.go:3: no a\nRan in 41ms", True),
        ("##[error]Error: undefined\n    stdout: \n    stderr: err?: no a\n    at b\n", True),
        ("##[error]a.go:3: no a\nretrying\n    found a\n    Ran in 41ms", False),
        ("##[error]a.go:3: no a\nretrying\nfound a\nRan in 41ms", False),
    ],
)
def test_a_log_without_a_verdict_failed_by_an_annotation_at_the_end_of_a_step(
    renderer, said, has_failed
):
    log = "\n".join([HEAD, step(said, ""), POST, ""]).encode()
    assert answered(renderer, [log], Wanted("summary"))[0]["failed"] == has_failed
