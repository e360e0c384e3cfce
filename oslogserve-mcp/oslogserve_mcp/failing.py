# SPDX-License-Identifier: Apache-2.0
"""What fails now, for an agent: the causes of the last days, or the runs with one, from the server's JSON."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from oslogserve_mcp.answer import Report, Whole, counted, left_out
from oslogserve_mcp.client import Answer
from oslogserve_mcp.notices import link_to
from oslogserve_mcp.places import BadRequest, Site

#: Below the server's address.
PATH = b"_oslogserve/seen"
#: Jobs that are named of a cause.
_MOST_JOBS = 20


def show_failing(answer: Answer, site: Site, report: Report) -> None:
    """Writes the causes, those of most runs first; or the runs with a cause, the last one first."""
    found = json.loads(answer.body.decode())
    report.add([Whole(link_to(site, answer.place.path, answer.place.query))])
    if "causes" in found:
        heading = (
            f"{counted(len(found['causes']), 'cause')} of the last {counted(found['days'], 'day')}"
        )
        report.add([f"{heading}, those of most runs first:"])
        entries = [_cause(one, site) for one in found["causes"]]
    else:
        failed = [run for run in found["runs"] if run["failed"]]
        report.add_notices([*_told(found), *_jobs(failed, len(found["runs"]) - len(failed))])
        entries = [_run(run, site) for run in found["runs"]]
    for number, entry in enumerate(entries):
        more = left_out(len(entries) - number, "further one")
        if not report.add(entry, [more]):
            report.add([more])
            return
    if found["more"]:
        report.add(["There are more: name a job, a project or a branch."])


def _told(cause: dict[str, Any]) -> Iterator[str]:
    yield f"| {cause['text']}"
    for rule in cause["known"]:
        yield Whole(f"Known: {rule['title']} {rule['url']}")


def _cause(cause: dict[str, Any], site: Site) -> list[str]:
    runs = f"{counted(cause['runs'], 'run')} of {counted(cause['jobs'], 'job')} failed"
    passed = f"; {counted(cause['passed'], 'run')} that passed had it" if cause["passed"] else ""
    when = f"from {cause['first']} to {cause['last']}, {cause['runs_last_day']:,} in the last 24 h"
    query = [("cause", cause["fingerprint"])]
    return [
        f"{runs}, {when}{passed}:",
        *_told(cause),
        *_run(cause["last_run"], site, "The last one: "),
        Whole(f"All of them: {site.address(PATH, query)}"),
    ]


def _jobs(failed: list[dict[str, Any]], passed: int) -> Iterator[str]:
    """The runs that are listed, by their jobs."""
    named = Counter(run["job"] or "an unknown job" for run in failed).most_common()
    jobs = ", ".join(f"{job} {runs:,}" for job, runs in named[:_MOST_JOBS])
    others = ", ..." if len(named) > _MOST_JOBS else ""
    yield f"{counted(len(failed), 'run')} failed, by jobs: {jobs}{others}"
    if passed:
        yield f"{counted(passed, 'run')} that passed had it"


def _run(run: dict[str, Any], site: Site, before: str = "") -> list[str]:
    """When it ended and of what it was, and the link to the line of the cause, or else to its folder."""
    names = ("job", "project", "branch", "change")
    of = ", ".join(f"{name} {run[name]}" for name in names if run[name])
    outcome = "failed" if run["failed"] else "passed"
    folder = f"{quote(run['path'])}/" if run["path"] else ""
    path = folder + quote(run["log"])
    try:
        link = site.link(site.place(path).path, run["line"])
    except BadRequest:
        link = ""
    return [
        f"{before}{run['ended']} {outcome}{', ' if of else ''}{of}",
        *([Whole(link)] if link else []),
    ]
