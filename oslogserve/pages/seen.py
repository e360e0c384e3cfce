# SPDX-License-Identifier: Apache-2.0
"""What runs failed for: a sentence on a job's page, the list of causes, and the runs of one; and all of these as JSON."""

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from textwrap import shorten
from typing import Any, NotRequired, TypedDict
from urllib.parse import quote

from oslogserve.pages.log import json_line
from oslogserve.pages.page import frame
from oslogserve.query import Query
from oslogserve.seen import MOST_NAME, Cause, Others, Recent, Run, Seen
from oslogserve.seen.query import SeenQuery
from oslogserve.seen.rules import Rule, RuleInJson
from oslogserve.templates import rendered
from oslogserve.text import counted, iso_moment
from oslogserve.urls import address

#: Below the mount point.
LIST = "/_oslogserve/seen"
#: How a sentence on other runs begins, by whether the run is the first, and by what is the same.
_BEGINNINGS = {
    (False, True): "Seen in ",
    (False, False): "The same failed with the same exception in ",
    (True, True): "This is the first; since then in ",
    (True, False): "This is the first; since then the same failed with the same exception in ",
}
#: Characters of a commit that are shown.
_COMMIT = 10
#: Characters of a failure's text in a sentence.
_MOST_QUOTED = 100
#: Days within which a weekday says which day is meant.
_WEEK = 6
#: Width and height of a day's bar, and the space beside it, in units of the drawing.
_WIDTH, _HEIGHT, _GAP = 8, 24, 2


class RunInJson(TypedDict):
    ended: str | None
    change: str
    commit: str
    #: Where the server lists runs.
    path: NotRequired[str]
    href: NotRequired[str]
    failed: NotRequired[bool]
    job: NotRequired[str]
    project: NotRequired[str]
    branch: NotRequired[str]


class RunOfCause(RunInJson, total=False):
    log: str
    line: int


class OthersInJson(TypedDict):
    fingerprint: str
    by: str
    runs: int
    jobs: int
    passed: int


class AnotherInJson(OthersInJson):
    log: str
    line: int
    text: str
    href: str | None


class SeenInJson(OthersInJson):
    never_passed: bool
    is_first: bool
    first: RunInJson | None
    passed_last: RunInJson | None
    failing_since: RunInJson | None
    failed_runs: int
    days: int
    another: AnotherInJson | None
    href: str | None


class OfCause(TypedDict):
    """What is known of a job's cause."""

    seen: SeenInJson | None
    known: list[RuleInJson]


def sentence(query: Query, seen: Seen) -> list[str | tuple[str, str]]:
    """What other runs had of a cause, in parts, of which links lead to these runs."""

    def runs(text: str, others: Others | None = None) -> str | tuple[str, str]:
        href = _href(query, seen, others)
        return (href, text) if href else text

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
        return [begin, shown, f" of {counted(others.jobs, 'job')}{when}{end}", *_turn(query, seen)]
    parts: list[str | tuple[str, str]] = [f"Not seen before in {counted(seen.days, 'day')} ("]
    parts += [runs(counted(seen.failed_runs, "failed run")), f"){end}"]
    if another:
        text = shorten(another.cause.text, _MOST_QUOTED, placeholder=" ...")
        same = "in " if another.is_exact else "with the same exception in "
        parts.append(f' Another failure of this run, "{text}", was seen {same}')
        parts.append(runs(counted(another.runs, "other run"), another))
        parts.append(f" of {counted(another.jobs, 'job')}{passed(another)}.")
    return [*parts, *_turn(query, seen)]


def _turn(query: Query, seen: Seen) -> Iterator[str | tuple[str, str]]:
    """Yields when the job passed last, and since when it fails."""
    for begin, run in zip(
        (" This job passed last ", ", failing since "), seen.turn or (), strict=False
    ):
        yield begin
        when = _shown(run.ended)
        yield (_run_address(query.mount, run), when) if seen.is_listed else when
        yield f" ({what})" if (what := run.commit[:_COMMIT] or run.change) else ""
    if seen.turn:
        yield "."


def _shown(seconds: int) -> str:
    """A time in UTC, by its weekday in the last days."""
    then = datetime.fromtimestamp(seconds, UTC)
    days = (datetime.fromtimestamp(time.time(), UTC).date() - then.date()).days
    day = "today" if days == 0 else f"{then:%A}" if 0 < days <= _WEEK else f"{then:%Y-%m-%d}"
    return f"{day} {then:%H:%M} UTC"


def seen_and_known(query: Query, seen: Seen | None, known: Sequence[Rule]) -> OfCause:
    """Members of a job's JSON."""
    rules = [rule.as_json() for rule in known]
    if seen is None:
        return {"seen": None, "known": rules}

    def counts(others: Others) -> OthersInJson:
        return {
            "fingerprint": others.fingerprint,
            "by": "exact" if others.is_exact else "failure",
            "runs": others.runs,
            "jobs": others.jobs,
            "passed": others.passed,
        }

    def in_json(run: Run | None) -> RunInJson | None:
        told = run and _run_in_json(query.mount, run)
        if told and not seen.is_listed:  # nothing leads to it
            return {"ended": told["ended"], "change": told["change"], "commit": told["commit"]}
        return told

    others, another = seen.others, seen.another
    passed_last, failing_since = seen.turn or (None, None)
    members: SeenInJson = {
        **counts(others),
        "never_passed": seen.never_passed,
        "is_first": seen.is_first,
        "first": in_json(others.first),
        "passed_last": in_json(passed_last),
        "failing_since": in_json(failing_since),
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


def causes(
    query: SeenQuery, causes: Sequence[tuple[Recent, Sequence[Rule]]], has_more: bool
) -> bytes:
    """The list of causes, each with the rules that know it. has_more: true if there are more causes."""
    if not query.is_html:
        members = [
            {
                "fingerprint": found.fingerprint,
                "text": found.run.causes[0].text,
                "runs": found.runs,
                "runs_last_day": found.days[-1],
                "jobs": found.jobs,
                "passed": found.passed,
                "first": iso_moment(found.first),
                "last": iso_moment(found.run.ended),
                "by_day": found.days,
                "known": [rule.as_json() for rule in known],
                "last_run": _run_in_json(query.mount, found.run, *found.run.causes),
            }
            for found, known in causes
        ]
        about = {"days": query.days, "kept_days": query.kept_days, **query.names}
        return json_line({**about, "causes": members, "more": has_more})
    return rendered(
        "seen.html",
        **_frame(query, "What fails now"),
        causes=causes,
        has_more=has_more,
        query=query,
        chips=[
            (_address(query, **{name: ""}), f"{name} {value}") for name, value in _filters(query)
        ],
        drawn=_drawn,
        narrowed=lambda name, value: _address(query, **{name: value}),
        runs_of=lambda found: _address(query, cause=found.fingerprint),
        as_json=_address(query, format="json"),
    )


def runs(query: SeenQuery, runs: Sequence[Run], known: Sequence[Rule], has_more: bool) -> bytes:
    """The runs with a cause, each with that one alone. has_more: true if there are more runs."""
    if not query.is_html:
        return json_line(
            {
                "fingerprint": query.cause,
                "days": query.days,
                **query.names,
                "text": runs[0].causes[0].text,
                "known": [rule.as_json() for rule in known],
                "runs": [_run_in_json(query.mount, run, *run.causes) for run in runs],
                "more": has_more,
            }
        )
    shown = [f"{name} {value}" for name, value in _filters(query)]
    if shown or query.days != query.kept_days:
        shown.insert(0, f"of the last {counted(query.days, 'day')}")
    return rendered(
        "seen_runs.html",
        **_frame(query, "Runs with a cause", "cause"),
        cause=runs[0].causes[0],
        failed=[run for run in runs if run.has_failed],
        passed=[run for run in runs if not run.has_failed],
        known=known,
        has_more=has_more,
        shown=", ".join(shown),
        all_runs=address(cause=query.cause),
    )


def _filters(query: SeenQuery) -> list[tuple[str, str]]:
    return [(name, value) for name, value in query.names.items() if value]


def _frame(query: SeenQuery, title: str, below: str = "") -> dict[str, Any]:
    """below: the name of a page below the list; "" for the list."""
    name = "what fails now"
    above = [(f"{query.mount}/", "logs"), (query.mount + LIST, name)]
    return {
        **frame(Query(b"", True, query.mount), title),
        "path": (above, below) if below else (above[:1], name),
        "run_address": partial(_run_address, query.mount),
        "line_address": partial(_line_address, query.mount),
    }


def _address(query: SeenQuery, **changed: str) -> str:
    """The address of the list, with its days and filters but for what changed."""
    return address({"days": str(query.days), **query.names, **changed}.items())


def _line_address(mount: str, run: Run) -> str:
    """The address of the line of the run's one cause; "" if the log's name is not kept whole."""
    [cause] = run.causes
    line = f"L{cause.line}"
    if len(cause.log) >= MOST_NAME:
        return ""
    return f"{_folder_address(mount, run)}{quote(cause.log)}?show={line}#{line}"


def _drawn(days: Sequence[int]) -> tuple[int, int, str]:
    """Width, height and SVG path of a bar for each day's runs. The highest one has the whole height."""
    path = ""
    for day, runs in enumerate(days):
        if runs:
            height = max(2, round(_HEIGHT * runs / max(days)))
            left = (_WIDTH + _GAP) * day
            path += f"M{left} {_HEIGHT}v-{height}h{_WIDTH}v{height}z"
    return (_WIDTH + _GAP) * len(days), _HEIGHT, path


def _run_in_json(mount: str, run: Run, cause: Cause | None = None) -> RunOfCause:
    members: RunOfCause = {
        "path": run.path,
        "href": _run_address(mount, run),
        "ended": iso_moment(run.ended),
        "failed": run.has_failed,
        "job": run.job,
        "project": run.project,
        "branch": run.branch,
        "change": run.change,
        "commit": run.commit,
    }
    if cause:
        members["log"], members["line"] = cause.log, cause.line
    return members


def _run_address(mount: str, run: Run) -> str:
    return f"{_folder_address(mount, run)}?format=overview"


def _folder_address(mount: str, run: Run) -> str:
    return f"{mount}/{quote(run.path)}/" if run.path else f"{mount}/"
