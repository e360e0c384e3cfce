# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from oslogserve.jobs.outcome import (
    MOST_TESTS,
    MOST_VALUES,
    FailedTask,
    FailedTest,
    failed_task,
    failed_tests,
)


def playbook(phase, *tasks):
    return {"phase": phase, "plays": [{"play": {"name": "all"}, "tasks": list(tasks)}]}


def task(name, **hosts):
    return {"task": {"name": name, "duration": {"end": "2026-03-04T18:23:20Z"}}, "hosts": hosts}


OK = task("fine", controller={"failed": False})
FAILED = task("run tempest", compute={}, controller={"failed": True, "msg": "non-zero return code"})
LATER = task("fetch logs", controller={"failed": True, "msg": "no such file"})
IGNORED = task("maybe", controller={"failed": True, "ignore_errors": True})


def of(*playbooks):
    return failed_task(json.dumps(playbooks).encode())


def test_the_task_that_ended_the_run_is_found():
    found = of(playbook("pre", OK), playbook("run", OK, IGNORED, FAILED), playbook("post", LATER))
    assert found == FailedTask(
        "run tempest", "controller", "non-zero return code", "2026-03-04T18:23:20Z"
    )


def test_without_one_in_the_run_that_of_another_phase_counts():
    assert of(playbook("pre", LATER), playbook("run", OK)).name == "fetch logs"


def test_a_job_that_went_well_has_none():
    assert of(playbook("run", OK, IGNORED)) is None


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"\xff", b"null", b"[" * 100_000, b"{}", b"[1]", b'[{"plays": 1}]'),
        *(
            b'[{"plays": [{"tasks": [{"hosts": [1]}]}]}]',
            b'[{"plays": [{"tasks": [{"hosts": {"a": 1}}]}]}]',
        ),
    ],
)
def test_what_is_no_such_file_says_nothing(content):
    assert failed_task(content) is None


def test_what_it_says_is_cut():
    long = task("x" * 999, **{"h" * 999: {"failed": True, "msg": ["y" * 999]}})
    assert max(map(len, of(playbook("run", long)))) == 300


@pytest.mark.parametrize("value", [b"[]", b"{}", b"1.5", b'{"a":1}'])
def test_one_of_too_many_values_is_not_taken_apart(value, monkeypatch):
    monkeypatch.setattr(json, "loads", lambda _: pytest.fail("it was"))
    assert failed_task(b"[" + b",".join([value] * 200_000) + b"]") is None


def test_what_stands_in_strings_is_no_value():
    noisy = task("run", controller={"failed": True, "stdout": ':,[{\\"' * 200_000, "msg": "x"})
    assert of(playbook("run", noisy)).message == "x"


REPORT = b"""<?xml version="1.0"?>
<testsuites><testsuite name="x">
<testcase classname="a.B" name="fine"/>
<testcase classname="a.B" name="bad"><failure message="1 != 2">trace</failure></testcase>
<testcase name="worse"><error>
Traceback
  more</error></testcase>
<testcase name="left out"><skipped/></testcase>
</testsuite></testsuites>"""


def test_the_tests_that_failed_are_named():
    assert failed_tests(REPORT) == [
        FailedTest("a.B.bad", "1 != 2"),
        FailedTest("worse", "Traceback"),
    ]


def test_of_a_damaged_report_what_stands_before_is_told():
    cut = REPORT[: REPORT.index(b"worse")]
    assert [test.name for test in failed_tests(cut)] == ["a.B.bad"]


def test_no_more_tests_are_named_than_are_read():
    one = b'<testcase name="x"><failure/></testcase>'
    assert len(failed_tests(b"<testsuite>" + one * 99 + b"</testsuite>")) == MOST_TESTS


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"\xff", b"no xml", b"<html></html>"),
        b'<!DOCTYPE x [<!ENTITY a "b">]><testcase name="&a;"><failure/></testcase>',
    ],
)
def test_what_is_no_report_names_no_test(content):
    assert failed_tests(content) == []


def test_a_report_of_very_many_elements_is_not_taken_apart():
    many = b"<a>" * (MOST_VALUES + 1) + b'<testcase name="x"><failure/></testcase>'
    assert failed_tests(many) == []
