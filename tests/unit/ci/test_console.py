# SPDX-License-Identifier: Apache-2.0
import time

import pytest

from oslogserve.ci.build import HEAD, Build, console_build
from tests.kit.renderers import summary_with

GITHUB = """\ufeffCurrent runner version: '2.311.0'
Runner name: 'big-7'
##[group]Runner Image
Image: ubuntu-22.04
Version: 20231217.2.0
##[endgroup]
##[group]GITHUB_TOKEN Permissions
Contents: read
##[endgroup]
Complete job name: tests (3.12, ubuntu)
##[group]Run actions/checkout@v4
Syncing repository: example/nova
##[group]Checking out the ref
[command]/usr/bin/git checkout --progress --force {}
"""
GITLAB = """Running with gitlab-runner 17.0.0 (44feccdf)\r
  on green 1.shared.example.org t3cXyz-1, system ID: s_6be2d9\r
section_start:1716381826:prepare_executor\r\x1b[0K\x1b[36;1mPreparing the "docker" executor\x1b[0;m
Initialized empty Git repository in {}/.git/
\x1b[32;1mChecking out 7226fc70 as {}...\x1b[0;m
"""


def stamped(text, stream=""):
    return "".join(f"2024-05-22T12:43:46.962646Z {stream}{line}\n" for line in text.splitlines())


def build(text):
    return console_build(text.encode())


@pytest.mark.parametrize("written", [str, stamped])
@pytest.mark.parametrize(
    ("ref", "found"),
    [
        ("refs/remotes/pull/123/merge", {"change": "123"}),
        ("-B main refs/remotes/origin/main", {"branch": "main"}),
        ("-B fix/a refs/remotes/origin/fix/a", {"branch": "fix/a"}),
        ("refs/tags/v1.2", {"ref": "refs/tags/v1.2"}),
    ],
)
def test_the_head_of_a_job_of_github_names_the_build(written, ref, found):
    text = GITHUB.format(ref).replace("\ufeff", "")
    assert build("\ufeff" + written(text)) == Build(
        project="example/nova",
        job="tests (3.12, ubuntu)",
        nodes="big-7 (ubuntu-22.04)",
        **found,
    )


def test_an_older_runner_of_github_names_its_image_elsewhere():
    old = "Current runner version: '2.291.1'\n##[group]Virtual Environment\nEnvironment: ubuntu-20.04\n"
    assert build("Requested labels: ubuntu-latest\n" + old) == Build(nodes="ubuntu-20.04")


@pytest.mark.parametrize("written", [str, lambda text: stamped(text, "00O ")])
@pytest.mark.parametrize(
    ("folder", "ref", "found"),
    [
        ("/builds/a/b/c", "main", {"project": "a/b/c", "ref": "main"}),
        (
            "/home/gitlab-runner/builds/X9GQ_59-D/0/root/test",
            "detached HEAD (ref is v1.2 (x))",
            {"project": "root/test", "ref": "v1.2 (x)"},
        ),
        ("/srv/c", "detached HEAD (ref is refs/merge-requests/29/head)", {"change": "29"}),
        ("/builds/c", "detached HEAD (ref is x", {"ref": "detached HEAD (ref is x"}),
    ],
)
def test_the_head_of_a_job_of_gitlab_names_the_build(written, folder, ref, found):
    text = GITLAB.format(folder, ref).replace("\r\n", "\n")
    found |= {"nodes": "green 1.shared.example.org", "commit": "7226fc70"}
    assert build(written(text)) == Build(**found)


@pytest.mark.parametrize("written", [str, stamped])
@pytest.mark.parametrize("form", ["%H\n{}", "'%H'\n'{}'"])
def test_the_checkout_of_github_names_the_commit(written, form):
    commit = "0123456789abcdef" * 2 + "01234567"
    text = GITHUB.format("refs/heads/main")
    text += f"[command]/usr/bin/git log -1 --format={form.format(commit)}\n"
    assert build(written(text)).commit == commit
    assert build(written(f"GITHUB_SHA={commit[::-1]}\n{text}")).commit == commit[::-1]
    assert build(f"GITHUB_SHA=../../x\n{text}").commit == ""


OF_GITHUB = """GITHUB_REPOSITORY=a/b
GITHUB_REF=refs/pull/7/merge
GITHUB_BASE_REF=main
GITHUB_JOB=lint
RUNNER_NAME=GitHub Actions 2
GITHUB_REPOSITORY=other/one
"""
OF_GITLAB = """export CI_PROJECT_PATH='a/b/c'
declare -x CI_JOB_NAME="unit tests"
CI_MERGE_REQUEST_IID=29
CI_COMMIT_REF_NAME=fix
CI_RUNNER_DESCRIPTION=green
CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main
"""


@pytest.mark.parametrize(
    ("dump", "found"),
    [
        (OF_GITHUB, Build("a/b", "7", branch="main", job="lint", nodes="GitHub Actions 2")),
        (
            OF_GITLAB,
            Build("a/b/c", "29", branch="main", ref="fix", job="unit tests", nodes="green"),
        ),
        ("CI_COMMIT_BRANCH=fix\nCI_COMMIT_REF_NAME=fix\n", Build(branch="fix")),
        ("GITHUB_REPOSITORY=***\nCI_JOB_NAME=[MASKED]\nGITHUB_JOB=\nXGITHUB_REF=x\n", Build()),
        ("echo GITHUB_REF=x\nSyncing repository: a/b\nChecking out abc as main...\n", Build()),
        ("", Build()),
    ],
)
def test_variables_name_the_build_wherever_a_job_prints_them(dump, found):
    assert build(dump) == found
    assert build(stamped(dump)) == found


def test_a_variable_counts_before_a_line_but_not_before_a_complete_name():
    variables = "GITHUB_REPOSITORY=mine/nova\nGITHUB_JOB=tests\nGITHUB_REF=refs/heads/stable\n"
    found = build(GITHUB.format("refs/tags/x") + variables)
    assert (found.project, found.branch, found.ref) == ("mine/nova", "stable", "")
    assert found.job == "tests (3.12, ubuntu)"


def test_values_are_cut_and_what_is_behind_the_head_is_not_read():
    assert build("GITHUB_REPOSITORY=" + "x" * 5000).project == "x" * 200
    assert build("\n" * HEAD + "GITHUB_REPOSITORY=a/b\n") == Build()
    assert console_build(b"\xff\0\nGITHUB_JOB=\xff\x1b[31m<b>\n").job == "\ufffd<b>"


ERROR = {"line": 1, "time": None, "text": "ERROR: no"}


@pytest.mark.parametrize(
    ("head", "summary", "end"),
    [
        (
            GITLAB,
            {"errors": [ERROR | {"text": "ERROR: Job failed: exit code 1"}]},
            ("failed", None),
        ),
        (GITLAB, {"errors": [ERROR]}, ("", None)),
        (GITLAB, {}, ("", None)),
        ("", {"errors": [ERROR | {"text": "ERROR: Job failed"}]}, ("", None)),
        (GITHUB, {}, ("", 90.5)),
        (GITHUB, {"last_time": "2024-05-22T12:00:00Z"}, ("", None)),
        (GITHUB, {"last_time": "12:00:00"}, ("", None)),
        (GITHUB, {"last_time": None}, ("", None)),
    ],
)
def test_the_end_is_told_as_far_as_the_runner_says_it(head, summary, end):
    times = {"first_time": "2024-05-22T12:43:46Z", "last_time": "2024-05-22T12:45:16.5Z"}
    found = console_build(head.encode(), summary_with(**{**times, **summary}))
    assert (found.result, found.seconds) == end


@pytest.mark.parametrize(
    "piece",
    [
        b"\r",
        b"\r\n",
        b"x\r",
        b"\x1b[",
        b"Running with gitlab-runner \n  on ",
        b" on a",
        b"Checking out a as detached HEAD (ref is ",
        b"Initialized empty Git repository in /builds/a/builds/",
        b"/builds/a",
        b"##[group]Runner Image\n",
        b"GITHUB_A='",
        b"2024-05-22T",
        b"\xff",
    ],
)
def test_a_hostile_head_takes_little_time(piece):
    head = b"Running with gitlab-runner 1\n" + piece * (HEAD // len(piece))
    before = time.thread_time()
    console_build(head)
    assert time.thread_time() - before < 0.5
