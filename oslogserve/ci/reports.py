# SPDX-License-Identifier: Apache-2.0
"""Readers of the reports in a job's folder.

Zuul's job-output.json gives the task that failed, the result and the duration, JUnit's XML the failed
tests.

Anybody who runs a job can write a report, so each has bounds. Each process parses one report at a time,
which may take 100 MiB of memory.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO
from itertools import islice
from threading import Lock
from typing import Any, NamedTuple
from xml.etree import ElementTree

from oslogserve.bounded_json import parsed
from oslogserve.compression import plain_name, stored_paths

ZUULS = tuple(stored_paths(b"job-output.json"))
#: Bytes of a report that are read.
MOST_OF_ZUULS = 8 * 1024 * 1024
MOST_OF_JUNIT = 2 * 1024 * 1024
#: Tokens of Zuul's report.
MOST_TOKENS = 300_000
#: Characters of a text that are looked at. At most 300 are shown, without runs of spaces.
MOST_TEXT = 10_000
#: Test reports that are read for a job, and failed tests that are named.
MOST_REPORTS, MOST_TESTS = 5, 20
#: Begins and ends of elements that are read of a test report.
MOST_PARTS = 100_000
#: Attributes of a tag. Each takes a hundred times as much memory.
MOST_ATTRIBUTES = 100
_MANY_ATTRIBUTES = re.compile(
    rb"""<[^\s<>"'=/]++(?:\s++[^\s<>"'=/]++\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+')){%d}+"""
    % (MOST_ATTRIBUTES + 1)
)
_JUNIT = re.compile(r"(?:^|/)(?:junit|TEST-|testr_results|xunit|pytest|nose)[^/]*\.xml$")
_FAILED = ("failure", "error")
_parsing = Lock()


class FailedTask(NamedTuple):
    """An Ansible task that failed on a host."""

    name: str
    host: str
    message: str
    #: When it ended, in ISO 8601; "" if unknown.
    time: str


#: The failed task of a job, None for none; its result, "failed" or "succeeded"; and the seconds from the begin of its
#: first task to the end of the last one. "" and None for what is not known.
ZuulReport = tuple[FailedTask | None, str, float | None]


def zuul_report(report: bytes) -> ZuulReport:
    """What the report tells, of the failed tasks the last one of phase `run`, else of any phase.

    Nothing if it is malformed or has more than MOST_TOKENS tokens.
    """
    try:
        with _parsing:
            playbooks = _dicts(parsed(report, MOST_TOKENS))
            of_run = [one for one in playbooks if one.get("phase") == "run"]
            task = _last_failure(_tasks(of_run)) or _last_failure(_tasks(playbooks))
            return task, _result(playbooks), _seconds(_tasks(playbooks))
    except (ValueError, RecursionError):
        return None, "", None


def _result(playbooks: Sequence[dict[str, Any]]) -> str:
    """The result by the counts of failures. The phase `cleanup` has no part in it."""
    counted = [one for one in playbooks if one.get("phase") != "cleanup"]
    hosts = [_dict(counts) for one in counted for counts in _dict(one.get("stats")).values()]
    if any(counts.get(kind) for counts in hosts for kind in ("failures", "unreachable")):
        return "failed"
    has_run = any(one.get("phase") == "run" for one in counted)
    return "succeeded" if has_run and all(one.get("stats") for one in counted) else ""


def _seconds(tasks: Iterable[dict[str, Any]]) -> float | None:
    ends: list[datetime] = []
    for task in tasks:
        duration = _dict(_dict(task.get("task")).get("duration"))
        for end in ("start", "end"):
            with suppress(ValueError):
                time = datetime.fromisoformat(_text(duration.get(end) or ""))
                ends.append(time if time.tzinfo else time.replace(tzinfo=UTC))
    return (max(ends) - min(ends)).total_seconds() if ends else None


def _tasks(playbooks: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yields the tasks in the order of the report."""
    for playbook in playbooks:
        for play in _dicts(playbook.get("plays")):
            yield from _dicts(play.get("tasks"))


def _last_failure(tasks: Iterable[dict[str, Any]]) -> FailedTask | None:
    """The last task that failed, on the last of its hosts; None if none did.

    Only this one is copied: each of 40,000 hosts may have failed, and texts are long.
    """
    last = None
    for task in tasks:
        for host, result in _dict(task.get("hosts")).items():
            result = _dict(result)
            if result.get("failed") is True and result.get("ignore_errors") is not True:
                last = _dict(task.get("task")), host, result
    if last is None:
        return None
    task, host, result = last
    message = " ".join(_text(result.get("stderr") or result.get("msg") or "").split())
    end = _dict(task.get("duration")).get("end") or ""
    name = _text(task.get("name") or "")
    return FailedTask(name[:300], host[:300], message[:300], _text(end)[:40])


def _text(value: Any) -> str:
    """The first MOST_TEXT characters of str(value), without making more of them."""
    text = ""
    for piece in [value[:MOST_TEXT]] if isinstance(value, str) else _pieces(value):
        text += piece
        if len(text) >= MOST_TEXT:
            break
    return text[:MOST_TEXT]


def _pieces(value: Any) -> Iterator[str]:
    """repr(value) in pieces. Of a long string its beginning."""
    if isinstance(value, list | dict):
        begin, end = "[]" if isinstance(value, list) else "{}"
        yield begin
        for number, one in enumerate(value):
            yield ", " if number else ""
            yield from _pieces(one)
            if isinstance(value, dict):
                yield ": "
                yield from _pieces(value[one])
        yield end
    else:
        yield repr(value[:MOST_TEXT] if isinstance(value, str) else value)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def is_junit(name: str) -> bool:
    return _JUNIT.search(plain_name(name)) is not None


def failed_tests(report: bytes, charge: Callable[[], None]) -> list[tuple[str, str]]:
    """Names and messages of the first MOST_TESTS failed tests in a report of JUnit; before the fault if it is damaged.

    charge: called for each test, see Budget.charge().
    """
    found: list[tuple[str, str]] = []
    # Entities of a document type could expand without end; no report has any. Only UTF-16 and
    # UTF-32, which would hide the document type, have NUL in their tags.
    if b"\0" in report or b"<!DOCTYPE" in report or _MANY_ATTRIBUTES.search(report):
        return found
    # A declared encoding could hide the document type, too.
    parser = ElementTree.XMLParser(encoding="utf-8")  # noqa: S314 - no entities
    with _parsing, suppress(ElementTree.ParseError):
        events = ElementTree.iterparse(BytesIO(report), ("start", "end"), parser)  # noqa: S314
        for event, element in islice(events, MOST_PARTS):
            if event == "start":
                continue
            if element.tag == "testcase":
                failure = next((one for one in element if one.tag in _FAILED), None)
                if failure is not None:
                    name = ".".join(filter(None, map(element.get, ("classname", "name"))))
                    message = (failure.get("message") or failure.text or "").strip()
                    found.append((name[:300], message.partition("\n")[0][:300]))
                charge()
            if element.tag in ("testcase", "testsuite"):
                element.clear()
            if len(found) == MOST_TESTS:
                break
    return found
