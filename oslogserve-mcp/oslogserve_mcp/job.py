# SPDX-License-Identifier: Apache-2.0
"""A job for an agent, from the summary of its folder: the logs by rank, and what is known of their causes."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

from oslogserve_mcp.answer import Report, Whole, counted, left_out
from oslogserve_mcp.client import MOST_READ, Answer, Failed
from oslogserve_mcp.notices import following, missing
from oslogserve_mcp.places import BadRequest, Site, as_path, below

#: Lines of the cause that are shown of the first log, and of each other one.
_MOST_TOLD = (40, 5)
#: Severities that are counted for an agent.
_COUNTED = ("CRITICAL", "ERROR", "WARNING")


def show_job(answer: Answer, site: Site, report: Report) -> None:
    """Writes what a summary of a folder says. Raises Failed if it is too large."""
    if answer.is_cut:
        what = f"The summary of this folder has more than {MOST_READ:,} bytes"
        raise Failed(f"{what}: name a folder below it, or give `logs`.")
    summary = json.loads(answer.body.decode())
    logs = summary["logs"]
    failed = sum(log["failed"] for log in logs)
    heading = f"{counted(len(logs), 'log')}, of which {failed} failed, the most telling first:"
    report.add([Whole(site.link(answer.place.path, source=answer.place.source))])
    report.add([heading])
    report.add_notices([*_known(summary, answer, site), *missing(summary)])
    more = [f"More logs: {following(answer, site, summary['next'])}"] if summary["next"] else []
    rest = [*map(Whole, more)]
    then = [*rest, left_out(len(logs), "further log")]
    for number, log in enumerate(logs):
        shown = [*_log(log, answer, site), *cause_of(log, is_first=number == 0)]
        if not (report.add(shown, then) or report.add(shown[:2], then)):
            report.add([left_out(len(logs) - number, "further log")])
            break
    report.add(rest)


def _log(log: dict[str, Any], answer: Answer, site: Site) -> Iterator[str]:
    """Its name and counts; its link, which leads to the cause."""
    counts = [
        f"{log['severities'][name]['count']:,} {name}"
        for name in _COUNTED
        if name in log["severities"]
    ]
    failed = "FAILED: " if log["failed"] else ""
    yield f"{failed}{as_path(log['name'])}: {', '.join([counted(log['lines'], 'line'), *counts])}"
    line = log["cause"]["line"] if log["cause"] else 0
    yield Whole(site.link(below(answer.place.path, log["href"]), line, answer.place.source))
    if log["reason"]:
        yield f"Of this log, something is missing: {log['reason']}"


def cause_of(log: dict[str, Any], is_first: bool) -> Iterator[str]:
    """Why the log failed. Nothing of a further log that only ends."""
    cause = log["cause"]
    if not cause or (cause["why"] == "end" and not (is_first or log["failed"])):
        return
    last = f"-{cause['last']}" if cause["last"] > cause["line"] else ""
    new = ", new" if cause.get("new") else ""
    time = f", {cause['time']}" if cause["time"] else ""
    what = "No cause found, its end" if cause["why"] == "end" else f"Cause ({cause['why']}{new})"
    yield f"{what}, {'lines' if last else 'line'} {cause['line']}{last}{time}:"
    if silent := cause.get("silent_step"):
        yield f"(the step that failed, at line {silent}, says nothing: this is from an earlier one)"
    most = _MOST_TOLD[not is_first]
    told = cause.get("told") or [cause["text"]]
    yield from (f"| {line}" for line in told[:most])
    if len(told) > most:
        yield f"| ... {counted(len(told) - most, 'line')} left out"


def _known(summary: dict[str, Any], answer: Answer, site: Site) -> Iterator[str]:
    """What people and other runs tell of the causes."""
    for rule in summary["known"]:
        yield Whole(f"Known: {rule['title']} {rule['url']}")
    seen = summary["seen"]
    if not seen:
        return
    if seen["runs"]:
        when = "Seen since (this run is the first)" if seen.get("is_first") else "Seen before"
        yield Whole(f"{when}: {_in_runs(seen, answer, site)}")
        return
    runs = counted(seen["failed_runs"], "failed run")
    yield f"Not seen before in {counted(seen['days'], 'day')} ({runs}){_passed(seen)}"
    if another := seen.get("another"):
        where = f"Another failure of this run, line {another['line']} of {another['log']}"
        yield Whole(f"{where}, was seen: {_in_runs(another, answer, site)}")


def _in_runs(seen: dict[str, Any], answer: Answer, site: Site) -> str:
    """In how many other runs a failure was, with a link to them."""
    same = "lines" if seen["by"] == "exact" else "exception"
    runs = f"{counted(seen['runs'], 'other run')} of {counted(seen['jobs'], 'job')}"
    link = _runs_link(seen["href"], answer, site)
    return f"the same {same} in {runs}{_passed(seen)}{link}"


def _passed(seen: dict[str, Any]) -> str:
    return f"; {counted(seen['passed'], 'run')} that passed had it" if seen["passed"] else ""


def _runs_link(href: str | None, answer: Answer, site: Site) -> str:
    """The link to the other runs; nothing if the server does not list them, or not below --url."""
    if not href:
        return ""
    try:
        place = site.place(urljoin(site.address(*answer.place[:2]), href))
    except BadRequest:
        return ""
    return f": {site.address(*place[:2])}"
