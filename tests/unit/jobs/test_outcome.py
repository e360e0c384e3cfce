# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from oslogserve.jobs.outcome import FailedTask, failed_task


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
