# SPDX-License-Identifier: Apache-2.0
"""What fails now, as a page and as JSON: causes of several runs, and the runs of one cause."""

from collections.abc import Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

from oslogserve.humanize import counted, iso_moment
from oslogserve.pages.job_seen import LIST, folder_address, run_address, run_json
from oslogserve.pages.log import json_line
from oslogserve.pages.page import Breadcrumbs, Link, address, frame
from oslogserve.seen import MOST_NAME, Recent, Run
from oslogserve.seen.query import SeenQuery
from oslogserve.seen.rules import Rule
from oslogserve.templates import rendered

#: Width and height of a day's bar, and the space beside it, in units of the drawing.
_WIDTH, _HEIGHT, _GAP = 8, 24, 2


def causes_html(
    query: SeenQuery, causes: Sequence[tuple[Recent, Sequence[Rule]]], has_more: bool
) -> bytes:
    """The list of causes, each with the rules that know it. has_more: true if there are more causes."""
    return rendered(
        "seen.html",
        **_frame(query, "What fails now"),
        causes=causes,
        has_more=has_more,
        query=query,
        chips=[
            Link(_address(query, **{name: ""}), f"{name} {value}")
            for name, value in _filters(query)
        ],
        drawn=_drawn,
        narrowed=lambda name, value: _address(query, **{name: value}),
        runs_of=lambda found: _address(query, cause=found.fingerprint),
        as_json=_address(query, format="json"),
    )


def runs_html(
    query: SeenQuery, runs: Sequence[Run], known: Sequence[Rule], has_more: bool
) -> bytes:
    """The runs with a cause, each with that one alone. has_more: true if there are more runs."""
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
    return [(name, value) for name, value in query.named._asdict().items() if value]


def _frame(query: SeenQuery, title: str, below: str = "") -> dict[str, Any]:
    """below: the name of a page below the list; "" for the list."""
    name = "what fails now"
    links = [Link(query.mount + LIST, name)] if below else []
    return {
        **frame(query.mount, b"", title),
        "path": Breadcrumbs(f"{query.mount}/", "", links, below or name),
        "run_address": partial(run_address, query.mount),
        "line_address": partial(_line_address, query.mount),
    }


def _address(query: SeenQuery, **changed: str) -> str:
    """The address of the list, with its days and filters but for what changed."""
    return address(days=query.days, **query.named._asdict() | changed)


def _line_address(mount: str, run: Run) -> str:
    """The address of the line of the run's one cause; "" if the log's name is not kept whole."""
    [cause] = run.causes
    line = f"L{cause.line}"
    is_whole = len(cause.log) < MOST_NAME
    return f"{folder_address(mount, run)}{quote(cause.log)}?show={line}#{line}" if is_whole else ""


def _drawn(days: Sequence[int]) -> tuple[int, int, str]:
    """Width, height and SVG path of a bar for each day's runs. The highest one has the whole height."""
    path = ""
    for day, runs in enumerate(days):
        if runs:
            height = max(2, round(_HEIGHT * runs / max(days)))
            left = (_WIDTH + _GAP) * day
            path += f"M{left} {_HEIGHT}v-{height}h{_WIDTH}v{height}z"
    return (_WIDTH + _GAP) * len(days), _HEIGHT, path


def causes_json(
    query: SeenQuery, causes: Sequence[tuple[Recent, Sequence[Rule]]], has_more: bool
) -> bytes:
    """See causes_html."""
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
            "last_run": _run_in_json(query, found.run),
        }
        for found, known in causes
    ]
    about = {"days": query.days, "kept_days": query.kept_days, **query.named._asdict()}
    return json_line({**about, "causes": members, "more": has_more})


def runs_json(
    query: SeenQuery, runs: Sequence[Run], known: Sequence[Rule], has_more: bool
) -> bytes:
    """See runs_html."""
    return json_line(
        {
            "fingerprint": query.cause,
            "days": query.days,
            **query.named._asdict(),
            "text": runs[0].causes[0].text,
            "known": [rule.as_json() for rule in known],
            "runs": [_run_in_json(query, run) for run in runs],
            "more": has_more,
        }
    )


def _run_in_json(query: SeenQuery, run: Run) -> dict[str, Any]:
    [cause] = run.causes
    return {**run_json(query.mount, run), "log": cause.log, "line": cause.line}
