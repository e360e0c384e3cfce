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
from oslogserve.seen import Others, Run, Seen
from oslogserve.seen.rules import Rule

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


def sentence(query: Query, seen: Seen) -> list[str | Link]:
    """What is known of a cause, in parts, of which links lead to the other runs."""

    def runs(text: str, others: Others | None = None) -> str | Link:
        href = _href(query, seen, others)
        return Link(href, text) if href else text

    def passed(others: Others) -> str:
        return f"; also in {counted(others.passed, 'run')} that passed" if others.passed else ""

    others, another, first = seen.others, seen.another, seen.others.first
    never = "; never in a run of this job that passed" if seen.never_passed else ""
    end = f"{passed(others) or never}."
    if first:
        when = ""
        if not seen.is_first:
            when = f" since {_shown(first.ended)}"
            when += f", first in change {first.change}" if first.change else ""
        begin = _BEGINNINGS[seen.is_first, others.is_exact]
        shown = runs(counted(others.runs, "other run"), others)
        return [begin, shown, f" of {counted(others.jobs, 'job')}{when}{end}"]
    parts: list[str | Link] = [f"Not seen before in {counted(seen.days, 'day')} ("]
    parts += [runs(counted(seen.failed_runs, "failed run")), f"){end}"]
    if another:
        text = shorten(another.cause.text, _MOST_QUOTED, placeholder=" ...")
        same = "in " if another.is_exact else "with the same exception in "
        parts.append(f' Another failure of this run, "{text}", was seen {same}')
        parts.append(runs(counted(another.runs, "other run"), another))
        parts.append(f" of {counted(another.jobs, 'job')}{passed(another)}.")
    return parts


def _shown(seconds: int) -> str:
    """A time in UTC, by its weekday in the last days."""
    then = datetime.fromtimestamp(seconds, UTC)
    days = (datetime.fromtimestamp(time.time(), UTC).date() - then.date()).days
    day = "today" if days == 0 else f"{then:%A}" if 0 < days <= _WEEK else f"{then:%Y-%m-%d}"
    return f"{day} {then:%H:%M} UTC"


def as_json(query: Query, seen: Seen | None, known: Sequence[Rule]) -> dict[str, Any]:
    """The members `seen`, which is None if nothing is known, and `known`."""
    rules = [rule.as_json() for rule in known]
    if seen is None:
        return {"seen": None, "known": rules}

    def counts(others: Others) -> dict[str, Any]:
        return {
            "fingerprint": others.fingerprint,
            "by": "exact" if others.is_exact else "failure",
            "runs": others.runs,
            "jobs": others.jobs,
            "passed": others.passed,
        }

    others, another = seen.others, seen.another
    first = others.first and run_json(query.mount, others.first)
    if first and not seen.is_listed:  # nothing leads to it
        first = {name: first[name] for name in ("ended", "change")}
    members = {
        **counts(others),
        "never_passed": seen.never_passed,
        "is_first": seen.is_first,
        "first": first,
        "failed_runs": seen.failed_runs,
        "days": seen.days,
        "another": another
        and {
            "log": another.cause.log,
            "line": another.cause.line,
            "text": another.cause.text,
            **counts(another),
            "href": _href(query, seen, another),
        },
        "href": _href(query, seen, others),
    }
    return {"seen": members, "known": rules}


def _href(query: Query, seen: Seen, others: Others | None) -> str | None:
    """The address of the list of these runs, or of all; None if readers get none."""
    if not seen.is_listed:
        return None
    return query.mount + LIST + (address(cause=others.fingerprint) if others else "")


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
