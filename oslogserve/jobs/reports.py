# SPDX-License-Identifier: Apache-2.0
"""What reports in a job's folder say: the task that failed, by Zuul's job-output.json; the tests that
failed, by JUnit's XML and subunit."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from itertools import islice
from typing import Any, NamedTuple
from xml.etree import ElementTree

ZUULS = (b"job-output.json", b"job-output.json.gz")
#: Bytes of one that is read, and values in it: each of them takes up to some 200 bytes of memory.
MOST_OF_ZUULS = 8 * 1024 * 1024
MOST_VALUES = 100_000
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
#: Reports that are read, and tests that are named.
MOST_REPORTS, MOST_TESTS = 5, 20
#: Elements or packets of one that are looked at.
MOST_PARTS = 100_000
#: Tests that run at once and whose tracebacks are kept.
MOST_AT_ONCE = 1000
_JUNIT = re.compile(r"(?:^|/)(?:junit|TEST-|testr_results|xunit|pytest|nose)[^/]*\.xml(?:\.gz)?$")
_SUBUNIT = re.compile(r"\.subunit(?:\.gz)?$")
_FAILED = ("failure", "error")
#: What a subunit stream calls a test where a packet is damaged.
_DAMAGE = "subunit.parser"


class FailedTask(NamedTuple):
    """A task of Ansible that failed on a host."""

    name: str
    host: str
    message: str
    #: When it ended, in ISO 8601; "" where it does not say.
    time: str


class FailedTest(NamedTuple):
    """A test that failed, by the name that its report has."""

    name: str
    message: str
    #: When it failed, in ISO 8601; "" where the report does not say.
    time: str = ""


def failed_task(report: bytes) -> FailedTask | None:
    """The task that ended the job: the last one of `run`, or of any phase, that failed. None where
    there is none, or where this is no such report, or has more than MOST_VALUES."""
    if sum(map(_STRING.sub(b"", report).count, (b",", b":", b"[", b"{"))) > MOST_VALUES:
        return None
    try:
        found = list(_failures(json.loads(report)))
    except (ValueError, RecursionError):
        return None
    of_run = [task for phase, task in found if phase == "run"]
    return next(reversed(of_run or [task for _, task in found]), None)


def _failures(playbooks: Any) -> Iterator[tuple[str, FailedTask]]:
    """(phase, task), in their order."""
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
    """Bytes that are read of a report of this name; 0 for what is no report. An element of XML may
    have that many attributes, each of which takes a hundred times as much memory."""
    if _SUBUNIT.search(name):
        return 16 * 1024 * 1024
    return 2 * 1024 * 1024 if _JUNIT.search(name) else 0


def failed_tests(name: str, report: bytes) -> list[FailedTest]:
    """The first MOST_TESTS. Empty where there is none, or where this is no such report; up to the fault
    where it is damaged. name: of the report."""
    return _of_subunit(report) if _SUBUNIT.search(name) else _of_junit(report)


def _of_junit(report: bytes) -> list[FailedTest]:
    found: list[FailedTest] = []
    if b"<!DOCTYPE" in report:  # entities; no report has any
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
    with suppress(Exception):  # it raises just that at what is no packet
        ByteStreamToStreamResult(BytesIO(report)).run(failures)
    return failures.found


class _Failures:
    """The tests that failed, of a subunit stream that tells it of its packets."""

    def __init__(self) -> None:
        self.found: list[FailedTest] = []
        self._packets = 0
        #: The ends of the tracebacks of tests that go on: parallel ones take turns.
        self._tracebacks: dict[str, bytes] = {}

    def status(self, test_id: str | None = None, **packet: Any) -> None:
        """Takes a packet. Raises StopIteration where no more are wanted."""
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
