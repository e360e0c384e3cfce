# SPDX-License-Identifier: Apache-2.0
"""What is known of a job's cause, for its page and as JSON: whether other runs failed so, and rules."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from textwrap import shorten
from typing import Any
from urllib.parse import quote

from oslogserve.humanize import counted, iso_moment
from oslogserve.pages.page import Link, address
from oslogserve.query import Query
from oslogserve.seen import Run
from oslogserve.seen.memory import Another, Told
from oslogserve.seen.rules import Known

#: Below the mount point.
LIST = "/_oslogserve/seen"
#: How a sentence on other runs begins, by whether the run is the first, and by what is the same.
_BEGINNINGS = {
    (False, True): "Seen in ",
    (False, False): "The same failed with the same exception in ",
    (True, True): "This is the first; since then in ",
    (True, False): "This is the first; since then the same failed with the same exception in ",
}
#: Characters of a failure's text in a sentence.
_MOST_QUOTED = 100
#: Days within which a weekday says which day is meant.
_WEEK = 6


def list_address(mount: str, fingerprint: str) -> str:
    return mount + LIST + address(cause=fingerprint)


def sentence(query: Query, told: Told) -> list[str | Link]:
    """What is known of a cause, in parts, of which links lead to the other runs."""
    others, first = told.others, told.others.first
    if first is None:
        runs = counted(told.failed_runs, "failed run")
        all_runs = Link(query.mount + LIST, runs) if told.is_listed else runs
        return [
            f"Not seen before in {counted(told.days, 'day')} (",
            all_runs,
            f"){_passed(told)}.",
            *_on_another(query, told),
        ]
    runs = counted(others.runs, "other run")
    to_runs = list_address(query.mount, told.fingerprint)
    shown = Link(to_runs, runs) if told.is_listed else runs
    begin = _BEGINNINGS[told.is_first, told.is_exact]
    when = "" if told.is_first else f" since {_shown(first.ended)}"
    if first.change and not told.is_first:
        when += f", first in change {first.change}"
    return [begin, shown, f" of {counted(others.jobs, 'job')}{when}{_passed(told)}."]


def _on_another(query: Query, told: Told) -> list[str | Link]:
    """A sentence on another failure of the run; empty for none."""
    if told.another is None:
        return []
    failure, _, others = another = told.another
    runs = counted(others.runs, "other run")
    address_of_runs = list_address(query.mount, another.fingerprint)
    shown = Link(address_of_runs, runs) if told.is_listed else runs
    same = "in " if another.is_exact else "with the same exception in "
    text = shorten(failure.text, _MOST_QUOTED, placeholder=" ...")
    jobs = counted(others.jobs, "job")
    passed = _also_passed(others.passed)
    return [
        f' Another failure of this run, "{text}", was seen {same}',
        shown,
        f" of {jobs}{passed}.",
    ]


def _passed(told: Told) -> str:
    """What is known of runs that passed."""
    never = "; never in a run of this job that passed" if told.never_passed else ""
    return _also_passed(told.others.passed) or never


def _also_passed(passed: int) -> str:
    return f"; also in {counted(passed, 'run')} that passed" if passed else ""


def _shown(seconds: int) -> str:
    """A time in UTC, by its weekday in the last days."""
    then = datetime.fromtimestamp(seconds, UTC)
    days = (datetime.fromtimestamp(time.time(), UTC).date() - then.date()).days
    day = "today" if days == 0 else f"{then:%A}" if 0 < days <= _WEEK else f"{then:%Y-%m-%d}"
    return f"{day} {then:%H:%M} UTC"


def as_json(query: Query, told: Told | None, known: Sequence[Known]) -> dict[str, Any]:
    """The members `seen`, which is None if nothing is known, and `known`."""
    rules = [one._asdict() for one in known]
    if told is None:
        return {"seen": None, "known": rules}
    first = told.others.first and run_json(query.mount, told.others.first)
    if first and not told.is_listed:  # nothing leads to it
        first = {name: first[name] for name in ("ended", "change")}
    seen = {
        **_of_others(told),
        "never_passed": told.never_passed,
        "is_first": told.is_first,
        "first": first,
        "failed_runs": told.failed_runs,
        "days": told.days,
        "another": told.another and _another_json(query, told, told.another),
        "href": list_address(query.mount, told.fingerprint) if told.is_listed else None,
    }
    return {"seen": seen, "known": rules}


def _another_json(query: Query, told: Told, another: Another) -> dict[str, Any]:
    failure = another.cause
    return {
        "log": failure.log,
        "line": failure.line,
        "text": failure.text,
        **_of_others(another),
        "href": list_address(query.mount, another.fingerprint) if told.is_listed else None,
    }


def _of_others(failure: Told | Another) -> dict[str, Any]:
    others = failure.others
    return {
        "fingerprint": failure.fingerprint,
        "by": "exact" if failure.is_exact else "failure",
        "runs": others.runs,
        "jobs": others.jobs,
        "passed": others.passed,
    }


def run_json(mount: str, run: Run) -> dict[str, Any]:
    return {
        "path": run.path.encode("utf-8", "replace").decode(),
        "href": run_address(mount, run),
        "ended": iso_moment(run.ended),
        "failed": run.has_failed,
        **run.job._asdict(),
        "change": run.change,
    }


def run_address(mount: str, run: Run) -> str:
    return f"{folder_address(mount, run)}?format=overview"


def folder_address(mount: str, run: Run) -> str:
    path = quote(run.path.encode("utf-8", "surrogateescape"))
    return f"{mount}/{path}/" if path else f"{mount}/"
