# SPDX-License-Identifier: Apache-2.0
"""Readers of the reports in a job's folder.

Zuul's job-output.json gives the task that failed. JUnit's XML and subunit give the failed tests.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from itertools import islice
from typing import Any, NamedTuple
from xml.etree import ElementTree

ZUULS = (b"job-output.json", b"job-output.json.gz")
#: The largest of Zuul's reports, in bytes, and values in it, each some 200 bytes of memory.
MOST_OF_ZUULS = 8 * 1024 * 1024
MOST_VALUES = 100_000
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
#: Test reports that are read for a job, and failed tests that are named.
MOST_REPORTS, MOST_TESTS = 5, 20
#: Elements or packets that are read of a test report.
MOST_PARTS = 100_000
#: Tests in progress whose tracebacks are kept.
MOST_AT_ONCE = 1000
_JUNIT = re.compile(r"(?:^|/)(?:junit|TEST-|testr_results|xunit|pytest|nose)[^/]*\.xml(?:\.gz)?$")
_SUBUNIT = re.compile(r"\.subunit(?:\.gz)?$")
_FAILED = ("failure", "error")
#: The name that subunit's parser reports for a damaged packet.
_DAMAGE = "subunit.parser"


class FailedTask(NamedTuple):
    """An Ansible task that failed on a host."""

    name: str
    host: str
    message: str
    #: When it ended, in ISO 8601; "" if unknown.
    time: str


class FailedTest(NamedTuple):
    """A failed test, named as in its report."""

    name: str
    message: str
    #: When it failed, in ISO 8601; "" if unknown.
    time: str = ""


def failed_task(report: bytes) -> FailedTask | None:
    """The last failed task of phase `run`, else of any phase; None for none.

    None also for a report that is malformed or has more than MOST_VALUES values.
    """
    if sum(map(_STRING.sub(b"", report).count, (b",", b":", b"[", b"{"))) > MOST_VALUES:
        return None
    try:
        found = list(_failures(json.loads(report)))
    except (ValueError, RecursionError):
        return None
    of_run = [task for phase, task in found if phase == "run"]
    return next(reversed(of_run or [task for _, task in found]), None)


def _failures(playbooks: Any) -> Iterator[tuple[str, FailedTask]]:
    """Yields (phase, task) in the order of the report."""
    for playbook in _dicts(playbooks):
        for play in _dicts(playbook.get("plays")):
            for task in _dicts(play.get("tasks")):
                for host, result in _dict(task.get("hosts")).items():
                    result = _dict(result)
                    if result.get("failed") is True and result.get("ignore_errors") is not True:
                        yield (
                            str(playbook.get("phase")),
                            _task(_dict(task.get("task")), host, result),
                        )


def _task(task: dict[str, Any], host: str, result: dict[str, Any]) -> FailedTask:
    message = " ".join(str(result.get("stderr") or result.get("msg") or "").split())
    end = _dict(task.get("duration")).get("end") or ""
    return FailedTask(str(task.get("name") or "")[:300], host[:300], message[:300], str(end)[:40])


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def most(name: str) -> int:
    """The most bytes to read of a test report with this name; 0 if the name is no report's.

    XML is read less far: its attributes take a hundred times their bytes in memory.
    """
    if _SUBUNIT.search(name):
        return 16 * 1024 * 1024
    return 2 * 1024 * 1024 if _JUNIT.search(name) else 0


def failed_tests(name: str, report: bytes) -> list[FailedTest]:
    """The first MOST_TESTS failed tests in a report; those before the fault if it is damaged.

    name: the report's, which tells its format.
    """
    return _of_subunit(report) if _SUBUNIT.search(name) else _of_junit(report)


def _of_junit(report: bytes) -> list[FailedTest]:
    found: list[FailedTest] = []
    if b"<!DOCTYPE" in report:  # entities could expand without end; no report has any
        return found
    with suppress(ElementTree.ParseError):
        events = ElementTree.iterparse(BytesIO(report), ("start", "end"))  # noqa: S314 - no entities
        for event, element in islice(events, MOST_PARTS):
            if event == "start":
                continue
            if element.tag == "testcase":
                found += [_test(element, one) for one in element if one.tag in _FAILED][:1]
            if element.tag in ("testcase", "testsuite"):
                element.clear()
            if len(found) == MOST_TESTS:
                break
    return found


def _test(test: ElementTree.Element, failure: ElementTree.Element) -> FailedTest:
    name = ".".join(filter(None, (test.get("classname"), test.get("name"))))
    message = failure.get("message") or failure.text or ""
    return FailedTest(name[:300], message.strip().partition("\n")[0][:300])


def _of_subunit(report: bytes) -> list[FailedTest]:
    from subunit import ByteStreamToStreamResult  # most folders have no such report

    failures = _Failures()
    with suppress(Exception):  # the parser raises just that for a malformed packet
        ByteStreamToStreamResult(BytesIO(report)).run(failures)
    return failures.found


class _Failures:
    """Collects the failed tests of a subunit stream, which calls status() for each packet."""

    def __init__(self) -> None:
        self.found: list[FailedTest] = []
        self._packets = 0
        #: The end of each traceback, by test: packets of parallel tests alternate.
        self._tracebacks: dict[str, bytes] = {}

    def status(self, test_id: str | None = None, **packet: Any) -> None:
        """Takes a packet. Raises StopIteration to end the stream."""
        self._packets += 1
        name = str(test_id)[:300]
        status = packet.get("test_status")
        if packet.get("file_name") == "traceback" and len(self._tracebacks) < MOST_AT_ONCE:
            before = self._tracebacks.get(name, b"")
            self._tracebacks[name] = (before + bytes(packet["file_bytes"]))[-1000:]
        if status not in (None, "exists", "inprogress"):
            lines = self._tracebacks.pop(name, b"").decode("utf-8", "replace").splitlines()
            if status == "fail" and name != _DAMAGE:
                time = packet.get("timestamp")
                at = time.isoformat() if time else ""
                self.found.append(FailedTest(name, lines[-1][:300] if lines else "", at))
        if len(self.found) == MOST_TESTS or self._packets == MOST_PARTS:
            raise StopIteration
