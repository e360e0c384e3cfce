# SPDX-License-Identifier: Apache-2.0
"""The tests that failed, as reports in a job's folder name them: JUnit's XML, and subunit."""

import re
from contextlib import suppress
from io import BytesIO
from itertools import islice
from typing import Any, NamedTuple
from xml.etree import ElementTree

#: Reports that are read, and tests that are named.
MOST_REPORTS, MOST_TESTS = 5, 20
#: Elements or packets of one that are looked at.
MOST_PARTS = 100_000
#: Tests that run at once, of which the tracebacks are kept.
MOST_AT_ONCE = 1000
_JUNIT = re.compile(r"(?:^|/)(?:junit|TEST-|testr_results|xunit|pytest|nose)[^/]*\.xml(?:\.gz)?$")
_SUBUNIT = re.compile(r"\.subunit(?:\.gz)?$")


class FailedTest(NamedTuple):
    """A test that failed, by the name that its report has."""

    name: str
    message: str
    #: When it failed, in ISO 8601; "" where the report does not say.
    time: str = ""


def most(name: str) -> int:
    """Bytes that are read of a report of this name; 0 for what is no report. An element of XML may
    have that many attributes, each of which takes a hundred times as much memory."""
    if _SUBUNIT.search(name):
        return 16 * 1024 * 1024
    return 2 * 1024 * 1024 if _JUNIT.search(name) else 0


def failed_tests(name: str, content: bytes) -> list[FailedTest]:
    """The first MOST_TESTS. Empty where there is none, or where this is no such report; up to the fault
    where it is damaged. name: of the report."""
    return _of_subunit(content) if _SUBUNIT.search(name) else _of_junit(content)


def _of_junit(content: bytes) -> list[FailedTest]:
    found: list[FailedTest] = []
    if b"<!DOCTYPE" in content:  # entities; no report has any
        return found
    with suppress(ElementTree.ParseError):
        events = ElementTree.iterparse(BytesIO(content), ("start", "end"))  # noqa: S314 - no entities
        for event, element in islice(events, MOST_PARTS):
            if event == "start":
                continue
            if element.tag == "testcase":
                found += [_failed(element, one) for one in element if one.tag in _FAILED][:1]
            if element.tag in ("testcase", "testsuite"):
                element.clear()
            if len(found) == MOST_TESTS:
                break
    return found


_FAILED = ("failure", "error")


def _failed(test: ElementTree.Element, failure: ElementTree.Element) -> FailedTest:
    name = ".".join(filter(None, (test.get("classname"), test.get("name"))))
    message = failure.get("message") or failure.text or ""
    return FailedTest(name[:300], message.strip().partition("\n")[0][:300])


def _of_subunit(content: bytes) -> list[FailedTest]:
    from subunit import ByteStreamToStreamResult  # most folders have no such report

    failures = _Failures()
    with suppress(Exception):  # it raises just that at what is no packet
        ByteStreamToStreamResult(BytesIO(content)).run(failures)
    return failures.found


#: What the stream calls a test where a packet is damaged.
_DAMAGE = "subunit.parser"


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
