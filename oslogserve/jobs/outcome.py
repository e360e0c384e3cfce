# SPDX-License-Identifier: Apache-2.0
"""What a failed job's own reports say: Zuul's job-output.json, and JUnit's XML."""

import json
import re
from collections.abc import Iterator
from io import BytesIO
from itertools import islice
from typing import Any, NamedTuple
from xml.etree import ElementTree

NAMES = (b"job-output.json", b"job-output.json.gz")
#: Names of JUnit's reports, of which so many are read, and so many tests are named.
REPORTS = re.compile(r"(?:^|/)(?:junit|TEST-|testr_results|xunit|pytest|nose)[^/]*\.xml(?:\.gz)?$")
MOST_REPORTS, MOST_TESTS = 5, 20
#: Bytes of each that are read: one element may have that many attributes.
MOST_OF_REPORT = 2 * 1024 * 1024
#: Bytes of one that is read, and values in it: each of them takes up to some 200 bytes of memory.
MOST = 8 * 1024 * 1024
MOST_VALUES = 100_000
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


class FailedTask(NamedTuple):
    """A task of Ansible that failed on a host."""

    name: str
    host: str
    message: str
    #: When it ended, in ISO 8601; "" where it does not say.
    time: str


def failed_task(content: bytes) -> FailedTask | None:
    """The task that ended the job: the last one of `run`, or of any phase, that failed. None where
    there is none, or where this is no such file, or has more than MOST_VALUES."""
    if sum(map(_STRING.sub(b"", content).count, (b",", b":", b"[", b"{"))) > MOST_VALUES:
        return None
    try:
        found = list(_failures(json.loads(content)))
    except (ValueError, RecursionError):
        return None
    of_run = [task for phase, task in found if phase == "run"]
    tasks = of_run or [task for _, task in found]
    return tasks[-1] if tasks else None


class FailedTest(NamedTuple):
    """A test that failed, by the name that JUnit's report has."""

    name: str
    message: str


def failed_tests(content: bytes) -> list[FailedTest]:
    """The first MOST_TESTS. Empty where there is none, or where this is no such report; up to the fault
    where it is damaged."""
    found: list[FailedTest] = []
    if b"<!DOCTYPE" in content:  # entities; no report has any
        return found
    try:
        events = ElementTree.iterparse(BytesIO(content), ("start", "end"))  # noqa: S314 - no entities
        for event, element in islice(events, MOST_VALUES):
            if event == "start":
                continue
            if element.tag == "testcase":
                found += [_failed_test(element, one) for one in element if one.tag in _FAILED][:1]
            if element.tag in ("testcase", "testsuite"):
                element.clear()
            if len(found) == MOST_TESTS:
                break
    except ElementTree.ParseError:
        pass
    return found


_FAILED = ("failure", "error")


def _failed_test(test: ElementTree.Element, failure: ElementTree.Element) -> FailedTest:
    name = ".".join(filter(None, (test.get("classname"), test.get("name"))))
    message = failure.get("message") or failure.text or ""
    return FailedTest(name[:300], message.strip().partition("\n")[0][:300])


def _failures(playbooks: Any) -> Iterator[tuple[str, FailedTask]]:
    """(phase, task), in their order."""
    for playbook in _dicts(playbooks):
        for play in _dicts(playbook.get("plays")):
            for task in _dicts(play.get("tasks")):
                for host, result in _items(task.get("hosts")):
                    if result.get("failed") is True and result.get("ignore_errors") is not True:
                        yield (
                            str(playbook.get("phase")),
                            _failed(_dict(task.get("task")), host, result),
                        )


def _failed(task: dict[str, Any], host: str, result: dict[str, Any]) -> FailedTask:
    message = result.get("stderr") or result.get("msg") or ""
    end = _dict(task.get("duration")).get("end") or ""
    return FailedTask(
        str(task.get("name") or "")[:300], host[:300], str(message)[:300], str(end)[:40]
    )


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _items(value: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(name, one) for name, one in _dict(value).items() if isinstance(one, dict)]
