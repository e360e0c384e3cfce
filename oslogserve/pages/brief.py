# SPDX-License-Identifier: Apache-2.0
"""An excerpt of a failed log as text and as JSON, in at most the bytes that are asked for."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from oslogserve.humanize import counted, duration
from oslogserve.lines.brief.choice import Costs, Run, Shown, chosen
from oslogserve.lines.brief.marked import MarkedLine
from oslogserve.lines.brief.plan import step_of
from oslogserve.lines.brief.worth import weighed
from oslogserve.lines.grammar.severities import SEVERITIES
from oslogserve.messages import visible

#: Parts of an excerpt that a name, and the sentences about what is missing, take at most.
PART_OF_NAME, PART_OF_NOTICES = 4, 5
_SECOND = 10**6


class Excerpted(NamedTuple):
    """A log of which an excerpt is made."""

    #: What the reader calls it: its path in a URL, or the name of a file.
    name: str
    #: What stands before the numbers of lines, which then lead to them: "?goto=" or "FILE:".
    link: str
    summary: Mapping[str, Any]
    #: The lines of its plan.
    lines: Sequence[MarkedLine]
    #: The number of all its lines.
    total: int
    #: Sentences about what is missing.
    notices: Sequence[str] = ()


def text(log: Excerpted, size: int) -> bytes:
    """The excerpt as text of at most so many bytes."""
    head = f"{_cut(visible(log.name), size // PART_OF_NAME)}: {_told(log)}\n"
    end = "".join(f"[{_cut(notice, size // PART_OF_NOTICES)}]\n" for notice in log.notices[:1])
    digits = len(f"{log.total:,}")
    of_run = len(f"... {' ' * digits} lines left out: {log.link}-\n".encode()) + 2 * digits
    left = size - len((head + end).encode()) - of_run
    runs = chosen(
        weighed(log.lines, log.summary, log.total),
        left,
        Costs(lambda line: len(_line(line).encode()), of_run),
    )
    return (head + "".join(_runs(runs, log)) + end).encode()


def _runs(runs: Sequence[Run], log: Excerpted) -> Iterator[str]:
    last = 0
    for run in runs:
        gap = _left_out(run.first - last - 1)
        numbers = f"{run.first}-{run.last}" if run.last > run.first else f"{run.first}"
        yield ": ".join(filter(None, (gap, f"{log.link}{numbers}\n")))
        yield from map(_line, run.lines)
        last = run.last
    if last < log.total:
        yield f"{_left_out(log.total - last)}\n"


def _line(line: Shown) -> str:
    return f"{line.text}\n"


def _left_out(lines: int) -> str:
    return f"... {counted(lines, 'line')} left out" if lines else ""


def _told(log: Excerpted) -> str:
    """What is known of the log before its lines are read."""
    cause, total = log.summary["cause"], counted(log.total, "line")
    if cause is None:
        return f"shows no failure in {total}"
    chapter = step_of(log.summary)
    of_chapter = f" in {_cut(visible(chapter['name']), 80)!r}" if chapter else ""
    if chapter and chapter["duration"] is not None:
        of_chapter += f" ({duration(round(chapter['duration'] * _SECOND))})"
    what = "failed" if log.summary["failed"] else "does not say that it failed"
    where = "its end" if cause["why"] == "end" else "likely cause"
    return f"{what}; {where} at line {cause['line']:,} of {total}{of_chapter}"


def as_json(log: Excerpted, size: int, members: Mapping[str, Any]) -> bytes:
    """The excerpt as JSON of at most so many bytes. members: what it says besides."""
    cause = log.summary["cause"]
    around = step_of(log.summary) if cause else None
    value = {
        "name": _cut(log.name, size // PART_OF_NAME // 6),
        "lines": log.total,
        "failed": log.summary["failed"],
        "cause": {name: cause[name] for name in ("line", "last", "why")} if cause else None,
        "chapter": around and {**around, "name": _cut(around["name"], 80 // 4)},
        "runs": [],
        **members,
    }
    widest = Run([Shown(log.total, 0, False, ""), Shown(log.total, 0, False, "")])
    of_run = len(json.dumps(_run({"lines": []}, widest, log.link))) + 2
    left = size - len(json.dumps(value)) - 1
    costs = Costs(lambda line: len(json.dumps(_object(line))) + 2, of_run)
    runs = chosen(weighed(log.lines, log.summary, log.total), left, costs)
    objects = ({"lines": [_object(line) for line in run.lines]} for run in runs)
    value["runs"] = [_run(one, run, log.link) for one, run in zip(objects, runs, strict=True)]
    return json.dumps(value).encode() + b"\n"


def _run(lines: Mapping[str, Any], run: Run, link: str) -> dict[str, Any]:
    numbers = f"{run.first}-{run.last}" if run.last > run.first else f"{run.first}"
    return {"first": run.first, "last": run.last, "href": link + numbers, **lines}


def _object(line: Shown) -> dict[str, Any]:
    new = {"new": True} if line.is_new else {}
    return {"line": line.number, "severity": SEVERITIES[line.rank], "text": line.text, **new}


def _cut(text: str, most: int) -> str:
    """The text, with a mark in place of its middle if it has more than `most` characters."""
    half = most // 2
    return text if len(text) <= most else f"{text[:half]}...{text[len(text) - half :]}"
