# SPDX-License-Identifier: Apache-2.0
"""The task that a job failed at, as Zuul's job-output.json says."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

NAMES = (b"job-output.json", b"job-output.json.gz")
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
    message = " ".join(str(result.get("stderr") or result.get("msg") or "").split())
    end = _dict(task.get("duration")).get("end") or ""
    return FailedTask(str(task.get("name") or "")[:300], host[:300], message[:300], str(end)[:40])


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _items(value: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(name, one) for name, one in _dict(value).items() if isinstance(one, dict)]
